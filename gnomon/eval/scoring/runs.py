"""Results of a run: its scored answers, summaries of each type of answer, and its origin."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from gnomon.sample import Certainty, Prediction, Size, Target
from gnomon.terminal import printable

if TYPE_CHECKING:
    from gnomon.answers.base.answer_type import Value
    from gnomon.answers.base.target import Corners
    from gnomon.eval.scoring.question_file import Question
    from gnomon.eval.stats.intervals import Estimate


class ScoredStep(NamedTuple):
    """A step of an answer beside the true step. A text is empty if the step is missing."""

    name: str
    text: str
    truth: str
    right: bool


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer after reading and measuring, with its truth."""

    sample_id: str
    type_name: str
    """Type of answer, a key of `registry.TYPES`."""
    truth: Target
    """The true answer. Its boxes are in pixels of `size`."""
    text: str
    value: Value | None
    """Value that was read from the text, or None if the text could not be read."""
    rule: str | None
    """Name of the reader's rule that matched."""
    correct: bool
    measures: dict[str, float]
    """Measures of this answer by name. An answer that could not be read has fewer measures."""
    size: Size | None = None
    """Size of the picture as the model saw it."""
    picture: str = ""
    """Name of the picture, which several questions may share."""
    group: str = ""
    """Group of the user's row, such as a camera. Empty for drawn samples."""
    span: tuple[int, int] | None = None
    """Start and end of the value in the text."""
    cut: tuple[int, int, int, int] | None = None
    """Corners of the part of the picture that the model saw, or None for the whole picture."""
    certainty: Certainty | None = None
    """Interval, confidence and refusal of the answer, if the run is calibrated."""
    intervals: tuple[tuple[Corners, Corners] | None, ...] = ()
    """Lowest and highest corners of each box of the value, in pixels of `size`.

    They are the model's 90 % intervals of the edges. None for a box without a belief. Empty if the
    run stored no beliefs about edges."""
    is_refusal: bool = False
    """True if the answer says that the picture is unreadable."""
    steps: tuple[ScoredStep, ...] = ()
    """Steps before the value, with the true steps."""


def unit_names(items: Sequence[ScoredAnswer]) -> tuple[list[str], str]:
    """Return the name of each answer's statistical unit, and its kind: "groups" or "pictures".

    Different units are independent. Answers of the same unit are not. Units are groups of rows if
    there are several groups, else pictures. With a single group, intervals hold only for this
    group.
    """
    pictures = [item.picture or item.sample_id for item in items]
    groups = [item.group or picture for item, picture in zip(items, pictures, strict=True)]
    if 1 < len(set(groups)) < len(set(pictures)):
        return groups, "groups"
    return pictures, "pictures"


@dataclass(frozen=True, slots=True)
class Result:
    """A metric of a summary: its estimate, and the figures of guessers."""

    name: str
    label: str
    unit: str
    better: Literal["higher", "lower", ""]
    headline: bool
    estimate: Estimate
    chance: dict[str, float]
    """Figures by guesser: "uniform", and "constant" for the best constant answer."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Results of one type of answer, with one result for each metric."""

    type_name: str
    """Type of answer, a key of `registry.TYPES`."""
    n: int
    unread: int
    results: tuple[Result, ...]

    def to_json(self) -> dict[str, Any]:
        """Return values for a report's JSON."""
        return type_as_kind(asdict(self))

    def __getitem__(self, name: str) -> Result:
        for result in self.results:
            if result.name == name:
                return result
        names = ", ".join(result.name for result in self.results)
        raise KeyError(f"{name!r}: a {self.type_name} summary has {names}")


def type_as_kind(row: Mapping[str, Any]) -> dict[str, Any]:
    """Rename the key "type_name" to "kind", the name that reports' JSON files use."""
    return {"kind" if key == "type_name" else key: value for key, value in row.items()}


