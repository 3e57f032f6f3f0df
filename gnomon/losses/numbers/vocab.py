"""The numeric vocabulary: which tokens are digits, what they are worth, what is left out.

Shapes: B batch, T tokens, P positions, N entries, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter

import torch
from torch import Tensor

from gnomon.losses.numbers.coverage import shares_seen
from gnomon.losses.numbers.entries import Entry, Tables, entries_of
from gnomon.losses.numbers.marks import WIDEST, Mark, marks_of
from gnomon.losses.numbers.pieces import Tokenizer, texts_of
from gnomon.losses.numbers.reader import read
from gnomon.losses.numbers.spans import Spans


class NumericVocab:
    """The tokens of one to three ASCII digits, by the digits that they spell.

    `05` and `5` are two entries of one value, for `05` fills two places. `5`, `▁5` and `Ġ5` are
    one entry, and their probabilities are summed. The tokenizer is looked at, never changed.
    """

    entries: tuple[Entry, ...]  # N
    """The digits, narrow ones first, each with its tokens."""
    unread: tuple[str, ...]
    """Pieces with digits in another form, such as `2024` in one; a number with one is no number."""
    size: int
    """V, the width of the logits. A label beyond it is no token."""
    tables: Tables
    """The same as tensors."""

    def __init__(
        self,
        pieces: Mapping[str, int],
        *,
        size: int | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        pieces = dict(sorted(pieces.items(), key=itemgetter(1)))
        texts = texts_of(pieces)
        marks = {token: int(marks_of(texts[piece])) for piece, token in pieces.items()}
        self.entries = entries_of(pieces, texts)
        self.unread = tuple(p for p, token in pieces.items() if marks[token] & Mark.UNREAD.value)
        self.size = max(marks, default=-1) + 1 if size is None else size
        self._tokenizer = tokenizer
        self._refuse_if_unfit()
        self.tables = Tables(self.entries, marks, self.size)

    @classmethod
    def from_tokenizer(cls, tokenizer: Tokenizer, size: int | None = None) -> NumericVocab:
        """The digits among a tokenizer's tokens; `size` is the head's width where it differs."""
        return cls(tokenizer.get_vocab(), size=size, tokenizer=tokenizer)

    def __len__(self) -> int:
        """N."""
        return len(self.entries)

    def spans(self, labels: Tensor) -> Spans:
        """The numbers in [B, T] labels; the logits at the same place score each."""
        if labels.dim() != 2:
            raise ValueError(f"labels of shape {tuple(labels.shape)}: give [batch, tokens]")
        return read(labels, self.tables.tokens(labels.device))

    def ruler(self, spans: Spans) -> Tensor:
        """Which row of `tables.rulers` says what the entries are worth at each position: [P].

        Before the decimal point an entry is worth its value, v_i. In a fraction `5` is as much as
        `50` and more than `05`, so there it is worth v_i·10**(w - w_i), where w is the label's
        width. Where all tokens are of one width, that is v_i again, and there is one ruler.
        """
        if not self.tables.mixed:
            return torch.zeros_like(spans.place)
        width = self.tables.widths.on(spans.index.device)[spans.index]
        return torch.where(spans.place < 0, width, 0)

    def worths(self, spans: Spans, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """What each entry is worth at each position, [P, N], and what the label is, [P]."""
        rulers = self.tables.rulers.on(spans.index.device, dtype)[:, : len(self)]
        ruler = self.ruler(spans)
        return rulers[ruler], rulers[ruler, spans.index]

    def coverage(self, texts: Iterable[str]) -> float:
        """The share of the answers' digits that a numeric loss will see; 1 where there are none.

        None at all is a ValueError that shows how the tokenizer writes them.
        """
        if isinstance(texts, str):
            raise ValueError(f"coverage of {texts!r}: give a list of texts")
        return self.coverage_by_kind({"": texts})[""]

    def coverage_by_kind(self, texts: Mapping[str, Iterable[str]]) -> dict[str, float]:
        """The same for each kind of answers; it is no error if one kind alone has a share of 0."""
        if self._tokenizer is None:
            raise ValueError("coverage needs the tokenizer: use NumericVocab.from_tokenizer")
        return shares_seen(self._digits_in, self._tokenizer, texts)

    def describe(self) -> str:
        """The vocabulary as a table, to be printed."""
        tokens = sum(len(entry.ids) for entry in self.entries)
        lines = [
            f"{len(self)} numeric entries in {tokens} of {self.size} tokens",
            f"{'digits':>6}  {'value':>5}  {'places':>6}  tokens",
        ]
        for e in self.entries:
            pieces = ", ".join(f"{i} {p!r}" for i, p in zip(e.ids, e.pieces, strict=True))
            lines.append(f"{e.digits:>6}  {e.value:>5}  {e.width:>6}  {pieces}")
        if self.unread:
            lines.append(f"not read: {_some(self.unread)}")
        return "\n".join(lines)

    def _digits_in(self, labels: Tensor) -> int:
        spans = self.spans(labels)
        return int(self.tables.widths.on(labels.device)[spans.index[spans.numeric]].sum())

    def _refuse_if_unfit(self) -> None:
        if not self.entries:
            raise ValueError(
                f"no token consists of one to {WIDEST} digits; those with digits are: "
                f"{_some(self.unread) or 'none'}"
            )
        widest = max(max(entry.ids) for entry in self.entries)
        if widest >= self.size:
            raise ValueError(f"size={self.size}: token {widest} spells a digit and lies beyond")


def _some(pieces: tuple[str, ...], most: int = 12) -> str:
    more = f" and {len(pieces) - most} more" if len(pieces) > most else ""
    return ", ".join(map(repr, pieces[:most])) + more
