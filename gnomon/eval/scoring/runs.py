"""Runs of a model: scored answers, summaries of each type of answer, and how the run came about."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from gnomon.sample import Certainty, Prediction, Size, Target
from gnomon.terminal import printable

if TYPE_CHECKING:
    from gnomon.answers.base.answer_type import Value
    from gnomon.answers.base.target import Corners
    from gnomon.eval.scoring.question_file import Question
    from gnomon.eval.stats.intervals import Estimate


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """An answer with its truth, as it was read and measured."""

    sample_id: str
    type_name: str
    """Type of answer, a key of `registry.TYPES`."""
    truth: Target
    """Boxes are in the pixels of `size`."""
    text: str
    value: Value | None
    """Value read from the text; None if nothing could be read."""
    rule: str | None
    """Name of the reader's rule that matched."""
    correct: bool
    measures: dict[str, float]
    """Metrics of this answer by name; an unread answer has no deviation."""
    size: Size | None = None
    """Size of the picture as the model saw it."""
    picture: str = ""
    """Name of the picture."""
    group: str = ""
    """Group of the user's row, such as a camera; empty for drawn samples."""
    span: tuple[int, int] | None = None
    """Start and end of the value in the text."""
    cut: tuple[int, int, int, int] | None = None
    """Corners of the part of the picture that was asked about; None for all of it."""
    certainty: Certainty | None = None
    """Interval and confidence of a calibrated run, and whether the answer is refused."""
    intervals: tuple[tuple[Corners, Corners] | None, ...] = ()
    """Lowest and highest corners that are believed of each box of the value, in pixels of `size`;
    None for a box without a belief, and none at all where none was computed."""
    is_refusal: bool = False
    """True if the answer says that nothing can be read."""


def unit_names(items: Sequence[ScoredAnswer]) -> tuple[list[str], str]:
    """Name what is drawn at random: groups of rows if there are several, else pictures.

    Answers of one unit are right or wrong together. The second is the word for several units. Of
    a single group nothing can be told about others: an interval is then about this one.
    """
    pictures = [item.picture or item.sample_id for item in items]
    groups = [item.group or picture for item, picture in zip(items, pictures, strict=True)]
    if 1 < len(set(groups)) < len(set(pictures)):
        return groups, "groups"
    return pictures, "pictures"


@dataclass(frozen=True, slots=True)
class Result:
    """A metric of a summary: its estimate, and what guessers reach."""

    name: str
    label: str
    unit: str
    better: Literal["higher", "lower", ""]
    headline: bool
    estimate: Estimate
    chance: dict[str, float]
    """Values by guesser: "uniform", or "constant", the best single answer to all questions."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Results of one type of answer, one per metric."""

    type_name: str
    """Type of answer, a key of `registry.TYPES`."""
    n: int
    unread: int
    results: tuple[Result, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain values for a report's JSON."""
        return type_as_kind(asdict(self))

    def __getitem__(self, name: str) -> Result:
        for result in self.results:
            if result.name == name:
                return result
        names = ", ".join(result.name for result in self.results)
        raise KeyError(f"{name!r}: a {self.type_name} summary has {names}")


def type_as_kind(row: Mapping[str, Any]) -> dict[str, Any]:
    """Name the type of answer "kind", as the JSON of reports always did."""
    return {"kind" if key == "type_name" else key: value for key, value in row.items()}


@dataclass(frozen=True, slots=True)
class Scores:
    """Scored answers in the order of the samples, and a summary of each type of answer."""

    items: tuple[ScoredAnswer, ...]
    summaries: dict[str, Summary]
    constant_measures: dict[str, tuple[float, ...]] = field(default_factory=dict)
    """First metric's measure of each item, by type of answer, under the best constant answer."""

    def of_type(self, type_name: str) -> list[ScoredAnswer]:
        """Select the answers of one type."""
        return [item for item in self.items if item.type_name == type_name]

    def estimate(self, type_name: str, name: str) -> Estimate:
        """Look up a figure with its interval: estimate("time", "exact")."""
        if type_name not in self.summaries:
            raise KeyError(f"{type_name!r}: these scores have {', '.join(self.summaries)}")
        return self.summaries[type_name][name].estimate


@dataclass(frozen=True)
class RunResult:
    """Run of a model: a name, its scores, and whatever is known of how it came about."""

    name: str
    scores: Scores
    predictions: Collection[Prediction] = ()
    recipe_yaml: str | None = None
    """Recipe after resolving, with every default."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions and hashes by name."""
    asked: Mapping[str, Any] = field(default_factory=dict)
    """Description of the questions' source: its kind, split and options."""
    sources: Mapping[str, Scores] = field(default_factory=dict)
    """Scores of the same answers by the source of their questions, if there are several."""
    log: Sequence[Mapping[str, Any]] | None = None
    """Training log: rows with `step`, `loss` and the loss's parts."""
    questions: Iterable[Question] = ()
    """Questions in the order of the scores, with their facts if known; looped over several
    times."""
    date: str = ""
    """Day on which the answers were made, as in 2026-11-22."""
    trained: int = 0
    """Questions about pictures that the model was trained on."""

    def __post_init__(self) -> None:
        # Names of files may hold control characters, which a terminal would execute.
        object.__setattr__(self, "name", printable(self.name))

    @property
    def settings(self) -> Mapping[str, Any]:
        """Settings under which the first answer was generated."""
        return next(({"dialect": p.dialect, **p.settings} for p in self.predictions), {})


def data_title(run: RunResult) -> str:
    """Describe the questions of a run, as `questions_title` does."""
    return questions_title(len(run.scores.items), run.asked)


def questions_title(n: int, data: Mapping[str, Any]) -> str:
    """Describe questions, as in "200 questions of clock, test split"."""
    names = [
        next((str(source[key]) for key in _NAME_KEYS if source.get(key)), "")
        for source in data.get("sources", [data])
    ]
    of_names = f" of {' + '.join(names)}" if all(names) else ""
    split = f", {data['split']} split" if data.get("split", "all") != "all" else ""
    return f"{n:,} question{'s' * (n != 1)}{of_names}{split}"


# Keys under which a source may name itself.
_NAME_KEYS = ("kind", "directory", "benchmark", "file")


def check_names(runs: Sequence[RunResult]) -> None:
    """Refuse an empty list of runs, and two runs of one name."""
    if not runs:
        raise ValueError("no runs: give at least one RunResult")
    names = [run.name for run in runs]
    # Tables name columns by the run, and a report's JSON its keys.
    if len(set(names)) < len(names):
        raise ValueError(f"runs {', '.join(names)}: name each run once")


def split_by_source(runs: Sequence[RunResult]) -> dict[str, list[RunResult]]:
    """Return the runs' scores on each source alone; empty unless two sources share a type."""
    by_name = {
        name: [replace(r, scores=r.sources[name], sources={}) for r in runs if name in r.sources]
        for name in dict.fromkeys(name for run in runs for name in run.sources)
    }
    types_of_sources = [
        name for runs_of_source in by_name.values() for name in type_names(runs_of_source)
    ]
    # Sources of different types have tables of their own anyway.
    return by_name if len(set(types_of_sources)) < len(types_of_sources) else {}


def type_names(runs: Sequence[RunResult]) -> list[str]:
    """List the types of answers that any run has, in the order of the first run that has them."""
    return list(dict.fromkeys(name for run in runs for name in run.scores.summaries))
