"""Prints how numbers are read on real tokenizers: the table in docs/numbers.md.

Draws three of its texts too: docs/numbers.png.

    python docs/spans.py

Needs the tokenizers that tests need: `make .venv/.ready` installs them.

Shapes: T tokens of one text.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import torch
from matplotlib.patches import FancyBboxPatch

from gnomon.losses import NumericVocab

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from matplotlib.axes import Axes
    from transformers import PreTrainedTokenizerBase

TEXTS = ("10:08", "0.05", "-3.25", "1,234", "[12, 345, 67, 8]", "007")
TITLES = {"qwen2": "Qwen2-VL", "llama3": "Llama-3", "sentencepiece": "Mistral"}
DRAWN = ("10:08", "-3.25", "1,234")
COLOURS, FAINT = ("#1f6feb", "#bf5600"), "#8b949e"
"""Of the first number, and the second."""
HEADER = """\
| answer | tokenizer | tokens | values | places | signs | numbers |
|---|---|---|---|---|---|---|"""


def main() -> None:
    """Print the table for the tokenizers that tests have."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from real_tokenizers import REAL

    tokenizers = {name: make() for name, make in REAL.items()}
    vocabs = {name: NumericVocab.from_tokenizer(one) for name, one in tokenizers.items()}
    print(table(tokenizers, vocabs))
    draw(tokenizers, vocabs, Path(__file__).with_name("numbers.png"))


def table(
    tokenizers: Mapping[str, PreTrainedTokenizerBase], vocabs: Mapping[str, NumericVocab]
) -> str:
    """Every text on every tokenizer, in Markdown."""
    rows = [HEADER]
    for text in TEXTS:
        for name, title in TITLES.items():
            cells = [f"`{text}`", title, *_read(text, tokenizers[name], vocabs[name])]
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def draw(
    tokenizers: Mapping[str, PreTrainedTokenizerBase],
    vocabs: Mapping[str, NumericVocab],
    path: Path,
) -> None:
    """A row for each tokenizer: its tokens as boxes, and below them what each is worth."""
    figure, axes = plt.subplots(len(TITLES), len(DRAWN), figsize=(10, 2.7), layout="constrained")
    for row, (name, title) in zip(axes, TITLES.items(), strict=True):
        for axis, text in zip(row, DRAWN, strict=True):
            _tokens(axis, text, tokenizers[name], vocabs[name])
        row[0].text(-0.4, 0.5, title, ha="right", va="center", fontsize=10)
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def _tokens(axis: Axes, text: str, tokenizer: PreTrainedTokenizerBase, vocab: NumericVocab) -> None:
    axis.set(xlim=(-0.1, 11), ylim=(-0.6, 1))
    axis.axis("off")
    tokens = tokenizer.encode(text, add_special_tokens=False)  # T
    spans = vocab.spans(torch.tensor([tokens]))
    numbers = sorted(set(spans.number[spans.numeric].tolist()))
    for at, piece in enumerate(tokenizer.convert_ids_to_tokens(tokens)):
        left, middle, colour = 1.3 * at, 1.3 * at + 0.6, FAINT
        if spans.numeric[at]:
            colour = COLOURS[numbers.index(int(spans.number[at]))]
            digits = vocab.entries[int(spans.index[at])].value
            worth = f"{digits * 10.0 ** int(spans.place[at]):g}"
            axis.text(middle, -0.4, worth, color=colour, ha="center", fontsize=8)
        box = FancyBboxPatch((left, 0.1), 1.2, 0.8, boxstyle="round,pad=0,rounding_size=0.15",
                             fill=False, edgecolor=colour)  # fmt: skip
        axis.add_patch(box)
        axis.text(middle, 0.5, piece, color=colour, ha="center", va="center", fontsize=10)
    for place, value in enumerate(spans.value[spans.exists].tolist()):
        right = 1.3 * len(tokens) + 0.4 + 1.4 * place
        axis.text(right, 0.5, f"{value:g}", color=COLOURS[place], va="center", weight="bold")


def _read(text: str, tokenizer: PreTrainedTokenizerBase, vocab: NumericVocab) -> Iterator[str]:
    """Its tokens, what each is worth and in which place, and the numbers that they make."""
    tokens = tokenizer.encode(text, add_special_tokens=False)  # T
    spans = vocab.spans(torch.tensor([tokens]))
    yield " ".join(f"`{piece}`" for piece in tokenizer.convert_ids_to_tokens(tokens))
    yield _where(spans.numeric, [vocab.entries[n].value for n in spans.index.tolist()])
    yield _where(spans.numeric, spans.place.tolist())
    exists = spans.exists.tolist()
    yield " ".join("−" if n else "+" for n, e in zip(spans.negative, exists, strict=True) if e)
    yield ", ".join(f"{value:g}" for value in spans.value[spans.exists].tolist())


def _where(numeric: torch.Tensor, amounts: list[int]) -> str:
    return " ".join(str(a) if n else "·" for n, a in zip(numeric, amounts, strict=True))


if __name__ == "__main__":
    main()
