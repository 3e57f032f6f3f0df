"""Base classes of model families: everything that the pipeline must know about an architecture.

Family files import heavy packages only within methods, because `gnomon ls families` imports all of
them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import yaml

from gnomon.recipe import Model
from gnomon.sample import Size

if TYPE_CHECKING:
    import torch
    import transformers
    from PIL.Image import Image

Processor: TypeAlias = "transformers.ProcessorMixin | transformers.PreTrainedTokenizerBase"
Config: TypeAlias = "transformers.PretrainedConfig"
Part: TypeAlias = tuple[str, ...]
"""One part of a model, as prefixes of its parameters' names."""


PADS = ("<|finetune_right_pad_id|>", "<|pad|>", "<pad>")
"""Tokens for padding if a tokenizer names none. The first that is in its vocabulary is used."""


class Family(ABC):
    """Architecture: how its checkpoints load, what parts they have, how they write answers."""

    name: ClassVar[str]
    model_types: ClassVar[tuple[str, ...]] = ()
    """`model_type` in the configs of its checkpoints."""
    dialect: ClassVar[str]
    """Way of writing boxes, a name in gnomon.dialect.DIALECTS."""
    digits: ClassVar[str]
    """Number of digits per token of its tokenizer, for people to read: "1" or "1 to 3"."""
    end: ClassVar[str]
    """Token that ends an answer, both in training and in generation."""
    placeholder: ClassVar[str] = ""
    """Text that marks a picture in a prompt."""
    template_options: ClassVar[Mapping[str, Any]] = {}
    """Additional arguments of the chat template."""
    has_pixel_limits: ClassVar[bool] = False
    """True if min_pixels and max_pixels change how it resizes pictures."""
    multi_image: bool = False
    """True if it takes questions about several pictures."""
    space_before_answer: ClassVar[bool] = False
    """True if there is a space between the prompt and the answer."""
    language: ClassVar[Part] = ("model.language_model.",)
    vision: ClassVar[Part | None] = None
    projector: ClassVar[Part | None] = None
    """Projector into the language model. Inside the vision tower, it does not count as vision."""
    unused_parts: Part = ()
    """Parts that answers about pictures do not use, such as audio towers. They are never
    trained."""
    head: str = "lm_head"
    hub_check_date: ClassVar[str] = "never"
    """Date on which `make test-hub` last passed on its checkpoints."""

    @property
    def sizes(self) -> Mapping[str, dict[str, Any]]:
        """Arguments of the configurations of well-known checkpoints, by hub id."""
        return _all_sizes().get(self.name, {})

    def for_checkpoint(self, path: str | Path, model: Model) -> Family:  # noqa: ARG002 - for auto
        """Return the family adapted to one checkpoint."""
        return self

    def load_processor(self, path: str | Path, model: Model) -> Processor:
        """Load the processor of a checkpoint, with the recipe's pixel limits."""
        from transformers import AutoConfig

        from gnomon.pipeline.families import _processors

        # From these the processor computes the number of placeholders, one for each feature.
        counts = self.image_token_settings(AutoConfig.from_pretrained(path))
        return _processors.open_parts(path, self.load_image_processor(path, model), **counts)

    def image_token_settings(self, config: Config) -> dict[str, Any]:  # noqa: ARG002 - for most, none
        """Processor settings that count a picture's tokens, for checkpoints saved without them."""
        return {}

    def load_image_processor(self, path: str | Path, model: Model, **settings: Any) -> Any:  # noqa: ARG002 - some have limits
        """Load the image processor of a checkpoint, with the recipe's pixel limits."""
        from transformers import AutoImageProcessor

        return AutoImageProcessor.from_pretrained(path, backend="pil", **settings)

    @abstractmethod
    def resized_size(self, processor: Processor, size: Size) -> Size:
        """Return the size to which the processor resizes a picture of `size`."""

    def load_model(self, path: str | Path, **options: Any) -> transformers.PreTrainedModel:
        """Load the model of a checkpoint. Options are those of transformers' from_pretrained."""
        from transformers import AutoModelForImageTextToText

        model: transformers.PreTrainedModel = AutoModelForImageTextToText.from_pretrained(
            path, **options
        )
        return model

    def image_cost(self, config: Config, size: Size, model: Model) -> tuple[int, int]:  # noqa: ARG002 - for those that see
        """Count a picture's tokens in the prompt and its patches in the vision tower.

        The config is enough for this, so plans work without the checkpoint.
        """
        raise ValueError(f"{self.name} reads only text, but got a picture of {size}")

    def unused_modules(self, config: Config) -> list[str]:  # noqa: ARG002 - for LLaVA
        """Prefixes of modules with unused output. They are never trained."""
        return list(self.unused_parts)

    def prompt(self, processor: Processor, question: str, *, n_images: int) -> str:
        """Format the prompt up to the start of the answer, by the checkpoint's own chat template.

        A checkpoint without a template never learned the tokens of a chat and gets plain text.
        """
        if processor.chat_template is None:
            start = tokenizer_of(processor).bos_token or ""
            return f"{start}{self.placeholder * n_images}{question}\n"
        text: str = processor.apply_chat_template(
            [{"role": "user", "content": self.content(question, n_images=n_images)}],
            tokenize=False,
            add_generation_prompt=True,
            **self.template_options,
        )
        return text

    def content(self, question: str, *, n_images: int) -> Any:
        """Build the user's message as the chat template takes it."""
        return [*[{"type": "image"}] * n_images, {"type": "text", "text": question}]

    def answer(self, processor: Processor, prompt: str, text: str) -> str:
        """Format the text after the prompt: the answer and its end token."""
        blank = " " if self.space_before_answer and not prompt[-1:].isspace() else ""
        return blank + text + self.end_token(processor)

    def end_token(self, processor: Processor) -> str:
        """Return the token that ends an answer: the family's, or otherwise the tokenizer's EOS."""
        tokenizer = tokenizer_of(processor)
        # A fine-tune may have another vocabulary than the checkpoints that the family describes.
        in_vocab = tokenizer.convert_tokens_to_ids(self.end) not in (None, tokenizer.unk_token_id)
        has_template = processor.chat_template is not None
        end: str = self.end if in_vocab and has_template else tokenizer.eos_token
        return end


