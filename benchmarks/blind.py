"""Part of chance.py: how far questions can be answered without their pictures, kind by kind.

Two guessers that see the question alone are trained on four fifths of the questions of a form and
asked the rest, five times over: the nearest questions by their words, and logistic regressions.
Beside them stands the best constant: one answer, or one place among what the question lists.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch
from scipy.sparse import csr_matrix

from gnomon.generators import create, load
from gnomon.sample import Box, Boxes, Number, Sample, Spots, Table, Target, Text, target_to_json

SIZES = {
    "clock": 237,
    "gauge": 160,
    "scene": 168,
    "text_spotting": 224,
    "chart": 224,
    "counter": 160,
}
"""Small pictures: nobody sees them."""
FOLDS = 5
NEAREST = 25
MOST = 40
"""Answers that a guesser chooses from, the most frequent ones."""
MARGIN = 0.04
"""What is told apart from the constant, if twice its standard error is less."""
_NUMBER = re.compile(r"-?\d+(?:[.,:/]\d+)*")


class Asked(NamedTuple):
    """What of a sample is known to a guesser, and its answer."""

    question: str
    target: Target
    """A box as shares of the picture."""
    listed: tuple[str, ...]
    """What the question lists: its choices in their order there, or else its numbers."""


Guess: TypeAlias = "Target | int"
"""An answer, or a place among what is listed."""


def asked(sample: Sample) -> Asked:
    """The sample without its picture."""
    target, question = sample.target, sample.question
    if sample.image is not None:
        target = target.scaled(sample.image.size, (1, 1))
    if isinstance(target, Text) and target.choices:
        lower = question.casefold()
        listed = tuple(sorted(target.choices, key=lambda c: (lower.find(c.casefold()), c)))
    else:
        listed = tuple(_NUMBER.findall(question))
    return Asked(question, target, listed)


def right(guess: Guess, truth: Asked) -> bool:
    """Whether a guess answers a question."""
    target = truth.target
    if isinstance(guess, int):
        return guess < len(truth.listed) and _says(truth.listed[guess], target)
    if isinstance(target, Number) and isinstance(guess, Number):
        return abs(target.value - guess.value) <= target.within
    return _text(guess) == _text(target)


def _text(target: Target) -> str:
    """An answer in words; what has several parts as JSON."""
    several = isinstance(target, Boxes | Spots | Table)
    return json.dumps(target_to_json(target)) if several else target.write()


def _says(text: str, target: Target) -> bool:
    if isinstance(target, Text):
        return text.casefold() == target.text.casefold()
    return isinstance(target, Number) and text.replace(",", "") == f"{target.value:f}"


def guesses(of: Sequence[Asked]) -> list[Guess]:
    """Those worth making: the most frequent answers, or some of the boxes, and each place."""
    if isinstance(of[0].target, Box):
        return [one.target for one in of[:: max(1, len(of) // (4 * MOST))]]
    counted = Counter(_text(one.target) for one in of)
    answers = {_text(one.target): one.target for one in of}
    places = range(max(len(one.listed) for one in of))
    return [*(answers[text] for text, _ in counted.most_common(MOST)), *list(places)[:12]]


def constant(train: Sequence[Asked], test: Sequence[Asked]) -> np.ndarray:
    """The guess that is right most often in training, made throughout."""
    made = guesses(train)
    best = int(_hits(made, train).sum(1).argmax())
    return _hits(made[best : best + 1], test)[0]


def nearest(train: Sequence[Asked], test: Sequence[Asked]) -> np.ndarray:
    """The guess that is right for most of the questions whose words are most alike."""
    known, new = _words(train, test)
    weight = np.log(len(train) / np.maximum(1, (known > 0).sum(0)))
    known, new = _unit(known * weight), _unit(new * weight)
    order = np.argsort(-(new @ known.T), axis=1, kind="stable")[:, :NEAREST]
    made = guesses(train)
    hits = _hits(made, train)
    best = hits[:, order].sum(2).argmax(0)
    return _hits(made, test)[best, np.arange(len(test))]


def logistic(train: Sequence[Asked], test: Sequence[Asked]) -> np.ndarray:
    """The likeliest guess by its weights for words, or for words of what is listed.

    The one of both that does better on the last fifth of the training is trained on all of it.
    """
    if isinstance(train[0].target, Box):
        return np.zeros(len(test), bool)
    ways: list[Callable[..., np.ndarray]] = [_by_question, _by_listed]
    cut = len(train) * 4 // 5
    shares = [way(train[:cut], train[cut:]).mean() for way in ways]
    return ways[int(np.argmax(shares))](train, test)


def _by_question(train: Sequence[Asked], test: Sequence[Asked]) -> np.ndarray:
    """A weight for each word and guess."""
    made = guesses(train)
    hits = _hits(made, train)
    seen = hits.any(0)
    if not seen.any():
        return np.zeros(len(test), bool)
    known, new = (torch.tensor(x, dtype=torch.float32) for x in _words(train, test))
    goal = torch.tensor(hits.argmax(0)[seen])
    weights = torch.zeros(known.shape[1] + 1, len(made), requires_grad=True)

    def scores(x: torch.Tensor) -> torch.Tensor:
        return x @ weights[:-1] + weights[-1]

    _fit(weights, lambda: torch.nn.functional.cross_entropy(scores(known[seen]), goal))
    best = scores(new).argmax(1).numpy()
    return _hits(made, test)[best, np.arange(len(test))]


def _by_listed(train: Sequence[Asked], test: Sequence[Asked]) -> np.ndarray:
    """A weight for each word of a listed thing, and for its place among them."""
    places = max(len(one.listed) for one in (*train, *test))
    if not 2 <= places <= 12:
        return np.zeros(len(test), bool)
    things = [[Asked(text, one.target, ()) for text in one.listed] for one in (*train, *test)]
    flat = [thing for those in things for thing in those]
    words, _ = _words(flat, flat[:1])
    owner = np.repeat(np.arange(len(things)), [len(those) for those in things])
    place = np.concatenate([np.arange(len(those)) for those in things])
    cube = np.zeros((len(things), places, words.shape[1] + places), np.float32)
    cube[owner, place, : words.shape[1]] = words
    cube[owner, place, words.shape[1] + place] = 1
    hidden = np.ones((len(things), places), np.float32) * -1e9
    hidden[owner, place] = 0
    hits = _hits(list(range(places)), [*train, *test]).T
    x, away = torch.tensor(cube), torch.tensor(hidden)
    seen = torch.tensor(np.flatnonzero(hits[: len(train)].any(1)))
    if not len(seen):
        return np.zeros(len(test), bool)
    goal = torch.tensor(hits.argmax(1))[seen]
    weights = torch.zeros(cube.shape[2], requires_grad=True)
    _fit(weights, lambda: torch.nn.functional.cross_entropy((x @ weights + away)[seen], goal))
    best = (x @ weights + away).argmax(1).numpy()[len(train) :]
    return hits[len(train) :][np.arange(len(test)), best]


def _fit(weights: torch.Tensor, loss: Callable[[], torch.Tensor]) -> None:
    """The most likely weights under a slight ridge."""
    optimizer = torch.optim.LBFGS([weights], max_iter=30)

    def step() -> torch.Tensor:
        optimizer.zero_grad()
        total = loss() + 1e-3 * weights.square().sum()
        total.backward()
        return total

    optimizer.step(step)
    weights.requires_grad_(False)


def _hits(made: Sequence[Guess], of: Sequence[Asked]) -> np.ndarray:
    """Whether each guess is right for each question."""
    if isinstance(made[0], Box):
        ours, true = (np.array(list(map(_corners, boxes)))[:, None] for boxes in (made, of))
        return _overlap(ours, true.swapaxes(0, 1)) >= 0.5
    return np.array([[right(guess, one) for one in of] for guess in made])


def _corners(box: Any) -> tuple[float, ...]:
    target = box.target if isinstance(box, Asked) else box
    return target.x1, target.y1, target.x2, target.y2


def _overlap(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The intersection over the union of boxes, [..., 4]."""
    low, high = np.maximum(one[..., :2], other[..., :2]), np.minimum(one[..., 2:], other[..., 2:])
    both = np.clip(high - low, 0, None).prod(-1)
    areas = [(each[..., 2:] - each[..., :2]).prod(-1) for each in (one, other)]
    return both / (areas[0] + areas[1] - both)


