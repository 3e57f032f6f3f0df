"""The verbs. Nothing heavy is imported before a verb needs it.

Exit codes: 0 done, 1 failed, 2 wrong use.
"""

from __future__ import annotations

import argparse
import logging
import os
import select
import shutil
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; its exit code."""
    parser = _parser()
    given, late = parser.parse_known_args(arguments)
    for word in late:  # argparse takes no positionals after an option
        if word.startswith("-") or "=" not in word or "overrides" not in given:
            parser.error(f"{word!r} is not understood; see gnomon {given.verb} --help")
        given.overrides.append(word)
    if given.verb is None:
        parser.print_help()
        return 2
    from gnomon.names import UnknownNameError
    from gnomon.recipe import RecipeError

    _quiet()
    try:
        code: int = given.run(given) or 0
        sys.stdout.flush()
        return code
    except (RecipeError, UnknownNameError) as error:
        return _failed(error, 2)
    except BrokenPipeError as error:
        return 141 if _no_one_reads() else _failed(error, 1)
    except (ValueError, OSError) as error:
        return _failed(error, 1)
    except ModuleNotFoundError as error:
        if (error.name or "gnomon").startswith("gnomon"):
            raise
        return _failed(f"{error.name} is not here: pip install 'gnomon[train]'", 1)
    except KeyboardInterrupt:
        return _failed("interrupted; the same command goes on where it stopped", 130)


def _no_one_reads() -> bool:
    """Whether the pipe that is broken is our own output's: `gnomon ls | head` is no failure."""
    asked = select.poll()
    asked.register(sys.stdout, 0)
    if not any(event & (select.POLLERR | select.POLLHUP) for _, event in asked.poll(0)):
        return False
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at the end
    return True


def _failed(error: object, code: int) -> int:
    from tqdm import tqdm

    told = str(error).strip()
    if "Traceback (most recent call last)" in told:
        # A data loader's process hands on all it saw; what was wrong is the last line.
        told = told.rpartition("\n")[2].partition(": ")[2]
    for bar in list(getattr(tqdm, "_instances", ())):  # else the message stands at the end of a bar
        bar.close()
    print(f"gnomon: {told}", file=sys.stderr)
    return code


def _quiet() -> None:
    """Other libraries' notes on their own future are not our users' business."""
    warnings.filterwarnings("ignore", category=FutureWarning)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    for name in ("bitsandbytes", "transformers", "huggingface_hub"):
        logging.getLogger(name).setLevel(logging.ERROR)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")


def ls(given: argparse.Namespace) -> None:
    """Names that recipes and verbs take."""
    from gnomon import listing

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    print(listing.table(given.what, width=width))


def cp(given: argparse.Namespace) -> None:
    """A recipe that comes with gnomon, to be changed."""
    from gnomon import recipe

    source = recipe.find(given.config)
    to = Path(given.dest or source.name)
    to = to / source.name if to.is_dir() else to
    if to.exists():
        raise FileExistsError(f"{to} is there already; nothing was copied")
    to.write_bytes(source.read_bytes())
    print(to)


def preview(given: argparse.Namespace) -> None:
    """A contact sheet of a kind, or of what a recipe's model will see; or one sample's tokens."""
    from gnomon import data

    drawn = {"split": given.split, "seed": given.seed}
    if given.tokens:
        print(data.token_table(given.what, given.overrides, **drawn))
        return
    data.preview(given.what, given.overrides, n=given.n, **drawn).save(given.out)
    print(given.out)


def generate(given: argparse.Namespace) -> None:
    """A dataset directory."""
    from gnomon import data, store

    samples = data.samples_of(given.what, given.overrides, split=given.split, seed=given.seed)
    store.write(
        samples,
        given.out,
        n=given.n,
        split=given.split,
        workers=given.workers,
        engine=given.engine,
        format=given.format,
        license=given.license,
    )
    print(given.out)


def verify(given: argparse.Namespace) -> int:
    """Whether a dataset directory is as it was written."""
    from gnomon import store

    problems = store.verify(given.dir, redraw=given.redraw)
    for problem in problems:
        print(problem)
    many = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    print(f"{given.dir}: {many if problems else 'sound'}")
    return 1 if problems else 0


