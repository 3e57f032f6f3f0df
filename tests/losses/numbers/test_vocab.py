import pickle
import random
import re
from inspect import signature

import pytest
import torch
from all_tokenizers import ALL, tokenizer_of, vocab_of
from hypothesis import given
from hypothesis import strategies as st
from random_rows import text_of
from toy_tokenizers import without_digits
from toy_vocabularies import many_digits, numbered, one_digit
from transformers import PreTrainedTokenizerFast
from transformers.convert_slow_tokenizer import bytes_to_unicode

from gnomon.losses import NumericVocab
from gnomon.losses.numbers.tables import MARKS, Tokenizer, texts_of, tokens_by_form, tokens_with

TEXTS = ["10:08", "12:05", "-3.5", "1,234 and 007", "(12,345),(67,890)", "x = 2024", "12 5 a"]
ENTRIES = {"llama3": 1110, "idefics3": 1110, "toy llama3": 1110, "toy gpt2": 12, "toy t5": 11,
           "qwen2 with more digits": 12}  # fmt: skip
"""Of most there are 10."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_the_tokenizer_is_left_as_it_was(name):
    tokenizer, rng = tokenizer_of(name), random.Random(0)
    texts = TEXTS + [text_of(rng, 10) for _ in range(1000)]

    def everything():
        return len(tokenizer), tokenizer.get_vocab(), [tokenizer.encode(text) for text in texts]

    before = everything()
    vocab = NumericVocab.from_tokenizer(tokenizer)
    vocab.coverage(texts)
    vocab.describe()
    assert everything() == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_entries_are_the_digits_there_are(name):
    vocab, tokenizer = vocab_of(name), tokenizer_of(name)
    assert len(vocab) == len(vocab.entries) == ENTRIES.get(name, 10)
    spelled = {}
    for token, text in enumerate(tokenizer.batch_decode([[i] for i in range(len(tokenizer))])):
        if re.fullmatch("[0-9]{1,3}", text.strip()):
            spelled.setdefault(text.strip(), []).append(token)
    assert {e.digits: list(e.ids) for e in vocab.entries} == spelled
    for entry in vocab.entries:
        assert (entry.value, entry.width) == (int(entry.digits), len(entry.digits))
        assert tokenizer.convert_ids_to_tokens(list(entry.ids)) == list(entry.pieces)


def test_every_byte_of_gpt2s_alphabet_is_decoded():
    """Characters whose UTF-8 has each byte that may follow a first one, and all of ASCII."""
    letters = bytes_to_unicode()
    characters = [chr(c) for c in (*range(0x80), *range(0x80, 0x800, 33), *range(0x80, 0x100))]
    pieces = {"".join(letters[b] for b in c.encode()): i for i, c in enumerate(characters)}
    texts = texts_of(pieces | {"Ġa": len(characters)})
    assert [texts[i] for i in pieces.values()] == [characters[i] for i in pieces.values()]


def test_leading_zeros_are_kept_and_other_spellings_are_one_entry():
    pieces = {e.digits: e.pieces for e in one_digit().entries}
    assert (pieces["5"], pieces["4"]) == (("5", "Ġ5", "<0x35>"), ("4",))
    assert {e.digits: e.pieces for e in many_digits().entries}["42"] == ("42", "Ġ42")
    assert vocab_of("toy t5").entries[5].pieces == ("5", "▁5")
    entries = {e.digits: (e.value, e.width) for e in vocab_of("toy llama3").entries}
    assert (entries["05"], entries["007"]) == ((5, 2), (7, 3))
    assert list(entries)[:11] == [*"0123456789", "00"]


def test_what_float_would_take_is_no_entry():
    vocab = NumericVocab(numbered([*"5²½Ⅷ", "nan", "１", "1e5", "1_000", "-5", "5.", "1234"]))
    assert [e.digits for e in vocab.entries] == ["5"]
    assert vocab.unread == ("1e5", "1_000", "-5", "5.", "1234")


@given(
    st.lists(st.text(st.sampled_from("aZéя你½²ª٣_07 .,-−()[]°%\n") | st.characters(), max_size=6))
)
def test_marks_see_no_more_of_letters_than_that_they_are_there(some):
    texts = dict(enumerate(some))
    for mark, pattern in MARKS.items():
        marked = [token for token, text in texts.items() if re.match(pattern, text, re.DOTALL)]
        assert tokens_with(mark, tokens_by_form(texts)) == marked


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_every_digit_is_seen_but_for_years_in_one_token_and_names(name):
    vocab = vocab_of(name)
    assert vocab.coverage(["10:08", "12:05", "no digit", "-3.5"]) == 1
    assert vocab.coverage(["10:08", "in 2024"]) == (0.5 if name == "toy gpt2" else 1)
    assert vocab.coverage(["10:08", "１０:0²"]) == 5 / 7
    assert vocab.coverage(["yes", ""]) == vocab.coverage([]) == 1
    if not name.startswith("toy"):
        assert vocab.coverage(['{"bbox_2d": [12, 34]}']) == 4 / 5
    assert vocab.coverage(f"12 {'a' * (i % 9)}" for i in range(1000)) == 1


def test_coverage_by_kind():
    texts = {"clock": ["10:08"], "year": iter(["2024"]), "both": ["10:08", "2024"], "word": ["yes"]}
    shares = vocab_of("toy gpt2").coverage_by_kind(texts)
    assert shares == {"clock": 1, "year": 0, "both": 0.5}  # a word has no digit


@pytest.mark.parametrize(
    ("name", "texts", "message"),
    [
        ("toy gpt2", ["yes", "in 2024"], r"writes 'in 2024' as \['i', 'n', 'Ġ', '2024'\]"),
        ("toy gpt2", {"word": ["yes"], "year": ["2024"]}, "writes '2024' as"),
        ("toy qwen2", ["Room_7"], r"writes 'Room_7' as .*'m', '_', '7'\].*names such as"),
        ("toy qwen2", "10:08", "coverage of '10:08': give a list of texts"),
        (None, ["1"], "coverage needs the tokenizer"),
    ],
)
def test_seeing_no_digit_is_an_error_that_shows_the_tokens(name, texts, message):
    vocab = one_digit() if name is None else vocab_of(name)
    with pytest.raises(ValueError, match=message):
        (vocab.coverage_by_kind if isinstance(texts, dict) else vocab.coverage)(texts)


def test_a_tokenizer_without_digits_is_refused():
    with pytest.raises(ValueError, match=r"the tokens with digits are: 'R2D2', '2024', '10:08'"):
        NumericVocab.from_tokenizer(without_digits())
    with pytest.raises(ValueError, match="the tokens with digits are: none"):
        NumericVocab({})


def test_the_size_is_the_heads():
    assert NumericVocab(numbered(["a", "5", "6"])).size == 3
    tokenizer = tokenizer_of("toy qwen2")
    assert vocab_of("toy qwen2").size == len(tokenizer)
    assert NumericVocab.from_tokenizer(tokenizer, size=1000).size == 1000
    with pytest.raises(ValueError, match=r"size=20: token \d+ spells a digit"):
        NumericVocab.from_tokenizer(tokenizer, size=20)


@pytest.mark.slow
def test_a_head_wider_than_the_tokenizer():
    vocab = vocab_of("qwen2")
    assert (vocab.size, len(tokenizer_of("qwen2"))) == (151_936, 151_657)
    labels = torch.tensor([[*tokenizer_of("qwen2").encode("10"), 151_657, 151_935]])
    spans = vocab.spans(labels)
    assert spans.numeric.tolist() == [True, True, False, False]


def test_it_describes_itself():
    table = NumericVocab(numbered(["a", "5", "Ġ5", "05", "2024"]), size=9).describe()
    assert table.splitlines() == [
        "2 numeric entries in 3 of 9 tokens",
        "digits  value  places  tokens",
        "     5      5       1  1 '5', 2 'Ġ5'",
        "    05      5       2  3 '05'",
        "not read: '2024'",
    ]
    many = NumericVocab(numbered(["5", *(str(n) for n in range(1000, 1020))])).describe()
    assert many.splitlines()[-1].endswith("'1010', '1011' and 8 more")


def test_it_can_be_sent_to_another_process():
    vocab, labels = one_digit(), torch.tensor([[1, 2, 3]])
    again = pickle.loads(pickle.dumps(vocab))
    assert again.entries == vocab.entries
    assert torch.equal(again.spans(labels).value, vocab.spans(labels).value)


@pytest.mark.parametrize("name", ["get_vocab", "encode", "convert_ids_to_tokens"])
def test_a_type_checker_takes_transformers_tokenizers(name):
    """A narrower answer than theirs and `from_tokenizer(tokenizer)` is an error in mypy."""
    asked, given = (signature(getattr(kind, name)) for kind in (Tokenizer, PreTrainedTokenizerFast))
    assert str(given.return_annotation) == str(asked.return_annotation)
