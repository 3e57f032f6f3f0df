"""Family for any other checkpoint that AutoModelForImageTextToText opens, from facts that are found
in it.

The chat template shows where answers start and end, the processor how pictures are resized, and the
modules' names which parts there are. Uncertain facts must be given as `model.auto.…`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from inspect import getsource
from math import prod
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from jinja2 import TemplateError

from gnomon import dialect
from gnomon.names import hint
from gnomon.pipeline.families.base import (
    Config,
    Family,
    Part,
    Processor,
    encode,
    linear_layers,
    tokenizer_of,
)
from gnomon.progress import note
from gnomon.recipe import AutoFamily, Model
from gnomon.sample import Size

if TYPE_CHECKING:
    from torch.nn import Module
    from transformers import PreTrainedModel

QUESTION, ANSWER = "Gnomon-question", "Gnomon-answer"
"""Probe texts for the chat template, which show what it writes around them."""
EXAMPLE_SIZE = (448, 336)
"""Size of the picture for which `gnomon plan` prints tokens."""
PROJECTOR = re.compile(r"proj|connector|merger|adapt|align|resampl|bridge|qformer")
"""Pattern for names of modules inside the vision tower that belong to the projector."""
UNUSED = re.compile(r"audio|speech|sound|video")
"""Pattern for names of modules that answers about pictures do not use."""


class Auto(Family):
    """Family of a checkpoint with a chat template that other families do not cover."""

    name = "auto"
    dialect = "plain"
    digits = "1 or more"
    end = ""
    processor: Processor
    """The checkpoint's processor."""
    opening: str = ""
    """Text between the generation prompt and the answer, such as an empty thought. It belongs to
    the prompt."""
    lead: str = ""
    """Whitespace before an answer. It is trained with the answer."""
    tail: str = ""
    """Text between an answer and its end token."""
    content_is_text: Mapping[bool, bool] = {}
    """True if the chat template takes a string as a message's content, not a list of parts.

    The keys are True for messages with a picture and False for messages without."""
    facts: Mapping[str, str] = {}
    """Facts that were found in the checkpoint, by name, for `gnomon plan`."""

    def for_checkpoint(self, path: str | Path, model: Model) -> Family:
        key = str(path), repr(model.auto)
        if key not in _CACHE:
            # The checkpoint's template is run and its model built without weights, which takes
            # seconds.
            _CACHE[key] = _discover(path, model)
            if model.family is None:
                note(
                    f"gnomon has no family for the architecture of {model.name}; `family: auto`"
                    " detected the settings for training, and `gnomon plan` prints them"
                )
        return _CACHE[key]

    def load_model(self, path: str | Path, **options: Any) -> PreTrainedModel:
        """Load the model, and scale its logits as its config says.

        transformers' classes of Aya Vision and Command A Vision do not scale them. The loss would
        be computed from other logits than in pretraining. TRL's own loss scales them.
        """
        model = super().load_model(path, **options)
        scale = getattr(model.config.get_text_config(), "logit_scale", None)
        # Classes that scale the logits themselves name the key in their source.
        if scale and "logit_scale" not in getsource(sys.modules[type(model).__module__]):
            head = model.get_output_embeddings()
            head.register_forward_hook(lambda _head, _inputs, logits: logits * scale)
        return model

    def load_processor(self, path: str | Path, model: Model) -> Processor:
        processor = super().load_processor(path, model)
        tokenizer = tokenizer_of(processor)
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        return processor

    def load_image_processor(self, path: str | Path, model: Model, **settings: Any) -> Any:
        user_settings = (model.auto and model.auto.pictures) or {}
        return super().load_image_processor(path, model, **settings, **user_settings)

    def content(self, question: str, *, n_images: int) -> Any:
        if not self.content_is_text.get(n_images > 0):
            return super().content(question, n_images=n_images)
        return f"{self.placeholder}\n" * n_images + question

    def prompt(self, processor: Processor, question: str, *, n_images: int) -> str:
        return super().prompt(processor, question, n_images=n_images) + self.opening

    def answer(self, processor: Processor, prompt: str, text: str) -> str:
        return self.lead + super().answer(processor, prompt, text + self.tail)

    def resized_size(self, processor: Processor, size: Size) -> Size:
        return _largest_resize(processor.image_processor, size)

    def image_cost(self, config: Config, size: Size, model: Model) -> tuple[int, int]:  # noqa: ARG002 - its processor knows the limits
        """Count the tokens and patches of a blank picture by running the processor on it."""
        from PIL import Image

        prompts = [self.prompt(self.processor, "?", n_images=n) for n in (1, 0)]
        with_image = encode(self.processor, prompts[:1], [Image.new("RGB", size)], side="right")
        text_only = encode(self.processor, prompts[1:], [None], side="right")
        tokens = with_image["input_ids"].shape[1] - text_only["input_ids"].shape[1]
        # Some processors return patches, [N, numbers]. Others return pictures or tiles, [..., 3,
        # H, W].
        pixels, patch = with_image["pixel_values"], config.vision_config.patch_size
        patches = len(pixels) if pixels.ndim == 2 else pixels.numel() // (3 * patch**2)
        return tokens, patches


