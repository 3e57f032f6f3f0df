"""A table of answers about a folder of pictures, as `gnomon predict FOLDER` writes it."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from math import exp
from pathlib import Path

from gnomon import jsons
from gnomon.answers.base.target import Unlabelled
from gnomon.atomic import put_text, replace_files
from gnomon.eval.scoring import predictions
from gnomon.eval.scoring.question_file import question_path
from gnomon.files import read_bytes, write_rows
from gnomon.options import option
from gnomon.progress import announce, warn
from gnomon.runs.answer import belief_shares
from gnomon.runs.answer_file import AnswerFile
from gnomon.runs.directory import pretty_json
from gnomon.runs.reader import Reader
from gnomon.runs.trained_rows import warn_of_trained
from gnomon.sample import Finding, Prediction, Sample
from gnomon.store.lock import sole_writer
from gnomon.store.pictures import load_picture

_COLUMNS = ("file", "answer")
_CUT_COLUMNS = ("x1", "y1", "x2", "y2")
_FINDING_COLUMNS = ("kind", "found", "corners", "not_found")
_CERTAINTY_COLUMNS = ("low", "high", "confidence", "refused")
_BELIEF_COLUMNS = ("likeliest", "belief", "belief_listed")


@dataclass(frozen=True)
class AnswerTable:
    """A CSV file with a row for each picture. It is written whole when all have answers."""

    path: Path

    def fill(self, reader: Reader, files: list[Path], question: str | None) -> list[Prediction]:
        """Ask about each picture, write the table, and return the answers in order.

        Without a question, each picture gets the question for the instrument that it shows.
        The name of its file is an answer's id. A killed command resumes from the answers that it
        stored in a file next to the table.
        """
        if question is not None:
            reader.form_of(question)  # a form that cannot be listed is refused here
        with sole_writer(self.path):
            self._check_is_ours()
            announce(f"asking: {question or 'what fits the instrument in each picture'}")
            stored = AnswerFile(self.path.with_name(self.path.name + ".part"))
            unreadable: set[Path] = set()
            samples = partial(_samples, files, reader, question, unreadable)
            stored.complete(reader, samples, len(files))
            warn_of_trained(stored.count_trained(reader), len(files))
            # A calibrated run stores beliefs in any case.
            return self._write(
                stored.path, files, has_cuts=reader.find is not None,
                has_findings=reader.finder is not None,
                has_belief=bool(reader.recipe.eval.belief),
            )  # fmt: skip

    def _write(
        self, answers: Path, files: Sequence[Path], *, has_cuts: bool, has_findings: bool,
        has_belief: bool,
    ) -> list[Prediction]:  # fmt: skip
        """Write stored answers as a table, a row for each picture, and return them in that order.

        With `has_cuts`, the corners of the part that was read follow the answer. They are empty if
        the whole picture was read. A calibrated run
        adds the ends of the interval (words stand in the first), the confidence, and "yes" for a
        refused answer, which is empty. A belief adds the likeliest listed answer, its share of the
        probability of all listed answers, and that probability; then the share of each listed
        answer if all pictures have the same list. With `has_findings`, the last columns are the
        corners of the part that was read, the kind of the instrument, the confidence that it is
        there, its own corners, and the reason if it was not found.
        """
        by_id = {prediction.sample_id: prediction for prediction in predictions.resume(answers)}
        rows = [by_id[file.name] for file in files if file.name in by_id]
        if not rows:
            raise ValueError(f"{files[0].parent}: none of its {len(files)} pictures can be read")
        if not has_belief:
            rows = [replace(row, logprobs=None) for row in rows]
        lists = {tuple(row.logprobs) for row in rows if row.logprobs}
        # Of long numbers each picture has the likeliest alone, which are others.
        listed = list(lists.pop()) if len(lists) == 1 else []
        has_beliefs = any(row.logprobs for row in rows)
        has_certainty = any(row.certainty for row in rows)
        header = [*_COLUMNS, *_CUT_COLUMNS * has_cuts, *_CERTAINTY_COLUMNS * has_certainty]
        header += [*_BELIEF_COLUMNS * has_beliefs, *(f"belief.{answer}" for answer in listed)]
        header += [*_CUT_COLUMNS, *_FINDING_COLUMNS] * has_findings
        table = io.StringIO()
        cells: list[list[str | float]] = []
        for row in rows:
            cut = row.cut or [""] * len(_CUT_COLUMNS)
            finding = [*cut, *_finding_cells(row.finding or Finding())]
            text = "" if row.is_refused else row.text
            certainty = _certainty_cells(row) if has_certainty else ()
            belief = _belief_cells(row, listed) if has_beliefs else ()
            cells.append(
                [row.sample_id, text, *cut * has_cuts, *certainty, *belief, *finding * has_findings]
            )
        write_rows(table, [header, *cells])
        record = self._record
        with replace_files(self.path, record) as folder:
            put_text(folder / self.path.name, table.getvalue())
            digest = sha256((folder / self.path.name).read_bytes()).hexdigest()
            put_text(folder / record.name, pretty_json({"sha256": digest}) + "\n")
        # The answers go last: after a kill between the two, all questions would be asked again.
        for file in (question_path(answers), answers):
            file.unlink(missing_ok=True)
        return rows

    @property
    def _record(self) -> Path:
        """File with the hash of the table that gnomon wrote."""
        return self.path.with_name(f"{self.path.name}.about.json")

    def _check_is_ours(self) -> None:
        """Refuse to replace a table that a user wrote or corrected, such as labels."""
        if not self.path.exists():
            return
        with suppress(OSError, ValueError):
            digest = sha256(read_bytes(self.path, "answers")).hexdigest()
            if jsons.loads(self._record.read_bytes(), "JSON") == {"sha256": digest}:
                return
        raise ValueError(
            f"{self.path} already exists, and gnomon did not write it, or it was changed since:"
            f" name another ({option('out')})"
        )


def _samples(
    files: Sequence[Path], reader: Reader, question: str | None, unreadable: set[Path]
) -> Iterator[Sample]:
    """Yield the question about each picture, and skip files that are not pictures.

    A warning names the file once: `unreadable` collects such files.
    """
    for file in files:
        try:
            picture = load_picture(file)
        except ValueError as error:
            if file not in unreadable:
                unreadable.add(file)
                warn(f"left out: {error}")
            continue
        text, form = reader.question_and_form(question, image=picture)
        yield Sample(file.name, picture, text, Unlabelled(form))


def _finding_cells(finding: Finding) -> list[str | float]:
    # In brackets, because spreadsheets take a text that begins with a minus for a formula.
    corners = " ".join(f"{x:g} {y:g}" for x, y in finding.corners)
    corners = f"[{corners}]" if corners else ""
    return [finding.kind, finding.confidence, corners, finding.refusal]


def _certainty_cells(prediction: Prediction) -> list[str | float]:
    certainty = prediction.certainty
    if certainty is None:  # other answers were calibrated
        return [""] * len(_CERTAINTY_COLUMNS)
    low, high = certainty.interval
    return [low, high, certainty.confidence, "yes" if certainty.refused else ""]


def _belief_cells(prediction: Prediction, listed: Sequence[str]) -> list[str | float]:
    if not prediction.logprobs:
        return [""] * (len(_BELIEF_COLUMNS) + len(listed))
    shares = belief_shares(prediction.logprobs)
    likeliest = max(shares, key=lambda answer: shares[answer])
    total = min(1.0, sum(map(exp, prediction.logprobs.values())))
    numbers = (shares[likeliest], total, *(shares[answer] for answer in listed))
    return [likeliest, *(float(f"{number:.4g}") for number in numbers)]
