"""`make gpu` without a GPU: what it measures in small, and how it goes on, fails and ends."""

import signal
import subprocess
import sys
import time

import pytest
import torch
from small_models import build

from benchmarks.gpu import __main__ as kit
from benchmarks.gpu import parts, same, sizes, wheels, worker
from benchmarks.gpu.parts import ROOT, Setting
from gnomon.losses import KINDS
from gnomon.pipeline import families
from gnomon.pipeline.load import load
from gnomon.pipeline.quantize import quantized_layers
from gnomon.recipe import Model

pytestmark = [
    pytest.mark.slow,
    # Warnings of PEFT and of bitsandbytes 0.49, as in tests/pipeline/conftest.py.
    pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning"),
    pytest.mark.filterwarnings("ignore:_check_is_size will be removed:FutureWarning"),
]

DOES = """
import os, signal, sys, time
sys.path.insert(0, ROOT)
from benchmarks.gpu import worker
from benchmarks.gpu.parts import Outcome

def measure(case):
    if case == "raises":
        raise ValueError("two\\nlines")
    if case == "dies":
        print("its last words", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if case == "spoils the GPU":
        raise RuntimeError("CUDA error: an illegal memory access")
    if case == "sleeps":
        time.sleep(60)
    return Outcome(case != "is wrong", "off by 3", ["of 2"])

def prepare(setting):
    if "cannot be" in sys.argv[-1]:
        raise RuntimeError("no such thing")
    return measure

worker.names.load = lambda *_, **__: prepare
worker.main()
"""
"""A job's process whose cases do what they are called."""


@pytest.fixture
def out(tmp_path, monkeypatch):
    """A call of the command measures the cases that `cases` names, and writes here."""
    script = DOES.replace("ROOT", repr(str(ROOT)))
    monkeypatch.setattr(worker, "COMMAND", [sys.executable, "-c", script])
    monkeypatch.setattr(worker, "head", lambda _: "CPU of a test; tiny; torch")
    return tmp_path / "results" / "gpu.txt"


@pytest.fixture
def cases(monkeypatch):
    def these(*names, more=()):
        measured = {"a": {"losses": list(names), **({"steps": list(more)} if more else {})}}
        monkeypatch.setattr(kit, "jobs", lambda: measured)

    return these


def call(out, *words):
    work = out.parent.parent / "work"
    return kit.main(["--cpu", "--tiny", "--out", str(out), "--work", str(work), *words])


def lines(out):
    """Each measured case with its verdict and what is said."""
    told = (line.split("  ") for line in out.read_text().splitlines() if line.startswith("a  "))
    return {words[1]: tuple(filter(None, map(str.strip, words[2:]))) for words in told}


def test_whatever_a_case_does_the_rest_goes_on(out, cases, capsys):
    cases("first", "is wrong", "raises", "dies", "spoils the GPU", "last", more=["cannot be"])
    assert call(out) == 1
    assert lines(out) == {
        "first": ("ok", "off by 3"),
        "is wrong": ("FAILED", "off by 3"),
        "raises": ("FAILED", "ValueError: two lines"),
        "dies": ("FAILED", "its process died: its last words"),
        "spoils the GPU": ("FAILED", "RuntimeError: CUDA error: an illegal memory access"),
        "last": ("ok", "off by 3"),
        "cannot be": ("FAILED", "its process died: RuntimeError: no such thing"),
    }
    told = capsys.readouterr().out
    assert "part a: 7 measured, 5 of them failed, 0 left" in told
    assert "5 FAILED:\n  a  is wrong" in told


def test_what_is_finished_stays_and_what_failed_is_tried_again(out, cases):
    cases("first", "is wrong")
    assert call(out) == 1
    before = out.read_text()
    assert before.startswith(
        "# CPU of a test; tiny; torch\n$ python -m benchmarks.gpu --cpu --tiny"
    )
    cases("first", "second")
    assert call(out) == 0
    text = out.read_text()
    assert text.startswith(before[: before.index("a  is wrong")])
    assert [text.count(f"a  {name} ") for name in ("first", "second", "is wrong")] == [1, 1, 0]
    assert text.count("\n    of 2\n") == 2
    assert call(out) == 0
    assert out.read_text() == text
    assert call(out, "--again") == 0
    assert out.read_text() != text
    assert list(lines(out)) == ["first", "second"]


