"""Killed runs go on, to the bit; damaged and foreign checkpoints are named, and never run."""

import json
import math
import pickle
import shutil
import signal
from pathlib import Path

import pytest
import torch
from quick import quick
from toy_runs import (
    are_same,
    assert_same_run,
    changed,
    killed_after,
    log_of,
    run_of,
    weights_of,
)
from transformers import TrainerControl

from gnomon.pipeline.training.resuming import SaveWhenInterrupted, last_checkpoint
from gnomon.pipeline.training.train import EpochCounter
from gnomon.pipeline.training.validation import Validation
from gnomon.store.reading.run_folder import RunFolder

NEEDED = (
    "adapter_config.json",
    "adapter_model.safetensors",
    "optimizer.pt",
    "scheduler.pt",
    "rng_state.pth",
    "trainer_state.json",
)


def newest(run, step=4):
    return run / "checkpoints" / f"checkpoint-{step}"


def finished(whole, run):
    shutil.copytree(whole, run)


def at_its_end(whole, run):
    """Before it saved its weights; of what was removed before, some is left."""
    killed_after(4, whole, run)
    newest(run, 1).mkdir()
    (newest(run, 1) / "optimizer.pt").touch()


def between_checkpoints(whole, run):
    killed_after(2, whole, run)


def before_the_first_checkpoint(whole, run):
    killed_after(0, whole, run)


def while_it_wrote_a_line(whole, run):
    killed_after(2, whole, run)
    with RunFolder(run).log.open("a") as file:
        file.write('{"step": 3, "lo')


def while_it_wrote_a_checkpoint(whole, run):
    killed_after(2, whole, run)
    newest(run).mkdir()
    for name in ("adapter_model.safetensors", "adapter_config.json"):
        shutil.copy(newest(whole) / name, newest(run))


def when_a_checkpoint_was_begun(whole, run):
    """PEFT would read its card, and its old state would make half of a new one pass for whole."""
    killed_after(2, whole, run)
    newest(run).mkdir()
    (newest(run) / "README.md").write_text("---\nlicense: [\n---\n")
    (newest(run) / "stranger.bin").touch()


def without_its_optimizers_state(whole, run):
    """It would train another adapter, and say nothing of it."""
    killed_after(4, whole, run)
    (newest(run) / "optimizer.pt").unlink()


KILLS = (
    finished,
    at_its_end,
    between_checkpoints,
    before_the_first_checkpoint,
    while_it_wrote_a_line,
    while_it_wrote_a_checkpoint,
    when_a_checkpoint_was_begun,
    without_its_optimizers_state,
)


@pytest.mark.parametrize("kill", quick(KILLS, between_checkpoints, at_its_end, finished))
def test_a_killed_run_goes_on_to_the_same_bits_and_files(recipe, whole, tmp_path, kill):
    run = tmp_path / "run"
    kill(whole, run)
    assert_same_run(run_of(recipe, run), whole)
    for files in ("*", "adapter/*", "checkpoints/checkpoint-*", "checkpoints/checkpoint-4/*"):
        ours, theirs = (sorted(each.glob(files)) for each in (run, whole))
        assert [file.name for file in ours] == [file.name for file in theirs]
    for file in (whole / "adapter").iterdir():
        if file.name != "training_args.bin":  # which has the run's path
            assert (run / "adapter" / file.name).read_bytes() == file.read_bytes(), file.name


@pytest.mark.parametrize("best", [None, 3])
def test_a_finished_run_keeps_the_last_checkpoint_and_the_best(
    recipe, tmp_path, monkeypatch, capsys, best
):
    grades = iter([0.1, 0.2, 0.9, 0.3])
    monkeypatch.setattr(Validation, "__call__", lambda *_: {"correct": next(grades)})
    steps = {"eval_steps": 1, "eval_samples": 2} if best else {"save_steps": 1}
    done = run_of(changed(recipe, sft=None, **steps), tmp_path / "run")
    kept = {int(path.name[11:]) for path in (done / "checkpoints").glob("checkpoint-*")}
    assert kept == {4, best} - {None}
    size = sum(file.stat().st_size for file in (done / "checkpoints").rglob("*"))
    message = f"{done / 'checkpoints'} holds {size / 1e6:,.0f} MB, which are needed only to train"
    assert message in capsys.readouterr().err
    if best:
        assert are_same(weights_of(done), weights_of(newest(done, best)))


def test_the_first_step_of_an_extended_run_trains(recipe, whole, tmp_path, monkeypatch):
    """At the rate that the longer schedule has there; the shorter one ended at 0."""
    rates = []

    def look(_, __, ___, ____, *, optimizer, **_____):
        rates.append(optimizer.param_groups[0]["lr"])

    monkeypatch.setattr(EpochCounter, "on_step_begin", look)
    longer = run_of(changed(recipe, max_steps=5), killed_after(4, whole, tmp_path / "run"))
    assert rates == pytest.approx([2e-3 * (1 + math.cos(math.pi * 4 / 5)) / 2])
    assert not are_same(weights_of(longer), weights_of(whole))