@cache
def _largest_resize(image_processor: Any, size: Size) -> Size:
    """Return the largest size to which an image processor resizes before it cuts tiles.

    The size is recorded by replacing its `resize` while it processes a blank picture.
    """
    from PIL import Image

    # Height first, as in the shapes of arrays.
    sizes, original = [size[::-1]], image_processor.resize

    def recording_resize(*args: Any, **kwargs: Any) -> Any:
        picture = original(*args, **kwargs)
        sizes.append(tuple(picture.shape[-2:]))
        return picture

    # On the instance, so `del` restores the class's method.
    image_processor.resize = recording_resize
    try:
        image_processor(Image.new("RGB", size), return_tensors="pt")
    finally:
        del image_processor.resize
    height, width = max(sizes[1:] or sizes, key=prod)
    return int(width), int(height)


_CACHE: dict[tuple[str, str], Auto] = {}  # by checkpoint and model.auto; a command asks repeatedly


def _discover(path: str | Path, model: Model) -> Auto:
    """Fill in everything that a family declares, for one checkpoint."""
    import torch
    from transformers import AutoConfig, AutoModelForImageTextToText

    user, family = model.auto or AutoFamily(), Auto()
    config = AutoConfig.from_pretrained(path)
    processor = family.load_processor(path, model)
    if processor.chat_template is None:
        raise ValueError(
            "it has no chat template, and family auto needs a template to find prompts and answers"
        )
    # Only the modules' names are needed, not the weights.
    with torch.device("meta"):
        built = AutoModelForImageTextToText.from_config(config)
    fields = vars(family)
    fields |= {
        "processor": processor,
        "template_options": user.template_options or {},
        "placeholder": getattr(processor, "image_token", None) or "",
        "dialect": user.dialect or family.dialect,
        **_find_parts(built, user),
    }
    dialect.create(family.dialect)  # raises for an unknown name
    fields["content_is_text"] = {
        has_picture: _content_is_text(family, processor, has_picture)
        for has_picture in (True, False)
    }
    fields |= _find_answer_border(family, processor, user)
    fields["facts"] = _describe(family, processor, built, model)
    return family


def _missing(key: str, why: str) -> ValueError:
    return ValueError(f"model.auto.{key} must be given: {why}")


def _find_parts(built: PreTrainedModel, user: AutoFamily) -> dict[str, Any]:
    """Find the parts by their modules' names. Modules outside language and vision belong to the
    projector."""
    names = {id(module): name for name, module in built.named_modules()}
    head = names[id(built.get_output_embeddings())]
    language = user.language or (names[id(built.get_decoder())],)
    vision = user.vision or (names[id(built.get_encoder(modality="image"))],)
    parts = [*language, *vision, *(user.projector or ())]
    if wrong := [name for name in parts if name not in names.values()]:
        raise ValueError(
            f"model.auto: no module is called {wrong[0]!r}: {hint(wrong[0], names.values())}"
        )
    if language[0].startswith(vision[0]):  # the whole model, for want of a tower
        raise _missing(
            "vision", f"no module of {type(built).__name__} has a usual name of vision towers"
        )
    outside = [name for name in _modules_outside(built, parts) if name != head]
    unused = [name for name in outside if UNUSED.search(name.rpartition(".")[2])]
    # Unless the user names them: modules between the parts, and modules of a tower with typical
    # names.
    projector = user.projector
    if projector is None:
        inner = (f"{v}.{n}" for v in vision for n, _ in built.get_submodule(v).named_children())
        inside = [name for name in inner if PROJECTOR.search(name.rpartition(".")[2])]
        projector = (*(name for name in outside if name not in unused), *inside)

    def part(modules: Iterable[str]) -> Part:
        return tuple(f"{name}." for name in modules)

    return {
        "language": part(language),
        "vision": part(vision),
        "projector": part(projector) or None,
        "unused_parts": part(unused),
        "head": head,
    }


