"""The numeric vocabulary: the tokens that spell digits, with their values.

Shapes: B batch, T tokens, P positions, N entries, V vocabulary size, L value rows (see tables.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from operator import itemgetter

import torch
from torch import Tensor

from gnomon.losses.numbers import tables
from gnomon.losses.numbers.spans import Spans, read_spans
from gnomon.losses.numbers.tables import MAX_WIDTH, Entry, Tables, Tokenizer

_MOST_LISTED = 12
"""Largest number of tokens with unreadable digits that a message lists."""


class NumericVocab:
    """The tokens of one to three ASCII digits, grouped into entries by the digits they spell.

    `05` and `5` are two entries with the same value, because `05` fills two places. `5`, `▁5` and
    `Ġ5` are one entry, and their probabilities are summed. The tokenizer is never changed.
    """

    entries: tuple[Entry, ...]  # N
    """Strings of digits with their tokens, in order of their number of digits."""
    unread: tuple[str, ...]
    """Pieces with unreadable digits, for example `2024`. Numbers that contain them are skipped."""
    size: int
    """V, the width of the logits. Labels of V or more are ignored."""
    tables: Tables
    """Tensors over entries and tokens, for reading labels and for the losses."""

    def __init__(
        self,
        pieces: Mapping[str, int],
        *,
        size: int | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        pieces = dict(sorted(pieces.items(), key=itemgetter(1)))
        texts, by_token = tables.texts_of(pieces), {token: piece for piece, token in pieces.items()}
        self.entries = tables.entries_of(pieces, texts)
        forms = tables.tokens_by_form(texts)
        self.unread = tuple(by_token[token] for token in tables.tokens_with("unread", forms))
        self.size = max(texts, default=-1) + 1 if size is None else size
        self._tokenizer = tokenizer
        self._check()
        self.tables = Tables(self.entries, forms, self.size)

    @classmethod
    def from_tokenizer(cls, tokenizer: Tokenizer, size: int | None = None) -> NumericVocab:
        """Build the vocabulary of a tokenizer, or of a processor's tokenizer.

        `size` is the width of the model's logits. By default it is the largest token id plus 1.
        """
        tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
        if not hasattr(tokenizer, "get_vocab"):
            raise ValueError(
                f"{tokenizer!r} is not a tokenizer: give the result of"
                " AutoTokenizer.from_pretrained"
            )
        return cls(tokenizer.get_vocab(), size=size, tokenizer=tokenizer)

    def __len__(self) -> int:
        """Return N, the number of entries."""
        return len(self.entries)

    @property
    def distance_scale(self) -> float:
        """Factor that scales the largest distance of two values to 9, or 1.0 for single digits."""
        values = [entry.value for entry in self.entries]
        return 9 / ((max(values) - min(values)) or 9)

    def spans(self, labels: Tensor) -> Spans:
        """Read the numbers in [B, T] labels, which the caller has shifted to their logits."""
        if labels.dim() != 2:
            raise ValueError(f"labels of shape {tuple(labels.shape)}: give [batch, tokens]")
        return read_spans(labels, self.tables)

    def value_row(self, spans: Spans) -> Tensor:
        """Return the row of `tables.values_by_width` that applies at each position: [P].

        Before the decimal point, an entry counts as its value v_i. In a fraction, `5` is as much as
        `50` and more than `05`. There, an entry with w_i digits counts as v_i·10**(w - w_i) if the
        label has w digits. If all entries have the same width, this equals v_i, and there is only
        one row.
        """
        if not self.tables.has_several_widths:
            return torch.zeros_like(spans.place)
        width = self.tables.widths.on(spans.index.device)[spans.index]
        return torch.where(spans.place < 0, width, 0)

    def values_at(self, spans: Spans, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        """Return the value of each entry at each position, [P, N], and of the label, [P]."""
        by_width = self.tables.values_by_width.on(spans.index.device, dtype)[:, : len(self)]
        row = self.value_row(spans)
        return by_width[row], by_width[row, spans.index]

    def coverage(self, texts: Iterable[str]) -> float:
        """Compute the share of the answers' digits that a numeric loss sees, or 1 without digits.

        A share of 0 raises a ValueError that shows the tokens of an answer.
        """
        if isinstance(texts, str):
            raise ValueError(f"coverage of {texts!r}: give a list of texts")
        return self.coverage_by_kind({"": texts}).get("", 1.0)

    def coverage_by_kind(self, texts: Mapping[str, Iterable[str]]) -> dict[str, float]:
        """Compute for each kind of answers the share of digits that a numeric loss sees.

        Kinds without digits are left out. A ValueError is raised if all kinds have a share of 0.
        """
        if self._tokenizer is None:
            raise ValueError("coverage needs the tokenizer: use NumericVocab.from_tokenizer")
        total, visible = Counter[str](), Counter[str]()
        answers = [(kind, text) for kind, group in texts.items() for text in group]
        answers = [(kind, text) for kind, text in answers if _count_digits(text)]
        for kind, text in answers:
            labels = torch.tensor([self._tokenizer.encode(text, add_special_tokens=False)])
            spans = self.spans(labels)
            total[kind] += _count_digits(text)
            widths = self.tables.widths.on(labels.device)[spans.index[spans.numeric]]
            visible[kind] += int(widths.sum())
        if answers and not visible.total():
            tokens = self._tokenizer.convert_ids_to_tokens(labels[0].tolist())
            raise ValueError(
                f"a numeric loss sees no digit of these answers: the tokenizer writes {text!r} as "
                f"{tokens}, but the loss needs tokens of one to {MAX_WIDTH} ASCII digits, outside "
                f"names such as bbox_2d"
            )
        return {kind: visible[kind] / total[kind] for kind in total}

    def describe(self) -> str:
        """Format the entries and their tokens as a table to print."""
        tokens = sum(len(entry.ids) for entry in self.entries)
        lines = [
            f"{len(self)} numeric entries in {tokens} of {self.size} tokens",
            f"{'digits':>6}  {'value':>5}  {'places':>6}  tokens",
        ]
        for e in self.entries:
            pieces = ", ".join(f"{i} {p!r}" for i, p in zip(e.ids, e.pieces, strict=True))
            lines.append(f"{e.digits:>6}  {e.value:>5}  {e.width:>6}  {pieces}")
        if self.unread:
            n_more = len(self.unread) - _MOST_LISTED
            more = f" and {n_more:,} more" if n_more > 0 else ""
            lines.append(f"not read: {self._list_unread()}{more}")
        return "\n".join(lines)

    def _list_unread(self) -> str:
        """Quote the first `_MOST_LISTED` unread tokens for a message."""
        return ", ".join(map(repr, self.unread[:_MOST_LISTED]))

    def _check(self) -> None:
        if not self.entries:
            raise ValueError(
                f"no token consists of one to {MAX_WIDTH} digits; the tokens with digits are: "
                f"{self._list_unread() or 'none'}"
            )
        widest = max(max(entry.ids) for entry in self.entries)
        if widest >= self.size:
            raise ValueError(
                f"size={self.size}: token {widest} spells a digit; give a size above {widest}"
            )


def _count_digits(text: str) -> int:
    return sum(map(str.isdecimal, text))


NO_PERIOD = 1e30
"""Period of a scale that is not circular: longer than any distance, so distances never wrap."""


class ValueTables:
    """Tables of the entries' values, [N] each, with their periods on a circular scale.

    If two numbers differ only in a token at place k, their distance is |v_i − v_j| · 10**k. On a
    scale of length C, the period at that place is C · 10**−k. With a cycle of 10, the units have a
    period of 10, so 0 is next to 9. The tenths have a period of 100, which no digit reaches, so the
    distance from 9.9 to 9.0 is still 0.9.
    """

    def __init__(self, vocab: NumericVocab, cycle: float = 0.0) -> None:
        self.vocab, self.cycle = vocab, cycle
        values_by_width = vocab.tables.values_by_width.on(torch.device("cpu"))[:, : len(vocab)]
        self.values_and_periods = [(values, NO_PERIOD) for values in values_by_width]
        """Values and period of each table: first L tables without a period, then those with one."""
        self._periodic: list[tuple[int, int]] = []  # (width, exponent) of the tables with a period
        if not cycle:
            return
        has_one_width = not vocab.tables.has_several_widths
        for width, values in enumerate(values_by_width):
            exponent = self._top_exponent
            # Distances never wrap if the period is at least twice the largest distance.
            while cycle * 10.0**-exponent < 2 * float(values.max()):
                # In a fraction a token of w digits stands for v · 10**-w or less.
                is_in_use = exponent <= -width if width else exponent >= 0 or has_one_width
                if is_in_use:
                    self.values_and_periods.append((values, cycle * 10.0**-exponent))
                    self._periodic.append((width, exponent))
                exponent -= 1

    @property
    def _top_exponent(self) -> int:
        """Exponent of the first digit of numbers below the cycle: 0 for 10, and 2 for 360."""
        exact = Decimal(str(self.cycle))
        is_power = exact == Decimal(1).scaleb(exact.adjusted())
        return exact.adjusted() - is_power

    def index(self, spans: Spans) -> Tensor:
        """Return the index of the table that applies at each position: [P]."""
        width = self.vocab.value_row(spans)
        index = width
        first_periodic = len(self.values_and_periods) - len(self._periodic)
        for table, (its_width, exponent) in enumerate(self._periodic, first_periodic):
            matches = (width == its_width) & (spans.place == exponent)
            index = torch.where(matches, table, index)
        return index

    def periods(self, spans: Spans, dtype: torch.dtype) -> Tensor:
        """Return the period at each position, in units of its token's value: [P]."""
        if not self.cycle:
            return torch.full_like(spans.place, NO_PERIOD, dtype=dtype)
        periods = self.cycle * 10.0 ** -spans.place.to(dtype)
        # A label with a higher exponent is not a number of this scale.
        return torch.where(spans.place <= self._top_exponent, periods, NO_PERIOD)


def circular_distance(distances: Tensor, period: Tensor | float) -> Tensor:
    """Return distances measured the shorter way round a circle of length `period`."""
    rest = distances % period
    return torch.minimum(rest, period - rest)