@dataclass(frozen=True, slots=True)
class Scores:
    """Scored answers in the order of the samples, and a summary of each type of answer."""

    items: tuple[ScoredAnswer, ...]
    summaries: dict[str, Summary]
    constant_measures: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """Measure of each item in the first metric under the best constant answer, by type."""

    def of_type(self, type_name: str) -> list[ScoredAnswer]:
        """Select the answers of one type."""
        return [item for item in self.items if item.type_name == type_name]

    def estimate(self, type_name: str, name: str) -> Estimate:
        """Look up a metric with its interval, for example `estimate("time", "exact")`."""
        if type_name not in self.summaries:
            raise KeyError(f"{type_name!r}: these scores have {', '.join(self.summaries)}")
        return self.summaries[type_name][name].estimate


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Figure of one file of a run's guard, before the training and after it."""

    name: str
    """Name of the file without its ending."""
    label: str
    """Metric of the questions, or of a text."""
    unit: str
    before: float
    after: float
    difference: Estimate
    """After minus before, paired by question, over `n` questions or the tokens of a text. A text
    has no interval."""
    verdict: str = ""
    """Either "better", "worse" or "tied". Empty for a text."""


@dataclass(frozen=True)
class RunResult:
    """The result of a run: its name, its scores, and all that is known about its origin."""

    name: str
    scores: Scores
    predictions: Collection[Prediction] = ()
    recipe_yaml: str | None = None
    """The resolved recipe with all defaults. None for answers of other programs."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of packages and hashes of inputs, by name."""
    asked: Mapping[str, Any] = field(default_factory=dict)
    """Source of the questions: its kind, split and options."""
    sources: Mapping[str, Scores] = field(default_factory=dict)
    """Scores by source of the questions, if there are several sources."""
    log: Sequence[Mapping[str, Any]] | None = None
    """Training log: rows with `step`, `loss` and the parts of the loss."""
    questions: Iterable[Question] = ()
    """Questions in the order of `scores.items`. It must allow several iterations."""
    date: str = ""
    """Date of the answers, for example 2026-11-22."""
    trained: int = 0
    """Number of questions about pictures that the model was trained on."""
    forgetting: Sequence[Forgetting] = ()
    """Figures of the run's guard before and after the training."""

    def __post_init__(self) -> None:
        # A file name may contain control characters, which a terminal would execute.
        object.__setattr__(self, "name", printable(self.name))

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings with which the first answer was generated, including its dialect."""
        return next(({"dialect": p.dialect, **p.settings} for p in self.predictions), {})


def data_title(run: RunResult) -> str:
    """Describe the questions of a run, for example "200 questions of clock, test split"."""
    return questions_title(len(run.scores.items), run.asked)


def questions_title(n: int, data: Mapping[str, Any]) -> str:
    """Describe `n` questions from `data`, the source that a run stores in `asked`."""
    names = [
        next((str(source[key]) for key in _NAME_KEYS if source.get(key)), "")
        for source in data.get("sources", [data])
    ]
    of_names = f" of {' + '.join(names)}" if all(names) else ""
    split = f", {data['split']} split" if data.get("split", "all") != "all" else ""
    return f"{n:,} question{'s' * (n != 1)}{of_names}{split}"


# Keys that may hold the name of a source.
_NAME_KEYS = ("kind", "directory", "benchmark", "file")


def check_names(runs: Sequence[RunResult]) -> None:
    """Raise a ValueError if there are no runs, or if two runs have the same name."""
    if not runs:
        raise ValueError("no runs: give at least one RunResult")
    names = [run.name for run in runs]
    # The names are columns of tables and keys of a report's JSON.
    if len(set(names)) < len(names):
        raise ValueError(f"runs {', '.join(names)}: name each run once")


def split_by_source(runs: Sequence[RunResult]) -> dict[str, list[RunResult]]:
    """Return the runs with only the scores of one source, by source.

    The result is empty unless two sources have the same type of answer.
    """
    by_name = {
        name: [replace(r, scores=r.sources[name], sources={}) for r in runs if name in r.sources]
        for name in dict.fromkeys(name for run in runs for name in run.sources)
    }
    types_of_sources = [
        name for runs_of_source in by_name.values() for name in type_names(runs_of_source)
    ]
    # Sources of different types have separate tables in any case.
    return by_name if len(set(types_of_sources)) < len(types_of_sources) else {}


def type_names(runs: Sequence[RunResult]) -> list[str]:
    """List the types of answers of all runs, in order of appearance."""
    return list(dict.fromkeys(name for run in runs for name in run.scores.summaries))
