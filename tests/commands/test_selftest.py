"""`gnomon selftest`: all of it holds for the embedded model, and each check can fail."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from command_toys import gnomon

from gnomon.dialect import Dialect
from gnomon.eval.scoring import predictions
from gnomon.pipeline.answering import local as answering
from gnomon.pipeline.exporting import merge as merging
from gnomon.pipeline.planning import plan as planning
from gnomon.pipeline.training import train as training
from gnomon.runs import selftest as selftesting
from gnomon.sample import Prediction

pytestmark = pytest.mark.slow
FEW = ["train.samples=2", "train.per_device_train_batch_size=2", "data.0.options.size=84"]
"""Two samples are learnt in seconds."""
PATH = re.compile(r"(?<![\w…])/\w")


def states(text):
    lines = re.findall(r"^(\w+) +(passed|failed|not run)  ", text, re.MULTILINE)
    assert [name for name, _ in lines] == list(selftesting.CHECKS)
    return dict(lines)


def test_all_holds_for_the_embedded_model_and_the_text_names_no_folder(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert gnomon("selftest", *FEW) == 0
    told = capsys.readouterr()
    assert set(states(told.out).values()) == {"passed"}
    assert re.findall("^— (.*)$", told.err, re.MULTILINE) == [
        doing for doing, _ in selftesting.CHECKS.values()
    ]
    assert told.out.startswith("gnomon selftest: 8 of 8 checks passed\n")
    assert "gnomon-tiny (4 bits, float32) train.samples=2" in told.out
    for package in ("python", "gnomon", "torch", "transformers", "trl", "peft", "bitsandbytes"):
        assert re.search(rf"\b{package} \d+\.\d+", told.out)
    assert told.out.count("2 of 2") == 3
    assert not PATH.search(told.out)
    out = tmp_path / "runs" / "selftest"
    assert (out / "selftest.txt").read_text() == told.out
    assert sorted(entry.name for entry in out.iterdir()) == ["run", "selftest.txt"]
    (loss,) = re.findall(r"→ ([\d.e-]+) a token in", told.out)
    bar = float(re.findall(r"below ([\d.e-]+)", told.out)[0])
    assert float(loss) < bar < 0.1


@pytest.mark.long
@pytest.mark.parametrize("name", ["gnomon-tiny", "qwen2-vl", "llava", "mllama", "qwen2"])
def test_eight_samples_are_learnt_by_small_models_of_random_weights(tmp_path, name, capsys):
    """Adam moves so narrow a model enough at a high rate alone."""
    model, rate = name, []
    if name != "gnomon-tiny":
        sys.path.append(str(Path(__file__).parents[1] / "pipeline"))
        from small_models import build

        model, rate = build(name, tmp_path / "model"), ["train.learning_rate=5e-3"]
    assert gnomon("selftest", model, *rate, "--out", tmp_path / "out") == 0
    told = capsys.readouterr().out
    assert set(states(told).values()) == {"passed"}
    assert "8 of 8 right" in told
    assert not PATH.search(told)


def test_what_raises_is_told_in_a_line_and_what_needs_nothing_of_it_goes_on(
    tmp_path, monkeypatch, capsys
):
    def broken(*_, **__):
        raise RuntimeError(f"hf_abcdefghijklm opens no {tmp_path / 'secret' / 'a.so'}\nat all")

    monkeypatch.setattr("gnomon.pipeline.load.load", broken)
    out = tmp_path / "out"
    assert gnomon("selftest", *FEW, "--out", out) == 1
    told = capsys.readouterr().out
    lost = dict.fromkeys(selftesting.CHECKS, "not run")
    assert states(told) == {**lost, "plan": "passed", "load": "failed"}
    assert "load      failed   RuntimeError: … opens no …/a.so at all\n" in told
    assert "train     not run  it needs what load gives\n" in told
    raised = (out / "tracebacks.txt").read_text()
    assert raised.startswith("load\nTraceback (most recent call last)")
    assert str(tmp_path / "secret") in raised


def test_without_a_plan_the_others_say_what_they_found(trial):
    trial.check("load", "", ())
    (line,) = trial.lines
    assert re.fullmatch(r"load +passed +21 layers in 4 bits; the weights take \d+\.\d MiB", line)


@pytest.fixture
def trial(tmp_path):
    """The checks of two samples, none of them run; each is given what it needs of the others."""
    (tmp_path / "run").mkdir()
    trial = selftesting._Trial(
        selftesting._recipe("gnomon-tiny", [*FEW, "train.max_steps=1"]), tmp_path
    )
    trial.texts = {sample.id: "10:08" for sample in trial.exam}
    trial.trainer = SimpleNamespace(model=None, processing_class=None)
    return trial


def answers(trial, text):
    return [Prediction(sample.id, text, None, "plain") for sample in trial.exam]


def no_room(monkeypatch, _):
    monkeypatch.setattr(planning, "_free_memory", lambda: 1.0)


def much_weight(_, trial):
    trial.estimate = SimpleNamespace(memory=SimpleNamespace(weights=10.0))


def one_step(*_):
    """The recipe's own."""


