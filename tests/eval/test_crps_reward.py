"""Rewards by the CRPS of a group: as defined, and greatest where answers vary as truths do."""

import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.eval import crps_reward
from gnomon.sample import Number, Time, target_to_json

DIAL = Number(Decimal("0.0"), "", Decimal("0.1"), Decimal(10))
KINDS = {
    "number": (Number(Decimal("41.5")), 8.0),
    "reading": (Number(Decimal("41.5"), "", Decimal("0.5")), 8.0),
    "counter": (Number(Decimal(40), digits=5), 8.0),
    "cyclic": (Number(Decimal("9.5"), "", Decimal("0.1"), Decimal(10)), None),
    "time": (Time(11 * 3600), None),
    "time24": (Time(23 * 3600, 24), 600.0),
}


def earned(function, truth, texts):
    rows = [json.dumps(target_to_json(truth))] * len(texts)
    return function(prompts=["?"] * len(texts), completions=list(texts), target=rows)


def crps(values, truth, apart):
    """Unbiased CRPS of a group, None for an unread value, by its definition."""
    n = len(values)
    to_truth = [1.0 if value is None else apart(value, truth) for value in values]
    pairs = [
        apart(a, b)
        for i, a in enumerate(values)
        for j, b in enumerate(values)
        if i != j and None not in (a, b)
    ]
    return sum(to_truth) / n - sum(pairs) / (2 * n * (n - 1))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_less_its_mean_it_is_what_the_group_would_lose(kind, data):
    truth, scale = KINDS[kind]
    period = {"cyclic": 10, "time": 720, "time24": 1440}.get(kind, 0)
    at = truth.seconds / 60 if isinstance(truth, Time) else float(truth.value)
    most = scale or period / 2

    def apart(a, b):
        difference = abs(a - b)
        return min(min(difference, period - difference) if period else difference, most) / most

    place = st.integers(0, (period or 100) - 1)
    values = data.draw(st.lists(st.none() | place, min_size=4, max_size=7))
    texts = ["no idea" if v is None else f"{v}" for v in values]
    if isinstance(truth, Time):
        texts = ["no idea" if v is None else f"{v // 60 or 12}:{v % 60:02}" for v in values]
        if kind == "time24":
            texts = ["no idea" if v is None else f"{v // 60:02}:{v % 60:02}" for v in values]
    n = len(values)
    rewards = earned(crps_reward(kind, generations=n, scale=scale), truth, texts)
    for i, each in enumerate(rewards):
        loss = crps(values[:i] + values[i + 1 :], at, apart) - crps(values, at, apart)
        assert each - sum(rewards) / n == pytest.approx((n - 1) * loss)
        if values[i] is None:
            assert each == 0


def test_right_answers_earn_most_and_unread_ones_nothing():
    function = crps_reward("cyclic", generations=4)
    assert earned(function, DIAL, ["0.0", "10", "0", "0.0"]) == [1, 1, 1, 1]
    assert earned(function, DIAL, ["5.0"] * 4) == [0, 0, 0, 0]
    assert earned(function, DIAL, ["0.0", "0.0", "", "9.0"]) == pytest.approx([1.1, 1.1, 0, 1])
    wild = earned(crps_reward("number", generations=4, scale=1.0), Number(Decimal(3)),
                  ["1e999", "1" * 400, "3", "-1e999"])  # fmt: skip
    assert np.isfinite(wild).all()
    assert max(wild) == wild[2]


def test_rows_of_another_kind_get_none_and_groups_are_in_a_row():
    rows = [target_to_json(Time(0))] * 3 + [target_to_json(DIAL)] * 3
    texts = ["12:00"] * 3 + ["9.9"] * 3
    columns = {"prompts": ["a"] * 3 + ["b"] * 3, "completions": texts, "target": rows}
    assert crps_reward("time", generations=3)(**columns) == [1, 1, 1, None, None, None]
    numbers = crps_reward("cyclic", generations=3)(**columns)
    assert numbers == [None, None, None, *[pytest.approx(0.98)] * 3]
    with pytest.raises(ValueError, match="completions 0 to 5 answer different prompts"):
        crps_reward("time", generations=6)(**columns)
    same = columns | {"target": [rows[0]] * 6}
    with pytest.raises(ValueError, match="completions 0 to 5 answer different prompts"):
        crps_reward("time", generations=6)(**same)
    with pytest.raises(ValueError, match="generations=4: 6 completions are not a multiple of it"):
        crps_reward("time", generations=4)(**columns)
