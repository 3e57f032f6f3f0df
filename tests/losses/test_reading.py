"""How numbers are read with every tokenizer: as by a naive reader, and alike by all of them."""

import random
from decimal import Decimal

import pytest
import torch
from all_tokenizers import ALL, labels_of, read, tokenizer_of, vocab_of
from hypothesis import given
from hypothesis import strategies as st
from naive_reader import numbers_in
from quick import quick
from random_rows import FRAGMENTS, rows_of, text_of, texts_of
from real_tokenizers import KINDS, QUICK
from toy_vocabularies import VOCABULARIES, pieces_of, random_labels

tokenizers = pytest.mark.parametrize("name", quick(KINDS, *QUICK))
ROWS, LENGTH = 10_000, 14
WHOLE = [name for name in ALL if name != "toy gpt2"]
"""Those that read every number; GPT-2 has 2024 in one token."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ALL, *VOCABULARIES])
def test_the_loops_read_10_000_rows_the_same(name):
    vocab, labels, texts = case(name)
    want = as_looped(labels, texts)
    got = as_read(vocab.spans(labels), labels.shape)
    # Past 2**53 a float64 holds no exact sum of digits.
    off = ((got - want).abs() > 1e-14 * want.abs()).any(-1).any(-1)
    for row in off.nonzero().flatten().tolist()[:1]:
        tokens = [texts[t] if t >= 0 else None for t in labels[row].tolist()]
        pytest.fail(f"{tokens} is read as\n{got[row]}\nand not as\n{want[row]}")
    assert (want[..., 0] >= 0).sum() > 0.2 * ROWS * LENGTH


def case(name):
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
    found = torch.full((*labels.shape, 4), -1, dtype=torch.float64)
    found[tuple(torch.tensor(list(digits)).T)] = torch.tensor(
        list(digits.values()), dtype=torch.float64
    )
    return found


def as_read(spans, shape):
    """The same from spans."""
    column = torch.arange(shape[1]).repeat(shape[0])
    first = torch.full_like(spans.number, shape[1])
    first.scatter_reduce_(0, spans.number[spans.numeric], column[spans.numeric], "amin")
    number = spans.number
    about = (first[number], spans.place, spans.negative[number], spans.value[number])
    found = torch.stack([each.double() for each in about], -1)
    return torch.where(spans.numeric[:, None], found, -1.0).view(*shape, 4)


@tokenizers
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10:08", ["10", "8"]),
        ("23:59:07", ["23", "59", "7"]),
        ("0.05", ["0.05"]),
        ("-3.25", ["-3.25"]),
        ("The angle is −3.015°.", ["-3.015"]),
        ("1,234", ["1234"]),
        ("1,234,567.891", ["1234567.891"]),
        ("(1,234)", ["1", "234"]),
        ("[12, 345, 67, 8]", ["12", "345", "67", "8"]),
        ("[12,345,67,8]", ["12", "345", "67", "8"]),
        ("<|box_start|>(123,456),(789,912)<|box_end|>", ["123", "456", "789", "912"]),
        ("[123,456.5,789,912]", ["123", "456.5", "789", "912"]),
        ('{"bbox_2d": [12, 345, 67, 8]}', ["12", "345", "67", "8"]),
        ("007", ["7"]),
        ("3/7", ["3", "7"]),
        ("3 × 4 = 12, 10 - 3 = 7, 3 − 10 = −7", [*"3", "4", "12", "10", "3", "7", "3", "10", "-7"]),
        ("3×-4=-12", ["3", "-4", "-12"]),
        ("1.5e-3 and 1e5", ["1.5", "3", "1", "5"]),
        ("2024-10-05, 10-12, 5°-7°, 10%-20%",
         ["2024", "10", "5", "10", "12", "5", "7", "10", "20"]),
        ("x1, R2D2, USD1,234.5, bbox_2d", []),
        ("640x480, 5cm, 10h30", ["640", "480", "5", "10", "30"]),
        ("共3个, ５, x²", ["3"]),
    ],
)  # fmt: skip
def test_numbers_are_read(name, text, expected):
    assert read(name, [text]) == [[Decimal(value) for value in expected]]


@tokenizers
def test_both_halves_of_a_time_are_supervised(name):
    tokenizer, labels = tokenizer_of(name), labels_of(name, ["10:08"])
    spans = vocab_of(name).spans(labels)
    tokens = tokenizer.convert_ids_to_tokens(labels[0].tolist())
    seen = [t for t, numeric in zip(tokens, spans.numeric.tolist(), strict=True) if numeric]
    assert seen == (["10", "08"] if name == "llama3" else [*"1008"])
    assert spans.place[spans.numeric].tolist() == ([0, 0] if name == "llama3" else [1, 0, 1, 0])


@tokenizers
def test_thousands_and_fractions_have_places(name):
    spans = vocab_of(name).spans(labels_of(name, ["1,234.5678"]))
    several = name == "llama3"  # 1|,|234|.|567|8
    assert spans.place[spans.numeric].tolist() == (
        [3, 0, -3, -4] if several else [3, 2, 1, 0, -1, -2, -3, -4]
    )


signs = st.sampled_from(["", "-"])
digits = st.text("0123456789", min_size=1, max_size=12)
grouped = st.integers(1000, 10**12).map("{:,}".format)
fractions = st.just("") | digits.map(".{}".format)


numbers = st.tuples(signs, digits | grouped, fractions).map("".join)


@pytest.mark.slow
@given(st.lists(numbers, max_size=5), st.sampled_from([", a: ", "\n", " "]))
@pytest.mark.parametrize("name", WHOLE)
def test_numbers_are_read_as_they_are_written(name, written, between):
    expected = [Decimal(number.replace(",", "")) for number in written]
    assert read(name, [between.join(written)]) == [expected]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*KINDS, "qwen2 with more digits"} - {"qwen2"}))
def test_all_tokenizers_read_a_text_alike(name):
    # Of what is cut into bytes, ５ by SentencePiece and 你 by SmolLM2, none says what it ends.
    cut = {"５", "你"} if name == "smolvlm" else {"５"}
    rng, whole = random.Random(2), [fragment for fragment in FRAGMENTS if fragment not in cut]
    texts = [text_of(rng, 12, whole) for _ in range(2000)]
    for text, one, other in zip(texts, read("qwen2", texts), read(name, texts), strict=True):
        assert one == other, text


@tokenizers
def test_a_row_is_read_by_itself(name):
    labels = rows_of(tokenizer_of(name), 40, 30, seed=3)
    together = as_read(vocab_of(name).spans(labels), labels.shape)
    padded = torch.full((40, 50), -100)
    padded[:, 7:37] = labels
    got = as_read(vocab_of(name).spans(padded), padded.shape)
    got[..., 0] = torch.where(got[..., 0] > 0, got[..., 0] - 7, got[..., 0])
    assert torch.equal(got[:, 7:37], together)
    for row, alone in zip(labels, together, strict=True):
        assert torch.equal(as_read(vocab_of(name).spans(row[None]), (1, 30))[0], alone)


@tokenizers
def test_reading_waits_for_no_device(name):
    """What asks a tensor for a number, or how many there are, raises on the meta device."""
    labels = rows_of(tokenizer_of(name), 4, 64, seed=4).to("meta")
    assert vocab_of(name).spans(labels).place.shape == (256,)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_reading_compiles_to_one_graph(name):
    labels = rows_of(tokenizer_of(name), 4, 64, seed=5)
    expected = as_read(vocab_of(name).spans(labels), labels.shape)
    torch.compiler.reset()
    compiled = torch.compile(vocab_of(name).spans, fullgraph=True, backend="eager")
    assert torch.equal(as_read(compiled(labels), labels.shape), expected)
