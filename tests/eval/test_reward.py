"""Rewards: as TRL calls them, worth what the page says, by the readers and measures of scoring."""

import json
import pickle
import re
from decimal import Decimal
from pathlib import Path

import pytest
from case_tables import table
from eval_toys import exam, scored
from hypothesis import given
from hypothesis import strategies as st

from gnomon.answers.registry import TYPES
from gnomon.dialect import Dialect
from gnomon.eval import crps_reward, form_reward, reward, time_deviation
from gnomon.sample import (
    Box,
    Boxes,
    LabelledBox,
    Number,
    Spot,
    Spots,
    Table,
    Text,
    Time,
    Unreadable,
    target_to_json,
)

PAGE = (Path(__file__).parents[2] / "docs" / "reward.md").read_text(encoding="utf-8")
SIZE = (100, 50)
TARGETS = {
    "time": Time(10 * 3600 + 8 * 60),
    "time24": Time(22 * 3600 + 8 * 60, 24),
    "number": Number(Decimal("41.5")),
    "reading": Number(Decimal("41.5"), "bar", Decimal("0.5")),
    "cyclic": Number(Decimal("9.9"), "", Decimal("0.1"), Decimal(10)),
    "counter": Number(Decimal(512), digits=5),
    "box": Box(10, 10, 30, 40),
    "boxes": Boxes(
        (LabelledBox("mug", Box(10, 10, 30, 40)), LabelledBox("mug", Box(50, 10, 70, 40)))
    ),
    "text": Text("blue"),
    "spots": Spots((Spot("EXIT", Box(10, 10, 30, 40)),)),
    "unreadable": Unreadable(Number(Decimal("41.5")).answer_form),
    "table": Table(("year", "sales"), (("2020", "3"), ("2021", "4"))),
}


def graded(kind, target, *texts, **options):
    rows = [json.dumps(target_to_json(target))] * len(texts)
    return reward(kind, **options)(
        prompts=["?"] * len(texts),
        completions=list(texts),
        completion_ids=[[1]] * len(texts),
        target=rows,
        size=[list(SIZE)] * len(texts),
        trainer_state=None,
    )


@pytest.mark.parametrize("kind", TYPES)
def test_what_the_dialect_writes_earns_all_and_what_cannot_be_read_nothing(kind):
    right = Dialect().write(TARGETS[kind], SIZE)
    earned = graded(kind, TARGETS[kind], right, "")
    assert earned == [pytest.approx(1), 0]
    assert graded(kind, TARGETS[kind], right, "", partial=False) == [1, 0]


@given(st.integers(0, 719), st.integers(0, 719))
def test_a_time_earns_by_its_deviation(truth, said):
    hour, minute = divmod(said, 60)
    (earned,) = graded("time", Time(truth * 60), f"{hour or 12}:{minute:02}")
    apart = time_deviation((hour, minute, None), Time(truth * 60).hms)
    assert earned == pytest.approx(1 - apart / 360)
    assert 0 <= earned <= 1


@pytest.mark.parametrize(
    ("kind", "texts", "rewards"),
    [
        # Half at 5 % of the truth, which is 2.075, and at five tolerances beyond the tolerance.
        ("number", ["41.50", "43.575", "39.425", "47.725"], [1, 0.5, 0.5, 0.25]),
        ("reading", ["42 bar", "44.5", "38.5", "42.5"], [1, 0.5, 0.5, 2.5 / 3]),
        ("counter", ["00512", "512", "00912"], [1, 1, 0.4]),
        ("box", ["[0.2, 0.2, 0.3, 0.8]"], [pytest.approx(0.5, abs=0.01)]),  # half of the box
    ],
)
def test_answers_earn_by_how_near_they_are(kind, texts, rewards):
    assert graded(kind, TARGETS[kind], *texts) == pytest.approx(rewards)


DECIMALS = st.decimals(-1000, 1000, places=2)


