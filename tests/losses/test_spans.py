import pytest
import torch
from toy_vocabularies import (
    VOCABULARIES,
    labels_of,
    many_digits,
    numbered,
    one_digit,
    one_digit_pieces,
    tokens_of,
)

from gnomon.losses import NumericVocab


def numbers(vocab_name, *texts):
    spans = VOCABULARIES[vocab_name]().spans(labels_of(vocab_name, *texts))
    return spans.value[spans.exists].tolist()


@pytest.mark.parametrize("vocab_name", VOCABULARIES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", [0]),
        ("000", [0]),
        ("007", [7]),
        ("12345", [12345]),
        ("-3", [-3]),
        ("−3", [-3]),
        ("(-3)", [-3]),
        ("0.05", [0.05]),
        ("3.015", [3.015]),
        ("3.5", [3.5]),
        ("3.50", [3.5]),
        (".5", [0.5]),
        ("-.5", [-0.5]),
        ("3-.5", [3, 0.5]),
        ("12.", [12]),
        ("1,234", [1234]),
        ("1,234,567.25", [1234567.25]),
        ("-1,234", [-1234]),
        ("12,34", [12, 34]),
        ("1234,567,890", [1234, 567, 890]),
        ("0,123", [0, 123]),
        ("10:08", [10, 8]),
        ("10:08:30", [10, 8, 30]),
        ("(123,456),(789,912)", [123, 456, 789, 912]),
        ("[123,456,789,912]", [123, 456, 789, 912]),
        ("[0.123, 0.456]", [0.123, 0.456]),
        ("5 -3", [5, -3]),
        ("5-3", [5, 3]),
        ("a-3", [3]),
        ("1.2.3", [1, 2, 3]),
        ("1 2", [1, 2]),
        ("2%", [2]),
        ("a3", []),
        ("a12a7", []),
        ("a1.5", []),
        ("a1,234", []),
        ("a5,7 (a-7)", [7, 7]),
        ("3a5", [3, 5]),
        ("a 3a -5", [3, -5]),
        ("", []),
        ("a a", []),
    ],
)
def test_numbers_are_read(vocab_name, text, expected):
    assert numbers(vocab_name, text + "a") == expected


@pytest.mark.parametrize("vocab_name", VOCABULARIES)
def test_nothing_goes_on_in_the_next_row(vocab_name):
    assert numbers(vocab_name, "12", "34") == [12, 34]
    assert numbers(vocab_name, "12.", "34") == [12, 34]
    assert numbers(vocab_name, "1,", "234", "-", "5") == [1, 234, 5]


@pytest.mark.parametrize("vocab_name", VOCABULARIES)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a?3", [3]),
        ("12?34", [12, 34]),
        ("-?5", [5]),
        ("1,?234", [1, 234]),
        ("3.?5", [3, 5]),
        ("3?.5", [3, 0.5]),
    ],
)
def test_nothing_goes_on_across_an_ignored_label(vocab_name, text, expected):
    before, after = (tokens_of(vocab_name, part) for part in text.split("?"))
    spans = VOCABULARIES[vocab_name]().spans(torch.tensor([[*before, -100, *after]]))
    assert spans.value[spans.exists].tolist() == expected


def test_places_count_from_the_point():
    spans = one_digit().spans(labels_of("one digit", "1,234.56"))
    assert spans.place.tolist() == [3, 0, 2, 1, 0, 0, -1, -2]
    spans = many_digits().spans(labels_of("many digits", "1234.5678"))
    assert spans.place.tolist() == [1, 0, 0, -3, -4]  # 123|4|.|567|8


def test_a_token_that_is_not_read_spoils_its_number_alone():
    pieces = numbered([*"0123456789 .%", "2024", "0%", "5th"])
    vocab = NumericVocab(pieces)
    assert vocab.unread == ("2024", "0%", "5th")
    for tokens, expected in [
        (["2024", "5"], []),
        (["5", "2024"], []),
        (["1", "0%"], []),
        (["2", "5th", " ", "7"], [7]),
        (["2024", ".", "5"], []),
        (["2024", " ", "5"], [5]),
    ]:
        spans = vocab.spans(torch.tensor([[pieces[t] for t in tokens]]))
        assert spans.value[spans.exists].tolist() == expected, tokens
        assert spans.numeric.sum() == len(expected)


def test_a_token_with_a_space_begins_a_number():
    pieces = numbered(one_digit_pieces())
    spans = one_digit().spans(torch.tensor([[pieces[t] for t in ["1", "Ġ5", "-", "Ġ5"]]]))
    assert spans.value[spans.exists].tolist() == [1, 5, 5]


def test_45_digits_and_400_have_places():
    for length in (45, 400):
        spans = one_digit().spans(labels_of("one digit", "0" + "7" * (length - 1)))
        assert spans.place.tolist() == list(range(length - 1, -1, -1))
        assert spans.exists.sum() == 1
        assert not spans.value.isnan().any()


def test_a_label_beyond_the_vocabulary_is_no_token():
    labels = labels_of("one digit", "12")
    labels = torch.cat([labels, torch.tensor([[one_digit().size, 10**6, -1]]), labels], dim=1)
    spans = one_digit().spans(labels)
    assert spans.value[spans.exists].tolist() == [12, 12]


def test_rows_of_kept_labels_keep_their_numbers():
    labels = labels_of("one digit", "a12", "-3.5")
    labels[0, 0] = -100
    everywhere = one_digit().spans(labels)
    kept = everywhere.for_rows(6)
    assert kept.numeric.tolist() == [True, True, False, True, False, True]
    assert kept.row.tolist() == [0, 0, 1, 1, 1, 1]
    assert kept.place.tolist() == [1, 0, 0, 0, 0, -1]
    assert kept.value[kept.exists].tolist() == [12, -3.5]
    with pytest.raises(ValueError, match="5 rows of logits, but 6 labels are kept"):
        everywhere.for_rows(5)


def test_empty_labels_have_no_numbers():
    for shape in [(0, 0), (2, 0), (0, 3)]:
        spans = one_digit().spans(torch.zeros(shape, dtype=torch.long))
        assert len(spans.numeric) == 0
    with pytest.raises(ValueError, match=r"labels of shape \(3,\): give \[batch, tokens\]"):
        one_digit().spans(torch.zeros(3, dtype=torch.long))
