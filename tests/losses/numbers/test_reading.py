"""How numbers are read with every tokenizer: as by a naive reader, and alike by all of them."""

from decimal import Decimal

import pytest
import torch
from all_tokenizers import ALL, numbers_in_rows, read, tokenizer_of, vocab_of
from case_tables import rows
from naive_reader import numbers_in
from quick import quick
from random_rows import rows_of, texts_of
from real_tokenizers import KINDS, QUICK
from toy_vocabularies import (
    VOCABULARIES,
    numbered,
    one_digit,
    pieces_of,
    random_labels,
    tokens_of,
)
from toy_vocabularies import labels_of as toy_labels_of

from gnomon.losses import NumericVocab

tokenizers = pytest.mark.parametrize("name", quick(KINDS, *QUICK))
CASES = rows(__file__, "numbers")
ROWS, LENGTH = 10_000, 14


def values(spans):
    return spans.value[spans.exists].tolist()


@tokenizers
def test_numbers_are_read(name):
    numbers = read(name, [case["text"] for case in CASES])
    for case, row in zip(CASES, numbers, strict=True):
        assert row == [Decimal(value) for value in case["numbers"]], case["text"]


@pytest.mark.parametrize("name", VOCABULARIES)
def test_numbers_are_read_in_toy_vocabularies(name):
    """Their values, too, in rows that a word ends."""
    letters = {piece for piece in pieces_of(name) if len(piece) == 1} | {" "}
    cases = [case for case in CASES if letters.issuperset(case["text"])]
    assert len(cases) > 40
    for case in cases:
        labels = toy_labels_of(name, case["text"] + "a")
        expected = [Decimal(value) for value in case["numbers"]]
        spans = VOCABULARIES[name]().spans(labels)
        assert values(spans) == [float(value) for value in expected], case["text"]
        assert numbers_in_rows(VOCABULARIES[name](), labels) == [expected], case["text"]


@pytest.mark.parametrize("name", VOCABULARIES)
def test_nothing_goes_on_in_the_next_row_or_across_an_ignored_label(name):
    spans = VOCABULARIES[name]().spans
    for texts, expected in [
        (["12", "34"], [12, 34]),
        (["12.", "34"], [12, 34]),
        (["1,", "234", "-", "5"], [1, 234, 5]),
    ]:
        assert values(spans(toy_labels_of(name, *texts))) == expected
    for text, expected in [
        ("a?3", [3]),
        ("12?34", [12, 34]),
        ("-?5", [5]),
        ("1,?234", [1, 234]),
        ("3.?5", [3, 5]),
        ("3?.5", [3, 0.5]),
    ]:
        before, after = (tokens_of(name, part) for part in text.split("?"))
        assert values(spans(torch.tensor([[*before, -100, *after]]))) == expected, text


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ALL, *VOCABULARIES])
def test_the_loops_read_10_000_rows_the_same(name):
    vocab, labels, texts = random_rows(name)
    want = as_looped(labels, texts)
    got = as_read(vocab.spans(labels), labels.shape)
    # Past 2**53 a float64 holds no exact sum of digits.
    off = ((got - want).abs() > 1e-14 * want.abs()).any(-1).any(-1)
    for row in off.nonzero().flatten().tolist()[:1]:
        tokens = [texts[t] if t >= 0 else None for t in labels[row].tolist()]
        pytest.fail(f"{tokens} is read as\n{got[row]}\nand not as\n{want[row]}")
    assert (want[..., 0] >= 0).sum() > 0.2 * ROWS * LENGTH


def random_rows(name):
    """A vocabulary, random labels, and the text of each of their tokens."""
    if name in VOCABULARIES:
        labels = random_labels(name, ROWS, LENGTH, torch.Generator().manual_seed(1))
        return VOCABULARIES[name](), labels, pieces_of(name)
    labels = rows_of(tokenizer_of(name), ROWS, LENGTH, seed=1)
    tokens = set(labels.flatten().tolist()) - {-100}
    return vocab_of(name), labels, texts_of(tokenizer_of(name), tokens)


