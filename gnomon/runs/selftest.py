"""A self-test of fine-tuning on this machine: eight samples, learned by heart.

It calls what `train`, `predict` and `merge` call. If a check fails, the checks that do not depend
on it still run.
"""

import gc
import json
import os
import platform
import shutil
import traceback
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from gnomon import jsons
from gnomon.atomic import put_text
from gnomon.dialect import Dialect
from gnomon.files import open_to_append
from gnomon.pipeline import families
from gnomon.progress import announce, note
from gnomon.recipe import Recipe, parse, read_text
from gnomon.redact import anonymize
from gnomon.runs.answer_file import answer_exam
from gnomon.runs.claim import claim
from gnomon.runs.directory import AFTER, check_all_are_ours
from gnomon.runs.exam import Exam
from gnomon.runs.locked_run import check_is_local
from gnomon.runs.processes import check_single_process
from gnomon.runs.resolve import resolve_values
from gnomon.runs.versions import versions
from gnomon.store.lock import sole_writer
from gnomon.store.reading.run_folder import RunFolder
from gnomon.terminal import show

if TYPE_CHECKING:
    from gnomon.pipeline.planning.plan import Plan
    from gnomon.pipeline.training.trainer import NumericSFTTrainer

REPORT, TRACEBACKS = "selftest.txt", "tracebacks.txt"
_RUN, _MERGED = "run", "merged"
_BEGINNINGS = ("gnomon selftest:", "This self-test did not come to its end.")
"""First words of a self-test's report. A directory without such a report is never replaced."""
_LEARNED = 0.009
"""Cross-entropy in nats per token. Eight answers of nine tokens then have less than ln 2 in total.
Each token has a probability above one half, so greedy decoding gives every answer."""
# In the order in which they run. A check that raised or was not run stops its dependents.
CHECKS = {
    "plan": ("counting what a step takes", ()),
    "load": ("loading the model", ()),
    "train": ("learning the samples by heart", ("load",)),
    "answers": ("asking for them", ("train",)),
    "save": ("saving the adapter", ("train",)),
    "reload": ("asking again, of the adapter as it was saved", ("answers", "save")),
    "merge": ("asking the merged model", ("save",)),
    "step": ("counting what a step took", ("train",)),
}
"""Checks by name, each with its progress text and the checks that must have run before it."""


def passes_all(model: str, overrides: Sequence[str], out: Path) -> bool:
    """Print a text for a bug report, and store it in `out`. Return True if all checks passed."""
    check_single_process("selftest")
    recipe = _recipe(model, overrides)
    check_is_local(recipe)
    from gnomon.pipeline.training.settings import sft_config

    sft_config(recipe, out)  # several GPUs and one process are refused before anything is loaded
    with sole_writer(out, folder=True):
        _make_room(out)
        trial = _Trial(recipe, out)
        for name, (doing, needs) in CHECKS.items():
            trial.check(name, doing, needs)
        text = "\n".join([*_heading(recipe, overrides, trial.states), *trial.lines])
        show(text)
        put_text(out / REPORT, text + "\n")
    more = f"; what was raised in {TRACEBACKS}" if (out / TRACEBACKS).exists() else ""
    note(f"this text, for a bug report: {out / REPORT}{more}")
    return set(trial.states.values()) == {"passed"}


def _recipe(model: str, overrides: Sequence[str]) -> Recipe:
    """Return `selftest.yaml` on clocks, or on sums if the model sees no pictures."""
    from gnomon.pipeline.checkpoint import locate_checkpoint

    # The usual rate, except for narrow models, whose weights would change too little.
    rate = 2e-3 if model in families.EMBEDDED else 2e-4
    ours = [f"model.name={json.dumps(model)}", f"train.learning_rate={rate}"]
    values = parse(read_text(Path(__file__).with_name("selftest.yaml")), name="selftest.yaml")
    # Pictures of 224 pixels are few tokens for every family, so a step stays small.
    for data in ("[{kind: clock, options: {size: 224}}]", "[{kind: arithmetic}]"):
        # The user's overrides come last and take precedence over the rate and the data.
        words = [*ours, f"data={data}", *overrides]
        recipe = resolve_values(deepcopy(values), words).recipe
        _, family = locate_checkpoint(recipe.model)
        if family.vision is not None:  # otherwise sums, in the second round
            break
    return recipe


