"""Any other checkpoint that AutoModelForImageTextToText opens: what a family declares is found out.

The chat template says where answers begin and end, the processor what becomes of a picture, the
modules' names what the parts are. What cannot be told for sure is asked for as `model.auto.…`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from inspect import getsource
from math import prod
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any, ClassVar

from jinja2 import TemplateError

from gnomon.answers import dialect
from gnomon.names import hint
from gnomon.pipeline.families.base import Family, Part, Processor, tokenizer_of
from gnomon.progress import note
from gnomon.recipe import AutoFamily, Model
from gnomon.sample import Size

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch.nn import Module
    from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

QUESTION, ANSWER = "Gnomon-question", "Gnomon-answer"
"""Rendered by the chat template, to see what it writes around them."""
SHOWN = (448, 336)
"""The picture whose size and tokens `gnomon plan` shows."""
PROJECTOR = re.compile(r"proj|connector|merger|adapt|align|resampl|bridge|qformer|embeddings_table")
VISION = re.compile(r"vis|image|img|vit|tower")
OTHER = re.compile(r"audio|speech|sound|video")
"""Modules that a picture's answer has no use for."""


class Auto(Family):
    """Any other checkpoint that AutoModelForImageTextToText opens and that has a chat template."""

    name: ClassVar[str] = "auto"
    dialect: ClassVar[str] = "plain"
    digits: ClassVar[str] = "1 or more"
    end: ClassVar[str] = ""
    keep_in_16_bits: tuple[str, ...] = ("lm_head",)
    place: str | Path = ""
    opening: str = ""
    """What the template writes before an answer beyond its generation prompt, as an empty thought;
    prompts end with it."""
    lead: str = ""
    """The space before an answer, trained with it."""
    tail: str = ""
    """What the template writes between an answer and its end."""
    as_string: Mapping[bool, bool] = {}
    """Whether a message with a picture, or without, is a string."""
    others: Sequence[str] = ()
    """Modules for sound and video, by their prefixes: they are never trained."""
    told: Mapping[str, str] = {}

    def of(self, path: str | Path, model: Model) -> Family:
        key = _written(path), repr(model.auto)
        if key not in _FOUND:
            _FOUND[key] = _look(path, model)
            if model.family is None:
                note(
                    f"{model.name} has an architecture without a family here; `family: auto` found"
                    " out what training needs, and `gnomon plan` prints it"
                )
        return _FOUND[key]

    def found(self) -> Mapping[str, str]:
        return self.told

    def load_model(self, path: str | Path, **options: Any) -> PreTrainedModel:
        """The model, whose logits are scaled as its config says.

        transformers' classes of Aya Vision and Command A Vision leave that out: their loss would be
        of other logits than the checkpoint was trained with. TRL's own loss scales them.
        """
        model = super().load_model(path, **options)
        scale = getattr(model.config.get_text_config(), "logit_scale", None)
        if scale and "logit_scale" not in getsource(sys.modules[type(model).__module__]):
            head = model.get_output_embeddings()
            head.register_forward_hook(lambda _head, _given, logits: logits * scale)
        return model

    def load_processor(self, path: str | Path, model: Model) -> Processor:
        from transformers import AutoImageProcessor

        from gnomon.pipeline.families import _processors

        kind = _processors.without_video(_processors.kind_of(path))
        if others := sorted({*kind.get_attributes()} - {"image_processor", "tokenizer"}):
            raise ValueError(
                f"{kind.__name__} wants {', '.join(others)}, too, which is unsupported"
            )
        settings = (model.auto and model.auto.pictures) or {}
        try:
            pictures = AutoImageProcessor.from_pretrained(path, backend="pil", **settings)
        except (ImportError, ValueError) as error:
            if "torchvision" not in str(error):
                raise
            raise ValueError(
                "its pictures are prepared by torchvision alone, which is not installed"
            ) from error
        processor = _processors.assemble(kind, path, pictures)
        tokenizer = tokenizer_of(processor)
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        return processor

    def content(self, question: str, *, image: int) -> Any:
        if not self.as_string.get(image > 0):
            return super().content(question, image=image)
        return f"{self.placeholder}\n" * image + question

    def prompt(self, processor: Processor, question: str, *, image: int) -> str:
        return super().prompt(processor, question, image=image) + self.opening

    def answer(self, processor: Processor, prompt: str, text: str) -> str:
        return self.lead + super().answer(processor, prompt, text + self.tail)

    def idle(self, config: PretrainedConfig) -> list[str]:  # noqa: ARG002 - it was looked for
        return list(self.others)

    def resized(self, processor: Processor, size: Size) -> Size:
        """The largest picture that the image processor resizes a blank one to, before it is cut
        into tiles."""
        from PIL import Image

        known = vars(self).setdefault("sizes_seen", {})
        if size not in known:
            pictures, seen = processor.image_processor, []
            own = pictures.resize

            def resize(*args: Any, **kwargs: Any) -> Any:
                found = own(*args, **kwargs)
                seen.append(tuple(found.shape[-2:]))
                return found

            pictures.resize = resize
            try:
                pictures(Image.new("RGB", size), return_tensors="pt")
            finally:
                del pictures.resize
            height, width = max(seen, key=prod, default=size[::-1])
            known[size] = int(width), int(height)
        found: Size = known[size]
        return found

    def looks(self, config: PretrainedConfig, size: Size, model: Model) -> tuple[int, int]:
        """What a blank picture adds to a prompt, and its pixels' patches: the processor says it."""
        from PIL import Image

        known = vars(self).setdefault("looks_seen", {})
        if size not in known:
            processor = self.load_processor(self.place, model)
            asked, said = (self.prompt(processor, "?", image=image) for image in (True, False))
            batch = self.encode(processor, [asked], [Image.new("RGB", size)], side="right")
            plain = self.encode(processor, [said], [None], side="right")
            tokens = batch["input_ids"].shape[1] - plain["input_ids"].shape[1]
            pixels, patch = batch["pixel_values"], config.vision_config.patch_size
            patches = len(pixels) if pixels.ndim == 2 else pixels.numel() // (3 * patch**2)
            known[size] = tokens, patches
        found: tuple[int, int] = known[size]
        return found


