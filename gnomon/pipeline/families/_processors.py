"""Processors assembled from their parts, without torchvision: pictures go through PIL."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import transformers
from transformers import ProcessorMixin
from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES

from gnomon.pipeline.families import releases


def open_parts(path: str | Path, pictures: Any, **defaults: Any) -> ProcessorMixin:
    """Assemble a checkpoint's processor around an image processor.

    `defaults` apply to settings that the checkpoint lacks. AutoProcessor returns the bare tokenizer
    if torchvision is missing.
    """
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    config, _ = ProcessorMixin.get_processor_dict(path)
    processor_class = _processor_class(config.get("processor_class"), path)
    config = {name: value for name, value in config.items() if value is not None}
    settings = {"chat_template": tokenizer.chat_template, **defaults, **config}
    processor = assemble(processor_class, pictures, tokenizer, **settings)
    # transformers saves the template as a separate file.
    processor.saved_settings = {n: config[n] for n in config if n != "chat_template"}
    return processor


def assemble(
    original: type[ProcessorMixin], pictures: Any, tokenizer: Any, **settings: Any
) -> ProcessorMixin:
    """Assemble a processor of texts and pictures under the original class's name.

    Saved under that name, it opens with AutoProcessor elsewhere.
    """
    # Removed parts are passed as None.
    parts = dict.fromkeys(original.get_attributes())
    parts |= {"image_processor": pictures, "tokenizer": tokenizer}
    # MiniCPM-V's constructor reads settings of the video part, which its picture part also has.
    members: dict[str, Any] = {
        "__module__": __name__,
        "original": original,
        "video_processor": pictures,
    }
    if method := releases.GENERIC_METHODS.get(original.__name__):
        members[method] = getattr(ProcessorMixin, method)
    subclass: Any = type(original.__name__, (original, _TextsAndPictures), members)
    processor: ProcessorMixin = subclass.from_args_and_dict([], settings, **parts)
    return processor


class _TextsAndPictures(ProcessorMixin):  # type: ignore[misc]
    """Mixin that removes a processor's video part, which needs torchvision, and its audio part.

    It follows the processor's own class, whose constructor passes these parts on as None.
    """

    original: ClassVar[type[ProcessorMixin]]
    saved_settings: Mapping[str, Any] = {}
    """Settings of the checkpoint, including those of the removed parts, because they are saved
    again."""

    def __init__(self, *parts: Any, chat_template: str | None = None, **kwargs: Any) -> None:
        positional = [part for part in parts if part is not None]
        keyword = {name: part for name, part in kwargs.items() if part is not None}
        super().__init__(*positional, chat_template=chat_template, **keyword)

    @classmethod
    def get_attributes(cls) -> list[str]:
        return ["image_processor", "tokenizer"]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by parts, because the class is made at run time and workers of data loaders need
        it."""
        parts = self.original, self.image_processor, self.tokenizer
        return assemble, parts, self.__dict__

    def to_dict(self) -> dict[str, Any]:
        """Return the saved settings, with a video part, because AutoProcessor fails without one.

        The video part copies the picture settings, as transformers does for checkpoints without
        video.
        """
        saved: dict[str, Any] = {**self.saved_settings, **super().to_dict()}
        if "video_processor" in self.original.get_attributes():
            video = dict(saved["image_processor"])
            name = video.pop("image_processor_type").replace("Image", "Video")
            if not hasattr(transformers, name):
                name = saved["processor_class"].replace("Processor", "VideoProcessor")
            saved.setdefault("video_processor", {**video, "video_processor_type": name})
        return saved


def _processor_class(name: str | None, path: str | Path) -> type[ProcessorMixin]:
    """Return the class of a checkpoint's processor, as AutoProcessor chooses it."""
    model_type = transformers.AutoConfig.from_pretrained(path).model_type
    name = name or PROCESSOR_MAPPING_NAMES.get(model_type, "")
    processor: type[ProcessorMixin] | None = releases.processor_class(name)
    if processor is None:
        raise ValueError(f"transformers has no processor for {model_type!r}")
    return processor
