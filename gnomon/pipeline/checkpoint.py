"""Location, family and processor of a recipe's checkpoint. Only small files are read, never
weights."""

import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from textwrap import shorten
from typing import TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from gnomon.pipeline import families
from gnomon.pipeline.families.base import Family, Processor
from gnomon.recipe import Model
from gnomon.shortage import is_shortage

T = TypeVar("T")


class ModelNotHereError(ValueError):
    """Error: this machine does not have the checkpoint and cannot download it, or its files are
    unreadable."""


def locate_checkpoint(model: Model) -> tuple[str, Family]:
    """Return the checkpoint's path or hub id, and its family, by the recipe or by its config."""
    path = families.locate(model.name)
    embedded = model.name in families.EMBEDDED
    # Offline, only an earlier download can be opened.
    if not embedded and not Path(path).is_dir() and not _reaches_hub():
        path = _cache_folder(path)
    if model.family is not None or embedded:
        # The embedded model's config says qwen2_vl. Its family is a variant of qwen2_vl.
        own = model.name if model.name in families.FAMILIES else "gnomon-tiny"
        family = families.create(model.family or own)
    else:
        family = families.of_model_type(_model_type(path, model.name), model.name)
    if model.auto is not None and family.name != families.AUTO:
        raise ValueError(
            f"model.auto: {model.name} is of the family {family.name}: leave model.auto out, or set"
            f" model.family={families.AUTO}"
        )
    return path, try_load(model.name, lambda: family.for_checkpoint(path, model))


def open_processor(model: Model) -> tuple[Family, Processor]:
    """Load the processor of a recipe's model, with the family that it belongs to."""
    path, family = locate_checkpoint(model)
    return family, load_processor(path, family, model)


def processor_of(name: str, *, family: str | None = None) -> Processor:
    """Load the processor of a checkpoint, by hub id or folder, without torchvision.

    Without torchvision, `transformers.AutoProcessor` fails or returns the bare tokenizer for many
    vision-language models. `family` names a family that the checkpoint's config does not.
    """
    return open_processor(Model(name=name, family=family))[1]


def load_processor(path: str, family: Family, model: Model) -> Processor:
    """Load a checkpoint's processor. Pixel limits that its family cannot use are refused."""
    # A limit without effect would mislead, because pictures would stay as large as before.
    for limit in ("min_pixels", "max_pixels"):
        if getattr(model, limit) is not None and not family.has_pixel_limits:
            also = ", or set model.auto.pictures" if family.name == families.AUTO else ""
            raise ValueError(
                f"model.{limit}: {getattr(model, limit)}: {family.name} does not take pixel"
                f" limits: leave model.{limit} out and draw smaller pictures (size=…){also}"
            )
    return try_load(model.name, lambda: family.load_processor(path, model))


def with_dtype(model: Model, *, gpu: bool | None = None) -> Model:
    """Fill in the dtype of a recipe that names none: bfloat16 on a GPU, float32 on a CPU.

    With `gpu` None, the hardware of this machine decides.
    """
    if gpu is None:
        import torch

        gpu = torch.cuda.is_available()
    return replace(model, dtype=model.dtype or ("bfloat16" if gpu else "float32"))


def try_load(name: str, load: Callable[[], T], *, key: str = "model.name") -> T:
    """Call `load`. Any error becomes one line that names the key and the model."""
    try:
        return load()
    except Exception as error:  # files of other shapes make the libraries raise nearly anything
        if is_shortage(error):
            raise  # a full disk or memory is no fault of the files
        message = str(error) or type(error).__name__  # PEFT's assertions have no text
        reason = shorten(message, 240, placeholder=" …")
        raise ModelNotHereError(f"{key}: {name!r} cannot be opened: {reason}") from error


def _model_type(path: str, name: str) -> str:
    """Read `model_type` from a checkpoint's config.json."""
    from transformers import PretrainedConfig

    # AutoConfig would raise for an unknown model_type before the message could name it.
    config, _ = try_load(name, lambda: PretrainedConfig.get_config_dict(path))
    if "model_type" not in config:
        raise ModelNotHereError(
            f"model.name: {name!r} has no config.json that names a model_type: is it a checkpoint?"
            " If it is, set model.family"
        )
    model_type: str = config["model_type"]
    return model_type


def _reaches_hub() -> bool:
    """Return True if the hub's host name resolves, because huggingface_hub would try six times per
    file."""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return False
    if getproxies():
        return True  # a proxy looks names up itself
    try:
        # Asks only the resolver and opens no connection.
        socket.getaddrinfo(urlsplit(constants.ENDPOINT).hostname, 443)
    except OSError:
        return False
    return True


def _cache_folder(name: str) -> str:
    """Return the folder with an earlier download of the checkpoint."""
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return str(snapshot_download(name, local_files_only=True))
    except LocalEntryNotFoundError as error:
        raise ModelNotHereError(
            f"model.name: {name!r} was never downloaded to this machine, {constants.ENDPOINT}"
            " cannot be reached, and there is no such directory beside the recipe or in"
            f" {Path.cwd()}: name the directory of the model, or `hf download` it with a network"
        ) from error
