import pickle

import pytest
import torch
from toy_tokenizers import TOKENIZERS, without_digits
from toy_vocabularies import many_digits, numbered, one_digit

from gnomon.losses import NumericVocab, SMMDLoss

TEXTS = ["10:08", "12:05", "-3.5", "1,234 and 007", "(12,345),(67,890)", "x = 2024", "12 5 a"]


@pytest.fixture(params=TOKENIZERS)
def name(request):
    return request.param


@pytest.fixture
def tokenizer(name):
    return TOKENIZERS[name]()


def encoded(tokenizer, text):
    return torch.tensor([tokenizer.encode(text, add_special_tokens=False)])


def test_the_tokenizer_is_left_as_it_was(tokenizer):
    def everything():
        return len(tokenizer), tokenizer.get_vocab(), [tokenizer.encode(text) for text in TEXTS]

    before = everything()
    vocab = NumericVocab.from_tokenizer(tokenizer)
    vocab.coverage(TEXTS)
    vocab.describe()
    assert everything() == before


def test_entries_are_the_digits_there_are(name, tokenizer):
    vocab = NumericVocab.from_tokenizer(tokenizer)
    expected = {"qwen2": 10, "llama3": 1110, "gpt2": 12, "llama2": 10, "t5": 11}
    assert len(vocab) == len(vocab.entries) == expected[name]
    for entry in vocab.entries:
        assert set(entry.digits) <= set("0123456789")
        assert (entry.value, entry.width) == (int(entry.digits), len(entry.digits))
        for token in entry.ids:
            assert tokenizer.decode([token]).strip() == entry.digits


def test_leading_zeros_are_kept():
    entries = {e.digits: e for e in NumericVocab.from_tokenizer(TOKENIZERS["llama3"]()).entries}
    assert (entries["05"].value, entries["05"].width) == (5, 2)
    assert (entries["007"].value, entries["007"].width) == (7, 3)
    assert list(entries)[:11] == [*"0123456789", "00"]


def test_aliases_are_one_entry():
    by_digits = {e.digits: e.pieces for e in one_digit().entries}
    assert by_digits["5"] == ("5", "Ġ5", "<0x35>")
    assert by_digits["4"] == ("4",)
    assert {e.digits: e.pieces for e in many_digits().entries}["42"] == ("42", "Ġ42")


def test_what_float_would_take_is_no_entry():
    pieces = [*"5²½Ⅷ", "nan", "inf", "１", "1e5", "1_000", "-5", "5.", "1234"]
    vocab = NumericVocab(numbered(pieces))
    assert [e.digits for e in vocab.entries] == ["5"]
    assert vocab.unread == ("1e5", "1_000", "-5", "5.", "1234")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10:08", [10, 8]),
        ("12:05", [12, 5]),
        ("-3.5", [-3.5]),
        ("1,234 and 007", [1234, 7]),
        ("(12,345),(67,890)", [12, 345, 67, 890]),
        ("12 5 a", [12, 5]),
        ("is -0.05", [-0.05]),
        ("99.999", [99.999]),
    ],
)
def test_numbers_are_read_in_every_tokenizer(tokenizer, text, expected):
    spans = NumericVocab.from_tokenizer(tokenizer).spans(encoded(tokenizer, text))
    assert spans.value[spans.exists].tolist() == expected


def test_every_digit_is_seen_but_for_years_in_one_token(name, tokenizer):
    vocab = NumericVocab.from_tokenizer(tokenizer)
    assert vocab.coverage(["10:08", "12:05", "no digit", "-3.5"]) == 1
    assert vocab.coverage(["10:08", "in 2024"]) == (0.5 if name == "gpt2" else 1)
    assert vocab.coverage(["10:08", "１０:0²"]) == 5 / 7
    assert vocab.coverage(["yes", ""]) == vocab.coverage([]) == 1


def test_seeing_no_digit_is_an_error_that_shows_the_tokens():
    vocab = NumericVocab.from_tokenizer(TOKENIZERS["gpt2"]())
    with pytest.raises(ValueError, match=r"writes 'in 2024' as \['i', 'n', 'Ġ', '2024'\]"):
        vocab.coverage(["yes", "in 2024"])
    with pytest.raises(ValueError, match="coverage needs the tokenizer"):
        one_digit().coverage(["1"])


def test_a_tokenizer_without_digits_is_refused():
    with pytest.raises(ValueError, match=r"those with digits are: 'R2D2', '2024', '10:08'"):
        NumericVocab.from_tokenizer(without_digits())
    with pytest.raises(ValueError, match="those with digits are: none"):
        NumericVocab({})


def test_the_size_is_the_heads():
    tokenizer = TOKENIZERS["qwen2"]()
    assert NumericVocab.from_tokenizer(tokenizer).size == len(tokenizer)
    assert NumericVocab.from_tokenizer(tokenizer, size=1000).size == 1000
    with pytest.raises(ValueError, match=r"size=20: token \d+ spells a digit"):
        NumericVocab.from_tokenizer(tokenizer, size=20)
    wide, labels = NumericVocab.from_tokenizer(tokenizer, size=1000), encoded(tokenizer, "10:08")
    assert SMMDLoss(wide)(torch.randn(*labels.shape, 1000), labels) > 0


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


def test_probabilities_of_aliases_are_summed():
    vocab = NumericVocab({"4": 0, "5": 1, "Ġ5": 2, "a": 3})
    p = torch.tensor([0.5, 0.2, 0.1, 0.2])
    # Over the digits alone: 4 has 0.5 of 0.8, and 5 has the rest, at a distance of 1.
    loss = SMMDLoss(vocab).components(p.log()[None, None], torch.tensor([[0]]))["mmd"]
    k = torch.exp(torch.tensor(-1 / 8)).item()
    assert loss.item() == pytest.approx((2 - 2 * k) * (0.3 / 0.8) ** 2, rel=1e-5)


def test_in_a_fraction_5_is_as_much_as_50():
    vocab = NumericVocab(numbered([".", "5", "50", "05", "500", "6"]))
    by_digits = {e.digits: n for n, e in enumerate(vocab.entries)}
    spans = vocab.spans(torch.tensor([[1, 0, 1, 0], [1, 0, 2, 0], [3, 0, 3, 0]]))
    worths, labels = vocab.worths(spans, torch.float64)
    table = {d: worths[:, n].tolist() for d, n in by_digits.items()}
    whole, tenths, hundredths = 0, 2, 6
    assert [table[d][whole] for d in ("5", "50", "05", "500")] == [5, 50, 5, 500]
    assert [table[d][tenths] for d in ("5", "50", "05", "500")] == [5, 5, 0.5, 5]
    assert [table[d][hundredths] for d in ("5", "50", "05", "500")] == [50, 50, 5, 50]
    assert labels[[whole, tenths, hundredths]].tolist() == [5, 5, 50]


def test_it_can_be_sent_to_another_process():
    vocab = one_digit()
    labels = torch.tensor([[1, 2, 3]])
    vocab.spans(labels)
    again = pickle.loads(pickle.dumps(vocab))
    assert again.entries == vocab.entries
    assert torch.equal(again.spans(labels).value, vocab.spans(labels).value)
