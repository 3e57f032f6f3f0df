import pytest

from gnomon import names

KINDS = {"fraction": "fractions:Fraction", "decimal": "decimal:Decimal", "date": "datetime:date"}


def test_a_name_loads_its_class():
    from fractions import Fraction

    assert names.load(KINDS, "fraction", what="number", listing="gnomon ls") is Fraction


def test_an_unknown_name_tells_the_nearest_and_the_command_that_lists_all():
    with pytest.raises(names.UnknownNameError) as told:
        names.check(KINDS, "decimel", what="number", listing="gnomon ls numbers")
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


def test_a_shortened_list_of_suggestions_says_that_it_is_shortened():
    choices = [f"kind_{i:02}" for i in reversed(range(20))]
    first = ", ".join(f"kind_{i:02}" for i in range(12))
    assert names.hint("zzz", choices) == f"there are {first} and 8 more"
    assert names.hint("zzz", choices[:2]) == "there are kind_18, kind_19"
    assert names.hint("kind_1", choices).startswith("did you mean kind_1")
    with pytest.raises(names.UnknownNameError) as told:
        names.check(choices, "zzz", what="kind", listing="gnomon ls")
    assert str(told.value) == "unknown kind 'zzz': `gnomon ls` lists all 20"