def stats(given: argparse.Namespace) -> int:
    """What is in a dataset, and what its splits share."""
    import json

    from gnomon import data

    found = data.stats(
        given.what, given.overrides, n=given.n, seed=given.seed, workers=given.workers
    )
    print(json.dumps(found.to_json(), ensure_ascii=False, indent=1) if given.json else found)
    return 1 if found.leaks else 0


def export(given: argparse.Namespace) -> None:
    """Samples for those who train elsewhere."""
    from gnomon import data

    out = data.export(
        given.what,
        given.overrides,
        form=given.to,
        family=given.family,
        out=given.out,
        split=given.split or ("test" if given.to == "lmms-eval" else "train"),
        n=given.n,
    )
    print(out)


def plan(given: argparse.Namespace) -> int:
    """What a recipe will take, before anything is spent."""
    from gnomon import road

    opened = road.open_recipe(given.recipe, given.overrides)
    return 0 if road.plan(opened, config_only=given.config_only, gib=given.memory) else 1


def train(given: argparse.Namespace) -> None:
    """Fine-tune by a recipe."""
    from gnomon import road

    opened = road.open_recipe(given.recipe, given.overrides)
    trained = road.train(opened, _out(given))
    if os.environ.get("RANK", "0") == "0":  # of several processes, one says it
        print(trained)


def predict(given: argparse.Namespace) -> None:
    """A run's or a model's answers."""
    from gnomon import road

    if given.data is not None and "=" in given.data:  # no DATA, and an override in its place
        given.data, given.overrides = None, [given.data, *given.overrides]
    if given.belief:
        given.overrides.append("eval.belief=true")
    if given.server:
        given.overrides.append(f"model.server={given.server}")
    asked = road.asked(given.model, given.data, given.overrides)
    if asked.folder is not None:
        out = _called(given.out or Path("answers.csv"), ".csv", "answers about a folder")
        n = road.read_pictures(asked.recipe, asked.folder, given.question, out, run=asked.run)
        print(f"{out}: {n} answers")
        return
    out = _called(given.out or asked.file, ".jsonl", "answers to a data set")
    print(road.predict(asked.recipe, asked.exam, out, run=asked.run))


def score(given: argparse.Namespace) -> None:
    """Scores and a report of answers."""
    from gnomon import road

    file = given.predictions
    scored = [road.score(file)] if file.is_file() else road.results(file)
    out = given.out or (file / "report.html" if file.is_dir() else file.with_suffix(".html"))
    road.report(scored, out, road.pictures_of(file))


def run(given: argparse.Namespace) -> None:
    """The straight road."""
    from gnomon import road

    opened = road.open_recipe(given.recipe, given.overrides)
    road.run(opened, _out(given), workers=given.workers)


def demo(given: argparse.Namespace) -> None:
    """The straight road on the embedded model."""
    given.recipe = "demo"
    run(given)


def compare(given: argparse.Namespace) -> None:
    """Runs beside each other."""
    from gnomon import road

    road.compare(given.runs, given.out, beside=given.beside)


def merge(given: argparse.Namespace) -> None:
    """A run's adapter and its base as one model."""
    from gnomon import road

    found = road.merge(given.of, given.out, samples=given.samples, push_to=given.push_to_hub)
    print(f"{given.out}: {found}")


