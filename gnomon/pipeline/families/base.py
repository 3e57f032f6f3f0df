"""What a model family knows about itself; the rest of the pipeline asks it and guesses nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pathlib import Path

    from transformers import PreTrainedModel, ProcessorMixin

    from gnomon.recipe import Model
    from gnomon.sample import Size


@dataclass(frozen=True)
class Part:
    """One part of a model, by the names of its modules."""

    prefix: str
    """Parameters whose names start so belong to it."""
    linear: str
    """A regular expression for the full names of its linear layers: what LoRA adapts."""


class Family(ABC):
    """How checkpoints of one architecture load, what their parts are, how an answer is written."""

    name: ClassVar[str]
    dialect: ClassVar[str]
    """How it writes boxes; a name in gnomon.dialect.DIALECTS."""
    end: ClassVar[str]
    """The token that ends an answer, trained with it and generated at its end."""
    language: ClassVar[Part]
    vision: ClassVar[Part]
    projector: ClassVar[Part]
    keep_in_16_bits: ClassVar[tuple[str, ...]]
    """Modules that stay out of 4 bits, the head among them: one's own list drops it otherwise."""

    @abstractmethod
    def load_processor(self, path: str | Path, model: Model) -> ProcessorMixin:
        """The processor of a checkpoint, with the recipe's pixel limits."""

    @abstractmethod
    def resized(self, processor: ProcessorMixin, size: Size) -> Size:
        """The size that the processor resizes a picture of `size` to."""

    def prompt(self, processor: ProcessorMixin, question: str, *, image: bool) -> str:
        """The text up to where the answer begins, by the checkpoint's own chat template."""
        content: list[dict[str, Any]] = [{"type": "image"}] if image else []
        content.append({"type": "text", "text": question})
        text: str = processor.apply_chat_template(
            [{"role": "user", "content": content}], tokenize=False, add_generation_prompt=True
        )
        return text

    def load_model(self, path: str | Path, **options: Any) -> PreTrainedModel:
        """The model of a checkpoint; options are those of transformers' from_pretrained."""
        from transformers import AutoModelForImageTextToText

        model: PreTrainedModel = AutoModelForImageTextToText.from_pretrained(path, **options)
        return model
