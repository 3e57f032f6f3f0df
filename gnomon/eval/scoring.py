"""Reads and measures every prediction, and sums up each kind of target."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from gnomon.eval import belief
from gnomon.eval.chance import chance
from gnomon.eval.crossed import crossed
from gnomon.eval.kinds import KINDS, kind_of
from gnomon.eval.kinds.base import Answer, Line
from gnomon.eval.scored import Result, Scored, Scores, Summary
from gnomon.eval.statistics import Estimate, bootstrap, wilson
from gnomon.sample import Box, Prediction, Sample, Spots, Target, resized

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gnomon.eval.parse.reading import Which


def score(
    predictions: Iterable[Prediction], samples: Iterable[Sample], *, which: Which = "last"
) -> Scores:
    """Score one answer to each sample. Values are read afresh from the texts.

    An answer that cannot be read is wrong, and counted apart. It is an error if a sample has no
    prediction or two, or a prediction no sample. Where a text states several values, `which` says
    the one that counts.
    """
    answered = _by_sample(predictions)
    pairs: dict[str, list[tuple[Prediction, Target, str]]] = {}
    order: dict[str, None] = {}
    missing: list[str] = []
    for sample in samples:
        if sample.id in order:
            raise ValueError(f"sample {sample.id!r} stands twice: ids must be unique")
        order[sample.id] = None
        prediction = answered.pop(sample.id, None)
        if prediction is None:
            missing.append(sample.id)
            continue
        truth = _as_seen(sample, prediction)
        pairs.setdefault(kind_of(truth), []).append((prediction, truth, _picture(sample)))
    _refuse("have no prediction", missing, "finish predicting, or score only what was asked")
    _refuse("are predicted but not among the samples", answered, "score them on their own samples")
    scored = {kind: _scored(kind, group, which) for kind, group in pairs.items()}
    by_id = {item.sample_id: item for group in scored.values() for item in group}
    return Scores(
        tuple(by_id[sample_id] for sample_id in order),
        {
            kind: _summary(kind, scored[kind], _evenly(kind, pairs[kind]))
            for kind in KINDS
            if kind in scored
        },
    )


def _evenly(kind: str, group: Sequence[tuple[Prediction, Target, str]]) -> dict[str, float]:
    """What an even belief would come to."""
    return belief.uniform([(prediction, truth) for prediction, truth, _ in group], kind)


def _by_sample(predictions: Iterable[Prediction]) -> dict[str, Prediction]:
    answered: dict[str, Prediction] = {}
    for prediction in predictions:
        if prediction.sample_id in answered:
            raise ValueError(
                f"sample {prediction.sample_id!r} is predicted twice: score one run at a time"
            )
        answered[prediction.sample_id] = prediction
    return answered


def _refuse(what: str, ids: Iterable[str], way_out: str) -> None:
    names = list(ids)
    if names:
        shown = ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
        raise ValueError(f"{len(names)} samples {what}: {shown}: {way_out}")


def _as_seen(sample: Sample, prediction: Prediction) -> Target:
    """The truth; a box in the picture as it was resized for the model."""
    if sample.image is not None and prediction.size is not None:
        return resized(sample.target, sample.image.size, prediction.size)
    if isinstance(sample.target, Box | Spots):
        raise ValueError(f"sample {sample.id!r}: a box needs its picture and the prediction's size")
    return sample.target


def _picture(sample: Sample) -> str:
    """What the item may share with others: its picture, by file or pixels; without one, itself."""
    if sample.image is None:
        return sample.id
    file = getattr(sample.image, "filename", "")
    return str(file) or blake2b(sample.image.tobytes(), digest_size=8).hexdigest()


def _scored(
    name: str, group: Sequence[tuple[Prediction, Target, str]], which: Which
) -> list[Scored]:
    kind = KINDS[name]
    costs = kind.costs([truth for _, truth, _ in group])
    scored = []
    for (prediction, truth, picture), cost in zip(group, costs, strict=True):
        reading = kind.read(prediction, truth, which)
        value = reading.value if reading else None
        measures = kind.measures(truth, Answer(value, prediction.text), cost)
        measures |= belief.measures(prediction, truth, name)
        scored.append(
            Scored(
                sample_id=prediction.sample_id,
                kind=name,
                truth=truth,
                text=prediction.text,
                value=value,
                rule=reading.rule if reading else None,
                correct=kind.correct(measures),
                measures=measures,
                size=prediction.size,
                picture=picture,
            )
        )
    return scored


def _summary(name: str, items: Sequence[Scored], evenly: Mapping[str, float]) -> Summary:
    by_chance = chance(name, items)
    by_chance |= {measure: {"uniform": value} for measure, value in evenly.items()}
    results = tuple(
        Result(
            name=line.name,
            label=line.label,
            unit=line.unit,
            better=line.better,
            headline=line.headline,
            estimate=_estimate(line, items),
            chance=by_chance[line.name],
        )
        for line in belief.lines(name, [item.measures for item in items])
    )
    return Summary(name, len(items), sum(item.value is None for item in items), results)


def _estimate(line: Line, items: Sequence[Scored]) -> Estimate:
    about = selected(line, items)
    values = np.array([item.measures[line.measure] for item in about])
    pictures = [item.picture for item in about]
    if line.statistic in ("share", "mean") and 1 < len(set(pictures)) < len(pictures):
        found = crossed([values[None]], pictures).estimate
        if found.low is not None:
            return found
    if line.statistic == "share":
        return wilson(int(values.sum()), values.size)
    return bootstrap(values, line.statistic)


def selected(line: Line, items: Sequence[Scored]) -> list[Scored]:
    """The items that the line is about."""
    if line.among == "read":
        items = [item for item in items if item.value is not None]
    elif line.among == "wrong":
        items = [item for item in items if item.value is not None and not item.correct]
    return [item for item in items if line.measure in item.measures]
