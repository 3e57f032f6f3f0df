"""Prints how numbers are read on real tokenizers: the table in docs/losses.md.

    python docs/spans.py

Needs the tokenizers that tests need: `make .venv/.ready` installs them.

Shapes: T tokens of one text.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from gnomon.losses import NumericVocab

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from transformers import PreTrainedTokenizerBase

TEXTS = ("10:08", "0.05", "-3.25", "1,234", "[12, 345, 67, 8]", "007")
TITLES = {"qwen2": "Qwen2-VL", "llama3": "Llama-3", "sentencepiece": "Mistral"}
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