def test_a_line_that_a_kill_cut_is_measured_again(out, cases):
    cases("first", "second")
    assert call(out) == 0
    whole = out.read_text()
    out.write_text(whole[: whole.index("a  second") + 14])
    assert call(out) == 0
    assert lines(out) == dict.fromkeys(("first", "second"), ("ok", "off by 3"))


def test_figures_of_another_device_or_size_are_kept_and_not_taken(out, cases, monkeypatch):
    cases("first")
    assert call(out) == 0
    one = out.read_text()
    for head in ("CPU of a test; torch", "NVIDIA; tiny; torch"):
        monkeypatch.setattr(worker, "head", lambda _, head=head: head)
        assert call(out) == 0
    assert out.read_text().startswith(one)
    assert out.read_text().count("a  first") == 3


def test_what_does_not_fit_is_said_and_left(out, cases, capsys):
    cases("first", "sleeps", "second")
    assert call(out, "--minutes", "0.05") == 1
    assert lines(out)["sleeps"] == ("FAILED", "not done within 0.05 minutes")
    assert "left: second" in capsys.readouterr().out
    cases("first", "second")
    assert call(out) == 0
    assert list(lines(out)) == ["first", "second"]
    cases("first", "second", "third")
    assert call(out, "--total", "0") == 0
    assert "part a: 2 measured, 0 of them failed, 1 left" in capsys.readouterr().out


def test_without_a_gpu_it_says_so(monkeypatch, capsys):
    monkeypatch.setattr(worker, "head", lambda _: None)
    assert kit.main([]) == 2
    assert "no GPU is seen here" in capsys.readouterr().out


def test_a_head_says_device_versions_and_commit(tmp_path):
    head = worker.head(Setting(cpu=True, tiny=True, work=tmp_path))
    assert head.startswith("CPU, ")
    assert "; tiny; " in head
    assert f"torch {torch.__version__.partition('+')[0]}" in head
    assert f"sources {worker.sources()}" in head
    assert (
        worker.head(Setting(cpu=False, tiny=False, work=tmp_path)) is None
        or torch.cuda.device_count()
    )


def test_every_loss_family_and_checkpoint_is_there():
    everything = parts.jobs()
    cases = [case for jobs in everything.values() for some in jobs.values() for case in some]
    assert len(cases) == len(set(cases))
    assert {case.partition(",")[0] for case in everything["a"]["losses"]} == {*KINDS, "objective"}
    for name in families.FAMILIES.keys() - {"gnomon-tiny", "auto"}:
        assert f"step of {name}, 4 bits" in cases
    known = {c for f in families.FAMILIES for c in families.create(f).sizes}
    assert known.issuperset(parts.CHECKPOINTS)
    assert {job.split()[0] for jobs in everything.values() for job in jobs} == set(parts.MEASURE)


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(worker.SMALL_VOCABULARIES))
    return Setting(cpu=True, tiny=True, work=tmp_path)


def test_losses_are_held_against_float64(small, monkeypatch):
    measure = same.losses(small)
    for case in ("smmd, many digits, bfloat16", "objective, hidden states, float32"):
        assert measure(case).ok, case
    made = []

    def wrong(name, vocab):
        made.append(own(name, vocab))
        made[-1].weights = {part: 1 + 1e-4 * (len(made) - 1) for part in made[-1].parts}
        return made[-1]

    own = same.create
    monkeypatch.setattr(same, "create", wrong)
    found = measure("smmd, one digit, float32")
    assert not found.ok
    assert found.text.startswith("value off by 1.0e-04 (at most 1e-05)")


