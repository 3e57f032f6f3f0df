"""Tables of the numeric vocabulary, as tensors: entries, their values, and every token's marks.

Shapes: N entries, G the most tokens that spell one entry, L rulers, M marks, V vocabulary.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from gnomon.losses.numbers.tokens import MARKS, MAX_WIDTH, digits_of, tokens_with


@dataclass(frozen=True)
class Entry:
    """A string of digits and the tokens that spell it: `5`, `▁5` and `Ġ5` all spell 5."""

    digits: str
    ids: tuple[int, ...]
    pieces: tuple[str, ...]

    @property
    def value(self) -> int:
        """The digits as an integer: 5 for `05`."""
        return int(self.digits)

    @property
    def width(self) -> int:
        """Number of places: 2 for `05`."""
        return len(self.digits)


def entries_of(pieces: Mapping[str, int], texts: Mapping[int, str]) -> tuple[Entry, ...]:
    """Collect the entries among a tokenizer's pieces, narrow ones first, tokens in their order."""
    spellings: dict[str, dict[int, str]] = {}
    for piece, token in pieces.items():
        if digits := digits_of(texts[token]):
            spellings.setdefault(digits, {})[token] = piece
    order = sorted(spellings, key=lambda digits: (len(digits), digits))
    return tuple(Entry(d, tuple(spellings[d]), tuple(spellings[d].values())) for d in order)


class Constant:
    """A tensor that never changes, copied once to each device and dtype that asks for it.

    It is no buffer of a module: `model.to(torch.bfloat16)` would round it.
    """

    def __init__(self, table: Tensor) -> None:
        # An inference tensor, made during an evaluation, could not serve a later backward pass.
        with torch.inference_mode(mode=False):
            self._table = table.clone()
        self._copies: dict[tuple[torch.device, torch.dtype], Tensor] = {}

    def on(self, device: torch.device, dtype: torch.dtype | None = None) -> Tensor:
        """Return the copy on a device, in the table's own dtype unless another is named."""
        key = device, dtype or self._table.dtype
        if key in self._copies:
            return self._copies[key]
        if torch.compiler.is_compiling():
            return self._copy(*key)
        with torch.inference_mode(mode=False):
            self._copies[key] = self._copy(*key)
        return self._copies[key]

    def _copy(self, device: torch.device, dtype: torch.dtype) -> Tensor:
        return self._table.to(dtype=dtype).to(device)  # the dtype first: MPS has no float64


class Tables:
    """Lookup tables of the reader and the losses, on any device."""

    def __init__(
        self, entries: tuple[Entry, ...], forms: Mapping[str, list[int]], size: int
    ) -> None:
        # Two rows stand after the N entries: a token without digits, and unreadable digits.
        widths = torch.tensor([e.width for e in entries] + [0, MAX_WIDTH + 1])
        value = torch.tensor([*(e.value for e in entries), 0, 0], dtype=torch.float64)
        most = max(len(e.ids) for e in entries)
        flags = {mark: torch.zeros(size + 1, dtype=torch.bool) for mark in MARKS}
        for mark, flag in flags.items():
            flag[[token for token in tokens_with(mark, forms) if token < size]] = True
        self.mixed = len({e.width for e in entries}) > 1
        """True if entries have several widths, so that fractions need several rulers."""
        self.columns = Constant(
            torch.tensor([e.ids + e.ids[:1] * (most - len(e.ids)) for e in entries])
        )
        """[N, G]: tokens of each entry, padded with its first one."""
        self.padding = Constant(
            torch.tensor([[g >= len(e.ids) for g in range(most)] for e in entries])
        )
        """[N, G] bool: True where `columns` is padding."""
        self.widths = Constant(widths)
        """[N + 2]: places of each entry; 0 without digits, MAX_WIDTH + 1 if unreadable."""
        shift = torch.arange(1, MAX_WIDTH + 1)[:, None] - widths
        in_fractions = value * 10.0 ** shift.double()  # [MAX_WIDTH, N + 2]
        self.rulers = Constant(torch.cat([value[None], in_fractions[: MAX_WIDTH * self.mixed]]))
        """[L, N + 2]: worth of each entry; see `NumericVocab.ruler`."""
        self.marks = Constant(torch.stack(list(flags.values())))
        """[M, V + 1] bool: marks of each token. The last column, of no token, has none."""
        entry = torch.where(flags["unread"], len(entries) + 1, len(entries))
        for n, item in enumerate(entries):
            entry[list(item.ids)] = n
        self.entries = Constant(entry)
        """[V + 1]: entry of each token; N without digits, N + 1 with unreadable ones."""
