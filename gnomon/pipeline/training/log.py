"""Reports of a training: progress bar, log of JSON lines, and a warning if it learned little."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from transformers import ProgressCallback, TrainerCallback

from gnomon.atomic import put_text
from gnomon.files import open_to_append
from gnomon.losses import CE
from gnomon.pipeline.collate import Collator
from gnomon.progress import track
from gnomon.sample import Sample

ENTROPY_SAMPLES = 256
"""Number of training samples whose labels are counted."""
_FREQUENT = 20
"""Number of samples from which the answers to a question are counted separately."""
_NEAR = 0.97
"""Share of the entropy above which the loss counts as unchanged, because log lines are means of few
samples."""
_FAR = 1.1
"""Share of the entropy above which not even the frequencies were learned."""
_MIN_ENTROPY = 0.05
"""Nats per token. Below this entropy the labels are nearly all equal, and the loss tells
nothing."""


class Progress(ProgressCallback):  # type: ignore[misc]
    """Progress bar with the current loss, instead of a printed line at each log."""

    training_bar: Any

    def on_train_begin(self, _: Any, state: Any, *__: Any, **___: Any) -> None:
        self.current_step = state.global_step
        # Only the first process shows the bar.
        if state.is_world_process_zero:
            self.training_bar = track(
                total=state.max_steps, initial=self.current_step, desc="training", unit=" steps"
            )

    def on_prediction_step(self, *_: Any, **__: Any) -> None:
        """Show nothing, because the answers of a validation have their own bar."""

    def on_log(self, *_: Any, logs: dict[str, float], **__: Any) -> None:
        losses = {name: value for name, value in logs.items() if name in ("loss", "ce", "reward")}
        if self.training_bar is not None and losses:
            self.training_bar.set_postfix(losses, refresh=False)


class LogFile(TrainerCallback):  # type: ignore[misc]
    """The trainer's log as JSON lines. A resumed run drops the lines that it will repeat."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def on_train_begin(self, _: Any, state: Any, *__: Any, **___: Any) -> None:
        if not state.is_world_process_zero:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # A resumed run starts with its checkpoint's history. Later lines are trained again.
        put_text(self.path, _lines(state.log_history))

    def repair(self, history: Sequence[Mapping[str, Any]]) -> None:
        """Complete the log of a finished training whose process was killed at the end.

        Missing lines are restored from the history, and an incomplete last line is dropped. The
        summary at the end is not part of the history, so it is kept if the file has it.
        """
        text = _lines(history)
        on_disk = self.path.read_text(encoding="utf-8") if self.path.is_file() else ""
        whole_lines = on_disk[: on_disk.rfind("\n") + 1]
        put_text(self.path, whole_lines if whole_lines.startswith(text) else text)

    def on_step_end(self, _: Any, __: Any, control: Any, **___: Any) -> None:
        """Log at each checkpoint, because checkpoints do not store the loss since the last line."""
        # The trainer clears its sums when it logs, and a resumed run cannot restore them.
        control.should_log |= control.should_save

    def on_log(self, _: Any, state: Any, *__: Any, logs: dict[str, float], **___: Any) -> None:
        if state.is_world_process_zero:
            with open_to_append(self.path) as file:
                file.write(_line(state.global_step, logs))


def _lines(history: Iterable[Mapping[str, Any]]) -> str:
    return "".join(_line(row["step"], row) for row in history)


def _line(step: int, logs: Mapping[str, float]) -> str:
    """Format a line. Names are sorted, as in the history that a checkpoint restores."""
    finite = {
        name: logs[name] for name in sorted(logs) if math.isfinite(logs[name])
    }  # JSON has no NaN
    return json.dumps({"step": step, **finite}) + "\n"


def label_entropy_warning(
    collator: Collator, samples: Sequence[Sample], log_history: Sequence[Mapping[str, Any]]
) -> str | None:
    """Return a warning if a training's loss ended no lower than the entropy of its labels.

    The end is the last quarter of the lines in its log. None if the loss is lower or unknown.
    """
    losses = [float(row[CE]) for row in log_history if CE in row]
    if not losses or not samples:
        return None
    last = losses[-max(1, len(losses) // 4) :]  # lines are means of few samples
    final_loss = sum(last) / len(last)
    entropy = label_entropy((s.question, collator.answer_ids(s)) for s in samples)
    if entropy < _MIN_ENTROPY or final_loss < _NEAR * entropy:
        return None
    inputs = "the pictures" if any(s.image is not None for s in samples) else "the questions"
    learned = f"how frequent the answers are, and nothing about {inputs}"
    if final_loss > _FAR * entropy:
        learned = "less than how frequent the answers are"
    return (
        f"the cross-entropy ended at {final_loss:.2f} nats a token, and a guess by the labels'"
        f" frequencies gives {entropy:.2f}: the model has learned {learned}"
    )


def label_entropy(answers: Iterable[tuple[str, Sequence[int]]]) -> float:
    """Return the entropy of labels in nats per token, the cross-entropy of a model that only knows
    their frequencies.

    Answers are questions with token ids. Each token has a distribution by its position and its
    previous token, and for a frequent question also by the question. Each distribution has the
    correction of Miller and Madow (1955), (outcomes - 1) / 2n, because few samples look more
    similar than many.
    """
    answers = list(answers)
    frequencies = Counter(question for question, _ in answers)
    counts: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
    for question, ids in answers:
        group = question if frequencies[question] >= _FREQUENT else None
        for index, token in enumerate(ids):
            counts[group, index, ids[index - 1] if index else None][token] += 1
    tokens = sum(map(Counter.total, counts.values()))
    return sum(map(_total_nats, counts.values())) / tokens if tokens else 0.0


def _total_nats(counts: Counter[int]) -> float:
    """Return the entropy of a distribution times the number of tokens counted in it."""
    n = counts.total()
    return sum(-count * math.log(count / n) for count in counts.values()) + (len(counts) - 1) / 2