@pytest.mark.parametrize("cycle", [0, 10])
@given(truth=DECIMALS, within=st.sampled_from(["0", "0.5", "2"]), one=DECIMALS, other=DECIMALS)
def test_a_nearer_number_earns_no_less_and_none_earns_more_than_a_right_one(
    cycle, truth, within, one, other
):
    if cycle:
        truth, one, other = abs(truth) % cycle, abs(one) % cycle, abs(other) % cycle
    target = Number(truth, "", Decimal(within), Decimal(cycle))
    kind = target.type_name

    def apart(value):
        distance = abs(value - truth)
        return min(distance, cycle - distance) if cycle else distance

    near, far = sorted((one, other), key=apart)
    right, more, less, unread = graded(kind, target, str(truth), str(near), str(far), "no idea")
    assert (right, unread) == (1, 0)
    assert 0 <= less <= more <= 1
    assert less > 0 or cycle
    # A step of a hundredth changes the reward by at most the largest slope: 1 / s, or 2 / cycle.
    close, beside = graded(kind, target, f"{far:f}", f"{far + Decimal('0.01'):f}")
    slope = 2 / 10 if cycle else 1 / max(abs(float(truth)) / 20, 5 * float(within), 0.01)
    assert abs(close - beside) <= 0.01 * slope + 1e-9


@given(st.decimals("0.01", 100, places=2))
def test_the_reward_of_a_number_is_continuous_at_its_tolerance_and_at_zero(gap):
    """Smaller and smaller errors earn more and more, up to 1."""
    for truth, edge in ((Number(Decimal("41.5"), "", Decimal("0.5")), Decimal("42.0")),
                        (Number(Decimal("0.00")), Decimal(0))):  # fmt: skip
        texts = [f"{edge + gap / 10**power:f}" for power in range(8)]
        earned = graded(truth.type_name, truth, *texts)
        assert earned == sorted(earned)
        assert len(set(earned)) == len(earned)
        assert earned[-1] == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("kind", TYPES)
def test_the_form_is_right_if_the_answer_ends_with_its_value(kind):
    right = Dialect().write(TARGETS[kind], SIZE)
    columns = {"target": [target_to_json(TARGETS[kind])], "size": [list(SIZE)]}
    function = form_reward()
    assert function(completions=[right], **columns) == [1]
    assert function(completions=[""], **columns) == [0]
    if kind not in ("text", "table", "unreadable"):  # their value is the whole text
        assert function(completions=[f"{right}, I think, but look again"], **columns) == [0]


def test_the_form_allows_steps_before_a_value_its_unit_and_a_full_stop():
    texts = ["42 bar.", "between 40 and 45: 42", "42 bar or more", "42 psi"]
    columns = {"target": [target_to_json(TARGETS["reading"])] * len(texts)}
    assert form_reward("reading")(completions=texts, **columns) == [1, 1, 0, 0]


def test_without_a_type_each_row_is_graded_by_its_own():
    rows = [target_to_json(TARGETS[kind]) for kind in ("time", "number")]
    columns = {"completions": ["10:08", "41.5"], "target": rows}
    assert reward()(**columns) == form_reward()(**columns) == [1, 1]
    assert reward().__name__ == "reward"
    groups = {"completions": ["10:08"] * 3 + ["9.9"] * 3}
    groups["target"] = [rows[0]] * 3 + [target_to_json(TARGETS["cyclic"])] * 3
    assert crps_reward(generations=3)(**groups) == pytest.approx([1] * 6)
    groups["target"][3:] = [target_to_json(TARGETS["text"])] * 3
    with pytest.raises(ValueError, match="kind='text' has no distances"):
        crps_reward(generations=3)(**groups)


def test_without_credit_it_is_what_scoring_calls_right():
    texts = ["10:08", "10:09", "noon", "no idea"]
    items = scored(exam(*[TARGETS["time"]] * len(texts)), texts).items
    earned = graded("time", TARGETS["time"], *texts, partial=False)
    assert earned == [item.correct for item in items]


def test_chat_messages_are_read_by_what_the_assistant_says_last():
    chat = [
        {"role": "assistant", "content": "Let me see: 9:00"},
        {"role": "tool", "content": "11:11"},
        {"role": "assistant", "content": [{"type": "text", "text": "It is 10:08."}]},
    ]
    silent = [{"role": "assistant", "content": None}]
    assert graded("time", TARGETS["time"], chat, silent, []) == [1, 0, 0]