class TextOnly(Family):
    """Causal language model without pictures. Its processor is its tokenizer."""

    dialect = "plain"
    language = ("model.",)

    def load_processor(self, path: str | Path, model: Model) -> Processor:  # noqa: ARG002 - no pixels
        """Load the tokenizer. If it lacks a pad token, as Llama-3's does, give it one."""
        from transformers import AutoTokenizer

        tokenizer: Processor = AutoTokenizer.from_pretrained(path)
        if tokenizer.pad_token is None:
            pads = (pad for pad in PADS if pad in tokenizer.added_tokens_encoder)
            tokenizer.pad_token = next(pads, tokenizer.eos_token)
        return tokenizer

    def load_model(self, path: str | Path, **options: Any) -> transformers.PreTrainedModel:
        from transformers import AutoModelForCausalLM

        model: transformers.PreTrainedModel = AutoModelForCausalLM.from_pretrained(path, **options)
        return model

    def resized_size(self, processor: Processor, size: Size) -> Size:  # noqa: ARG002 - there is none
        raise ValueError(f"{self.name} reads only text, but got a picture of {size}")

    def content(self, question: str, *, n_images: int) -> Any:  # noqa: ARG002 - there is none
        return question


@cache
def _all_sizes() -> dict[str, dict[str, dict[str, Any]]]:
    """Read the table of well-known checkpoints, by family and hub id."""
    sizes: dict[str, dict[str, dict[str, Any]]] = yaml.safe_load(
        Path(__file__).with_name("sizes.yaml").read_text(encoding="utf-8")
    )
    return sizes


def tokenizer_of(processor: Processor) -> transformers.PreTrainedTokenizerBase:
    """Return a processor's tokenizer. The processor of a text-only family is the tokenizer
    itself."""
    return getattr(processor, "tokenizer", processor)


def linear_layers(family: Family, model: transformers.PreTrainedModel, part: Part) -> list[str]:
    """List the names of a part's linear layers, for LoRA and for quantization."""
    from torch.nn import Linear

    head, parts = model.get_output_embeddings(), (family.projector, family.vision, family.language)
    linear = (n for n, m in model.named_modules() if isinstance(m, Linear) and m is not head)
    # A projector may lie inside the tower. The first part in this order owns a layer.
    owners = ((n, [p for p in parts if p and f"{n}.".startswith(p)]) for n in linear)
    return [name for name, owner in owners if owner[:1] == [part]]


def known_config(family: Family, checkpoint: str) -> Config:
    """Build the configuration of a well-known checkpoint, without a download."""
    from transformers import AutoConfig

    return AutoConfig.for_model(family.model_types[0], **family.sizes[checkpoint])


def encode(
    processor: Processor,
    texts: list[str],
    pictures: Sequence[Image | Sequence[Image] | None],
    *,
    side: str,
) -> dict[str, torch.Tensor]:
    """Encode texts with their pictures as tensors, padded on `side`.

    Prompt and answer are tokenized in one call. Each text has a picture, None, or a sequence of
    pictures.
    """
    tokenizer = tokenizer_of(processor)
    tokenizer.padding_side = side
    options: dict[str, Any] = {"text": texts, "padding": True, "return_tensors": "pt"}
    options["padding_side"] = side  # Aya Vision's processor has a side of its own
    # If the template writes the first token itself, the tokenizer must not add a second one.
    has_bos = tokenizer.bos_token is not None and texts[0].startswith(tokenizer.bos_token)
    options["add_special_tokens"] = not has_bos
    # A list per text, because processors cannot assign several pictures to texts otherwise.
    images = [
        [] if item is None else list(item) if isinstance(item, Sequence) else [item]
        for item in pictures
    ]
    if any(images):
        options["images"] = images
    return dict(processor(**options))