def wrong_answers(monkeypatch, trial):
    monkeypatch.setattr(
        answering, "predict_batches", lambda *_, **__: [answers(trial, "noon, or so")]
    )


def full_disk(monkeypatch, _):
    def save(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(training, "save_weights", save)


def other_answers(monkeypatch, trial):
    file = trial.out / "other.jsonl"
    predictions.append(file, answers(trial, "10:09"))
    monkeypatch.setattr(selftesting, "answer_exam", lambda *_, **__: file)


def other_model(monkeypatch, trial):
    def merged(_, __, out, ___):
        out.mkdir()
        return merging.MergeCheck(2, 1, 0.001)

    monkeypatch.setattr(merging, "merge", merged)


def much_memory(_, trial):
    trial.estimate = SimpleNamespace(memory=SimpleNamespace(total=2.0**30))
    trial.peak = 2**31
    line = {"step": 4, "train_runtime": 6.0}
    (trial.run / "log.jsonl").write_text(json.dumps(line) + "\n")


@pytest.mark.parametrize(
    ("name", "breaks", "told"),
    [
        ("plan", no_room, "it does not fit"),
        ("load", much_weight, "planned 0.0 MiB: more than a tenth apart"),
        ("train", one_step, ", so not learnt by heart"),
        ("answers", wrong_answers, "0 of 2 right, such as 'noon, or so' for '{time}'"),
        ("save", full_disk, "OSError: [Errno 28] No space left on device"),
        ("reload", other_answers, "0 of 2 answers the same"),
        ("merge", other_model, "1 of 2 answers the same, KL 0.001 nats a token"),
        ("step", much_memory, "1.50 s, at most 2.00 GiB, planned 1.00 GiB: more than planned"),
    ],
)
def test_each_check_can_fail(trial, monkeypatch, name, breaks, told):
    breaks(monkeypatch, trial)
    trial.states = {"before": "failed"}  # which came to its end, and hands on what is needed
    trial.check(name, "", ("before",))
    (line,) = trial.lines
    assert line.startswith(f"{name:9} failed   ")
    assert line.endswith(told.format(time=Dialect().write(next(iter(trial.exam)).target)))
    assert not (trial.out / "merged").exists()


def test_an_interrupted_one_is_replaced_by_the_next(tmp_path, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("gnomon.pipeline.load.load", interrupted)
    out = tmp_path / "out"
    assert gnomon("selftest", *FEW, "--out", out) == 130
    assert "did not come to its end" in (out / "selftest.txt").read_text()
    (out / "run").mkdir()
    (out / "run" / "left").touch()
    assert gnomon("selftest", *FEW, "--out", out) == 130
    assert not (out / "run").exists()
