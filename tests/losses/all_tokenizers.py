"""Every tokenizer that the tests have, toy and real, fast and slow, and its numeric vocabulary."""

from decimal import Decimal
from functools import cache

import torch
from real_tokenizers import REAL, qwen2
from torch.nn.utils.rnn import pad_sequence
from toy_tokenizers import TOKENIZERS
from transformers import ByT5Tokenizer

from gnomon.losses import NumericVocab


def qwen2_with_more_digits():
    """Qwen2-VL's after `add_tokens`: 24 and 007 are one token each."""
    tokenizer = qwen2()
    tokenizer.add_tokens(["24", "007"])
    return tokenizer


ALL = {
    **{f"toy {name}": make for name, make in TOKENIZERS.items()},
    **REAL,
    "qwen2 with more digits": qwen2_with_more_digits,
    "byt5": ByT5Tokenizer,  # a slow one: all of it is Python
}
HEADS = {"qwen2": 151_936}
"""Widths of heads that are wider than the tokenizer."""


@cache
def tokenizer_of(name):
    """The tokenizer, made once: look, do not touch."""
    return ALL[name]()


@cache
def vocab_of(name):
    """Its numeric vocabulary."""
    return NumericVocab.from_tokenizer(tokenizer_of(name), size=HEADS.get(name))


def labels_of(name, texts):
    """[B, T] labels, one row a text, filled up with -100 at the right."""
    rows = [tokenizer_of(name).encode(text, add_special_tokens=False) for text in texts]
    tensors = [torch.tensor(row, dtype=torch.long) for row in rows]
    return pad_sequence(tensors, batch_first=True, padding_value=-100)


def read(name, texts):
    """The numbers in each text, exactly."""
    return numbers_in_rows(vocab_of(name), labels_of(name, texts))


def numbers_in_rows(vocab, labels):
    """The numbers in each row of labels, exactly, by their digits and places."""
    spans = vocab.spans(labels)
    rows = [{} for _ in labels]
    for p in spans.numeric.nonzero().flatten().tolist():
        numbers, number = rows[p // labels.shape[1]], spans.number[p].item()
        digits = vocab.entries[spans.index[p]].value
        numbers[number] = numbers.get(number, 0) + Decimal(digits).scaleb(spans.place[p].item())
    negative = spans.negative.tolist()
    return [[-v if negative[n] else v for n, v in numbers.items()] for numbers in rows]
