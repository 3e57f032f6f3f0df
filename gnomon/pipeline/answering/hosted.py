"""Answers of a model behind a server to many samples, several requests at a time."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

from gnomon.eval.scoring import predictions, questions
from gnomon.pipeline.answering.server import Reply, Server
from gnomon.progress import track, warn
from gnomon.sample import Prediction, Sample

_EMPTY = "{} answers are empty: a model that thinks first may need more than {} eval.max_new_tokens"
_WARM = "{} takes no temperature: asked again, it may answer otherwise"


def predict_to_file(
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
    """Answer every sample that is not in `out` yet, and append the answers to it.

    `at_once` is the number of requests under way. Boxes are read in the pixels of the picture as
    it was sent: nobody knows how the server resizes it.
    """
    # As JSON returns them: a tuple would never equal the list in the file.
    settings = json.loads(json.dumps({**settings, "max_new_tokens": max_new_tokens}))
    done = predictions.answered_ids(out, settings)
    rest = (sample for sample in samples if sample.id not in done)
    recorded = questions.record(rest, questions.question_path(out))
    empty = 0
    for sample, reply in ask_all(
        server, recorded, total=total, done=len(done), at_once=at_once, max_tokens=max_new_tokens
    ):
        size = sample.image.size if sample.image else None
        predictions.append(out, [Prediction.of(sample, reply.text, size, dialect, settings)])
        empty += not reply.text
    if empty:
        warn(_EMPTY.format(empty, max_new_tokens))
    if server.thinks:
        warn(_WARM.format(server.model))


def ask_all(
    server: Server,
    samples: Iterable[Sample],
    *,
    total: int,
    done: int = 0,
    at_once: int,
    max_tokens: int,
) -> Iterator[tuple[Sample, Reply]]:
    """Yield the server's reply to every sample, in their order."""

    def ask(sample: Sample) -> tuple[Sample, Reply]:
        return sample, server.ask(sample.question, sample.images, max_tokens=max_tokens)

    rest = iter(samples)
    with track(total=total, initial=done, desc="answers") as bar, ThreadPool(at_once) as pool:
        # Twice as many are queued as run, so that a slow answer holds up no other question.
        queue = deque(pool.apply_async(ask, (sample,)) for sample in islice(rest, 2 * at_once))
        while queue:
            # get() raises here what the thread raised.
            yield queue.popleft().get()
            bar.update()
            queue.extend(pool.apply_async(ask, (sample,)) for sample in islice(rest, 1))
