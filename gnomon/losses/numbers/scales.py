"""Tables of tokens' values by width, and periods by place where a scale goes round.

Shapes: P positions, N entries of the numeric vocabulary, L widths of tokens, T tables.
"""

from decimal import Decimal

import torch
from torch import Tensor

from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.vocab import NumericVocab

NO_PERIOD = 1e30
"""Period of a scale that does not go round: longer than any distance, so that nothing wraps."""


class ValueTables:
    """Tables of the entries' values by width, [N] each, with a period where the scale goes round.

    Two numbers that differ in one token alone, which stands for v · 10**k, lie |v_i − v_j| · 10**k
    apart. On a cycle C the period at that position is C · 10**−k. With a cycle of 10 the units have
    a period of 10, so that 0 is next to 9; the tenths have 100, which no digit reaches: 9.9 is 0.9
    from 9.0.
    """

    def __init__(self, vocab: NumericVocab, cycle: float = 0.0) -> None:
        self.vocab, self.cycle = vocab, cycle
        values_by_width = vocab.tables.values_by_width.on(torch.device("cpu"))[:, : len(vocab)]
        self.values_and_periods = [(values, NO_PERIOD) for values in values_by_width]
        """One pair a table: first L without a period, by width, then those that go round."""
        self._periodic: list[tuple[int, int]] = []  # (width, exponent) of the tables that go round
        if not cycle:
            return
        for width, values in enumerate(values_by_width):
            exponent = self._top_exponent
            # From a period of twice the largest distance on, nothing wraps.
            while cycle * 10.0**-exponent < 2 * float(values.max()):
                # In a fraction a token of w digits stands for v · 10**-w or less.
                is_in_use = exponent <= -width if width else exponent >= 0 or not vocab.tables.mixed
                if is_in_use:
                    self.values_and_periods.append((values, cycle * 10.0**-exponent))
                    self._periodic.append((width, exponent))
                exponent -= 1

    @property
    def _top_exponent(self) -> int:
        """Exponent of the first digit of numbers below the cycle: 0 for 10, 2 for 360."""
        exact = Decimal(str(self.cycle))
        is_power = exact == Decimal(1).scaleb(exact.adjusted())
        return exact.adjusted() - is_power

    def index(self, spans: Spans) -> Tensor:
        """Return the index of the table that holds at each position: [P]."""
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
        # A label with a higher exponent is no number of this scale.
        return torch.where(spans.place <= self._top_exponent, periods, NO_PERIOD)


def circular_distance(distances: Tensor, period: Tensor | float) -> Tensor:
    """Return distances the shorter way round the period."""
    rest = distances % period
    return torch.minimum(rest, period - rest)
