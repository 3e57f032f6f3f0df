"""A pretend accelerator: real values on the CPU, under a device that the host would wait for.

Inside `Pretend()` tensors may live on the device "pretend". An operation there is counted as a
launch; one with a tensor of the CPU raises, as it does on a GPU; and whatever makes the host wait
for the device is noted with the line of ours that asked. Import this before the first backward of
the process, when autograd looks which devices there are.
"""

import sys
from collections import Counter
from pathlib import Path

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

import gnomon

OURS = Path(gnomon.__file__).parent
PACKAGES = OURS.parent, Path(torch.__file__).parents[1]
aten = torch.ops.aten
FREE = {
    aten.detach.default, aten.alias.default, aten.lift_fresh.default, aten._unsafe_view.default,
    aten._reshape_alias.default, aten.empty.memory_format, aten.empty_strided.default,
    aten.empty_like.default, aten.new_empty.default, aten.new_empty_strided.default,
}  # fmt: skip
"""They launch nothing, and are no views."""
WAITS = torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape
"""What torch tags so cannot return before the device has answered."""


class _Hooks(torch._C._acc.PrivateUse1Hooks):
    def is_available(self):
        return True

    def is_built(self):
        return True

    def has_primary_context(self, index):
        return True


class _Guard(torch._C._acc.DeviceGuard):
    def type_(self):
        return torch._C._autograd.DeviceType.PrivateUse1


class _Module:
    """`torch.pretend`. Unavailable, so that a test without the mode sees no accelerator."""

    is_available = staticmethod(lambda: False)
    device_count = staticmethod(lambda: 0)
    current_device = staticmethod(lambda: 0)
    manual_seed_all = staticmethod(lambda seed: None)
    _is_in_bad_fork = staticmethod(lambda: False)
    get_amp_supported_dtype = staticmethod(lambda: [torch.bfloat16, torch.float16])


torch.utils.rename_privateuse1_backend("pretend")
torch._register_device_module("pretend", _Module)
_registered = _Hooks(), _Guard()  # torch keeps no reference
torch._C._acc.register_python_privateuseone_hook(_registered[0])
torch._C._acc.register_python_privateuseone_device_guard(_registered[1])
DEVICE = torch.device("pretend", 0)


class There(torch.Tensor):
    """A tensor on the device; its values lie in `here`."""

    @staticmethod
    def __new__(cls, here):
        kept = {name: getattr(here, name) for name in ("dtype", "layout")}
        kept |= {"strides": here.stride(), "storage_offset": here.storage_offset()}
        made = torch.Tensor._make_wrapper_subclass(cls, here.shape, device=DEVICE, **kept)
        made.here = here
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise RuntimeError(f"{func} on the pretend device, and no `Pretend()` around it")

    def tolist(self):  # torch refuses to, for a subclass
        return self.cpu().tolist()


class Pretend(TorchDispatchMode):
    """Runs what is on the device; counts its launches, and notes what waits for it."""

    def __init__(self):
        super().__init__()
        self.launches = Counter()  # by file:function
        self.waits = Counter()  # by file:function in gnomon/, who asked for it, and operation

    def __enter__(self):
        # Else a backward runs in a thread of the device's own, where no line of ours is to be seen.
        self._threads = torch.autograd.set_multithreading_enabled(False)
        return super().__enter__()

    def __exit__(self, *error):
        self._threads.__exit__(*error)
        return super().__exit__(*error)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        given = [t for t in tree_leaves((args, kwargs or {})) if isinstance(t, torch.Tensor)]
        there = any(isinstance(t, There) for t in given)
        kwargs, to = dict(kwargs or {}), there
        if (device := kwargs.get("device")) is not None:
            to = torch.device(device).type == DEVICE.type
            kwargs["device"] = torch.device("cpu") if to else device
        if not there and not to:
            return func(*args, **kwargs)
        moved = there != to or func is aten.copy_.default and len({t.device for t in given}) > 1
        if not moved:
            self._refuse_mixed(func, given)
        self._count(func, args, kwargs, moved)
        known = {id(t.here): t for t in given if isinstance(t, There)}
        args, kwargs = tree_map_only(There, lambda t: t.here, (args, kwargs))
        found = func(*args, **kwargs)
        if torch.Tag.inplace_view in func.tags:
            raise NotImplementedError(f"{func} changes a shape in place")
        if not to:
            return found
        return tree_map_only(
            torch.Tensor, lambda t: known[id(t)] if id(t) in known else There(t), found
        )

    def _refuse_mixed(self, func, given):
        """A scalar of the CPU goes into an elementwise operation as one of Python's does."""
        scalars = torch.Tag.pointwise in func.tags or func is aten.index_put.default
        for tensor in given:
            if not isinstance(tensor, There) and not (scalars and tensor.dim() == 0):
                raise RuntimeError(f"{func}: a tensor of {DEVICE} and one of {tensor.device}")

    def _count(self, func, args, kwargs, moved):
        place, by = _asked()
        if not func.is_view and func not in FREE:
            self.launches[place] += 1
        if (moved and not kwargs.get("non_blocking")) or _waits(func, args, kwargs):
            self.waits[place, by, str(func)] += 1


def _waits(func, args, kwargs):
    if func in (aten.index.Tensor, aten.index_put.default, aten.index_put_.default):
        return any(t is not None and t.dtype in (torch.bool, torch.uint8) for t in args[1])
    return any(tag in func.tags for tag in WAITS) and kwargs.get("output_size") is None


def _asked():
    """The innermost function in gnomon/, as file:function, and the package that it called."""
    frame, by = sys._getframe(3), ""
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(OURS):
            return f"{file.relative_to(OURS)}:{frame.f_code.co_name}", by or "itself"
        if not by and "site-packages" in file.parts:
            by = file.parts[file.parts.index("site-packages") + 1]
            by = "" if by == "torch" else by
        frame = frame.f_back
    return "", by