def _modules_outside(module: Module, parts: Sequence[str], prefix: str = "") -> Iterator[str]:
    """Yield the outermost modules with parameters that do not contain a part."""
    for name, child in module.named_children():
        full = prefix + name
        # The part lies deeper, so its siblings are inspected one by one.
        if any(part.startswith(f"{full}.") for part in parts):
            yield from _modules_outside(child, parts, f"{full}.")
        elif full not in parts and any(True for _ in child.parameters()):
            yield full


def _render(family: Auto, processor: Processor, n_images: int, answer: Any = None) -> str:
    """Render a question by the chat template, and its answer if there is one."""
    question = {"role": "user", "content": family.content(QUESTION, n_images=n_images)}
    reply = [] if answer is None else [{"role": "assistant", "content": answer}]
    try:
        text: str = processor.apply_chat_template(
            [question, *reply],
            tokenize=False,
            add_generation_prompt=not reply,
            **family.template_options,
        )
    except (TemplateError, AttributeError, LookupError, TypeError, ValueError) as error:
        return f"({error})"
    return text


def _content_is_text(family: Auto, processor: Processor, has_picture: bool) -> bool:
    """Return True if the template takes a question as a string, not as a list of parts."""
    for family.content_is_text in ({has_picture: False}, {has_picture: True}):
        text = _render(family, processor, int(has_picture))
        is_complete = family.placeholder in text or not has_picture
        # A template that takes strings prints a list as Python does, with 'type' in it.
        if text.count(QUESTION) == 1 and is_complete and "'type'" not in text:
            return family.content_is_text[has_picture]
    what = "a picture with its question" if has_picture else "a question without a picture"
    raise ValueError(f"its chat template does not render {what}: {shorten(text, 120)}")


def _find_answer_border(family: Auto, processor: Processor, user: AutoFamily) -> dict[str, str]:
    """Find the text between prompt and answer in the template, and the text that ends the
    answer."""
    prompt = _render(family, processor, n_images=1)
    parts = [{"type": "text", "text": ANSWER}]
    texts = [_render(family, processor, n_images=1, answer=answer) for answer in (ANSWER, parts)]
    whole = next((t for t in texts if t.count(ANSWER) == 1 and "'type'" not in t), None)
    if whole is None and (user.end is None or user.lead is None):
        raise _missing("end and model.auto.lead", "the chat template does not render an answer")
    before, _, after = (whole or prompt).partition(ANSWER)
    tokenizer, opening, lead = tokenizer_of(processor), "", user.lead
    if lead is None:
        extra = before.removeprefix(prompt)
        # The template may write more before an answer than at the prompt's end: an empty thought,
        # which belongs to the prompt, or a blank, which is trained with the answer.
        if before.startswith(prompt):
            opening, lead = (extra, "") if extra.strip() else ("", extra)
        elif prompt.startswith(before) or "".join(prompt.split()) == "".join(before.split()):
            lead = ""
        else:
            raise _missing(
                "lead", f"answers follow {before[-40:]!r}, but prompts end with {prompt[-40:]!r}"
            )
    # The end is the EOS if the template writes it, otherwise the first special token after an
    # answer.
    tokens = [t for t in tokenizer.added_tokens_encoder if t in after]
    first = min(tokens, key=after.index, default=None)
    eos = tokenizer.eos_token
    end = user.end or (eos if eos in tokens or not after.strip() else first)
    if end is None or tokenizer.convert_tokens_to_ids(end) in (None, tokenizer.unk_token_id):
        raise _missing("end", f"answers are followed by {after!r}, and {end!r} is not a token")
    tail = after.partition(end)[0] if end in after else ""
    return {"opening": opening, "lead": lead, "tail": tail, "end": end}


def _describe(
    family: Auto, processor: Processor, built: PreTrainedModel, model: Model
) -> dict[str, str]:
    """Describe the family in the lines that `gnomon plan` prints."""
    lines = {}
    for name in ("language", "vision", "projector"):
        part: Part = getattr(family, name) or ()
        layers = len(linear_layers(family, built, part))
        modules = ", ".join(prefix.rstrip(".") for prefix in part) or "none"
        lines[name] = f"{modules}, {layers} linear layers"
    prompt = family.prompt(processor, QUESTION, n_images=1)
    resized = family.resized_size(processor, EXAMPLE_SIZE)
    tokens, _ = family.image_cost(built.config, EXAMPLE_SIZE, model)
    before, after = (f"{w} × {h}" for w, h in (EXAMPLE_SIZE, resized))
    return lines | {
        "answer": f"{prompt.partition(QUESTION)[2]!r} and then"
        f" {family.answer(processor, prompt, '…')!r}, which ends with {family.end!r}",
        "pictures": f"a picture of {before} is resized to {after} and adds {tokens} tokens",
        "boxes": f"the {family.dialect} dialect",
    }
