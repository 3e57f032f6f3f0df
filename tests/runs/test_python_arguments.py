"""Arguments of a wrong type are refused by name, where Python would fail somewhere inside."""

import io

import pytest
from PIL import Image

import gnomon
from gnomon.runs.python_arguments import override_words

QUESTION = "What time does the clock show? Answer HH:MM."
PICTURE = Image.new("RGB", (64, 64), "white")
BOX = {"truths": [(0, 0, 9, 9)], "kind": "box", "boxes": "pixels"}


@pytest.fixture(scope="module")
def reader():
    return gnomon.load("gnomon-tiny", question=QUESTION)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": 3}, "unknown kind 3"),
        ({"batch_size": "4"}, "batch_size='4': give a whole number"),
        ({"batch_size": 2.5}, r"batch_size=2\.5: give a whole number"),
        ({"pictures": 3}, "pictures: 3: give a folder, or a list"),
        ({"pictures": None}, "pictures: None: give a folder, or a list"),
        ({"pictures": io.BytesIO(b"x")}, "read reads one picture"),
        ({"pictures": PICTURE}, "read reads one picture"),
    ],
)
def test_wrong_arguments_of_a_reader(reader, arguments, message):
    with pytest.raises(ValueError, match=message):
        reader.read_all(**{"pictures": [PICTURE], **arguments})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"overrides": ["eval.views=3"]}, r"overrides: \['eval.views=3'\]: give a dict"),
        ({"overrides": {"eval.views": {1}}}, r"eval.views: \{1\}: give plain values"),
        ({"plugins": 3}, "plugins: 3: give a list of classes"),
        ({"plugins": "nowhere:Clock"}, "plug-in 'nowhere:Clock' cannot be imported"),
        ({"wrong": 0.05}, "^wrong=0.05: gnomon-tiny was not calibrated"),
        ({"find": True}, 'find="…"'),
    ],
)
def test_wrong_arguments_of_load(arguments, message):
    with pytest.raises(ValueError, match=message):
        gnomon.load("gnomon-tiny", **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"answers": "abc", "truths": [1, 2, 3]}, "answers: 'abc': give a list"),
        ({"answers": [4.7]}, r"answers\[0\]: 4.7: give the model's words"),
        ({"kind": 3}, "unknown kind 3"),
        ({"groups": "a"}, "groups: 'a': give a list"),
        ({**BOX, "sizes": [3]}, r"sizes\[0\]: 3: give width and height"),
    ],
)
def test_wrong_arguments_of_score(arguments, message):
    with pytest.raises(ValueError, match=message):
        gnomon.score(**{"answers": ["1"], "truths": [1], **arguments})


def test_any_iterable_is_scored():
    report = gnomon.score((answer for answer in ["1", "2"]), iter([1, 3]))
    assert report["exact"].value == 0.5


@pytest.mark.parametrize(
    "call",
    [
        lambda: gnomon.train("demo", out=3),
        lambda: gnomon.Run(3),
        lambda: gnomon.score(["1"], [1]).save(3),
    ],
)
def test_a_path_of_a_wrong_type_is_named(call):
    with pytest.raises(ValueError, match=r"(out|path|page): 3: give a path"):
        call()


def test_terms_are_numbers():
    from gnomon.eval.calibration.calibration import Terms

    with pytest.raises(ValueError, match=r"wrong='0.05': give a share"):
        Terms(wrong="0.05")


def test_overrides_are_written_as_in_a_shell():
    assert override_words({"a.b": 3, "c": "x"}) == ["a.b=3", 'c="x"']
