"""Beliefs in the numbers of boxes that a model wrote, and the answer that they support.

The distribution of a number depends on the text before it, as the model wrote it. Its digits form a
tree over the tokenizer's tokens: single digits, up to three digits, or one token for all. Only the
important part of the tree is computed: all but 0.1 % of the probability.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import exp, inf
from typing import Any, Protocol

import torch

from gnomon.answers.base.answer_type import boxes_in
from gnomon.answers.registry import TYPES
from gnomon.dialect import create
from gnomon.eval.scoring.edges import choose_number, is_same_box, is_swapped, number_interval
from gnomon.pipeline.answering.prompt import LOGIT_ROWS, Ids, Prompt
from gnomon.pipeline.answering.rule import LOGPROB_DECIMALS, AnswerRule
from gnomon.pipeline.collate import prompt_of
from gnomon.pipeline.load import Loaded, inference
from gnomon.sample import Edge, Sample, Size

REST = 0.001
"""Share of the probability of all possible numbers that may be left out."""
# Characters around a number that decide how it is tokenized: a special token and more.
_AROUND = 24


@dataclass(frozen=True)
class BoxText:
    """Answer as the model wrote it, with its special tokens, and the numbers of its boxes."""

    text: str
    spans: tuple[tuple[tuple[int, int], ...], ...]
    """Place of each of the four numbers of a box."""

    @classmethod
    def of(cls, loaded: Loaded, sample: Sample, text: str, size: Size | None) -> BoxText | None:
        """Find the numbers of the boxes that scoring reads from an answer. None if it has no boxes.

        Three kinds of boxes have no belief and stay as they are: a box in another form than the
        dialect's, a box with swapped corners, and a box in the working before the answer.
        """
        target = sample.target
        if not target.has_place or size is None:
            return None
        dialect, answer_type = create(loaded.family.dialect), TYPES[target.type_name]
        reading = answer_type.read(
            without_marks(loaded, text),
            target.answer_form,
            which="final",
            dialect=dialect,
            size=size,
        )
        if reading is None:
            return None
        boxes = list(boxes_in(answer_type, reading.value))
        spans = []
        # From the end, where the answer follows its working.
        for box in reversed(dialect.number_spans(text)):
            corners = dialect.corners_of([float(text[slice(*span)]) for span in box], size)
            index = next((i for i, b in enumerate(boxes) if is_same_box(b, corners)), None)
            if index is not None:
                del boxes[index]
                spans.append(tuple(box))
        return cls(text, tuple(reversed(spans))) if spans else None

    def replaced(self, numbers: Sequence[Sequence[str]]) -> str:
        """Return the same text with other numbers."""
        parts, end = list[str](), 0
        for spans, words in zip(self.spans, numbers, strict=True):
            for (start, stop), word in zip(spans, words, strict=True):
                parts += [self.text[end:start], word]
                end = stop
        return "".join([*parts, self.text[end:]])


def choose_edges(
    loaded: Loaded, sample: Sample, answer: BoxText, size: Size, rule: AnswerRule
) -> tuple[str, tuple[tuple[Edge, ...], ...]]:
    """Return the answer with the numbers that the rule chooses, and the belief in each.

    A greedy answer stays. If a choice would swap two edges, or leave no room between them, both
    edges stay as the model wrote them.
    """
    dialect = create(loaded.family.dialect)
    beliefs = coordinate_logprobs(loaded, sample, answer, dialect.possible_numbers(size))
    boxes = []
    for spans, distributions in zip(answer.spans, beliefs, strict=True):
        numbers = [answer.text[slice(*span)] for span in spans]
        choice = numbers
        if not rule.is_greedy:
            choice = [choose_number(belief, rule.name) for belief in distributions]
        edges = []
        for index, (number, logprobs) in enumerate(zip(numbers, distributions, strict=True)):
            axis = index % 2  # the far edge comes two numbers after the near one
            is_kept = is_swapped(choice[axis], choice[axis + 2])
            low, high = number_interval(logprobs)
            edge = Edge(
                value=number if is_kept else choice[index],
                low=low,
                high=high,
                listed=round(min(1.0, sum(map(exp, logprobs.values()))), LOGPROB_DECIMALS),
                is_written=is_kept and not rule.is_greedy,
                logprobs=dict(logprobs) if rule.belief else None,
            )
            edges.append(edge)
        boxes.append(tuple(edges))
    return answer.replaced([[edge.value for edge in box] for box in boxes]), tuple(boxes)


def coordinate_logprobs(
    loaded: Loaded, sample: Sample, answer: BoxText, numbers: Sequence[Sequence[str]]
) -> list[list[dict[str, float]]]:
    """Compute log p(number | pictures, question, text before it) for each number of each box.

    It is the log-probability of the number's tokens and of the token that ends it, tokenized as in
    training. All numbers of an answer go through the model together, with a level of digits in each
    pass. `numbers` are the possible numbers of each of the four places.
    """
    searches = _searches(loaded, sample, answer, numbers)
    run_searches(loaded, sample, searches)
    beliefs = [search.result() for search in searches]
    return [beliefs[start : start + 4] for start in range(0, len(beliefs), 4)]


def run_searches(
    loaded: Loaded, sample: Sample, searches: Sequence[Search], most_nodes: int | None = None
) -> None:
    """Expand searches together, a level of digits in each pass, until each has all but REST.

    A search also ends after it has expanded `most_nodes` beginnings.
    """
    with inference(loaded.model):
        prompt = Prompt(loaded, prompt_of(loaded.family, loaded.processor, sample), sample)
        while nodes := [(search, node) for search in searches for node in search.nodes_to_expand()]:
            if most_nodes is not None:
                nodes = nodes[:most_nodes]
                most_nodes -= len(nodes)
                if not nodes:
                    break
            rows = prompt.next_logits([search.before + node for search, node in nodes])
            for part, of_part in zip(torch.split(rows, LOGIT_ROWS), _split(nodes), strict=True):
                logits = part.float()  # bf16 has three digits
                norms = logits.logsumexp(-1)
                for (search, node), row, norm in zip(of_part, logits, norms, strict=True):
                    search.expand(node, (row[search.tokens(node)] - norm).tolist())


def _split(nodes: list[Any]) -> list[list[Any]]:
    return [nodes[start : start + LOGIT_ROWS] for start in range(0, len(nodes), LOGIT_ROWS)]


@dataclass(frozen=True)
class TokenTrie:
    """Tokens of all possible numbers at one place of the text, each with the token that ends it."""

    numbers: dict[Ids, str]
    shifts: dict[str, int]
    """For each number, how many tokens its path begins before its first character. Some tokenizers
    join the blank before a number with its digits."""

    def start(self, first: int, number: str) -> int:
        """Return the index of the token at which a number's path begins. `first` is the index of
        its first character's token."""
        return first - self.shifts.get(number, 0)

    def tokens_after(self, node: Ids) -> tuple[int, ...]:
        """Return the tokens that may follow a beginning."""
        return self._children[node]

    @cached_property
    def _children(self) -> dict[Ids, tuple[int, ...]]:
        """Tokens that may follow each beginning."""
        following: dict[Ids, dict[int, None]] = {}
        for path in self.numbers:
            for end, token in enumerate(path):
                following.setdefault(path[:end], {})[token] = None
        return {beginning: tuple(tokens) for beginning, tokens in following.items()}


