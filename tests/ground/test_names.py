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
        "unknown number 'decimel': did you mean decimal? `gnomon ls numbers` lists all"
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


def test_where_none_is_near_the_first_dozen_are_listed_in_order():
    choices = [f"kind_{i:02}" for i in reversed(range(20))]
    assert names.nearest_names("zzz", choices) == [f"kind_{i:02}" for i in range(12)]
    assert names.nearest_names("zzz", []) == []