def _make_room(out: Path) -> None:
    """Claim an empty directory, or replace an earlier self-test."""
    report = out / REPORT
    if not report.is_file() or not report.read_text(errors="replace").startswith(_BEGINNINGS):
        check_all_are_ours(out, set(), "a self-test")
    # Written first: the next self-test knows by it that the folders below are ours.
    put_text(report, f"{_BEGINNINGS[1]}\n")
    for folder in (_RUN, _MERGED):
        shutil.rmtree(out / folder, ignore_errors=True)
    (out / TRACEBACKS).unlink(missing_ok=True)


class _WrongError(Exception):
    """Raised by a check that ran to its end with a wrong result."""


class _Trial:
    """The checks, each a method that returns its result as text, and what they hand on."""

    def __init__(self, recipe: Recipe, out: Path) -> None:
        self.recipe, self.out, self.run = recipe, out, out / _RUN
        assert recipe.train.samples is not None  # resolving fills it in
        self.exam = Exam(recipe.data, "train", recipe.seed, recipe.train.samples)
        self.states: dict[str, str] = {}
        self.lines: list[str] = []
        self.estimate: Plan | None = None
        self.trainer: NumericSFTTrainer | None = None
        self.texts: dict[str, str] = {}
        self.peak = 0  # bytes of a GPU; a CPU's would be of the whole process

    def check(self, name: str, doing: str, needs: Sequence[str]) -> None:
        """Run one check and note how it went."""
        import torch

        missing = [need for need in needs if self.states[need] in ("raised", "not run")]
        if missing:
            state, result = "not run", f"it needs what {missing[0]} gives"
        else:
            announce(doing)
            try:
                state, result = "passed", getattr(self, name)()
            except _WrongError as wrong:
                state, result = "failed", str(wrong)
            except Exception as error:
                state, result = "raised", f"{type(error).__name__}: {error}"
                with open_to_append(self.out / TRACEBACKS) as file:
                    file.write(f"{name}\n{traceback.format_exc()}\n")
        gc.collect()  # a trainer is a circle, and the next check loads the model
        torch.cuda.empty_cache()
        self.states[name] = state
        word = "failed" if state == "raised" else state
        self.lines.append(f"{name:9} {word:7}  {shorten(anonymize(result), 300, placeholder=' …')}")

    def plan(self) -> str:
        from gnomon.pipeline.planning.plan import plan

        self.estimate = estimate = plan(self.recipe, self.exam.pool)
        result = f"a step takes about {_gib(estimate.memory.total)} of {_gib(estimate.available)}"
        if not estimate.fits:
            raise _WrongError(f"{result}: it does not fit")
        return result

    def load(self) -> str:
        from gnomon.pipeline.load import load
        from gnomon.pipeline.quantize import quantized_layers

        model = load(self.recipe.model, seed=self.recipe.seed).model
        size = model.get_memory_footprint()
        layers = f"{len(quantized_layers(model))} layers in {self.recipe.model.bits} bits"
        result = f"{layers}; the weights take {_gib(size)}"
        if self.estimate is None:
            return result
        planned = self.estimate.memory.weights
        result += f", planned {_gib(planned)}"
        # The footprint includes buffers, and the plan does not.
        if not 0.9 < size / planned < 1.1:
            raise _WrongError(f"{result}: more than a tenth apart")
        return result

    def train(self) -> str:
        import torch

        from gnomon.losses import CE
        from gnomon.pipeline.training.train import StopBelow, train_to_last_step

        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        claim(self.run, self.recipe, sources=self.recipe.data)
        stop = StopBelow(_LEARNED / 5)  # so rounding a merged model's weights matters less
        self.trainer = train_to_last_step(self.recipe, self.exam.pool, self.run, stop=stop)
        if torch.cuda.is_available():
            self.peak = torch.cuda.max_memory_allocated()
        rows = [row for row in jsons.read_lines(RunFolder(self.run).log) if CE in row]
        first, last = rows[0], rows[-1]
        result = f"cross-entropy {first[CE]:.3g} → {last[CE]:.2g} a token in {last['step']} steps"
        if not last[CE] < _LEARNED:
            raise _WrongError(f"{result}: not below {_LEARNED}, so not learnt by heart")
        return f"{result} (below {_LEARNED}), loss {first['loss']:.3g} → {last['loss']:.2g}"

    def answers(self) -> str:
        from gnomon.eval import score
        from gnomon.pipeline.answering.local import predict_batches
        from gnomon.pipeline.checkpoint import locate_checkpoint
        from gnomon.pipeline.load import Loaded

        assert self.trainer is not None
        _, family = locate_checkpoint(self.recipe.model)
        loaded = Loaded(self.trainer.model, self.trainer.processing_class, family)
        batch, longest = self.recipe.eval.batch_size, self.recipe.max_new_tokens
        batches = predict_batches(loaded, self.exam, batch_size=batch, max_new_tokens=longest)
        answers = [answer for batch_answers in batches for answer in batch_answers]
        self.texts = {answer.sample_id: answer.text for answer in answers}
        items = score(answers, list(self.exam)).items
        wrong = [item for item in items if not item.correct]
        result = f"{len(items) - len(wrong)} of {len(items)} right"
        if wrong:
            truth = Dialect().write(wrong[0].truth)
            raise _WrongError(f"{result}, such as {wrong[0].text!r} for {truth!r}")
        return result

    def save(self) -> str:
        from gnomon.pipeline.training.train import save_weights

        assert self.trainer is not None
        trainer, self.trainer = self.trainer, None  # its memory is wanted
        folder = save_weights(trainer, self.run)
        size = sum(file.stat().st_size for file in folder.iterdir())
        return f"{folder.name} of {_gib(size)}"

    def reload(self) -> str:
        from gnomon.eval.scoring.predictions import PredictionFile

        file = answer_exam(self.recipe, self.exam, RunFolder(self.run).answers(AFTER), run=self.run)
        now = {answer.sample_id: answer.text for answer in PredictionFile(file)}
        same = sum(now[name] == text for name, text in self.texts.items())
        result = f"{same} of {len(self.texts)} answers the same"
        if same < len(self.texts):
            raise _WrongError(result)
        return result

    def merge(self) -> str:
        from gnomon.pipeline.exporting.merge import merge

        whole = self.out / _MERGED
        agreement = merge(self.recipe, self.run, whole, list(self.exam))
        shutil.rmtree(whole, ignore_errors=True)  # it takes gigabytes
        if agreement.same < agreement.samples:
            raise _WrongError(str(agreement))
        return str(agreement)

    def step(self) -> str:
        rows = jsons.read_lines(RunFolder(self.run).log)
        (whole,) = [row for row in rows if "train_runtime" in row]
        result = f"{whole['train_runtime'] / whole['step']:.2f} s"
        if self.estimate is None or not self.peak:
            return result
        planned = self.estimate.memory.total
        result += f", at most {_gib(self.peak)}, planned {_gib(planned)}"
        if self.peak > planned:
            raise _WrongError(f"{result}: more than planned")
        return result


