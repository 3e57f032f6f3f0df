"""One scored answer, and what a score says of all of them: plain data that JSON carries."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from gnomon.answers.reading.choice import Value
from gnomon.atomic import naming, whole_or_absent
from gnomon.eval.stats.intervals import Estimate
from gnomon.sample import Size, Target, target_to_json

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Scored:
    """One answer beside its truth."""

    sample_id: str
    kind: str
    truth: Target
    """A box is in the pixels of `size`."""
    text: str
    value: Value | None
    """What was read from the text; None where nothing could be."""
    rule: str | None
    """The rule that read it."""
    correct: bool
    measures: dict[str, float]
    """Metrics of this answer by name; an unread answer has no deviation."""
    size: Size | None = None
    """The picture's size as the model saw it."""
    picture: str = ""
    """What it may share with other items, which then are no independent ones: its picture."""
    span: tuple[int, int] | None = None
    """Where in the text the value was read."""


@dataclass(frozen=True, slots=True)
class Result:
    """A line of a summary with its estimate and what chance comes to."""

    name: str
    label: str
    unit: str
    better: Literal["higher", "lower", ""]
    headline: bool
    estimate: Estimate
    chance: dict[str, float]
    """By guesser: "uniform", "constant" (the best of one answer to all), "shuffled" (this model's
    own answers, each given to another question)."""


@dataclass(frozen=True, slots=True)
class Summary:
    """All lines of one kind of target."""

    kind: str
    n: int
    unread: int
    results: tuple[Result, ...]

    def __getitem__(self, name: str) -> Result:
        for result in self.results:
            if result.name == name:
                return result
        names = ", ".join(result.name for result in self.results)
        raise KeyError(f"{name!r}: a {self.kind} summary has {names}")


@dataclass(frozen=True, slots=True)
class Scores:
    """Every answer scored, in the order of the samples, and a summary of each kind of target."""

    items: tuple[Scored, ...]
    summaries: dict[str, Summary]

    def estimate(self, kind: str, name: str) -> Estimate:
        """One figure with its interval: estimate("time", "exact")."""
        if kind not in self.summaries:
            raise KeyError(f"{kind!r}: these scores have {', '.join(self.summaries)}")
        return self.summaries[kind][name].estimate


def write_scores(
    path: Path, scores: Mapping[str, Scores], comparisons: Sequence[dict[str, Any]] | None = None
) -> None:
    """Several runs' scores as JSON, an item a line; with comparisons, these first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        whole_or_absent(path) as temporary,
        naming(path),
        temporary.open("w", encoding="utf-8") as file,
    ):
        if comparisons is not None:
            file.write(f'{{"comparisons": {json.dumps(comparisons, ensure_ascii=False)}, "runs": ')
        for place, (name, found) in enumerate(scores.items()):
            file.write(f"{', ' if place else '{'}{json.dumps(name, ensure_ascii=False)}: ")
            head = {
                "format": FORMAT,
                "summaries": {k: asdict(s) for k, s in found.summaries.items()},
            }
            file.write(json.dumps(head, ensure_ascii=False)[:-1] + ', "items": [\n')
            rows = (json.dumps(_item_to_json(item), ensure_ascii=False) for item in found.items)
            file.write(",\n".join(rows) + "\n]}")
        file.write("}\n" if comparisons is None else "}}\n")


def _item_to_json(item: Scored) -> dict[str, Any]:
    row = {field.name: getattr(item, field.name) for field in fields(item)}
    row["truth"] = target_to_json(item.truth)
    row["value"] = _value_to_json(item.value)
    return row


def _value_to_json(value: Value | None) -> Any:
    """Plain values; decimals, spots and tables as dicts that say what they are."""
    if isinstance(value, Decimal):
        return {"decimal": str(value)}
    return target_to_json(value) if isinstance(value, Target) else value
