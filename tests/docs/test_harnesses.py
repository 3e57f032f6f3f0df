"""Tasks of the page on other harnesses, opened and scored by lmms-eval and Inspect themselves.

Of three answers one is the truth, one is that of another question, and one has no number.
"""

import importlib.util
import json
import re
import shlex
from math import isnan
from pathlib import Path

import pytest
from command_toys import gnomon

from gnomon import eval as evaluation
from gnomon.generators import create
from gnomon.sample import Prediction

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/howto/elsewhere.md").read_text()
N = 8
KINDS = {"clocks": "clock", "gauges": "gauge", "meters": "counter", "charts": "chart"}

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    """The folders that the page's commands write, in small."""
    folder = tmp_path_factory.mktemp("harness")
    commands = re.findall(r"^    gnomon (export .* --out sets/.*)$", PAGE, re.MULTILINE)
    for command in commands:
        words = shlex.split(command.replace("--n 500", f"--n {N}"))
        assert gnomon(*words[:-1], folder / words[-1]) == 0
    assert sorted(file.name for file in (folder / "sets").iterdir()) == sorted(KINDS)
    return folder / "sets"


def rows_of(folder):
    return [json.loads(line) for line in (folder / "data.jsonl").read_text().splitlines()]


def replies(rows):
    """What the model says to each row."""
    others = [*rows[1:], rows[0]]
    return [
        ("I cannot say.", row["answer"], other["answer"])[index % 3]
        for index, (row, other) in enumerate(zip(rows, others, strict=True))
    ]


def figures(name, rows):
    """The figures of `gnomon score` for the same answers, by type and metric."""
    kind = create(KINDS[name], split="test")
    samples = [kind[index] for index in range(N)]
    answers = [
        Prediction(row["id"], said, tuple(row["size"]), row["dialect"])
        for row, said in zip(rows, replies(rows), strict=True)
    ]
    return {
        f"{answer_type}_{result.name}": result.estimate.value
        for answer_type, summary in evaluation.score(answers, samples).summaries.items()
        for result in summary.results
        if result.estimate.value is not None
    }


def test_lmms_eval_finds_asks_and_scores_them(sets):
    pytest.importorskip("lmms_eval", reason="it is not installed: make test-others")
    from lmms_eval.api.model import lmms
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    class Replies(lmms):
        def generate_until(self, requests):
            return [self.reply(*request.args) for request in requests]

        def reply(self, text, options, visual, index, task, split):
            rows = list(self.task_dict[task][split])
            row = rows[index]
            assert text == row["question"]
            assert [picture.size for picture in visual(row)] == [tuple(row["size"])]
            assert options["until"] == []
            return replies(rows)[index]

        loglikelihood = generate_until_multi_round = generate_until

    (tasks,) = re.findall(r"--include_path sets --tasks (\S+)", PAGE)
    found = simple_evaluate(
        Replies(),
        tasks=tasks.split(","),
        task_manager=TaskManager(include_path=str(sets), include_defaults=False),
        batch_size=1,
        bootstrap_iters=0,
    )
    for name in KINDS:
        (values,) = (v for task, v in found["results"].items() if task == f"gnomon_{name}")
        named = {key.partition(",")[0]: value for key, value in values.items()}
        expected = figures(name, rows_of(sets / name))
        assert {key: named[key] for key in expected} == pytest.approx(expected), name


@pytest.mark.parametrize("name", KINDS)
def test_inspect_asks_and_scores_them(sets, tmp_path, name):
    pytest.importorskip("inspect_ai", reason="it is not installed: make test-others")
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    spec = importlib.util.spec_from_file_location("task", ROOT / "examples/inspect_task.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows = rows_of(sets / name)
    outputs = [ModelOutput.from_content("mockllm/model", said) for said in replies(rows)]
    for output in outputs:
        output.usage = ModelUsage()  # it would be counted with a tokenizer from the network
    (log,) = evaluate(
        module.gnomon(str(sets / name)),
        model=get_model("mockllm/model", custom_outputs=outputs),
        log_dir=str(tmp_path),
        display="none",
        max_samples=1,
    )
    assert log.status == "success"
    assert [part.type for part in log.samples[0].input[0].content] == ["image", "text"]
    means = {score.name: score.metrics["mean"].value for score in log.results.scores}
    found = {key: value for key, value in means.items() if not isnan(value)}
    expected, names = figures(name, rows), module.metric_names(rows)
    assert found == pytest.approx({key: expected[key] for key in names if key in expected})
    assert len(found) >= 9
