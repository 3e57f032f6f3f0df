"""Two processes over gloo, on the batch that one process has whole."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from pipeline_toys import BLANK, UNEVEN, assert_close, copied, dataset_of, ours, trained
from small_models import LINEAR, build, uneven
from toy_runs import run_two_processes
from training.two_processes import CASES, held_out

from gnomon.pipeline.load import load

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("two_processes.py")
TOGETHER = [name for name in CASES if name != "ce_ratio"]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """A folder with every family's small model."""
    out = tmp_path_factory.mktemp("two")
    for name in LINEAR:
        build(name, out / name)
    return out


@pytest.fixture(scope="module")
def ranks(checkpoint, out):
    """What each of the two processes found."""
    run_two_processes(SCRIPT, checkpoint, out)
    return [torch.load(out / f"rank{rank}.pt") for rank in range(2)]


@pytest.mark.parametrize("case", TOGETHER)
def test_two_processes_are_one(blank, tmp_path, ranks, case):
    """Their answers are uneven in tokens, in digits and in numbers."""
    lines, gradients, _ = trained(ours, blank, tmp_path, (4, 1), **CASES[case])
    for found, gradient in (rank[case] for rank in ranks):
        assert found["loss"] == pytest.approx(lines[0]["loss"], rel=1e-5)
        assert_close(gradient, gradients[0])


@pytest.mark.parametrize("case", TOGETHER)
def test_the_log_is_of_both_processes(blank, tmp_path, ranks, case):
    lines, _, _ = trained(ours, blank, tmp_path, (4, 1), **CASES[case])
    parts = {"ce", "mean_token_accuracy", "emd", "relative", "magnitude", "mmd", "smooth"}
    for name in parts & lines[0].keys():
        assert ranks[0][case][0][name] == pytest.approx(lines[0][name], rel=1e-5), name


@pytest.mark.parametrize("name", LINEAR)
def test_two_processes_are_one_in_every_family(out, tmp_path, ranks, name):
    """transformers counts no tokens over the processes for Qwen2.5-VL's and Qwen3-VL's classes."""
    small = load(replace(BLANK, name=str(out / name)))
    lines, gradients, _ = trained(ours, small, tmp_path, (6, 1), **uneven(name))
    for found, gradient in (rank[name] for rank in ranks):
        assert found["loss"] == pytest.approx(lines[0]["loss"], rel=1e-4)
        assert_close(gradient, gradients[0], 1e-4)


@pytest.mark.parametrize("how", ["ddp whole", "ddp chunked", "fsdp whole", "fsdp chunked"])
def test_two_processes_are_one_however_the_weights_are_held(blank, tmp_path, ranks, how):
    """Each holding all of them, or its shard; the head's logits at once, or in chunks of rows."""
    lines, gradients, _ = trained(ours, blank, tmp_path, (4, 1), **CASES["ntil"])
    for found, gradient in (rank[how] for rank in ranks):
        assert found["loss"] == pytest.approx(lines[0]["loss"], rel=1e-5)
        assert found["emd"] == pytest.approx(lines[0]["emd"], rel=1e-5)
        assert_close(gradient, gradients[0])


def test_an_evaluation_counts_no_sample_twice(blank, tmp_path, ranks):
    """Three samples fill no two batches: accelerate repeats some of them."""
    _, _, trainer = trained(ours, blank, tmp_path, (4, 1), **CASES["ntil"])
    expected = trainer.evaluate(dataset_of(UNEVEN[5:]))
    for name in ("eval_loss", "eval_ce", "eval_emd", "eval_relative", "eval_digit_accuracy"):
        assert ranks[0]["judged"][name] == pytest.approx(expected[name], rel=1e-4), name
        assert ranks[1]["judged"][name] == ranks[0]["judged"][name], name


def test_held_out_samples_are_shared_out_and_scored_as_one(blank, tmp_path, ranks):
    ours(copied(blank), UNEVEN, tmp_path)  # which makes the accelerator's state
    expected = held_out(blank)(blank.model)
    assert expected["correct"] == 0
    assert ranks[0]["answers"] == ranks[1]["answers"] == expected


@pytest.mark.parametrize("case", CASES)
def test_both_processes_step_alike(ranks, case):
    one, other = (rank[case][1] for rank in ranks)
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_ce_ratio_stays_in_proportion(blank, tmp_path, ranks):
    """Each forward's loss is scaled to its own cross-entropy, so the whole is (1 + weight) · CE."""
    lines, _, _ = trained(ours, blank, tmp_path, (4, 1))
    assert ranks[0]["ce_ratio"][0]["loss"] == pytest.approx(1.7 * lines[0]["loss"], rel=1e-4)
