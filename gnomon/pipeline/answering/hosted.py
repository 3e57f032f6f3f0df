"""Answers of a model behind a server to every sample, many under way at once."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from multiprocessing.pool import ThreadPool
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from tqdm import tqdm

from gnomon.eval.scoring import predictions, questions
from gnomon.pipeline.answering.server import Reply, Server
from gnomon.progress import track
from gnomon.sample import Prediction, Sample

if TYPE_CHECKING:
    from gnomon.pipeline.answering.pictures import Picture

T = TypeVar("T")

_EMPTY = "{} answers are empty: a model that thinks first may need more than {} eval.max_new_tokens"
_WARM = "{} takes no temperature: asked again, it may answer otherwise"
_STOPPING = "{} answers under way are waited for; Ctrl-C again leaves them"


def predict(
    server: Server,
    samples: Iterable[Sample],
    out: Path,
    *,
    total: int,
    settings: dict[str, Any],
    at_once: int,
    max_new_tokens: int,
    dialect: str,
) -> None:
    """Answer every sample that `out` does not hold yet, so many at once; a killed run goes on.

    Boxes are taken in the pixels of the picture as it was sent.
    """
    settings = json.loads(json.dumps({**settings, "max_new_tokens": max_new_tokens}))
    done = predictions.done(out, settings)
    left = (sample for sample in samples if sample.id not in done)

    def answered(sample: Sample) -> Prediction:
        reply = server.reply(sample.question, sample.images, max_tokens=max_new_tokens)
        size = sample.image.size if sample.image else None
        return Prediction(sample.id, reply.text, size, dialect, settings)

    empty = 0
    with track(total=total, initial=len(done), desc="answers") as bar:
        asked = questions.noted(left, questions.beside(out))
        for finished in _as_they_come(answered, asked, at_once):
            predictions.append(out, [finished])
            bar.update()
            empty += not finished.text
    if empty:
        tqdm.write(_EMPTY.format(empty, max_new_tokens), file=sys.stderr)
    if "temperature" in server.taught:
        tqdm.write(_WARM.format(server.model), file=sys.stderr)


def read(server: Server, pictures: Sequence[Picture], *, max_tokens: int) -> list[str]:
    """What a server says to each of some pictures, all asked at once."""
    with ThreadPool(len(pictures)) as pool:
        return pool.map(
            lambda one: server.reply(one.question, one.images, max_tokens=max_tokens).text, pictures
        )


def replies(
    server: Server, samples: Iterable[Sample], *, total: int, at_once: int, max_tokens: int
) -> dict[str, Reply]:
    """A server's reply to every sample by its id, so many asked at once."""

    def answered(sample: Sample) -> tuple[str, Reply]:
        return sample.id, server.reply(sample.question, sample.images, max_tokens=max_tokens)

    with track(total=total, desc="answers") as bar:
        found = {}
        for name, reply in _as_they_come(answered, iter(samples), at_once):
            found[name] = reply
            bar.update()
    return found


def _as_they_come(
    answered: Callable[[Sample], T], asked: Iterator[Sample], at_once: int
) -> Iterator[T]:
    """Answers as soon as they are there, the next question in their place.

    After a failure or an interruption nothing more is asked; what was under way comes first, for it
    is paid for. A second interruption waits for no server: no thread outlives it.
    """
    to_ask: SimpleQueue[Sample | None] = SimpleQueue()
    there: SimpleQueue[T | BaseException] = SimpleQueue()

    def ask() -> None:
        while (sample := to_ask.get()) is not None:
            try:
                there.put(answered(sample))
            except BaseException as error:  # raised where it is taken
                there.put(error)

    under_way = 0
    failed: BaseException | None = None
    try:
        for sample in islice(asked, at_once):
            Thread(target=ask, daemon=True).start()
            to_ask.put(sample)
            under_way += 1
        while under_way:
            try:
                found = there.get()
            except KeyboardInterrupt as stop:
                if failed:
                    raise
                failed = stop
                tqdm.write(_STOPPING.format(under_way), file=sys.stderr)
                continue
            under_way -= 1
            if isinstance(found, BaseException):
                failed = failed or found
            else:
                yield found
            for sample in islice(asked, 0 if failed else 1):
                to_ask.put(sample)
                under_way += 1
    finally:
        for _ in range(at_once):
            to_ask.put(None)
    if failed:
        raise failed
