"""Asks a model about pictures that gnomon did not draw, and about its own held-out styles.

python -m benchmarks.transfer --kind clock                    # trains gnomon-tiny, and asks it
python -m benchmarks.transfer --kind clock --without hands    # what is lost without that variety
python -m benchmarks.transfer --kind clock hands='[baton]'    # the same, by the kind's options
python -m benchmarks.transfer --kind clock --model gnomon-tiny --n 60   # trains nothing
python -m benchmarks.transfer --kind chart --model runs/my-charts --designs

Pictures, answers and the trained model stay under --out, and the same command goes on there.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.transfer import renderers, table
from benchmarks.transfer.sources import ANSWERS, Drawer, OwnStyles, written
from benchmarks.transfer.training import STEPS, WITHOUT, recipe_of
from gnomon.eval.scoring.predictions import PredictionFile
from gnomon.pipeline import families
from gnomon.progress import note
from gnomon.runs.answer_file import answer_exam
from gnomon.runs.answer_scores import score_file
from gnomon.runs.exam import Exam
from gnomon.runs.model_arguments import resolve_model, trained_run
from gnomon.runs.training import train_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.eval import RunResult
    from gnomon.recipe import Recipe, Source


@dataclass(frozen=True)
class Asked:
    """A model, and the folder that keeps its answers."""

    name: str
    recipe: Recipe
    run: Path | None
    """The run that trained it; None for a model as it came."""
    answers: Path

    def answer(self, source: Source, name: str, n: int) -> tuple[RunResult, Path]:
        """Its answers to n questions of a source, scored; none is asked twice."""
        file = self.answers / f"{name}.jsonl"
        if not (file.is_file() and len(PredictionFile(file)) >= n):
            exam = Exam((source,), "test", 0, n)
            answer_exam(self.recipe, exam, file, run=self.run)
        return score_file(file, name=name), file


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; the exit code is 2 where something is missing."""
    words = sys.argv[1:] if arguments is None else arguments
    given = _parser().parse_args(words)
    if not sys.stderr.isatty():  # transformers' bars, which fill a log; read when tqdm is imported
        os.environ["TQDM_DISABLE"] = "1"
    try:
        chosen = _chosen(given)
        found = table.text(ANSWERS[given.kind], _rows(given, chosen, _model(given)))
    except (ValueError, OSError) as error:
        print(f"transfer: {error}", file=sys.stderr)
        return 2
    print(f"$ python -m benchmarks.transfer {shlex.join(words)}\n{found}")
    return 0


def _chosen(given: argparse.Namespace) -> list[renderers.Renderer]:
    """The renderers to ask about; a ValueError says what has to be installed first."""
    for name in ("n", "steps", "shrink"):
        if (value := getattr(given, name)) is not None and value < 1:
            raise ValueError(f"--{name} {value}: give 1 or more")
    named = given.only or [renderer.name for renderer in renderers.of(given.kind)]
    chosen = [renderer for renderer in renderers.of(given.kind) if renderer.name in named]
    if unknown := set(named) - {renderer.name for renderer in chosen}:
        known = ", ".join(renderer.name for renderer in renderers.of(given.kind))
        raise ValueError(
            f"--only {' '.join(sorted(unknown))}: of {given.kind} give some of {known}"
        )
    if missing := [renderer.missing for renderer in chosen if renderer.missing]:
        here = " ".join(renderer.name for renderer in chosen if not renderer.missing)
        way_out = [f"or ask about the others alone: --only {here}"] if here else []
        raise ValueError("\n".join([*missing, *way_out]))
    return chosen


def _model(given: argparse.Namespace) -> Asked:
    """The model that was named, or one that is trained first."""
    if given.model is None:
        parts = [given.kind, *(["without", given.without] if given.without else []), *given.options]
        run = given.out / "trained" / _file_name("-".join([*parts, str(given.steps)]))
        resolved = recipe_of(
            given.kind, steps=given.steps, without=given.without, overrides=tuple(given.options)
        )
        note(f"training gnomon-tiny for {given.steps} steps in {run}")
        train_run(resolved, run)
        return Asked(run.name, resolved.recipe, run, given.out / "answers" / run.name)
    if given.without or given.options:
        raise ValueError("--without and options are of a training: leave --model out")
    plain = ["model.load_in_4bit=false"] if given.model in families.EMBEDDED else []
    words = [*plain, "eval.batch_size=64", "eval.max_new_tokens=12"]
    recipe, run = resolve_model(given.model, given.kind, words).recipe, trained_run(given.model)
    name = _file_name(Path(given.model).name)
    weights = _weights(Path(families.locate(given.model)) if run is None else run)
    return Asked(name, recipe, run, given.out / "answers" / f"{name}-{weights}")


def _rows(
    given: argparse.Namespace, chosen: Sequence[renderers.Renderer], asked: Asked
) -> list[table.Row]:
    rows = []
    own = OwnStyles(given.kind)
    bars: dict[str, table.Pairs] = defaultdict(list)
    drawers: list[Drawer] = [own, *chosen]
    for drawer in drawers:
        for wear in (False, True):
            source = written(
                drawer, given.out / "pictures", given.n, wear=wear, shrink=given.shrink
            )
            place, worn = Path(source.path or ""), ", worn" * wear
            note(f"asking {asked.name} about {drawer.title}{worn}")
            run, file = asked.answer(source, f"{place.parent.name}-{place.stem}", given.n)
            pairs = table.pairs_of(run, file)
            rows.append(table.row(f"{drawer.title}{worn}", pairs))
            designs = table.by_design(pairs, drawer.designs)
            if given.designs and len(designs) > 1:
                rows += [table.row(f"    {name}", part) for name, part in designs.items()]
            if "lying bar" in designs:  # such a source asks all forms of questions
                title = f"{'own' if drawer is own else 'other'} bars{worn}"
                bars[title] += designs["bar"] + designs["lying bar"]
    for title, pairs in bars.items():
        rows += [table.row(f"{title}: {form}", part) for form, part in table.by_form(pairs).items()]
    return rows


def _weights(place: Path) -> str:
    """A short hash of a model's weights, so that answers of others are never taken for its own."""
    digest = sha256()
    for file in sorted(place.rglob("*.safetensors")):
        if "checkpoints" not in file.parts:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:8]


def _file_name(text: str) -> str:
    return "".join(c if c.isalnum() or c in "-._=" else "_" for c in text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.transfer",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "options", nargs="*", help="key=value, options of the kind that is trained on"
    )
    parser.add_argument("--kind", choices=renderers.KINDS, default="clock")
    parser.add_argument(
        "--model", help="a run, a model's directory or gnomon-tiny; nothing is trained"
    )
    parser.add_argument("--n", type=int, default=300, help="pictures of each source (300)")
    parser.add_argument(
        "--steps", type=int, default=STEPS, help=f"of the training, 64 pictures each ({STEPS})"
    )
    parser.add_argument(
        "--without",
        metavar="NAME",
        help="a source of variety to leave out: "
        + "; ".join(f"{kind}: {', '.join(names)}" for kind, names in WITHOUT.items()),
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        help="these renderers alone: " + ", ".join(renderers.RENDERERS),
    )
    parser.add_argument("--designs", action="store_true", help="a row for each design, too")
    parser.add_argument(
        "--shrink", type=int, metavar="PIXELS", help="make pictures no larger first"
    )
    parser.add_argument("--out", type=Path, default=Path("runs/transfer"))
    return parser


if __name__ == "__main__":
    sys.exit(main())