def as_looped(labels, texts):
    """[B, T, 4]: its number's first column, the place, the sign and the value; -1 if no digit."""
    digits = {
        (row, column): (min(number.places), place, number.negative, number.value)
        for row, tokens in enumerate(labels.tolist())
        for number in numbers_in(tokens, texts)
        for column, place in number.places.items()
    }
    table = torch.full((*labels.shape, 4), -1, dtype=torch.float64)
    table[tuple(torch.tensor(list(digits)).T)] = torch.tensor(
        list(digits.values()), dtype=torch.float64
    )
    return table


def as_read(spans, shape):
    """The same table from spans."""
    column = torch.arange(shape[1]).repeat(shape[0])
    first = torch.full_like(spans.number, shape[1])
    first.scatter_reduce_(0, spans.number[spans.numeric], column[spans.numeric], "amin")
    number = spans.number
    about = (first[number], spans.place, spans.negative[number], spans.value[number])
    table = torch.stack([each.double() for each in about], -1)
    return torch.where(spans.numeric[:, None], table, -1.0).view(*shape, 4)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_reading_compiles_to_one_graph(name):
    labels = rows_of(tokenizer_of(name), 4, 64, seed=5)
    expected = as_read(vocab_of(name).spans(labels), labels.shape)
    torch.compiler.reset()
    compiled = torch.compile(vocab_of(name).spans, fullgraph=True, backend="eager")
    assert torch.equal(as_read(compiled(labels), labels.shape), expected)


def test_a_token_that_is_not_read_spoils_its_number_alone():
    pieces = numbered([*"0123456789 .%", " 5", "2024", "0%", "5th"])
    vocab = NumericVocab(pieces)
    assert vocab.unread == ("2024", "0%", "5th")
    for tokens, expected in [
        (["2024", "5"], []),
        (["5", "2024"], []),
        (["1", "0%"], []),
        (["2", "5th", " ", "7"], [7]),
        (["2024", ".", "5"], []),
        (["2024", " ", "5"], [5]),
        (["1", " 5"], [1, 5]),
    ]:
        spans = vocab.spans(torch.tensor([[pieces[t] for t in tokens]]))
        assert values(spans) == expected, tokens
        assert spans.numeric.sum() == len(expected)


@pytest.mark.parametrize("length", [45, 400])
def test_long_numbers_have_places(length):
    spans = one_digit().spans(toy_labels_of("one digit", "0" + "7" * (length - 1)))
    assert spans.place.tolist() == list(range(length - 1, -1, -1))
    assert spans.exists.sum() == 1
    assert not spans.value.isnan().any()


def test_a_label_beyond_the_vocabulary_is_no_token():
    labels = toy_labels_of("one digit", "12")
    labels = torch.cat([labels, torch.tensor([[one_digit().size, 10**6, -1]]), labels], dim=1)
    assert values(one_digit().spans(labels)) == [12, 12]


def test_rows_of_kept_labels_keep_their_numbers():
    labels = toy_labels_of("one digit", "a12", "-3.5")
    labels[0, 0] = -100
    everywhere = one_digit().spans(labels)
    kept = everywhere.for_rows(6)
    assert kept.numeric.tolist() == [True, True, False, True, False, True]
    assert kept.row.tolist() == [0, 0, 1, 1, 1, 1]
    assert kept.place.tolist() == [1, 0, 0, 0, 0, -1]
    assert values(kept) == [12, -3.5]
    with pytest.raises(ValueError, match="5 rows of logits, but 6 labels are kept"):
        everywhere.for_rows(5)


def test_empty_labels_have_no_numbers():
    for shape in [(0, 0), (2, 0), (0, 3)]:
        assert len(one_digit().spans(torch.zeros(shape, dtype=torch.long)).numeric) == 0
    with pytest.raises(ValueError, match=r"labels of shape \(3,\): give \[batch, tokens\]"):
        one_digit().spans(torch.zeros(3, dtype=torch.long))
