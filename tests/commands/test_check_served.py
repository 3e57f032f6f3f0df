"""gnomon check-served: a server that answers as the run did, or otherwise."""

import json
import re

import pytest
from command_toys import finished_run
from quick import quick
from reply_server import answer, reply_server

from gnomon.pipeline.answering.server import _data_uri
from gnomon.runs.resolve import resolve

N = 24


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run's directory as `gnomon run` leaves it; all right, once it is trained."""
    values = {
        "data": [{"kind": "clock", "options": {"size": 84}}],
        "model": {"load_in_4bit": False, "dtype": "bfloat16"},
        "train": {"vision": "lora"},
        "eval": {"samples": N},
    }
    answers = {"before": lambda _: "01:00", "after": lambda sample: sample.target.display()}
    folder = tmp_path_factory.mktemp("run") / "clocks"
    finished_run(folder, values, answers, settings={"max_new_tokens": 8})
    (folder / "adapter").mkdir()
    return folder


@pytest.fixture(scope="module")
def url(run):
    """A server of several models."""
    exam = list(resolve(run / "recipe.yaml").exam)
    right = {_data_uri(sample.image): sample.target.display() for sample in exam}
    half, one = list(right)[: N // 2], list(right)[:1]
    models = {
        "reader": {uri: f" {text}\n" for uri, text in right.items()},
        "wordy": {uri: f"It is {text}." for uri, text in right.items()},
        "rounded": right | dict.fromkeys(one, "06:31"),
        "base": right | dict.fromkeys(half, "01:00"),
        "endless": {uri: f"{text} or 06:31" for uri, text in right.items()},
        "thinking": dict.fromkeys(right, ""),
        "blind": dict.fromkeys(right, "06:31"),
        "short": None,
    }

    def reply(request):
        if request is None:
            return 200, {"data": [{"id": name} for name in models]}
        name = request["model"]
        if name not in models:
            return 404, {"error": {"message": "The model does not exist."}}
        if models[name] is None:
            message = "This model's maximum context length is 16 tokens."
            return 400, {"error": {"message": message}}
        picture, _ = request["messages"][0]["content"]
        text = models[name][picture["image_url"]["url"]]
        return answer(text, finish_reason="length" if name == "thinking" else "stop")

    with reply_server(reply) as server:
        yield server.url


@pytest.fixture
def check(run, url, cli):
    """What is printed of a model of that server, and the exit code that it has to have."""
    return lambda model, *words, code=0: (
        cli("check-served", run, "--server", url, "--model", model, *words, code=code).out
    )


def test_a_server_that_answers_as_the_run_did_passes(check):
    output = check("reader")
    assert re.search(r"Exactly right +100\.0 % \[86\.\d, 100\.0\] +100\.0 %", output)
    assert re.search(r"Same text +100\.0 % \[86\.2, 100\.0\]", output)
    assert output.endswith("reader answers as the run did.\n")


def test_other_words_for_the_same_are_told_and_pass(check):
    output = check("wordy")
    assert re.search(r"Same text +0\.0 %.*\nSame value +100\.0 %", output)
    assert output.endswith("wordy answers as the run did.\n")


def test_one_answer_of_many_is_allowed_unless_you_ask_for_more(check):
    output = check("rounded", "--at-once", 3)
    assert re.search(r"Same value +95\.8 % \[79\.8, 99\.3\]", output)
    assert "docs/serving.md" in output
    check("rounded", "--least", 0.99, code=1)


@pytest.mark.parametrize("model", quick(["base", "endless", "thinking", "blind"], "base"))
def test_a_server_that_answers_otherwise_is_found_out(check, model):
    assert f"{model} does NOT answer as the run did" in check(model, code=1)


@pytest.mark.slow
def test_the_pairs_that_differ_are_printed_and_stand_in_the_report(run, check, tmp_path):
    page = tmp_path / "served.html"
    output = check("base", "--samples", 16, "-o", page, code=1)
    first = resolve(run / "recipe.yaml").exam.pool[0]
    assert re.search(rf"{first.id} .*'{first.target.display()}' .*'01:00'", output)
    assert "and 2 more" in output
    assert "served is worse than run" in output
    report = json.loads(page.with_suffix(".json").read_text())
    assert [kinds["time"]["n"] for kinds in report["runs"].values()] == [16, 16]
    assert "data:image/" in page.read_text()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--model", "short"], 1, "with 400: "),
        (["--model", "nobody"], 1, "refused 'nobody' with 404 (it has reader, wordy,"),
        ([], 2, "has reader, wordy, rounded, base,"),
    ],
)
def test_what_the_server_refuses_is_one_line(run, url, cli, words, code, message):
    error = cli("check-served", run, "--server", url, *words, code=code).err
    assert message in error
    assert error.splitlines()[-1].startswith("gnomon")


def test_without_a_server_or_answers_it_says_so_at_once(run, tmp_path, cli):
    nobody = ("--server", "http://127.0.0.1:9/v1")
    refusal = cli("check-served", run, *nobody, "--model", "m", code=1).err
    assert "gnomon: http://127.0.0.1:9/v1 cannot be reached: " in refusal
    assert "is not a run" in cli("check-served", tmp_path, *nobody, code=2).err
    (tmp_path / "recipe.yaml").write_bytes((run / "recipe.yaml").read_bytes())
    refusal = cli("check-served", tmp_path, *nobody, code=2).err
    assert "holds no answers of what it trained: `gnomon predict" in refusal