def _out(given: argparse.Namespace) -> Path:
    out: Path = given.out or Path("runs") / Path(given.recipe).stem
    return out


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gnomon",
        description="Teach vision-language models to read numbers: draw, fine-tune, evaluate.",
        epilog="Start with: gnomon demo",
    )
    from gnomon import __version__
    from gnomon.store.formats import FORMATS

    parser.add_argument("--version", action="version", version=f"gnomon {__version__}")
    verbs = parser.add_subparsers(title="verbs", dest="verb", metavar="VERB")

    add = _adder(verbs)
    verb = add(ls, "list what there is by name", "gnomon ls losses | gnomon ls clock")
    verb.add_argument(
        "what",
        nargs="?",
        metavar="ROOM|KIND",
        help="generators, losses, families, configs, recipe, metrics or benchmarks; or a generator,"
        " for its options alone; default: all",
    )

    verb = add(cp, "copy a recipe that comes with gnomon", "gnomon cp demo my-clocks.yaml")
    verb.add_argument("config", metavar="CONFIG", help="its name; `gnomon ls configs`")
    verb.add_argument("dest", metavar="DEST", nargs="?", help="a file or directory; default: here")

    verb = add(
        preview,
        "draw a contact sheet; of a recipe, what its model will see and learn",
        "gnomon preview clock -o sheet.png rotation=10 | gnomon preview demo --tokens",
    )
    _drawn(verb)
    shown = verb.add_mutually_exclusive_group(required=True)
    shown.add_argument("-o", "--out", type=Path, metavar="PNG", help="the picture")
    shown.add_argument(
        "--tokens", action="store_true", help="a recipe's first sample, token by token"
    )
    verb.add_argument("--n", type=_positive, default=16, help="how many samples (16)")
    verb.add_argument("overrides", nargs="*", metavar="key=value", help="options of the kind")

    verb = add(generate, "write a dataset", "gnomon generate clock --n 2000 --out clocks size=112")
    _drawn(verb)
    verb.add_argument("--n", type=_positive, required=True, help="how many samples")
    verb.add_argument("--out", type=Path, required=True, metavar="DIR", help="the directory")
    verb.add_argument(
        "--format", choices=tuple(FORMATS), help="how it lies on disk; default: as it does, parquet"
    )
    verb.add_argument("--license", metavar="ID", help="what the card says, such as cc-by-4.0")
    _workers(verb)
    verb.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="ray draws on the cluster that RAY_ADDRESS names (docs/scale.md)",
    )
    verb.add_argument("overrides", nargs="*", metavar="key=value", help="options of the kind")

    verb = add(verify, "check a dataset against its manifest", "gnomon verify clocks")
    verb.add_argument("dir", type=Path, metavar="DIR")
    verb.add_argument(
        "--redraw", type=float, default=0.05, help="share of the samples drawn again (0.05)"
    )

    verb = add(
        stats,
        "count what is in a dataset, and what stands twice or in two splits (then it exits with 1)",
        "gnomon stats clocks | gnomon stats chart --n 100 level=hard | gnomon stats demo --json",
    )
    verb.add_argument("what", metavar="DIR|KIND|RECIPE", help="a dataset, your own file, a kind")
    verb.add_argument(
        "--n", type=_positive, help="samples a split; default: all on disk, 500 of what is drawn"
    )
    verb.add_argument("--json", action="store_true", help="the same as JSON")
    verb.add_argument("--seed", type=int, help="default: the recipe's, or 0")
    _workers(verb)
    verb.add_argument("overrides", nargs="*", metavar="key=value", help="options of the kind")

    verb = add(
        export,
        "write samples out for another trainer, or as a task of lmms-eval",
        "gnomon export clocks --to trl --family qwen2-vl --out clocks-trl",
    )
    verb.add_argument("what", metavar="DIR|KIND|RECIPE", help="a dataset, your own file, a kind")
    forms = ("trl", "messages", "llava", "swift", "lmms-eval")
    verb.add_argument("--to", choices=forms, required=True)
    verb.add_argument("--family", required=True, help="whose boxes are written; `ls families`")
    verb.add_argument("--out", type=Path, required=True, metavar="DIR", help="the directory")
    verb.add_argument(
        "--split", choices=("train", "val", "test"), help="default: train; test for lmms-eval"
    )
    verb.add_argument("--n", type=_positive, help="how many; default: as many as there are")
    verb.add_argument("overrides", nargs="*", metavar="key=value", help="options of the kind")

    verb = add(plan, "say what a recipe will take", "gnomon plan demo --memory 24")
    verb.add_argument(
        "recipe", metavar="RECIPE", help="a YAML file or a name (`gnomon ls configs`)"
    )
    verb.add_argument("overrides", nargs="*", metavar="key=value", help="laid over the recipe")
    verb.add_argument(
        "--config-only", action="store_true", help="open no checkpoint; its known sizes are enough"
    )
    verb.add_argument(
        "--memory", type=float, metavar="GIB", help="plan for so much; default: what is free here"
    )

    verb = add(train, "fine-tune by a recipe", "gnomon train demo train.learning_rate=1e-3")
    _recipe(verb)

    verb = add(
        predict,
        "ask a run, or a model as it came, for its answers",
        "gnomon predict runs/demo | gnomon predict gnomon-tiny clock eval.samples=100",
    )
    verb.add_argument("model", metavar="RUN|MODEL", help="a run, a checkpoint or a hub id")
    verb.add_argument(
        "data",
        nargs="?",
        metavar="DATA|FOLDER",
        help="a kind, recipe, dataset, or folder of pictures; default: what the run holds out",
    )
    verb.add_argument("overrides", nargs="*", metavar="key=value", help="such as eval.batch_size=4")
    verb.add_argument(
        "--out", type=Path, metavar="FILE", help="the answers: .jsonl, or .csv of a folder"
    )
    verb.add_argument(
        "--question",
        default="What time does the clock show? Answer HH:MM.",
        help="what is asked of each picture of a folder",
    )
    verb.add_argument(
        "--server",
        metavar="URL",
        help="an OpenAI-compatible server that holds MODEL; the key is in OPENAI_API_KEY",
    )
    verb.add_argument(
        "--belief",
        action="store_true",
        help="store what the model gives every minute of a clock, number to 100, choice of a text",
    )

    verb = add(score, "score answers; needs no model", "gnomon score runs/demo")
    verb.add_argument("predictions", type=Path, metavar="PREDICTIONS", help="a .jsonl, or a run")
    verb.add_argument("--out", type=_html, metavar="HTML", help="the report")

    verb = add(run, "generate, train, predict, score, report", "gnomon run my-clocks.yaml")
    _recipe(verb)
    _workers(verb)

    verb = add(demo, "the whole road on the embedded model, in minutes", "gnomon demo")
    verb.add_argument("overrides", nargs="*", metavar="key=value", help="laid over the recipe")
    verb.add_argument("--out", type=Path, metavar="DIR", help="the run's directory (runs/demo)")
    _workers(verb)

    verb = add(
        compare,
        "lay runs beside each other; those that differ in the seed alone are taken together",
        "gnomon compare runs/ce-0 runs/ce-1 runs/ntil-0 runs/ntil-1 -o it.html",
    )
    verb.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="a run or a .jsonl")
    verb.add_argument("-o", "--out", type=_html, required=True, metavar="HTML", help="the report")
    verb.add_argument(
        "--beside",
        action="append",
        default=[],
        metavar="TABLE",
        help="a published table to lay beside: ntil-clock, ntil-box, ntil-text",
    )

    verb = add(
        merge, "put a run's adapter into its model's weights", "gnomon merge runs/clock clock-2b"
    )
    verb.add_argument("of", type=Path, metavar="RUN", help="a run that trained an adapter")
    verb.add_argument("out", type=Path, metavar="OUT", help="a directory for plain transformers")
    verb.add_argument(
        "--samples", type=_positive, default=200, help="held-out samples it is checked on (200)"
    )
    verb.add_argument(
        "--push-to-hub", metavar="OWNER/NAME", help="upload it there as a private repository"
    )
    return parser


