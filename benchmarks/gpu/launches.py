"""Part b: synchronisations, launches and operations of a step, and how many of them are ours.

An operation is ours if a function of gnomon's losses, head or trainer calls it outside the model's
forward; its backward pass counts with it. The functions are marked for the profiler, and an
operation belongs to the innermost mark around it.
"""

from __future__ import annotations

import inspect
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import torch
from torch.profiler import ProfilerActivity, profile, record_function
from transformers import TrainerCallback

from benchmarks import train_step
from benchmarks.gpu.parts import ROOT, Outcome, Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MARKED = ("gnomon.losses", "gnomon.pipeline.training.trainer", "gnomon.pipeline.training.head")
OURS, MODEL = "ours: ", "the model"
BACKWARD = "autograd::engine::evaluate_function"
WARM = 2
"""Steps before the one whose synchronisations are counted and the one that is profiled."""
LISTED = 10
"""Operations of ours that are listed below a case."""
SKIPPED = (str(Path(torch.__file__).parent), __file__)
"""Files that are never named as the place of a wait: their callers are."""


def launches(setting: Setting) -> Callable[[str], Outcome]:
    """Prepare whole steps of small models, and forward and backward under a head of true width."""
    if setting.tiny:
        train_step.V, train_step.H, train_step.LAYERS = 2048, 64, 2
    # Before a trainer is made, which binds the functions that it calls.
    mark_functions()

    def measure(case: str) -> Outcome:
        with tempfile.TemporaryDirectory(dir=setting.work) as folder:
            counter = StepCounter(not setting.cpu)
            if case.startswith("step of "):
                step_of_family(case.removeprefix("step of "), folder, counter)
            else:
                step_of_true_width(case.partition(": ")[2], folder, counter, tiny=setting.tiny)
            return counter.outcome()

    return measure


def step_of_family(name: str, folder: str, counter: StepCounter) -> None:
    """Take whole QLoRA steps of a small model as `gnomon train` does, optimizer included."""
    import pipeline_toys
    import small_models

    from gnomon.pipeline.load import load
    from gnomon.pipeline.training.parts import prepare_parts
    from gnomon.recipe import Model, Train

    loaded = load(Model(name=str(small_models.build(name, Path(folder) / "model"))))
    texts = [pipeline_toys.SUMS[i] for i in range(4)]
    trainer = pipeline_toys.ours(
        loaded,
        (pipeline_toys.UNEVEN[:4] if name in small_models.SEEING else texts) * (WARM + 2),
        folder,
        sft={"per_device_train_batch_size": 4, "max_steps": WARM + 2, "logging_steps": 1000},
        peft_config=prepare_parts(loaded, Train()),
        numeric_loss="ntil",
        callbacks=[counter],
    )
    counter.watch(trainer.model)
    trainer.train()


def step_of_true_width(way: str, folder: str, counter: StepCounter, *, tiny: bool) -> None:
    """Take the steps that `benchmarks/train_step.py` measures, 8 samples of 16 answer tokens."""
    batch = train_step.batch_of(2 if tiny else 8, 64 if tiny else 512, 16)
    trainer = train_step.trainer_of(way, batch, folder)
    counter.watch(trainer.model)
    counter.begin()
    for _ in range(WARM + 2):
        train_step.step(trainer, batch)
        counter.end_step()


class StepCounter(TrainerCallback):
    """Counter of the synchronisations of one step, and profiler of the next."""

    def __init__(self, cuda: bool) -> None:
        self.cuda, self.steps = cuda, 0
        self.waits: Counter[str] = Counter()
        self.events: list[Any] = []
        self._recorder: Any = None

    def watch(self, model: torch.nn.Module) -> None:
        """Mark the model's own forward, which is not ours."""
        marks: list[record_function] = []

        def enter(*_: Any) -> None:
            marks.append(record_function(MODEL).__enter__())

        def leave(*_: Any) -> None:
            marks.pop().__exit__(None, None, None)

        model.register_forward_pre_hook(enter)
        model.register_forward_hook(leave)

    def begin(self) -> None:
        self.steps = 0

    def on_train_begin(self, *_: Any, **__: Any) -> None:
        self.begin()

    def on_step_end(self, *_: Any, **__: Any) -> None:
        self.end_step()

    def end_step(self) -> None:
        """End a step, and record the next: data, forward, backward and optimizer."""
        if self._recorder is not None:
            self._recorder.__exit__(None, None, None)
            self._recorder = None
        self.steps += 1
        if self.steps == WARM:
            self._recorder = count_waits(self.waits, self.cuda)
        elif self.steps == WARM + 1:
            self._recorder = record_events(self.events, self.cuda)
        if self._recorder is not None:
            self._recorder.__enter__()

    def outcome(self) -> Outcome:
        """Return the counts, and the operations of ours that take most time as details."""
        marks = marks_of(self.events)
        ours = [e for e in self.events if marks[id(e)].startswith(OURS)]
        every_op, our_ops = (
            sum(e.name.startswith("aten::") for e in events) for events in (self.events, ours)
        )
        operators = f"operators {every_op:,} ({our_ops:,} ours)"
        if not self.cuda:
            text = f"synchronisations n/a, launches n/a, {operators}"
            return Outcome(bool(self.events), text, slowest(ours, marks, cuda=False))
        launches, our_launches = (
            sum("LaunchKernel" in e.name for e in events) for events in (self.events, ours)
        )
        our_waits = sum(n for where, n in self.waits.items() if where.startswith("gnomon"))
        text = (
            f"synchronisations {self.waits.total()} ({our_waits} ours),"
            f" launches {launches:,} ({our_launches:,} ours), {operators}"
        )
        waits = [f"waits {n} × in {where}" for where, n in self.waits.most_common()]
        return Outcome(launches > 0, text, [*waits, *slowest(ours, marks, cuda=True)])