@pytest.mark.slow
def test_a_resumed_run_logs_what_a_whole_one_does(recipe, tmp_path):
    """Three steps a line end at no checkpoint of two."""
    rarely = changed(recipe, logging_steps=3)
    done = run_of(rarely, tmp_path / "done")
    assert_same_run(run_of(rarely, killed_after(2, done, tmp_path / "killed")), done)
    assert not any("train_loss" in line for line in log_of(done))


@pytest.fixture
def raising():
    """Ctrl-C and SIGTERM both raise KeyboardInterrupt, as they do in a verb but for the name."""
    numbers = signal.SIGINT, signal.SIGTERM
    before = [signal.signal(number, signal.default_int_handler) for number in numbers]
    yield
    assert [signal.getsignal(number) for number in numbers] == 2 * [signal.default_int_handler]
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("raising")
@pytest.mark.parametrize("number", quick([signal.SIGINT, signal.SIGTERM], signal.SIGINT))
def test_an_interrupted_training_saves_its_step_and_goes_on_from_there(
    recipe, whole, tmp_path, monkeypatch, number
):
    """Ctrl-C comes in step 3; the recipe's own checkpoints are at steps 2 and 4."""
    run = tmp_path / "run"

    def interrupt(_, __, state, *___, **____):
        if state.global_step == 2:
            signal.raise_signal(number)

    with monkeypatch.context() as patch:
        patch.setattr(EpochCounter, "on_step_begin", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run_of(recipe, run)
    assert newest(run, 3).is_dir()
    assert not newest(run, 4).exists()
    assert_same_run(run_of(recipe, run), whole)


def interrupt_twice(callback, now):
    with callback:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)  # at once again, as `timeout` does
        now[0] += 2
        signal.raise_signal(signal.SIGINT)
        now[0] += 2


@pytest.mark.usefixtures("raising")
def test_a_second_ctrl_c_ends_a_training_at_once(monkeypatch, capfd):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    with pytest.raises(KeyboardInterrupt):
        interrupt_twice(SaveWhenInterrupted(), now)
    assert now == [102]
    assert "Ctrl-C again ends at once" in capfd.readouterr().err


@pytest.mark.usefixtures("raising")
def test_a_signal_after_the_last_step_acts_when_the_training_is_over():
    over = []
    with pytest.raises(KeyboardInterrupt), SaveWhenInterrupted():
        over += [signal.raise_signal(signal.SIGTERM)]
    assert over


@pytest.mark.usefixtures("raising")
def test_a_checkpoint_of_ctrl_c_has_its_line_in_the_log():
    before, after = TrainerControl(), TrainerControl()
    with SaveWhenInterrupted() as saving:
        saving.on_step_end(None, None, before)
        signal.raise_signal(signal.SIGINT)
        saving.on_step_end(None, None, after)
        with pytest.raises(KeyboardInterrupt):
            saving.on_save()
    assert (before.should_save, before.should_log) == (False, False)
    assert (after.should_save, after.should_log) == (True, True)


# Damaged checkpoints