def test_targets_may_be_dicts_with_the_other_kinds_fields_empty():
    datasets = pytest.importorskip("datasets")
    rows = [{"target": target_to_json(TARGETS[kind])} for kind in ("time", "number")]
    columns = datasets.Dataset.from_list(rows)[:]
    texts = ["10:08", "41.5"]
    assert reward("time")(completions=texts, **columns) == [1, None]
    assert reward("number")(completions=texts, **columns) == [None, 1]


def test_which_answer_counts_can_be_said():
    texts = "10:08, or perhaps 10:09"
    assert graded("time", TARGETS["time"], texts, which="first") == [1]


@table(__file__, "reward_forms")
@pytest.mark.parametrize("kind", TYPES)
def test_the_answer_is_read_as_policies_are_told_to_write_it(kind, row):
    """Lists, tables and free texts only in a block."""
    right = Dialect().write(TARGETS[kind], SIZE)
    if kind == "text":
        chosen = Text("blue", ("red", "blue"))
        said = row["form"].format("blue")
        assert graded(kind, chosen, said, which="answer", partial=False) == [1]
    if kind in ("spots", "table", "text"):
        in_line = kind == "spots" and "The answer is" in row["form"]  # no text with its box
        if "block" not in row or in_line:
            return
        said = row["form"].replace("The answer is", "Answer:").format(right)
    else:
        said = row["form"].format(right)
    assert graded(kind, TARGETS[kind], said, which="answer", partial=False) == [1]


def test_a_box_in_json_in_a_block_is_read():
    said = '<answer>\n```json\n[{"bbox_2d": [10, 10, 30, 40], "label": "hat"}]\n```\n</answer>'
    assert graded("box", TARGETS["box"], said, which="answer", dialect="qwen2.5-vl") == [1]


@pytest.mark.parametrize(
    "text",
    [
        "41.5",
        "<answer></answer> 41.5",
        "41.5? <answer>I cannot tell.</answer>",
        "41.5 is likely. The answer is unknown.",
        "The answer is 41.5. No: the answer is not known.",
        "41.5 is not the answer.",
        "\\boxed{x} since 41.5",
    ],
)
def test_what_is_not_called_the_answer_earns_nothing(text):
    assert graded("number", TARGETS["number"], text, which="answer") == [0]


@table(__file__, "wrong_rewards")
def test_wrong_use_is_refused(row):
    function = {"reward": reward, "crps_reward": crps_reward}[row["function"]]
    with pytest.raises(ValueError, match=row["message"]):
        function(**row["options"])(completions=["10:08"], **row.get("columns", {}))


@pytest.mark.parametrize(
    ("function", "name"),
    [(reward("time", which="first"), "time_reward"), (crps_reward("time"), "time_crps_reward")],
)
def test_it_has_a_name_and_travels(function, name):
    there = pickle.loads(pickle.dumps(function))
    assert there == function
    assert there.__name__ == name
    rows = {"target": [target_to_json(Text("open"))] * 8, "prompts": ["?"] * 8}
    assert there(completions=["open"] * 8, **rows) == [None] * 8


def test_every_kind_is_on_the_page():
    kinds = "".join(line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`(\w+)`", kinds)) == set(TYPES)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")  # of libraries that these few lines do not silence
@pytest.mark.parametrize(
    ("function", "name", "most"),
    [
        ("reward()", "reward", 1),
        ("crps_reward(generations=4)", "crps_reward", 1 + 3 / 2),
    ],
)
def test_the_page_trains_two_steps(function, name, most, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r'```python title="train_rewards.py"\n(.*?)```', PAGE, re.DOTALL)
    assert "reward_funcs=[reward(), " in code
    given = {"crps_reward": crps_reward}
    exec(code.replace("reward_funcs=[reward()", f"reward_funcs=[{function}"), given)
    logged = [row for row in given["trainer"].state.log_history if "reward" in row]
    assert len(logged) == 2
    for row in logged:
        assert 0 < row[f"rewards/{name}/mean"] <= most
        parts = row[f"rewards/{name}/mean"], row["rewards/form_reward/mean"]
        assert row["reward"] == pytest.approx(0.9 * parts[0] + 0.1 * parts[1])
        assert row["grad_norm"] > 0
