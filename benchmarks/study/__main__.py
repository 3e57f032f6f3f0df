"""The study on photographs: its runs and its tables.

python -m benchmarks.study run /work/photographs --workers 2   # or the same in two terminals
python -m benchmarks.study report                    # tables of what has run, and what is missing
python -m benchmarks.study report --stopped          # once no more will run
python -m benchmarks.study report --write            # docs/study.md with its figure
python -m benchmarks.study smoke FOLDER              # every block with two steps; nothing is stored

FOLDER has needles.zip and digits.zip. Outcomes lie in benchmarks/study/outcomes; after a kill, the
same command goes on. The study of sums and drawn clocks has run.py and report.py beside this file.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.study.photographs import plan


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked for; the exit code is 2 where it cannot be done."""
    options = _parser().parse_args(arguments)
    # Read by torch and tokenizers when they are imported, here and in the workers.
    os.environ.update(OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false", TQDM_DISABLE="1")
    try:
        options.act(options)
    except (ValueError, OSError, RuntimeError) as error:
        print(f"study: {error}", file=sys.stderr)
        return 2
    return 0


def _run(options: argparse.Namespace) -> None:
    from benchmarks.study.photographs import run
    from benchmarks.study.photographs.cell import Place

    place = Place(options.folder.resolve(), options.work.resolve())
    run.run(plan.OUTCOMES, place, options.workers)


def _smoke(options: argparse.Namespace) -> None:
    from benchmarks.study.photographs import run
    from benchmarks.study.photographs.cell import Place

    strengths = {method: strengths[-1] for method, strengths in plan.STRENGTHS.items()}
    cells = [plan.block_cells(block, strengths)[-1] for block in plan.BLOCKS]
    with tempfile.TemporaryDirectory() as work:
        run.smoke(cells, Place(options.folder.resolve(), Path(work), shorten=2))


def _report(options: argparse.Namespace) -> None:
    from benchmarks.study import page
    from benchmarks.study.photographs import outcomes, report

    stored = outcomes.read(plan.OUTCOMES)
    print(report.text(stored, is_over=options.stopped))
    if options.write:
        page.write(stored, is_over=options.stopped)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.study", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    verbs = parser.add_subparsers(required=True)
    run = verbs.add_parser("run", help="run the cells without an outcome")
    run.add_argument("folder", type=Path, help="folder with needles.zip and digits.zip")
    run.add_argument("--workers", type=int, default=1, help="processes of one thread each")
    run.add_argument("--work", type=Path, default=plan.ROOT / "runs" / "study",
                     help="folder for photographs, weights and claims")  # fmt: skip
    run.set_defaults(act=_run)
    smoke = verbs.add_parser("smoke", help="two steps of every block")
    smoke.add_argument("folder", type=Path, help="folder with needles.zip and digits.zip")
    smoke.set_defaults(act=_smoke)
    report = verbs.add_parser("report", help="print the tables")
    report.add_argument("--stopped", action="store_true",
                        help="the runs are over: count the seeds that are complete")  # fmt: skip
    report.add_argument("--write", action="store_true", help="docs/study.md and its figure, too")
    report.set_defaults(act=_report)
    return parser


if __name__ == "__main__":
    sys.exit(main())