@contextmanager
def count_waits(waits: Counter[str], cuda: bool) -> Iterator[None]:
    """Count where in the code the CPU waits for the GPU."""
    if not cuda:
        yield
        return
    torch.cuda.set_sync_debug_mode("warn")
    try:
        with warnings.catch_warnings():
            # By default a second warning of the same line is not shown, and would not be counted.
            warnings.simplefilter("always")
            warnings.showwarning = lambda message, *_, **__: waits.update(
                [place()] if "called a synchronizing" in str(message) else []
            )
            yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


def place() -> str:
    """Return the innermost line of code that is not torch's."""
    frame = inspect.currentframe()
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(SKIPPED) and not file.endswith("/warnings.py"):
            break
        frame = frame.f_back
    if frame is None:  # a thread of torch's own, such as autograd's
        return "torch"
    short = file.removeprefix(f"{ROOT}/").rpartition("site-packages/")[2]
    return f"{short}:{frame.f_lineno}"


@contextmanager
def record_events(events: list[Any], cuda: bool) -> Iterator[None]:
    kinds = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if cuda else [])]
    with profile(activities=kinds) as profiler:
        yield
        if cuda:
            torch.cuda.synchronize()
    events += [e for e in profiler.events() if e.device_type == torch.autograd.DeviceType.CPU]


def marks_of(events: list[Any]) -> dict[int, str]:
    """Return the mark of each event by its id(); an empty one outside all marks.

    An operation and its node of the backward pass have the same sequence number.
    """
    marks: dict[int, str] = {}
    forward: dict[int, str] = {}
    later = []
    for event in sorted(events, key=lambda e: e.time_range.start):
        above, backward = event, None
        while above is not None and not above.name.startswith((OURS, MODEL)):
            if above.name.startswith(BACKWARD):
                backward = above
            above = above.cpu_parent
        marks[id(event)] = "" if above is None else above.name
        if backward is not None and above is None:
            later.append((event, backward.sequence_nr))
        elif event.sequence_nr >= 0:
            forward[event.sequence_nr] = marks[id(event)]
    # Autograd's thread has no mark above it: its events get the mark of their forward operation.
    for event, number in later:
        marks[id(event)] = forward.get(number, "")
    return marks


def slowest(ours: list[Any], marks: dict[int, str], *, cuda: bool) -> list[str]:
    """List the operations of ours that take the most time of the device, with their functions."""
    time: defaultdict[tuple[str, str], float] = defaultdict(float)
    calls: Counter[tuple[str, str]] = Counter()
    for event in ours:
        if event.name.startswith((OURS, BACKWARD)) or "LaunchKernel" in event.name:
            continue
        key = event.name, marks[id(event)].removeprefix(OURS)
        time[key] += event.self_device_time_total if cuda else event.self_cpu_time_total
        calls[key] += 1
    kind = "µs of the GPU" if cuda else "µs of the CPU"
    most = sorted(time, key=lambda key: -time[key])[:LISTED]
    return [f"{time[key]:8.0f} {kind}, {calls[key]:4} × {key[0]} in {key[1]}" for key in most]


def mark_functions() -> None:
    """Mark every function of ours for the profiler, wherever it was imported."""
    import gnomon.losses.objective
    import gnomon.pipeline.training.trainer  # noqa: F401 - loaded to be marked
    from gnomon.losses import KINDS, load

    for name in KINDS:
        load(name)
    marked: dict[FunctionType, FunctionType] = {}
    modules = [m for n, m in sys.modules.items() if n.startswith("gnomon.")]
    for module in [m for m in modules if m.__name__.startswith(MARKED)]:
        classes = [
            value
            for value in vars(module).values()
            if inspect.isclass(value) and value.__module__ == module.__name__
        ]
        for holder in (module, *classes):
            for name, value in list(vars(holder).items()):
                if not isinstance(value, FunctionType) or name.startswith("__"):
                    continue
                if _is_ours(value):
                    setattr(holder, name, marked.setdefault(value, _marked(value)))
    for module in modules:  # those that imported a function by its name
        for name, value in list(vars(module).items()):
            if isinstance(value, FunctionType) and value in marked:
                setattr(module, name, marked[value])


def _is_ours(function: FunctionType) -> bool:
    """True for code of these modules: no wrapper of a library's decorator, and no mark."""
    file = function.__code__.co_filename
    return "/gnomon/" in file and function.__module__.startswith(MARKED)


def _marked(function: FunctionType) -> Any:
    label = f"{OURS}{function.__module__.removeprefix('gnomon.')}.{function.__qualname__}"

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with record_function(label):
            return function(*args, **kwargs)

    return call