def cut(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def zeroed(file):
    """As a power cut leaves it: as long as it was."""
    content = bytearray(file.read_bytes())
    content[len(content) // 4 : len(content) // 2] = bytes(len(content) // 2 - len(content) // 4)
    file.write_bytes(content)


DAMAGES = [
    *((name, damage) for name in NEEDED for damage in (Path.unlink, cut)),
    *((name, zeroed) for name in NEEDED if not name.endswith(".safetensors")),  # no checksum
]


@pytest.mark.parametrize(("name", "damage"), DAMAGES)
def test_a_damaged_checkpoint_is_told_and_the_one_before_is_taken(
    whole, tmp_path, capsys, name, damage
):
    checkpoints = killed_after(4, whole, tmp_path) / "checkpoints"
    assert last_checkpoint(checkpoints, adapter=True).name == "checkpoint-4"
    damage(newest(tmp_path) / name)
    assert last_checkpoint(checkpoints, adapter=True).name == "checkpoint-2"
    note = capsys.readouterr().err
    stem, dot, suffix = name.partition(".")
    many = "*" if name in ("rng_state.pth", "adapter_model.safetensors") else ""
    missing = f"checkpoint-4/{stem}{many}{dot}{suffix} is missing"
    assert (missing if damage is Path.unlink else f"checkpoint-4/{name} is damaged") in note
    assert note.endswith("resuming from checkpoint-2\n")
    assert last_checkpoint(checkpoints, adapter=True, quiet=True).name == "checkpoint-2"
    assert not capsys.readouterr().err


def test_where_no_whole_checkpoint_is_left_nothing_is_trained(recipe, whole, tmp_path):
    run = killed_after(4, whole, tmp_path)
    (newest(run, 2) / "rng_state.pth").unlink()
    cut(newest(run) / "optimizer.pt")
    before = sorted(run.rglob("*"))
    with pytest.raises(
        ValueError,
        match=r"no complete checkpoint \(checkpoint-4/optimizer.pt is damaged "
        r".*checkpoint-2/rng_state"
        r"\*.pth is missing\): delete \S+/checkpoints to begin again",
    ):
        run_of(recipe, run)
    assert sorted(run.rglob("*")) == before


def test_a_kill_in_the_first_checkpoint_begins_again(whole, tmp_path, capsys):
    run = killed_after(2, whole, tmp_path)
    (newest(run, 2) / "trainer_state.json").unlink()
    assert last_checkpoint(run / "checkpoints", adapter=True) is None
    assert capsys.readouterr().err.endswith("is missing: starting again\n")


def test_a_best_checkpoint_that_is_damaged_is_never_taken_at_the_end(whole, tmp_path):
    run = killed_after(4, whole, tmp_path)
    file = newest(run) / "trainer_state.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "best_global_step": 2}))
    cut(newest(run, 2) / "adapter_model.safetensors")
    assert last_checkpoint(run / "checkpoints", adapter=True).name == "checkpoint-4"
    with pytest.raises(ValueError, match=r"checkpoint-2/adapter_model\.safetensors is damaged"):
        last_checkpoint(run / "checkpoints", adapter=True, takes_best=True)


@pytest.mark.parametrize(
    ("saved", "processes", "step"),
    [
        (["_0", "_1"], 2, 4),
        (["_0"], 2, 2),
        (["_1"], 2, 2),
        (["_0", "_1", "_2"], 4, 2),
        (["_0", "_1"], 1, 4),
        ([""], 2, 4),
        ([], 2, 2),
    ],
)
def test_every_process_has_its_rng_state_unless_others_were_so_many(
    whole, tmp_path, saved, processes, step
):
    run = killed_after(4, whole, tmp_path)
    for each, names in ((4, saved), (2, [f"_{rank}" for rank in range(processes)])):
        file = newest(run, each) / "rng_state.pth"
        state = file.read_bytes()
        file.unlink()
        for name in names:
            file.with_stem(f"rng_state{name}").write_bytes(state)
    checkpoint = last_checkpoint(run / "checkpoints", adapter=True, processes=processes)
    assert checkpoint.name == f"checkpoint-{step}"


def test_of_other_trainers_checkpoints_only_the_last_file_is_looked_at(whole, tmp_path):
    run = killed_after(4, whole, tmp_path)
    for name in ("optimizer.pt", "adapter_model.safetensors"):
        (newest(run) / name).unlink()
    checkpoint = last_checkpoint(run / "checkpoints", adapter=True, sharded=True)
    assert checkpoint == newest(run)


# Whole files that hold something else


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("global_step", "many"),
        ("global_step", None),
        ("max_steps", [1]),
        ("best_global_step", "two"),
        ("log_history", None),
        ("log_history", [5]),
        ("log_history", [{"loss": 2.5}]),
        ("stateful_callbacks", [1]),
        ("stateful_callbacks", {"EarlyStoppingCallback": 5}),
        ("a_key_of_another_version", 1),
        (None, []),
        (None, 5),
        (None, {}),
    ],
)
def test_a_state_of_another_shape_is_told(whole, tmp_path, capsys, key, value):
    run = killed_after(2, whole, tmp_path)
    file = newest(run, 2) / "trainer_state.json"
    state = json.loads(file.read_text())
    file.write_text(json.dumps(value if key is None else state | {key: value}))
    assert last_checkpoint(run / "checkpoints", adapter=True) is None
    note = capsys.readouterr().err
    assert "checkpoint-2/trainer_state.json is damaged" in note
    assert note.count("\n") == 1


class Foreign:
    """Code of a stranger: unpickled, it would end the process."""

    def __reduce__(self):
        return exit, (7,)


@pytest.mark.parametrize("name", ["optimizer.pt", "scheduler.pt", "rng_state.pth"])
@pytest.mark.parametrize("value", [Foreign(), [1], {"a": 1}, 5, "bare"],
                         ids=["code", "list", "keys", "int", "bare"])  # fmt: skip
def test_a_pickle_that_holds_something_else_is_refused_and_never_run(whole, tmp_path, name, value):
    run = killed_after(2, whole, tmp_path)
    file = newest(run, 2) / name
    if value == "bare":
        file.write_bytes(pickle.dumps(Foreign()))
    else:
        torch.save(value, file)
    with pytest.raises(ValueError, match=f"checkpoint-2/{name} is damaged"):
        last_checkpoint(run / "checkpoints", adapter=True)
