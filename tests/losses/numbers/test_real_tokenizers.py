"""Tokenizers out of packages are the models' own."""

import pytest
from case_tables import rows
from real_tokenizers import KINDS
from transformers import AutoTokenizer

KNOWN = {row["name"]: row for row in rows(__file__, "real_tokenizers")}
"""Ids of special tokens and of `Hello world!`."""


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_ids_are_the_models_own_and_saved(name, tmp_path):
    tokenizer, known = KINDS[name](), KNOWN[name]
    assert len(tokenizer) == max(known["ids"].values()) + 1
    for token, i in known["ids"].items():
        assert tokenizer.convert_tokens_to_ids(token) == i
        assert tokenizer.encode(token, add_special_tokens=False)[-1] == i
    hello = known["hello_world"]
    assert tokenizer("Hello world!").input_ids == hello
    assert tokenizer.decode(hello, skip_special_tokens=True) == "Hello world!"
    tokenizer.save_pretrained(tmp_path)
    again = AutoTokenizer.from_pretrained(tmp_path)
    assert again.get_vocab() == tokenizer.get_vocab()
    text = "The box (12,34),(567,890): 10:08, Ünïcode 你好"
    assert again(text).input_ids == tokenizer(text).input_ids
