import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from store_toys import Toy

from gnomon.generators import KINDS, create
from gnomon.sample import Box, Number, Sample, Time
from gnomon.store.formats.parquet import table
from gnomon.store.records import Fingerprints, from_record, to_record

PICTURE = Image.new("RGB", (40, 30), (1, 2, 3))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)  # fmt: skip
TARGETS = (
    st.builds(Time, st.integers(0, 86399), st.just(24), st.just(True))
    | st.builds(Number, st.decimals(allow_nan=False, allow_infinity=False), st.text())
    | st.builds(
        lambda x, y, w, h: Box(x, y, x + w, y + h), *[st.floats(0, 9)] * 2, *[st.floats(1, 9)] * 2
    )
)


def stored(sample):
    return from_record(table([to_record(sample)]).to_pylist()[0])


@pytest.mark.slow
@given(TARGETS, st.dictionaries(st.text(), JSON), st.text())
def test_what_is_stored_comes_back_equal(target, facts, question):
    sample = Sample("a-1", PICTURE, question, target, facts)
    assert stored(sample) == sample


@pytest.mark.parametrize("kind", KINDS)
def test_what_every_kind_draws_comes_back_equal(kind):
    for index in range(3):
        sample = create(kind)[index]
        assert stored(sample) == sample


def test_the_answer_is_plain_text_and_a_box_is_written_for_its_own_picture():
    def answer(target, image=PICTURE):
        return to_record(Sample("a", image, "?", target))["answer"]

    assert answer(Time(36480)) == "10:08"
    assert answer(Number(Decimal("1E+3"), "m"), None) == "1000 m"
    assert answer(Box(10, 15, 20, 30)) == "[0.250, 0.500, 0.500, 1.000]"
    assert answer(Box(10, 15, 20, 30), None) is None
    assert answer(Box(10, 15, 10.001, 30)) is None  # a sliver that three places cannot say


def test_what_comes_back_otherwise_or_as_it_was_written():
    """Tuples as lists, facts in any order, and a number with its zeros."""
    one = Sample("a", None, "?", Number(Decimal("3.50")), {"b": (1, 2), "a": 3})
    other = Sample("a", None, "?", Number(Decimal("3.50")), {"a": 3, "b": [1, 2]})
    assert to_record(one) == to_record(other)
    assert stored(one) == other
    assert str(stored(one).target.value) == "3.50"


@pytest.mark.parametrize("fact", [float("nan"), {1, 2}, np.float32(1)])
def test_facts_that_are_no_json_are_refused_by_the_sample_s_name(fact):
    with pytest.raises(ValueError, match="sample 'clock-7' cannot be stored"):
        to_record(Sample("clock-7", None, "?", Time(0), {"fact": fact}))


def test_the_schema_makes_the_hugging_face_libraries_see_a_picture():
    schema = table([to_record(Toy()[0])]).schema
    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    assert list(features) == schema.names
    assert features["image"] == {"_type": "Image"}


def test_prints_tell_pictures_and_labels_apart():
    def prints(image, question):
        found = Fingerprints()
        sample = Sample("a", image, question, Time(0))
        found.add(sample, to_record(sample))
        return found.to_json()

    plain = prints(PICTURE, "?")
    other_picture = prints(PICTURE.resize((30, 40)), "?")
    other_label = prints(PICTURE, "!")
    assert plain == prints(PICTURE.copy(), "?")
    assert plain["pixels"] == other_label["pixels"] != other_picture["pixels"]
    assert plain["labels"] == other_picture["labels"] != other_label["labels"]