def test_nan_is_never_near():
    assert not same.verdict(
        ("value", same.difference(torch.tensor(torch.nan), torch.ones(1)), 9.0)
    ).ok


def test_a_step_is_held_against_the_cpus(tmp_path):
    folder = same.round_weights(build("qwen2", tmp_path / "qwen2"))
    found = {p: same.step("qwen2", folder, p, tmp_path / "out") for p in parts.PRECISIONS}
    for precision, step in found.items():
        assert same.compare(step, found, precision).ok, precision
        if precision in same.STEP:
            spoilt = {**step, "gradient": 1.05 * step["gradient"]}
        else:
            spoilt = {**step, "gradient": step["gradient"].roll(1)}
        told = same.compare(spoilt, found, precision)
        assert not told.ok, precision
        assert told.text.startswith("loss off by")


@pytest.mark.parametrize("name", ["qwen2-vl", "mllama"])
def test_a_checkpoint_without_weights_is_drawn_and_put_into_4_bits(name, tmp_path, monkeypatch):
    import small_models

    config = small_models.config_of(name, small_models.tokenizer_of(name))
    config.tie_word_embeddings = config.get_text_config().tie_word_embeddings = name == "qwen2-vl"
    monkeypatch.setattr(sizes, "known_config", lambda *_: config)
    sizes.without_weights(name, "a/b", tmp_path / "checkpoint")
    assert not list((tmp_path / "checkpoint").glob("*.safetensors"))
    with sizes.random_weights():
        once, again = (load(Model(name=str(tmp_path / "checkpoint"))).model for _ in range(2))
    assert len(quantized_layers(once)) == small_models.LINEAR[name]["language"]
    state = again.state_dict()
    assert all(torch.equal(tensor, state[key]) for key, tensor in once.state_dict().items())
    assert not any(parameter.is_meta for parameter in once.parameters())
    head = once.get_output_embeddings().weight
    assert (head is once.get_input_embeddings().weight) == (name == "qwen2-vl")
    assert 0.018 < head.std() < 0.022


def test_ways_whose_losses_differ_have_failed():
    assert sizes.are_equal(7.775, 7.78, 7.775)
    assert not sizes.are_equal(7.775, 7.9)
    assert not sizes.are_equal(7.775, float("nan"))
    assert not sizes.are_equal(float("nan"), 7.775)


def test_a_wheel_needs_what_is_carried_or_there():
    pins = wheels.pinned((ROOT / "constraints.txt").read_text())
    assert "trl==1.16.0" in pins
    mine = "mine-1.0-py3-none-any.whl"
    needs = {
        mine: ["torch<2.12", "other>=2", "pillow>=99", "tomli; python_version < '3.11'",
               "pytest; extra == 'dev'"],
        "other-2.1-py3-none-any.whl": [],
    }  # fmt: skip
    assert wheels.unmet_needs(needs) == []
    needs[mine] = ["torch>=2.13", "other<2", "nowhere"]
    assert wheels.unmet_needs(needs) == [
        f"{mine} needs torch>=2.13, and it is 2.11.0",
        f"{mine} needs other<2, and it is 2.1",
        f"{mine} needs nowhere, which is neither carried nor there",
    ]


WHOLE = ["-m", "benchmarks.gpu", "--cpu", "--tiny", "--total", "60", "--minutes", "30"]


@pytest.mark.long
def test_the_whole_of_it_in_small_goes_on_after_a_kill(tmp_path):
    out = tmp_path / "gpu.txt"
    words = [sys.executable, *WHOLE, "--out", str(out), "--work", str(tmp_path / "work")]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    while not out.exists() or out.read_text().count("\n") < 20:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = out.read_text()
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    print(done.stdout[-5000:])
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    text = out.read_text()
    assert text.startswith(before[: before.rfind("\n") + 1])
    found = [line[3:45].strip() for line in text.splitlines() if line[:3] in ("a  ", "c  ")]
    everything = [c for jobs in parts.jobs().values() for cases in jobs.values() for c in cases]
    assert sorted(found) == sorted(everything)
