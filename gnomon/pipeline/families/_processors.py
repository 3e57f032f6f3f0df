"""Processors put together from their parts, without torchvision: pictures go through PIL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import transformers
from transformers import AutoConfig, AutoTokenizer, ProcessorMixin
from transformers.models.auto.processing_auto import (
    PROCESSOR_MAPPING_NAMES,
    processor_class_from_name,
)


def assemble(
    kind: type[ProcessorMixin], path: str | Path, pictures: Any, **otherwise: Any
) -> ProcessorMixin:
    """A checkpoint's processor of these picture settings; `otherwise` where it has none itself.

    AutoProcessor would hand back the bare tokenizer where torchvision is missing.
    """
    tokenizer = AutoTokenizer.from_pretrained(path)
    own, _ = kind.get_processor_dict(path)
    given = {name: value for name, value in own.items() if value is not None}
    given.pop("video_processor", None)
    settings = {"chat_template": tokenizer.chat_template, **otherwise, **given}
    processor: ProcessorMixin = kind.from_args_and_dict([pictures, tokenizer], settings)
    return processor


class _WithoutVideo(ProcessorMixin):  # type: ignore[misc]
    """The same processor without the video part, the only one that needs torchvision.

    It comes after a processor's own class, whose constructor hands a video part on as None; or
    before one whose constructor needs more than that.
    """

    video: ClassVar[str] = ""
    """The class of the video part, where it is not called as that of pictures."""

    def __init__(self, *parts: Any, chat_template: str | None = None, **kwargs: Any) -> None:
        there = [part for part in parts if part is not None]
        named = {name: part for name, part in kwargs.items() if part is not None}
        ProcessorMixin.__init__(self, *there, chat_template=chat_template, **named)

    @classmethod
    def get_attributes(cls) -> list[str]:
        return ["image_processor", "tokenizer"]

    def to_dict(self) -> dict[str, Any]:
        """What is saved: AutoProcessor looks for a video part, too, and gives up without one.

        It has the settings of pictures, as transformers has it for checkpoints without one.
        """
        saved: dict[str, Any] = super().to_dict()
        pictures = dict(saved["image_processor"])
        kind = self.video or pictures["image_processor_type"].replace("Image", "Video")
        del pictures["image_processor_type"]
        return {**saved, "video_processor": {**pictures, "video_processor_type": kind}}


# They keep their names, so that what they save opens with AutoProcessor where torchvision is.


class Qwen2VLProcessor(transformers.Qwen2VLProcessor, _WithoutVideo):  # type: ignore[misc]
    """Qwen2-VL's."""


class Qwen2_5_VLProcessor(transformers.Qwen2_5_VLProcessor, _WithoutVideo):  # type: ignore[misc]  # noqa: N801 - transformers' name
    """Qwen2.5-VL's."""


class Qwen3VLProcessor(transformers.Qwen3VLProcessor, _WithoutVideo):  # type: ignore[misc]
    """Qwen3-VL's."""


class MllamaProcessor(transformers.MllamaProcessor):  # type: ignore[misc]
    """Mllama's, whose own check refuses a text without a picture beside others in 5.22."""

    validate_inputs = ProcessorMixin.validate_inputs


class SmolVLMProcessor(_WithoutVideo, transformers.SmolVLMProcessor):  # type: ignore[misc]
    """SmolVLM's, which wants num2words for videos alone."""

    def __init__(
        self,
        image_processor: Any = None,
        tokenizer: Any = None,
        image_seq_len: int = 169,
        chat_template: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.fake_image_token, self.image_token = "<fake_token_around_image>", "<image>"
        self.global_image_token, self.video_token = "<global-img>", "<video>"
        self.end_of_utterance_token = "<end_of_utterance>"  # noqa: S105 - no password
        self.image_token_id = tokenizer.convert_tokens_to_ids(self.image_token)
        self.image_seq_len = image_seq_len
        ProcessorMixin.__init__(
            self, image_processor, tokenizer, chat_template=chat_template, **kwargs
        )

    apply_chat_template = ProcessorMixin.apply_chat_template  # SmolVLM's asks the video part


class InternVLProcessor(_WithoutVideo, transformers.InternVLProcessor):  # type: ignore[misc]
    """InternVL's."""

    video: ClassVar[str] = "InternVLVideoProcessor"
    text_kwargs: ClassVar[dict[str, Any]] = {}
    """InternVL's own pads on the left whatever its tokenizer is told."""

    def __init__(
        self,
        image_processor: Any = None,
        tokenizer: Any = None,
        image_seq_length: int = 256,
        chat_template: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.start_image_token, self.end_image_token = "<img>", "</img>"
        self.image_token, self.video_token = "<IMG_CONTEXT>", "<video>"
        for name in ("start_image_token", "end_image_token", "image_token"):
            setattr(self, f"{name}_id", tokenizer.convert_tokens_to_ids(getattr(self, name)))
        self.multimodal_pattern = re.compile(f"(?P<image>{self.image_token})|(?P<video><video>)")
        self.image_seq_length = image_seq_length
        ProcessorMixin.__init__(
            self, image_processor, tokenizer, chat_template=chat_template, **kwargs
        )


class Gemma4Processor(transformers.Gemma4Processor, _WithoutVideo):  # type: ignore[misc]
    """Gemma 4's for texts and pictures, without what hears and what sees videos."""

    left_out: Mapping[str, Any] = {}
    """A checkpoint's settings, those of the other parts among them: they are saved again."""

    def __init__(
        self, image_processor: Any = None, tokenizer: Any = None, chat_template: str | None = None
    ) -> None:
        super().__init__(None, image_processor, tokenizer, None, chat_template)

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), **self.left_out}


def without_video(kind: type[ProcessorMixin]) -> type[ProcessorMixin]:
    """The same processor without its video part, under the same name."""
    if "video_processor" not in kind.get_attributes():
        return kind
    return type(kind.__name__, (kind, _WithoutVideo), {"__module__": __name__})


def kind_of(path: str | Path) -> type[ProcessorMixin]:
    """The class of a checkpoint's processor, as AutoProcessor finds it."""
    own, _ = ProcessorMixin.get_processor_dict(path)
    model_type = AutoConfig.from_pretrained(path).model_type
    name = own.get("processor_class") or PROCESSOR_MAPPING_NAMES.get(model_type)
    kind: type[ProcessorMixin] | None = name and processor_class_from_name(name)
    if kind is None:
        raise ValueError(f"transformers has no processor for {model_type!r}")
    return kind