class Trie(Protocol):
    """Tokens of possible numbers. Each number is a path."""

    @property
    def numbers(self) -> dict[Ids, str]:
        """Numbers by their paths, at least those whose beginnings were asked for."""

    def tokens_after(self, node: Ids) -> tuple[int, ...]:
        """Return the tokens that may follow a beginning."""


@dataclass
class Search:
    """Search through the trie of one number, the most likely beginnings first."""

    before: Ids
    """Tokens of the answer before the number."""
    trie: Trie
    logprobs: dict[str, float] = field(default_factory=dict)
    frontier: dict[Ids, float] = field(default_factory=lambda: {(): 0.0})
    """Log-probabilities of the beginnings whose next tokens are not computed yet."""

    def nodes_to_expand(self) -> list[Ids]:
        """Return the most probable beginnings, whose next tokens are computed next.

        They are as many as leave at most half of REST of the probability to the other beginnings.
        If all beginnings together hold at most REST, the search is finished and the list is empty.
        """
        if not self.frontier:
            return []
        # The largest is subtracted, because exp(-800) is 0.
        largest = max(*self.frontier.values(), *self.logprobs.values(), -inf)
        weights = {node: exp(logprob - largest) for node, logprob in self.frontier.items()}
        mass = sum(exp(logprob - largest) for logprob in self.logprobs.values())
        rest = sum(weights.values())
        if rest <= REST * (mass + rest):
            return []
        nodes, bound = list[Ids](), REST / 2 * (mass + rest)
        for node in sorted(weights, key=weights.__getitem__, reverse=True):
            nodes.append(node)
            rest -= weights[node]
            if rest <= bound:
                break
        return nodes

    def tokens(self, node: Ids) -> list[int]:
        """Return the tokens that may follow a beginning."""
        return list(self.trie.tokens_after(node))

    def expand(self, node: Ids, logprobs: Sequence[float]) -> None:
        """Enter the log-probabilities of the tokens that may follow a beginning."""
        total = self.frontier.pop(node)
        for token, logprob in zip(self.trie.tokens_after(node), logprobs, strict=True):
            path = (*node, token)
            number = self.trie.numbers.get(path)
            if number is None:
                self.frontier[path] = total + logprob
            else:
                self.logprobs[number] = total + logprob

    def result(self) -> dict[str, float]:
        """Return the log-probability of each number that was reached, in ascending order."""
        numbers = sorted(self.logprobs, key=float)
        return {number: round(self.logprobs[number], LOGPROB_DECIMALS) for number in numbers}


