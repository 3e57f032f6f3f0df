"""Scales that go round: what the entries of the vocabulary are worth on them, position by position.

Shapes: P positions, N entries of the numeric vocabulary, L rulers, S scales.
"""

from decimal import Decimal

import torch
from torch import Tensor

from gnomon.losses.numbers.spans import Spans
from gnomon.losses.numbers.vocab import NumericVocab

_ENDLESS = 1e30  # longer than any distance, so that taking the remainder changes nothing


class Scales:
    """Values of all entries, [N], each with the length after which they begin again.

    Two numbers that differ in one token alone, of place k, lie (v_i − v_j) · 10**k apart. On a
    cycle C that is, in units of the place, min(m, C_k − m) with C_k = C / 10**k and m = |v_i − v_j|
    mod C_k. Only near the front of a number is C_k short enough to matter: for 9.9 on a dial of 10
    in the units, where 0 is a neighbour of 9, and not in the tenths, since 9.9 is 0.9 from 9.0.
    """

    def __init__(self, vocab: NumericVocab, cycle: float = 0.0) -> None:
        self.vocab, self.cycle = vocab, cycle
        rulers = vocab.tables.rulers.on(torch.device("cpu"))[:, : len(vocab)]
        self.items = [(v, 0.0) for v in rulers]
        """Values with their cycle, 0 for none: first the L rulers, then those that go round."""
        self._round: list[tuple[int, int]] = []
        if not cycle:
            return
        for ruler, v in enumerate(rulers):
            place = self._top
            # A longer cycle than twice the largest distance bends none.
            while cycle * 10.0**-place < 2 * float(v.max()):
                # In a fraction a token of w digits ends at the place −w or below.
                is_in_use = place <= -ruler if ruler else place >= 0 or not vocab.tables.mixed
                if is_in_use:
                    self.items.append((v, cycle * 10.0**-place))
                    self._round.append((ruler, place))
                place -= 1

    @property
    def _top(self) -> int:
        """Highest place of the numbers below the cycle: 0 for 10, 2 for 360."""
        exact = Decimal(str(self.cycle))
        is_power = exact == Decimal(1).scaleb(exact.adjusted())
        return exact.adjusted() - is_power

    def index(self, spans: Spans) -> Tensor:
        """Return which of the items holds at each position: [P]."""
        ruler = self.vocab.ruler(spans)
        index = ruler
        for number, (its_ruler, place) in enumerate(
            self._round, len(self.items) - len(self._round)
        ):
            is_there = (ruler == its_ruler) & (spans.place == place)
            index = torch.where(is_there, number, index)
        return index

    def turns(self, spans: Spans, dtype: torch.dtype) -> Tensor:
        """Return the cycle in units of each position's place, endless where none is: [P]."""
        if not self.cycle:
            return torch.full_like(spans.place, _ENDLESS, dtype=dtype)
        turns = self.cycle * 10.0 ** -spans.place.to(dtype)
        # A label with a higher place is no number of this scale.
        return torch.where(spans.place <= self._top, turns, _ENDLESS)


def round_distance(distances: Tensor, turn: Tensor | float) -> Tensor:
    """Return distances the shorter way round; a turn of 0 leaves them."""
    if isinstance(turn, float) and not turn:
        return distances
    rest = distances % turn
    return torch.minimum(rest, turn - rest)
