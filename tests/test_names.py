import json
import sys

import pytest

from gnomon import names

KINDS = {"fraction": "fractions:Fraction", "decimal": "decimal:Decimal", "date": "datetime:date"}


def test_a_name_loads_its_class():
    from fractions import Fraction

    assert names.load(KINDS, "fraction", what="number", command="gnomon ls") is Fraction


def test_an_unknown_name_tells_the_nearest_and_the_command_that_lists_all():
    with pytest.raises(names.UnknownNameError) as told:
        names.check(KINDS, "decimel", what="number", command="gnomon ls numbers")
    assert str(told.value) == (
        "unknown number 'decimel': did you mean decimal? `gnomon ls numbers` lists all 3"
    )
    assert isinstance(told.value, ValueError)


@pytest.mark.parametrize(
    ("name", "choices", "first"),
    [
        ("lr", ["learning_rate", "lora_r", "loss"], "learning_rate"),
        ("wd", ["weight_decay", "warmup_steps"], "weight_decay"),
        ("weigth", ["weight", "width", "height"], "weight"),
        ("max_step", ["max_steps", "max_pixels"], "max_steps"),
    ],
)
def test_the_nearest_comes_first(name, choices, first):
    assert names.nearest_names(name, choices)[0] == first


def test_there_are_at_most_three_and_none_twice():
    near = names.nearest_names("aa", ["aa_a", "aaa", "aab", "aac", "a_a"])
    assert len(near) == len(set(near)) == 3
    assert near[0] == "a_a"


def test_all_choices_are_listed_and_a_shortened_list_says_so():
    choices = [f"kind_{i:02}" for i in reversed(range(20))]
    every = ", ".join(sorted(choices))
    assert names.hint("zzz", choices) == f"there are {every}"
    assert names.hint("zzz", choices, command="gnomon ls") == "`gnomon ls` lists all 20"
    assert names.hint("zzz", map(str, range(1000, 1108))).endswith(", 1099 and 8 more")
    assert names.hint("zzz", choices[:2]) == "there are kind_18, kind_19"
    assert names.hint("kind_1", choices).startswith("did you mean kind_1")
    with pytest.raises(names.UnknownNameError) as told:
        names.check(choices, "zzz", what="kind", command="gnomon ls")
    assert str(told.value) == "unknown kind 'zzz': `gnomon ls` lists all 20"


def test_a_place_is_loaded_only_where_it_was_allowed_and_is_of_the_right_class(
    tmp_path, monkeypatch
):
    """A module of the current directory is found, and hides no library of its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(names, "_ALLOWED", set())
    (tmp_path / "my_own_code.py").write_text("class Mine(ValueError): pass\nmade = Mine()")
    (tmp_path / "json.py").write_text("raise AssertionError('hides the library')")
    with pytest.raises(
        names.UnknownNameError, match=r"my_own_code:Mine\. If it is yours.*plugins=\"my_o"
    ):
        names.load_user_class("my_own_code:Mine", ValueError, what="thing")
    for name in ("my_own_code:Mine", "my_own_code:made", "my_own_code:Nope", "json:JSONDecoder"):
        names.allow(name)
    assert names.load_user_class("my_own_code:Mine", ValueError, what="thing").__name__ == "Mine"
    assert names.load_user_class("json:JSONDecoder", object, what="thing") is json.JSONDecoder
    for name, base, told in (
        ("my_own_code:made", ValueError, "is not a subclass of ValueError"),
        ("my_own_code:Mine", KeyError, "is not a subclass of KeyError"),
        ("my_own_code:Nope", ValueError, "cannot be imported"),
    ):
        with pytest.raises(names.UnknownNameError, match=told):
            names.load_user_class(name, base, what="thing")


@pytest.mark.parametrize("text", ["10:08", "http://a.b/c:d", "C:\\x", "a b:c", "Answer: yes", ":x"])
def test_other_texts_with_a_colon_are_no_places(text):
    assert not names.is_place(text)
