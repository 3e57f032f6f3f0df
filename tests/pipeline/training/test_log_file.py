"""The log of a training that is taken up again."""

import json
from types import SimpleNamespace

import pytest
from second_process import kill_at_each_opening

from gnomon.pipeline.training.log import LogFile


def test_a_log_is_whole_wherever_the_training_that_takes_it_up_is_killed(tmp_path):
    file = tmp_path / "log.jsonl"
    lines = "".join(json.dumps({"step": step}) + "\n" for step in (1, 2, 3))
    file.write_text(lines + '{"step": 4')
    state = SimpleNamespace(is_world_process_zero=True, log_history=[{"step": 1}, {"step": 2}])
    kill_at_each_opening(tmp_path, lambda: LogFile(file).on_train_begin(None, state))
    assert [json.loads(line)["step"] for line in file.read_text().splitlines()] == [1, 2]


HISTORY = [{"loss": 2.0, "ce": 1.5, "step": 1}, {"loss": 1.0, "ce": 0.5, "step": 2}]


def written(file, history, *more):
    """A log as a training writes it, line by line."""
    log = LogFile(file)
    state = SimpleNamespace(is_world_process_zero=True, log_history=[])
    log.on_train_begin(None, state)
    for row in [*history, *more]:
        state.global_step = row["step"]
        log.on_log(None, state, None, logs={k: row[k] for k in row if k != "step"})
    return file.read_text()


def test_a_history_that_comes_back_in_another_order_makes_the_same_log(tmp_path):
    """As transformers writes it to a checkpoint, by name."""
    before = written(tmp_path / "log.jsonl", HISTORY)
    stored = json.loads(json.dumps(HISTORY, sort_keys=True))
    state = SimpleNamespace(is_world_process_zero=True, log_history=stored)
    LogFile(tmp_path / "log.jsonl").on_train_begin(None, state)
    assert (tmp_path / "log.jsonl").read_text() == before


@pytest.mark.parametrize("lost", range(0, 150, 7))
def test_a_training_at_its_end_gets_back_the_lines_that_a_kill_lost(tmp_path, lost):
    file = tmp_path / "log.jsonl"
    bare = written(file, HISTORY)
    whole = written(file, HISTORY, {"train_runtime": 6.0, "step": 2})
    file.write_text(whole[: len(whole) - lost])
    LogFile(file).repair(HISTORY)
    assert file.read_text() == (whole if not lost else bare)