def _heading(recipe: Recipe, overrides: Sequence[str], states: dict[str, str]) -> list[str]:
    from gnomon.pipeline.checkpoint import with_dtype

    passed = sum(state == "passed" for state in states.values())
    model, numbers = with_dtype(recipe.model), versions("accelerate", "datasets", "tokenizers")
    name = Path(model.name).resolve().name if Path(model.name).is_dir() else model.name
    precision = f"{model.bits} bits, {model.dtype}" if model.bits else f"{model.dtype}"
    packages = ", ".join(f"{package} {number}" for package, number in numbers.items())
    machine = [f"{platform.system()} {platform.machine()}", f"{os.cpu_count()} cores"]
    return [
        f"{_BEGINNINGS[0]} {passed} of {len(states)} checks passed",
        f"model     {anonymize(' '.join([f'{name} ({precision})', *overrides]))}",
        f"versions  {packages}",
        f"machine   {', '.join([*machine, *_gpus()])}",
    ]


def _gpus() -> list[str]:
    import torch
    from torch.utils import collect_env

    if not torch.cuda.is_available():
        return ["no GPU that torch can use"]
    driver = collect_env.get_nvidia_driver_version(collect_env.run)  # type: ignore[no-untyped-call]
    gpus = [torch.cuda.get_device_properties(i) for i in range(torch.cuda.device_count())]
    lines = [f"{gpu.name} of {_gib(gpu.total_memory)}, sm_{gpu.major}{gpu.minor}" for gpu in gpus]
    return [*lines, f"CUDA {torch.version.cuda}", f"driver {driver}"]


def _gib(size: float) -> str:
    """Write a number of bytes in GiB, or in MiB below one."""
    return f"{size / 2**30:.2f} GiB" if size >= 2**30 else f"{size / 2**20:.1f} MiB"