_FOUND: dict[tuple[tuple[str, int], str], Auto] = {}
"""By checkpoint and what the recipe says of it: a command asks several times."""


def _written(path: str | Path) -> tuple[str, int]:
    """A name on the hub, or a folder and when it was written: another may come into its place."""
    config = Path(path) / "config.json"
    if config.is_file():
        return str(config.resolve()), config.stat().st_mtime_ns
    return str(path), 0


def _look(path: str | Path, model: Model) -> Auto:
    """All that a family declares, of one checkpoint."""
    import torch
    from transformers import AutoConfig, AutoModelForImageTextToText

    said, family = model.auto or AutoFamily(), Auto()
    config = AutoConfig.from_pretrained(path)
    processor = family.load_processor(path, model)
    if processor.chat_template is None:
        raise ValueError("it has no chat template, by which family auto finds prompts and answers")
    with torch.device("meta"):
        built = AutoModelForImageTextToText.from_config(config)
    found = vars(family)
    found |= {
        "place": path,
        "template_options": said.template_options or {},
        "placeholder": getattr(processor, "image_token", None) or "",
        "dialect": said.dialect or family.dialect,
        "digits": _digits(tokenizer_of(processor)),
        **_parts(built, said),
    }
    dialect.create(family.dialect)  # refuses a name that is unknown
    found["as_string"] = {image: _as_string(family, processor, image) for image in (True, False)}
    found |= _seam(family, processor, said)
    found["nested"] = _nested(family, processor)
    found["told"] = _told(family, processor, built, model)
    return family


def _ask(key: str, why: str) -> ValueError:
    return ValueError(f"model.auto.{key} must be given: {why}")


