"""A pretend accelerator: real values on the CPU, under a device that the host would wait for.

Inside `Pretend()` tensors may live on the device "pretend". An operation on them counts as a
launch; with a tensor of the CPU it raises, as on a GPU; and what makes the host wait for the device
is noted with the line of ours that did it. torch must hear of the device before the first backward
of the process: import this where tests are collected, not within one.

It has no kernels, so a launch is an operation of torch, which may be several on a GPU; and it takes
no 4-bit weights, for bitsandbytes keeps them in a class of tensors of its own.
"""

import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

import gnomon

OURS = f"{Path(gnomon.__file__).parent}/"
aten = torch.ops.aten
COPIES = {aten._to_copy.default, aten.copy_.default}
INDEXED = {aten.index.Tensor, aten.index_put.default, aten.index_put_.default}
MASKS = {torch.bool, torch.uint8}
IDLE = {"detach", "alias", "lift_fresh", "_unsafe_view", "_reshape_alias", "empty", "empty_like"}
IDLE |= {"empty_strided", "new_empty", "new_empty_strided"}
"""What launches nothing and is no view."""
ASKING = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
"""What torch tags so depends on values: item, equal, nonzero, unique, masked_select, …"""


REASONS = {
    ("losses/numbers/tables.py:_copy", ""): "a table goes to the device once",
    ("losses/objective.py:forward", ""): "how many labels are kept decides a shape",
    ("pipeline/training/run_trainer.py:__init__", "transformers"): "the weights go to the device",
    (
        "pipeline/training/trainer.py:get_batch_samples",
        "accelerate",
    ): "the data loader hands a batch over",
    (
        "pipeline/training/trainer.py:_measure",
        "",
    ): "an answer that was cut off is refused before the"
    " forward; and how many labels are kept decides a shape",
    ("pipeline/training/trainer.py:log", ""): "a line of the log is text",
    ("pipeline/training/head.py:rows_in_one_pass", "transformers"): "the model's own forward",
    ("pipeline/training/head.py:rows_in_chunks", "transformers"): "the model's own forward",
}
"""Where the host may wait for the device: our function, and the package that it called."""


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
    """`torch.pretend`: not available, lest other tests of the process see an accelerator."""

    is_available = _is_in_bad_fork = staticmethod(lambda: False)
    device_count = current_device = staticmethod(lambda: 0)
    manual_seed_all = staticmethod(lambda seed: None)
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
        made = torch.Tensor._make_wrapper_subclass(
            cls, here.shape, strides=here.stride(), storage_offset=here.storage_offset(),
            dtype=here.dtype, device=DEVICE,
        )  # fmt: skip
        made.here = here
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        raise RuntimeError(f"{func} on the pretend device, and no `Pretend()` around it")

    def tolist(self):  # torch's own refuses a subclass
        return self.cpu().tolist()

    def __repr__(self, **options):
        return repr(self.cpu())


class Asked(NamedTuple):
    """Who called an operation."""

    place: str = ""
    """The innermost function of ours, as file:function in gnomon/; empty where there is none."""
    line: int = 0
    by: str = ""
    """The package that it called, such as transformers; empty where it is ours alone."""


def asked():
    """Who called what is being dispatched."""
    frame, by = sys._getframe(1), ""
    while frame is not None:
        package, file = _origin(frame.f_code.co_filename)
        if package == "gnomon":
            return Asked(f"{file}:{frame.f_code.co_name}", frame.f_lineno, by)
        by, frame = by or package, frame.f_back
    return Asked(by=by)


@cache
def _origin(file):
    """The package that a file is of, and its path in there; of torch and of tests nothing."""
    if file.startswith(OURS):
        return "gnomon", file.removeprefix(OURS)
    _, installed, path = file.rpartition("site-packages/")
    package = path.partition("/")[0] if installed else ""
    return ("" if package == "torch" else package), path


class Pretend(TorchDispatchMode):
    """Runs what is on the device; counts its launches, and notes what waits for it."""

    active = None

    def __init__(self):
        super().__init__()
        self.launches: Counter[Asked] = Counter()
        self.waits: Counter[tuple[Asked, str]] = Counter()  # with the operation

    def __enter__(self):
        Pretend.active = self
        # Else a backward runs in a thread of the device's own, where no line of ours is to be seen.
        self._threads = torch.autograd.set_multithreading_enabled(False)
        torch._C._set_only_lift_cpu_tensors(True)  # torch.tensor(device=) copies where we see it
        return super().__enter__()

    def __exit__(self, *error):
        torch._C._set_only_lift_cpu_tensors(False)
        self._threads.__exit__(*error)
        return super().__exit__(*error)

    def ours(self):
        """Launches of our own code, without the backward's, whose stack does not say whose."""
        return sum(count for who, count in self.launches.items() if who.place and not who.by)

    def unexplained(self):
        """What waits within our code, and no reason is listed above."""
        waits = [(who, op) for who, op in self.waits if who.place]
        return [
            f"{who.place}, line {who.line}{who.by and f', by {who.by}'}: {operation}"
            for who, operation in waits
            if (who.place, who.by) not in REASONS
        ]

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        given = [t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        there = [isinstance(t, There) for t in given]
        to = any(there)
        if (device := kwargs.get("device")) is not None:
            to = torch.device(device).type == DEVICE.type
            kwargs["device"] = torch.device("cpu") if to else device
        if not to and not any(there):
            return func(*args, **kwargs)
        assert torch.Tag.inplace_view not in func.tags, f"{func} changes a shape in place"
        if func in COPIES:
            waits = not (to and all(there)) and not kwargs.get("non_blocking")
        elif func in INDEXED:  # by tensors of the CPU too, which are copied
            _refuse_mixed(func, [args[0], *args[2:3]])
            indices = [index for index in args[1] if index is not None]
            waits = any(i.dtype in MASKS or not isinstance(i, There) for i in indices)
        else:
            _refuse_mixed(func, given)
            waits = bool(ASKING & set(func.tags)) and kwargs.get("output_size") is None
        who = asked()
        self.launches[who] += not func.is_view and func.overloadpacket.__name__ not in IDLE
        if waits:
            self.waits[who, str(func)] += 1
        known = {id(t.here): t for t in given if isinstance(t, There)}
        args, kwargs = tree_map_only(There, lambda t: t.here, (args, kwargs))
        found = func(*args, **kwargs)
        if not to:
            return found
        return tree_map_only(
            torch.Tensor, lambda t: known[id(t)] if id(t) in known else There(t), found
        )


def _refuse_mixed(func, given):
    """As torch does, which takes a scalar of the CPU for one of Python's."""
    scalars = torch.Tag.pointwise in func.tags or func in INDEXED
    for tensor in given:
        if not isinstance(tensor, There) and not (scalars and tensor.dim() == 0):
            raise RuntimeError(f"{func}: a tensor of {DEVICE} and one of {tensor.device}")


def _scalar(tensor):
    """What torch.tensor([scalar, …]) asks for past every mode."""
    Pretend.active.waits[asked(), "torch.tensor"] += 1
    return tensor.here.item()


_library = torch.library.Library("aten", "IMPL")
_library.impl("_local_scalar_dense", _scalar, "PrivateUse1")