def _searches(
    loaded: Loaded, sample: Sample, answer: BoxText, numbers: Sequence[Sequence[str]]
) -> list[Search]:
    family, tokenizer = loaded.family, loaded.tokenizer
    prompt = prompt_of(family, loaded.processor, sample)
    whole = prompt + family.answer(loaded.processor, prompt, answer.text)
    # A family may put a blank before the answer.
    shift = whole.rindex(answer.text)
    n_prompt = len(tokenizer(prompt, add_special_tokens=False)["input_ids"])
    encoding = tokenizer(whole, add_special_tokens=False, return_offsets_mapping=True)
    ids, offsets = encoding["input_ids"], encoding["offset_mapping"]
    searches = []
    for spans in answer.spans:
        for (start, end), choices in zip(spans, numbers, strict=True):
            start, end = start + shift, end + shift
            trie = _trie_at(tokenizer, whole, (start, end), tuple(choices), ids, offsets)
            first = trie.start(_first_token(offsets, start), whole[start:end])
            searches.append(Search(tuple(ids[n_prompt:first]), trie))
    return searches


def _trie_at(
    tokenizer: Any,
    text: str,
    span: tuple[int, int],
    numbers: tuple[str, ...],
    ids: Sequence[int],
    offsets: Sequence[tuple[int, int]],
) -> TokenTrie:
    """Return the trie of the numbers at a place, from the characters around it if these suffice."""
    start, end = span
    number_of_text = text[start:end]
    first = _first_token(offsets, start)
    for around in (_AROUND, len(text)):
        before = text[max(0, start - around) : start]
        trie = _trie_of_numbers(tokenizer, before, text[end : end + around], numbers)
        path = next(
            (path for path, number in trie.numbers.items() if number == number_of_text), None
        )
        begin = trie.start(first, number_of_text)
        # The tokens of an impossible number, such as 1001 for 0 to 1000, cannot be checked
        # against the possible numbers.
        if path is None or tuple(ids[begin : begin + len(path)]) == path:
            return trie
    raise ValueError(
        f"the tokenizer joins the number {number_of_text!r} in {text[start - 1 : end + 1]!r} with"
        " the text around it, so gnomon cannot compute its probability: set eval.answer=greedy"
    )


# Lists have the same few surroundings again and again.
@lru_cache(maxsize=64)
def _trie_of_numbers(
    tokenizer: Any, before: str, after: str, numbers: tuple[str, ...]
) -> TokenTrie:
    texts = [before + number + after for number in numbers]
    encoding = tokenizer(texts, add_special_tokens=False, return_offsets_mapping=True)
    sequences: list[list[int]] = encoding["input_ids"]
    firsts = [_first_token(offsets, len(before)) for offsets in encoding["offset_mapping"]]
    # The first digit is part of the trie, even if all numbers begin with the same digit.
    shared = min(_n_shared(sequences), *firsts)
    paths, shifts = {}, {}
    for number, first, ids, offsets in zip(
        numbers, firsts, sequences, encoding["offset_mapping"], strict=True
    ):
        end = len(before) + len(number)
        # The first token that reaches beyond the number ends it.
        stop = next((i for i, (_, right) in enumerate(offsets) if right > end), len(ids) - 1)
        paths[tuple(ids[shared : stop + 1])] = number
        shifts[number] = first - shared
    return TokenTrie(paths, shifts)


def _n_shared(sequences: Sequence[Sequence[int]]) -> int:
    """Return the number of tokens with which all sequences begin."""
    for index, tokens in enumerate(zip(*sequences, strict=False)):
        if len(set(tokens)) > 1:
            return index
    return min(map(len, sequences)) - 1


def _first_token(offsets: Sequence[tuple[int, int]], start: int) -> int:
    """Return the index of the token that holds the character at `start`."""
    return next(i for i, (_, right) in enumerate(offsets) if right > start)


def without_marks(loaded: Loaded, text: str) -> str:
    """Return the text without special tokens, as decoding leaves them out."""
    added = loaded.tokenizer.added_tokens_decoder.values()
    marks = sorted({token.content for token in added if token.special}, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, marks)), "", text).strip() if marks else text.strip()
