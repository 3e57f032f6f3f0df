"""Import hook that keeps bitsandbytes from two slow things. Import this before PEFT.

On a CPU with AVX512-BF16, importing bitsandbytes downloads a kernel if the package `kernels` is
installed, and prints a warning if it is not. gnomon never uses that kernel (see `quantize`).
Importing bitsandbytes also compiles functions for devices without kernels of their own, and for
that imports torch's whole compiler. Here they are compiled when they are first called. PEFT, TRL
and transformers' trainer also import bitsandbytes, so an import hook catches them all.
"""

import logging
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_LOGGER = "bitsandbytes.backends.cpu.ops"
"""Logger of the module that looks for the kernel."""


class QuickBitsandbytes(MetaPathFinder):
    """Finder that imports bitsandbytes without a download and without compiling functions."""

    def find_spec(self, name: str, path: Sequence[str] | None, _: Any = None) -> ModuleSpec | None:
        if name != "bitsandbytes":
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _quick(spec.loader.exec_module)  # type: ignore[method-assign, assignment]
        return spec


def _quick(execute: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
    """Wrap a loader's exec_module. While it runs, `kernels` is missing and torch compiles later."""

    def execute_quickly(module: ModuleType) -> None:
        import torch

        modules: dict[str, Any] = sys.modules
        imported = {name: modules[name] for name in ("kernels",) if name in modules}
        modules["kernels"] = None  # Python raises ImportError for a module that is None here
        logging.getLogger(_LOGGER).disabled = True
        compile_now = torch.compile
        torch.compile = partial(_compile_later, compile_now)
        try:
            execute(module)
        finally:
            torch.compile = compile_now
            del modules["kernels"]
            modules.update(imported)
            logging.getLogger(_LOGGER).disabled = False

    return execute_quickly


def _compile_later(
    compile_now: Callable[..., Callable[..., Any]], function: Callable[..., Any], **options: Any
) -> Callable[..., Any]:
    """Return a function that is compiled when it is first called."""

    @cache
    def compiled() -> Callable[..., Any]:
        return compile_now(function, **options)

    return lambda *values, **names: compiled()(*values, **names)


sys.meta_path.insert(0, QuickBitsandbytes())
