"""Writes docs/families.md: which test shows each line of the contract, for each family.

python docs/families.py
"""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from gnomon.pipeline import families

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests" / "pipeline"
LINES = {
    "stock TRL": (
        "Loss and gradient are those of TRL's own trainer on one batch",
        "test_family_steps.py::test_loss_and_gradient_are_those_of_stock_trl",
    ),
    "accumulated": (
        "Batches that are accumulated are one batch",
        "test_family_steps.py::test_accumulated_batches_are_one_batch",
    ),
    "two processes": (
        "Two processes on half a batch each are one process on all of it",
        "test_two_processes.py::test_two_processes_are_one_in_every_family",
    ),
    "checkpointed": (
        "Activation checkpointing changes no step",
        "test_families.py::test_activation_checkpointing_changes_no_step",
    ),
    "4 bits": (
        "The language layers and no other are in 4 bits, and a step moves the adapters alone",
        "test_families.py::test_exactly_the_language_layers_are_in_4_bits",
        "test_families.py::test_a_qlora_step_moves_every_adapter_and_nothing_else",
    ),
    "resumed": (
        "A run that was killed goes on to the same bits",
        "test_family_lives.py::test_a_killed_run_goes_on_to_the_same_bits",
    ),
    "plain PEFT": (
        "Its adapter opens in plain transformers and PEFT",
        "test_family_lives.py::test_its_adapter_opens_in_plain_transformers_and_peft",
    ),
    "merged": (
        "Merged it answers as the run did, in plain transformers",
        "test_family_lives.py::test_merged_it_answers_as_the_run_does_in_plain_transformers",
    ),
    "alone": (
        "An answer alone is the answer in a batch",
        "test_families.py::test_a_sample_is_scored_the_same_alone_and_among_others",
        "test_families.py::test_the_batch_size_changes_no_answer",
    ),
    "ends": (
        "What is supervised is the answer and its end, and nothing else",
        "test_families.py::test_the_supervised_text_is_exactly_the_answer_and_its_end",
    ),
    "belief": (
        "The probability of each listed answer is that of the answer by itself",
        "test_belief.py::test_every_family_believes_what_each_answer_alone_says",
    ),
    "real tokenizer": (
        "Prompts and answers in the tokenizer that a package ships",
        "test_real_prompts.py::test_a_time_is_supervised_token_by_token_and_ends",
    ),
}
"""By the column's name: what holds, and the tests that show it."""
HEAD = """\
# Families and what is shown of them

By `python docs/families.py`, which asks pytest what there is. A family's architecture is built in
small with random weights, and every ✓ is a test that `make test` runs on it; *long* is one that
`make test-long` runs. The embedded gnomon-tiny is of Qwen2-VL's architecture and has its tests.
What `family: auto` finds out of other architectures is said in [models.md](models.md).

`make test` runs under the newest releases that `pyproject.toml` allows: transformers 5.23, TRL
1.16, PEFT 0.21 and bitsandbytes 0.50. The quick part of the contract passes under the lines before
them, too, 5.22, 1.15, 0.20 and 0.49
([benchmarks/results/matrix.txt](../benchmarks/results/matrix.txt), by `make test-matrix`).

The last column says when `make test-hub` last passed, which compares templates, picture settings,
sizes, tokenizers and ends with those in the repositories of well-known checkpoints. *never* means
that they are as public sources have them, which the family's file names, and that nobody saw them
work on the true weights yet.
"""


class Collected:
    """A pytest plugin that keeps what was collected, and runs none of it."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], bool] = {}
        """By test and family: whether it is one of the long ones."""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the tests of families."""
        for item in items:
            test, called = f"{item.path.name}::{item.originalname}", item.callspec.params.values()
            for name in families.FAMILIES:
                if name in [value for value in called if isinstance(value, str)]:
                    self.found[test, name] = item.get_closest_marker("long") is not None


def collected() -> dict[tuple[str, str], bool]:
    """Every test of the contract there is, and whether it is a long one."""
    plugin = Collected()
    tests = [f"{TESTS}/{test}" for _, *shown in LINES.values() for test in shown]
    with redirect_stdout(StringIO()):
        code = pytest.main(
            [*tests, "--collect-only", "-m", "", "-p", "no:cacheprovider"], plugins=[plugin]
        )
    assert code == pytest.ExitCode.OK
    return plugin.found


def page(found: dict[tuple[str, str], bool]) -> str:
    """The page of what was found."""
    names = [name for name in families.FAMILIES if name in {family for _, family in found}]
    rows = [
        ["family", *LINES, "met the hub"],
        ["---", *[":-:"] * (len(LINES) + 1)],
        *([name, *(cell(found, line, name) for line in LINES), met(name)] for name in names),
    ]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    shown = "\n".join(
        f"- **{line}**: {text}. {', '.join(f'`{test}`' for test in tests)}"
        for line, (text, *tests) in LINES.items()
    )
    return f"{HEAD}\n{table}\n\nThe columns, and their tests in `tests/pipeline`:\n\n{shown}\n"


def cell(found: dict[tuple[str, str], bool], line: str, name: str) -> str:
    """Whether a line is shown of a family, and by what."""
    _, *tests = LINES[line]
    if any((test, name) not in found for test in tests):
        return "no"
    return "long" if any(found[test, name] for test in tests) else "✓"


def met(name: str) -> str:
    """When its checkpoints last met the hub."""
    return families.load(name).met_the_hub


if __name__ == "__main__":
    written = Path(sys.argv[1]) if sys.argv[1:] else HERE / "families.md"
    written.write_text(page(collected()), encoding="utf-8")