def _adder(verbs: Any) -> Callable[..., argparse.ArgumentParser]:
    def add(verb: Callable[[argparse.Namespace], Any], what: str, example: str) -> Any:
        parser = verbs.add_parser(
            verb.__name__,
            help=what,
            description=f"{what[0].upper()}{what[1:]}.",
            epilog=f"example: {example}",
        )
        parser.set_defaults(run=verb)
        return parser

    return add


def _drawn(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("what", metavar="KIND|RECIPE", help="`gnomon ls generators`, `ls configs`")
    verb.add_argument("--split", choices=("train", "val", "test"), default="train")
    verb.add_argument("--seed", type=int, help="default: the recipe's, or 0")


def _recipe(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "recipe", metavar="RECIPE", help="a YAML file or a name (`gnomon ls configs`)"
    )
    verb.add_argument("overrides", nargs="*", metavar="key=value", help="laid over the recipe")
    verb.add_argument("--out", type=Path, metavar="DIR", help="the run's directory (runs/NAME)")


def _workers(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--workers", type=_positive, help="processes that draw; default: all cores")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number}: give 1 or more")
    return number


def _called(out: Path, suffix: str, what: str) -> Path:
    from gnomon.recipe import RecipeError

    if out.suffix != suffix:
        raise RecipeError(f"--out {out}: {what} are written as {suffix}")
    return out


def _html(text: str) -> Path:
    """Never a recipe or answers, in whose place a report would stand."""
    path = Path(text)
    if path.suffix.lower() not in (".html", ".htm"):
        raise argparse.ArgumentTypeError(f"{text}: a report is called something.html")
    return path
