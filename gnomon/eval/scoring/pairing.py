"""Each sample's prediction, found while both are read through once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gnomon.eval.scoring.questions import Question
from gnomon.sample import Prediction, Sample

_SHOWN = 5


def paired(
    predictions: Iterable[Prediction], samples: Iterable[Sample | Question]
) -> Iterator[tuple[Prediction, Sample | Question]]:
    """In the samples' order; refused unless each has exactly one.

    Held in memory are only the predictions that come before their samples: where both have about
    the same order, a few.
    """
    waiting: dict[str, Prediction] = {}
    coming = iter(predictions)
    seen: set[int] = set()
    missing: list[str] = []
    for sample in samples:
        if hash(sample.id) in seen:
            raise ValueError(f"sample {sample.id!r} stands twice: ids must be unique")
        seen.add(hash(sample.id))
        while sample.id not in waiting and (prediction := next(coming, None)) is not None:
            if prediction.sample_id in waiting:
                raise _twice(prediction.sample_id)
            waiting[prediction.sample_id] = prediction
        if sample.id in waiting:
            yield waiting.pop(sample.id), sample
        else:
            missing.append(sample.id)
    left = [*waiting, *(prediction.sample_id for prediction in coming)]
    for sample_id in left:
        if hash(sample_id) in seen:
            raise _twice(sample_id)
    _refuse("have no prediction", missing, "finish predicting, or score only what was asked")
    _refuse("are predicted but not among the samples", left, "score them on their own samples")


def _twice(sample_id: str) -> ValueError:
    return ValueError(f"sample {sample_id!r} is predicted twice: score one run at a time")


def _refuse(what: str, ids: list[str], way_out: str) -> None:
    if ids:
        shown = ", ".join(map(repr, ids[:_SHOWN])) + (", …" if len(ids) > _SHOWN else "")
        raise ValueError(f"{len(ids)} samples {what}: {shown}: {way_out}")
