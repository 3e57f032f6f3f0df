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
        "families/test_training.py::test_loss_and_gradient_are_those_of_stock_trl",
    ),
    "accumulated": (
        "Accumulated batches make the same step as one large batch",
        "families/test_training.py::test_accumulated_batches_are_one_batch",
    ),
    "two processes": (
        "Two processes with half a batch each make the same step as one with all of it",
        "training/test_two_processes.py::test_two_processes_are_one_in_every_family",
    ),
    "checkpointed": (
        "Activation checkpointing changes no step",
        "families/test_training.py::test_activation_checkpointing_changes_no_step",
    ),
    "4 bits": (
        "Only the language layers are in 4 bits, and a step moves only the adapters",
        "families/test_contract.py::test_exactly_the_language_layers_are_in_4_bits",
        "families/test_training.py::test_a_qlora_step_moves_every_adapter_and_nothing_else",
    ),
    "resumed": (
        "A killed run continues to the same weights, to the bit",
        "families/test_training.py::test_a_killed_run_goes_on_to_the_same_bits",
    ),
    "plain PEFT": (
        "Its adapter opens in plain transformers and PEFT",
        "families/test_training.py::test_its_adapter_opens_in_plain_transformers_and_peft",
    ),
    "merged": (
        "The merged model answers as the run did, in plain transformers",
        "families/test_training.py::test_merged_it_answers_as_the_run_does_in_plain_transformers",
    ),
    "alone": (
        "The batch size changes no answer",
        "families/test_contract.py::test_a_sample_is_scored_the_same_alone_and_among_others",
        "families/test_contract.py::test_the_batch_size_changes_no_answer",
    ),
    "ends": (
        "Only the answer and its end are supervised",
        "families/test_contract.py::test_the_supervised_text_is_exactly_the_answer_and_its_end",
    ),
    "belief": (
        "Asking for all answers in one pass gives each the probability that it has alone",
        "answering/test_belief.py::test_every_family_believes_what_each_answer_alone_says",
    ),
    "real tokenizer": (
        "Prompts and answers are right in the real tokenizer; no: no package ships that",
        "families/test_true_checkpoints.py::test_an_answer_is_supervised_token_by_token_and_ends",
    ),
}
"""By the column's name: what holds, and the tests that show it."""
HEAD = """\
# Families and their tests

A family is an architecture that gnomon knows. [Other architectures](models.md) may work without a
family. Tests build each family in small with random weights. A ✓ marks a test that `make test` or
`make test-slow` runs, and *long* a test that `make test-long` runs. gnomon-tiny has Qwen2-VL's
architecture and is tested with it.

The tests run under the releases of `constraints.txt`. The tests of *4 bits* and *ends* also pass
under the oldest and the newest releases that `pyproject.toml` allows: [Supported
releases](releases.md).

**The last column** says when `make test-hub` last passed. It compares templates, picture settings,
sizes, tokenizers and ends with well-known checkpoints on the hub. *never* means that gnomon takes
these facts from public sources, which the family's file names, and that nobody has compared them
with a checkpoint yet.

`python docs/families.py` writes this page from pytest's list of tests.
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
            test, called = (
                f"{item.path.relative_to(TESTS).as_posix()}::{item.originalname}",
                item.callspec.params.values(),
            )
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
        ["family", *LINES, "hub check"],
        ["---", *[":-:"] * (len(LINES) + 1)],
        *([name, *(cell(found, line, name) for line in LINES), hub_check(name)] for name in names),
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


def hub_check(name: str) -> str:
    """Date on which `make test-hub` last passed for the family."""
    return families.load(name).hub_check_date


if __name__ == "__main__":
    written = Path(sys.argv[1]) if sys.argv[1:] else HERE / "families.md"
    written.write_text(page(collected()), encoding="utf-8")
