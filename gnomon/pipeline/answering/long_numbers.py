"""Beliefs in numbers that are too many to list, such as a counter's. The most likely are searched.

The digits form a tree over the tokenizer's tokens. Beginnings are expanded in order of their
probability, until all but 0.1 % of the probability is known.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp
from typing import TYPE_CHECKING, Any

from gnomon.answers.base.number_range import NumberRange
from gnomon.pipeline.answering.coordinates import REST, Search, run_searches
from gnomon.pipeline.answering.prompt import Ids, working_ids
from gnomon.pipeline.collate import prompt_of
from gnomon.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.pipeline.families.base import Family, Processor
    from gnomon.pipeline.load import Loaded

_MOST_NODES = 4000
"""Largest number of beginnings that a search expands. An untrained model finds all numbers equally
likely."""
_MOST_NUMBERS = 300
"""Largest count of numbers in a belief. The most likely are kept, because their distances form a
table."""
_MAX_DIGITS = 3
"""Largest count of digits in a token. Numbers with longer tokens are skipped."""


def range_logprobs(
    loaded: Loaded, sample: Sample, number_range: NumberRange, working: str = ""
) -> dict[str, float]:
    """Compute log p(answer, end | pictures, question, working) of the most likely numbers, in
    ascending order.

    Their sum is the probability found. It is all but REST of what the search found. Empty if the
    search reached no complete number, for example if all numbers are equally likely.
    """
    prompt = prompt_of(loaded.family, loaded.processor, sample)
    trie = _trie(loaded.tokenizer, loaded.family, loaded.processor, prompt, number_range, working)
    search = Search(before=trie.before, trie=trie)
    run_searches(loaded, sample, [search], _MOST_NODES)
    logprobs = search.result()
    order = sorted(logprobs, key=logprobs.__getitem__, reverse=True)
    bound = (1 - REST) * sum(map(exp, logprobs.values()))
    likeliest, mass = list[str](), 0.0
    for number in order[:_MOST_NUMBERS]:
        likeliest.append(number)
        mass += exp(logprobs[number])
        if mass >= bound:
            break
    return {
        number_range.answer(number): logprobs[number] for number in sorted(likeliest, key=float)
    }


# Photographs usually share one question.
@lru_cache(maxsize=8)
def _trie(
    tokenizer: Any, family: Family, processor: Processor, prompt: str, number_range: NumberRange,
    working: str,
) -> _RangeTrie:  # fmt: skip
    return _RangeTrie(tokenizer, family, processor, prompt, number_range, working)


class _RangeTrie:
    """Trie of the token sequences that spell the numbers of a range. It grows with the search."""

    def __init__(
        self, tokenizer: Any, family: Family, processor: Processor, prompt: str,
        number_range: NumberRange, working: str = "",
    ) -> None:  # fmt: skip
        self._tokenizer, self._family, self._processor = tokenizer, family, processor
        self._prompt, self._working, self._range = prompt, working, number_range
        self._n_prompt = len(tokenizer(prompt, add_special_tokens=False)["input_ids"])
        text = self._text(number_range.answer(next(iter(number_range.outcomes("", 1)))))
        self.before = working_ids(tokenizer, prompt, text, working)
        """Tokens of the working after the prompt."""
        self._n_prompt += len(self.before)
        self._window = _max_digits(tokenizer)
        self._children: dict[Ids, tuple[int, ...]] = {}
        self._prefixes: dict[Ids, str] = {(): ""}
        self.numbers: dict[Ids, str] = {}

    def tokens_after(self, node: Ids) -> tuple[int, ...]:
        """Return the tokens that may follow those in `node`, including the end of the answer."""
        if node not in self._children:
            self._children[node] = tuple(dict.fromkeys(self._tokens(node)))
        return self._children[node]

    def _tokens(self, node: Ids) -> Iterator[int]:
        """Yield the next token of each number that begins with the tokens of `node`.

        The digits up to each such token are stored, so that the search can continue from it.
        """
        prefix = self._prefixes[node]
        continuations = self._range.outcomes(prefix, self._window)
        texts = [self._text(self._range.answer(figures)) for figures in continuations]
        encoding = self._tokenizer(texts, add_special_tokens=False, return_offsets_mapping=True)
        rows = zip(continuations.items(), texts, encoding["input_ids"], encoding["offset_mapping"],
                   strict=True)  # fmt: skip
        for (figures, is_complete), text, ids, offsets in rows:
            path = tuple(ids[self._n_prompt :])
            if path[: len(node)] != node:
                continue  # this number is tokenized differently
            child = path[: len(node) + 1]
            start = text.rindex(self._range.answer(figures))
            n_chars = min(offsets[self._n_prompt + len(node)][1] - start, len(figures))
            # Only the first digits of a longer number are certain.
            if not is_complete and n_chars > len(prefix) + self._window:
                continue
            self._prefixes[child] = figures[: max(0, n_chars)]
            if is_complete and child == path:
                self.numbers[child] = figures
            yield child[-1]

    def _text(self, answer: str) -> str:
        """Return prompt and answer, with the token that ends it."""
        answer = self._working + answer
        return self._prompt + self._family.answer(self._processor, self._prompt, answer)


@lru_cache(maxsize=8)
def _max_digits(tokenizer: Any) -> int:
    """Return the length of the tokenizer's longest token of digits, at most _MAX_DIGITS."""
    tokens = (token.strip("Ġ▁ ") for token in tokenizer.get_vocab())
    return min(
        _MAX_DIGITS, max((len(t) for t in tokens if t.isascii() and t.isdecimal()), default=1)
    )