def _parts(built: PreTrainedModel, said: AutoFamily) -> dict[str, Any]:
    """The parts by the names of their modules; all but the language stays in 16 bits."""
    names = {id(module): name for name, module in built.named_modules()}
    head = built.get_output_embeddings()
    language = said.language or (names[id(built.get_decoder())],)
    vision, projector = list(said.vision or ()), list(said.projector or ())
    others: list[str] = []
    known = [*language, *vision, *projector]
    if wrong := [name for name in known if name not in names.values()]:
        raise ValueError(
            f"model.auto: no module is called {wrong[0]!r}: {hint(wrong[0], names.values())}"
        )
    for name in _beside(built, known):
        last = name.rpartition(".")[2]
        if OTHER.search(last):
            others.append(name)
        elif said.projector is None and PROJECTOR.search(last):
            projector.append(name)
        elif said.vision is None and VISION.search(last):
            vision.append(name)
        elif built.get_submodule(name) is not head:
            raise _ask("vision or model.auto.projector", f"{name} may be part of either")
    if not vision:
        raise _ask("vision", f"no module of {type(built).__name__} is called as vision towers are")
    if said.projector is None:
        inner = [
            f"{v}.{name}" for v in vision for name, _ in built.get_submodule(v).named_children()
        ]
        projector += [name for name in inner if PROJECTOR.search(name.rpartition(".")[2])]

    def part(own: Iterable[str]) -> Part | None:
        return tuple(f"{name}." for name in own) or None

    apart = (name for name in projector if not name.startswith(tuple(f"{v}." for v in vision)))
    kept = (*vision, *apart, *others, names[id(head)])
    return {
        "language": part(language),
        "vision": part(vision),
        "projector": part(projector),
        "keep_in_16_bits": kept,
        "others": [f"{name}." for name in others],
    }


def _beside(module: Module, known: Sequence[str], prefix: str = "") -> Iterator[str]:
    """The outermost modules with parameters that hold none of the known ones."""
    for name, child in module.named_children():
        full = prefix + name
        if any(other.startswith(f"{full}.") for other in known):
            yield from _beside(child, known, f"{full}.")
        elif full not in known and any(True for _ in child.parameters()):
            yield full


def _digits(tokenizer: PreTrainedTokenizerBase) -> str:
    """How many digits a token has, in the numbers to 2,000."""
    found = tokenizer([str(number) for number in range(2000)], add_special_tokens=False)
    ids = sorted({token for row in found["input_ids"] for token in row})
    tokens = [re.sub(r"\D", "", text) for text in tokenizer.batch_decode([[i] for i in ids])]
    wide = max(map(len, tokens))
    return "1" if wide == 1 else f"1 to {wide}"


def _rendered(family: Auto, processor: Processor, image: bool, answer: Any = None) -> str:
    """The template's text of a question, and of its answer where one is given."""
    asked = {"role": "user", "content": family.content(QUESTION, image=image)}
    told = [] if answer is None else [{"role": "assistant", "content": answer}]
    try:
        text: str = processor.apply_chat_template(
            [asked, *told],
            tokenize=False,
            add_generation_prompt=not told,
            **family.template_options,
        )
    except (TemplateError, AttributeError, LookupError, TypeError, ValueError) as error:
        return f"({error})"
    return text


def _as_string(family: Auto, processor: Processor, image: bool) -> bool:
    """Whether the template takes a string, and no list of parts, for a question."""
    for family.as_string in ({image: False}, {image: True}):
        text = _rendered(family, processor, image)
        seen = not image or family.placeholder in text
        if text.count(QUESTION) == 1 and seen and "'type'" not in text:
            return family.as_string[image]
    what = "a picture with its question" if image else "a question without a picture"
    raise ValueError(f"its chat template does not render {what}: {shorten(text, 120)}")


