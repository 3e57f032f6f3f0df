"""The demo's spread over seeds: each seed is run once, and its figures are those of its answers."""

from decimal import Decimal

import pytest

from benchmarks import demo_seeds
from gnomon.eval import RunResult, score
from gnomon.sample import Number, Prediction, Sample


def answered(values):
    """Answers to three questions whose truths are 10, 20 and 30."""
    samples = [Sample(str(n), None, "", Number(Decimal(10 * (n + 1)))) for n in range(3)]
    answers = [Prediction(s.id, v, None, "plain") for s, v in zip(samples, values, strict=True)]
    return RunResult("demo", score(answers, samples))


def test_the_table_has_each_seed_and_their_spread(tmp_path, monkeypatch, capsys):
    calls = []
    runs = {"seed-0": ("10", "20", "30"), "seed-1": ("10", "24", "none")}
    monkeypatch.setattr(demo_seeds, "FIGURES", ("exact", "unread", "error"))
    monkeypatch.setattr(demo_seeds, "run_demo", lambda *words: calls.append(words))
    monkeypatch.setattr(
        demo_seeds, "score_run", lambda run: [answered(["9"] * 3), answered(runs[run.name])]
    )
    demo_seeds.main(["--seeds", "2", "--out", str(tmp_path), "train.max_steps=1"])
    folders = [tmp_path / name for name in runs]
    assert calls == [(seed, folder, ["train.max_steps=1"]) for seed, folder in enumerate(folders)]
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["seed", "0", "seed", "1", "mean", "deviation", "min", "max"]
    (exact,) = [line for line in lines if line.startswith("Exactly right, after")]
    cells = exact.removeprefix("Exactly right, after").replace(" %", "").split()
    assert [float(cell) for cell in cells] == pytest.approx(
        [100, 33.3, 66.7, 47.1, 33.3, 100], abs=0.05
    )
