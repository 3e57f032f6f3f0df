"""Answers to a run's guard, by the model as it was before the training and as it is now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.eval.scoring.predictions import settings_that_differ
from gnomon.progress import announce, note
from gnomon.runs.answer_file import AnswerFile
from gnomon.runs.directory import AFTER, BEFORE, guard_name, write_json
from gnomon.runs.guard import Guard, TextRecord
from gnomon.runs.reader import Reader
from gnomon.sample import Prediction, Sample
from gnomon.store.lock import sole_writer
from gnomon.store.reading.run_folder import RunFolder

if TYPE_CHECKING:
    from gnomon.pipeline.answering.rule import AnswerRule
    from gnomon.pipeline.load import Loaded


def ask_guard_of(reader: Reader) -> None:
    """Ask a run's guard before and after its training, or say why it is not asked."""
    files = reader.recipe.eval.guard_files
    missing = [file for file in files if not Path(file).exists()]
    if missing:
        note(f"eval.guard is not asked: there is no file or folder {missing[0]!r}")
    elif files and reader.run is not None and reader.recipe.model.server is None:
        guard = Guard.of(reader.recipe.eval)
        for when in (BEFORE, AFTER):
            ask_guard(guard, reader, RunFolder(reader.run), when)
    elif files:
        note("eval.guard is not asked: that needs a run on this machine, with and without training")


def ask_guard(guard: Guard, reader: Reader, folder: RunFolder, when: str) -> None:
    """Ask what has no answer yet, of the model as it was BEFORE or as it is AFTER the training."""
    guard_reader = GuardReader(reader, is_trained=when == AFTER)
    for name, exam in guard.exams.items():
        announce(f"asking {name} of the guard, {when} training")
        AnswerFile(folder.answers(guard_name(when, name))).ask(guard_reader, exam)
    for name, text in guard.texts.items():
        guard_reader.measure(text, folder.predictions / f"{guard_name(when, name)}.text.json")


class GuardReader(Reader):
    """Reader with the model of another reader, trained or as it was before the training.

    It decodes greedily, because the lists and views of a recipe are made for its pictures.
    """

    def __init__(self, reader: Reader, *, is_trained: bool) -> None:
        section = replace(reader.recipe.eval, answer="greedy", belief=False, grid=None, views=1)
        recipe = replace(reader.recipe, eval=section)
        super().__init__(recipe, reader.run if is_trained else None)
        self._reader = reader
        modes = recipe.train.language, recipe.train.vision, recipe.train.projector
        # PEFT leaves the trained weights in a tied head, so whole parts need the base model.
        self._is_adapter_off = self.run != reader.run and "full" not in modes

    @cached_property
    def model(self) -> Loaded:
        """The other reader's model, or the base model if the run trained a whole part."""
        if self._is_adapter_off or self.run == self._reader.run:
            return replace(self._reader.model, weights=self.weights)
        return super().model

    @contextmanager
    def _loaded(self) -> Iterator[Loaded]:
        model: Any = self.model.model
        with model.disable_adapter() if self._is_adapter_off else nullcontext():
            yield self.model

    def _ask(
        self, samples: Iterable[Sample], batch_size: int, rule: AnswerRule, kind: str = ""
    ) -> Iterator[list[Prediction]]:
        with self._loaded():
            yield from super()._ask(samples, batch_size, rule, kind)

    def measure(self, text: str, path: Path) -> None:
        """Measure the likelihood of a text, unless the record at the path is about it already."""
        content, settings = sha256(text.encode()).hexdigest()[:16], self.settings
        with sole_writer(path):
            if path.is_file():
                old = TextRecord.read(path)
                if old.content == content and not settings_that_differ(old.settings, settings):
                    return
                note(f"{path}: the text or the model has changed: measuring again")
            from gnomon.pipeline import text_likelihood

            with self._loaded() as loaded:
                mean, n = text_likelihood(loaded.model, loaded.tokenizer, text)
            write_json(path, vars(TextRecord(content, settings, n, -mean)))