def _seam(family: Auto, processor: Processor, said: AutoFamily) -> dict[str, str]:
    """Where an answer begins, by its place after the generation prompt, and what ends it."""
    asked = _rendered(family, processor, image=True)
    lists = [{"type": "text", "text": ANSWER}]
    texts = [_rendered(family, processor, image=True, answer=form) for form in (ANSWER, lists)]
    whole = next((t for t in texts if t.count(ANSWER) == 1 and "'type'" not in t), None)
    if whole is None and (said.end is None or said.lead is None):
        raise _ask("end and model.auto.lead", "the chat template does not render an answer")
    before, _, after = (whole or asked).partition(ANSWER)
    tokenizer, opening, lead = tokenizer_of(processor), "", said.lead
    if lead is None:
        more = before.removeprefix(asked)
        if before.startswith(asked):
            opening, lead = (more, "") if more.strip() else ("", more)
        elif asked.startswith(before) or "".join(asked.split()) == "".join(before.split()):
            lead = ""
        else:
            raise _ask(
                "lead", f"answers follow {before[-40:]!r}, and prompts end with {asked[-40:]!r}"
            )
    tokens = [t for t in tokenizer.added_tokens_encoder if t in after]
    first = min(tokens, key=after.index, default=None)
    eos = tokenizer.eos_token
    end = said.end or (eos if eos in tokens or not after.strip() else first)
    if end is None or tokenizer.convert_tokens_to_ids(end) in (None, tokenizer.unk_token_id):
        raise _ask("end", f"answers are followed by {after!r}, and {end!r} is no token")
    tail = after.partition(end)[0] if end in after else ""
    left = tail
    for token in tokens:
        left = left.replace(token, "")
    if left.strip():
        raise _ask("end", f"answers are followed by {after!r}")
    return {"opening": opening, "lead": lead, "tail": tail, "end": end}


def _nested(family: Auto, processor: Processor) -> bool:
    """Whether the processor wants a list of pictures for each text: tried on a mixed batch."""
    from PIL import Image

    pictures = [Image.new("RGB", (60, 40)), None, Image.new("RGB", (40, 90))]
    texts = [family.prompt(processor, QUESTION, image=bool(picture)) for picture in pictures]
    for family.nested in (False, True):
        try:
            rows = _ids(family, processor, texts, pictures)
            alone = [
                _ids(family, processor, [t], [p])[0] for t, p in zip(texts, pictures, strict=True)
            ]
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            fault = str(error)
            continue
        if rows == alone:
            return family.nested
        fault = "a text's tokens are others in a batch"
    raise ValueError(f"its processor takes no batch of texts with and without pictures: {fault}")


def _ids(
    family: Auto, processor: Processor, texts: list[str], pictures: Sequence[Image | None]
) -> list[list[int]]:
    batch = family.encode(processor, texts, pictures, side="right")
    pairs = zip(batch["input_ids"], batch["attention_mask"], strict=True)
    return [ids[mask.bool()].tolist() for ids, mask in pairs]


def _told(
    family: Auto, processor: Processor, built: PreTrainedModel, model: Model
) -> dict[str, str]:
    """What was found, as `gnomon plan` prints it."""
    lines = {}
    for name in ("language", "vision", "projector"):
        part: Part | None = getattr(family, name)
        if part is None:
            lines[name] = "none"
            continue
        layers = family.linear_layers(built, part)
        kinds = ", ".join(sorted({n.rpartition(".")[2] for n in layers}))
        modules = ", ".join(prefix.rstrip(".") for prefix in part)
        lines[name] = f"{modules}, {len(layers)} linear layers" + (f" ({kinds})" if kinds else "")
    prompt = family.prompt(processor, QUESTION, image=True)
    resized = family.resized(processor, SHOWN)
    tokens, _ = family.looks(built.config, SHOWN, model)
    before, after = (f"{w} × {h}" for w, h in (SHOWN, resized))
    return lines | {
        "16 bits": ", ".join(family.keep_in_16_bits),
        "answer": f"{prompt.partition(QUESTION)[2]!r} and then"
        f" {family.answer(processor, prompt, '…')!r}, which ends with {family.end!r}",
        "digits": f"{family.digits} a token",
        "pictures": f"one of {before} is resized to {after} and adds {tokens} tokens",
        "boxes": f"the {family.dialect} dialect",
    }