def _words(train: Sequence[Asked], test: Sequence[Asked]) -> tuple[np.ndarray, np.ndarray]:
    """Words and pairs of words that stand in several questions of the training, as 0 and 1."""
    said = [set(_terms(one.question)) for one in train]
    counted = Counter(term for terms in said for term in terms)
    place = {term: i for i, (term, n) in enumerate(counted.most_common(1000)) if n > 2}

    def table(sets: Sequence[set[str]]) -> np.ndarray:
        at = [(row, place[term]) for row, terms in enumerate(sets) for term in terms & place.keys()]
        rows, columns = np.array(at, int).reshape(-1, 2).T
        shape = (len(sets), max(1, len(place)))
        return csr_matrix((np.ones(len(at)), (rows, columns)), shape).toarray()

    return table(said), table([set(_terms(one.question)) for one in test])


def _terms(text: str) -> list[str]:
    words = re.findall(r"[\w.]+|[^\w\s]", text.casefold())
    return [*words, *map(" ".join, pairwise(words))]


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(1e-9, np.linalg.norm(rows, axis=1, keepdims=True))


def crossed(every: Sequence[Asked], guesser: Any) -> np.ndarray:
    """Whether each question is answered, by a guesser that was trained on the other folds."""
    found = np.zeros(len(every), bool)
    fold = np.arange(len(every)) % FOLDS
    for held in range(FOLDS):
        train = [one for one, f in zip(every, fold, strict=True) if f != held]
        test = [one for one, f in zip(every, fold, strict=True) if f == held]
        found[fold == held] = guesser(train, test)
    return found


def forms(kind: str, n: int) -> dict[str, list[Asked]]:
    """The questions of a kind by their form."""
    size = {"size": SIZES[kind]} if kind in SIZES else {}
    drawn = create(kind, **size, **load(kind).every_question)
    found: dict[str, list[Asked]] = defaultdict(list)
    for index in range(n):
        sample = drawn[index]
        form = sample.facts.get("question") or sample.facts.get("task") or ""
        found[f"{form} ({sample.target.name})" if form else sample.target.name].append(
            asked(sample)
        )
    return dict(sorted(found.items()))


def table(kinds: Sequence[str], n: int) -> list[list[str]]:
    """A line for each kind and form; what can be answered blind is marked."""
    lines = [["kind", "question", "n", "constant", "nearest", "logistic", ""]]
    for kind in kinds:
        for form, every in forms(kind, n).items():
            if len(every) < 10 * FOLDS:
                continue
            rows = [crossed(every, guesser) for guesser in (constant, nearest, logistic)]
            shares = [row.mean() for row in rows]
            gains = [row.astype(float) - rows[0] for row in rows[1:]]
            marked = any(
                gain.mean() > max(MARGIN, 2 * gain.std() / len(gain) ** 0.5) for gain in gains
            )
            told = "answered blind" if marked else ""
            shown = [f"{100 * share:.1f} %" for share in shares]
            lines.append([kind, form, f"{len(every)}", *shown, told])
    return lines
