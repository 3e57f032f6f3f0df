"""How many of the answers' digits a numeric loss sees, before anything is trained.

Shapes: B texts, T tokens of the longest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from gnomon.losses.numbers.marks import WIDEST
from gnomon.losses.numbers.pieces import Tokenizer
from gnomon.losses.numbers.spans import IGNORED

AT_ONCE = 256
"""B at most: each text takes as much room as the longest."""


def shares_seen(
    digits_in: Callable[[Tensor], int], tokenizer: Tokenizer, texts: Mapping[str, Iterable[str]]
) -> dict[str, float]:
    """The share of the digits seen in each kind of texts; 1 where there are none.

    `digits_in` counts the digits that the loss reads in [B, T] labels.
    """
    answers = {kind: [text for text in some if _digits_in(text)] for kind, some in texts.items()}
    seen = {kind: _digits_seen(digits_in, tokenizer, some) for kind, some in answers.items()}
    written = {kind: sum(map(_digits_in, some)) for kind, some in answers.items()}
    if any(written.values()) and not any(seen.values()):
        raise ValueError(
            _unseen(tokenizer, next(text for some in answers.values() for text in some))
        )
    return {kind: seen[kind] / written[kind] if written[kind] else 1.0 for kind in answers}


def _digits_in(text: str) -> int:
    return sum(map(str.isdecimal, text))


def _digits_seen(
    digits_in: Callable[[Tensor], int], tokenizer: Tokenizer, texts: Sequence[str]
) -> int:
    seen = 0
    for start in range(0, len(texts), AT_ONCE):
        ids = [_encoded(tokenizer, text) for text in texts[start : start + AT_ONCE]]
        rows = [torch.tensor(row, dtype=torch.long) for row in ids]
        seen += digits_in(pad_sequence(rows, batch_first=True, padding_value=IGNORED))
    return seen


def _unseen(tokenizer: Tokenizer, text: str) -> str:
    tokens = tokenizer.convert_ids_to_tokens(_encoded(tokenizer, text))
    return (
        f"a numeric loss sees no digit of these answers: the tokenizer writes {text!r} as "
        f"{tokens}, and tokens of one to {WIDEST} ASCII digits are needed, outside names such as "
        f"bbox_2d"
    )


def _encoded(tokenizer: Tokenizer, text: str) -> list[int]:
    return tokenizer.encode(text, add_special_tokens=False)
