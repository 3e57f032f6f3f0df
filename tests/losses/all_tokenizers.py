"""Every tokenizer that the tests have, toy and real, fast and slow, and its numeric vocabulary."""

from functools import cache

from real_tokenizers import REAL, qwen2
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
