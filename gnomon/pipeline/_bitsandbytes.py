"""Import hook that keeps bitsandbytes from asking the hub for a kernel. Import this before PEFT.

On a CPU with AVX512-BF16, importing bitsandbytes downloads a kernel if the package `kernels` is
installed, and prints a warning if it is not. gnomon never uses that kernel (see `quantize`). PEFT,
TRL and transformers' trainer also import bitsandbytes, so an import hook catches them all.
"""

import logging
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_LOGGER = "bitsandbytes.backends.cpu.ops"
"""Logger of the module that looks for the kernel."""


class WithoutKernels(MetaPathFinder):
    """Finder for bitsandbytes only, which runs its import with `kernels` hidden."""

    def find_spec(self, name: str, path: Sequence[str] | None, _: Any = None) -> ModuleSpec | None:
        if name != "bitsandbytes":
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _hide_kernels(spec.loader.exec_module)  # type: ignore[method-assign, assignment]
        return spec


def _hide_kernels(execute: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
    """Wrap a loader's exec_module. While it runs, `import kernels` fails silently."""

    def execute_without_kernels(module: ModuleType) -> None:
        modules: dict[str, Any] = sys.modules
        imported = {name: modules[name] for name in ("kernels",) if name in modules}
        modules["kernels"] = None  # Python raises ImportError for a module that is None here
        logging.getLogger(_LOGGER).disabled = True
        try:
            execute(module)
        finally:
            del modules["kernels"]
            modules.update(imported)
            logging.getLogger(_LOGGER).disabled = False

    return execute_without_kernels


sys.meta_path.insert(0, WithoutKernels())
