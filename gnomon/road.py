"""The straight road: what strings the rooms together, from a recipe to a report."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon import generators, losses, recipe, store
from gnomon.pipeline import families
from gnomon.recipe import Recipe, RecipeError, Source
from gnomon.store.atomic import put_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gnomon.eval import RunResult
    from gnomon.generators.base import Split
    from gnomon.pipeline.load import Loaded
    from gnomon.pipeline.pictures import Picture
    from gnomon.sample import Sample
    from gnomon.store import Samples

BEFORE, AFTER = "before", "after"
"""The model as it came, and with what the run trained."""


@dataclass(frozen=True)
class Exam:
    """Which samples a model is asked: the first `samples` of weighted sources."""

    sources: tuple[Source, ...]
    split: Split
    seed: int
    samples: int

    @classmethod
    def of(cls, opened: Recipe) -> Exam:
        """What a recipe measures its model on."""
        asked = opened.eval
        return cls(asked.data or opened.data, asked.split, asked.seed, asked.samples)

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Exam:
        """The exam that `asdict` wrote."""
        sources = (recipe.checked(Source, source, name="exam") for source in row["sources"])
        return cls(**{**row, "sources": tuple(sources)})

    def open(self) -> Samples:
        """The samples, drawn or read when they are asked for."""
        return store.mixture(self.sources, split=self.split, seed=self.seed)

    def __iter__(self) -> Iterator[Sample]:
        samples = self.open()
        return (samples[index] for index in range(self.samples))

    def by_source(self) -> dict[str, set[str]]:
        """The ids of each source's samples, where there are several sources."""
        if len(self.sources) == 1:
            return {}
        samples = self.open()
        found: dict[int, set[str]] = {place: set() for place in range(len(self.sources))}
        for index in range(self.samples):
            found[samples.source_of(index)].add(samples.id(index))
        names = [
            source.kind or Path(source.path or source.hub or "").name for source in self.sources
        ]
        names = [n if names.count(n) == 1 else f"{n} ({i})" for i, n in enumerate(names, 1)]
        return {names[place]: ids for place, ids in found.items() if ids}


def open_recipe(path: str | Path, overrides: Sequence[str] = ()) -> Recipe:
    """A recipe whose every name and option is known to its room; nothing heavy is loaded."""
    return check(recipe.load(path, overrides))


def check(opened: Recipe) -> Recipe:
    """The same recipe, once each room has looked at its names and options."""
    exam = Exam.of(opened)
    try:
        losses.check(opened.loss.name, opened.loss.options)
        if opened.model.server is None:
            families.locate(opened.model.name)
        if opened.model.family is not None:
            families.check(opened.model.family)
        store.mixture(opened.data, split="train", seed=opened.seed)
        _check_enough("eval.samples", exam.samples, exam.open(), exam.split)
        if opened.train.eval_steps is not None:
            _check_watched(opened)
    except ValueError as error:
        raise RecipeError(str(error)) from error
    return opened


def _check_enough(key: str, n: int, samples: Samples, split: str) -> None:
    """Refuse to ask a question twice: one answer to each is scored."""
    there = samples.distinct
    if there is None or n <= there:
        return
    way_out = (
        ""
        if samples.length
        else (
            " before a source begins again: ask for fewer, weigh the sources by how long they are,"
            " or ask each alone"
        )
    )
    raise RecipeError(f"{key}: {n}: the {split} split has only {there}{way_out}")


def _check_watched(opened: Recipe) -> None:
    """What a training is measured by, and on, as it goes."""
    from gnomon.eval.watching import greater_is_better

    greater_is_better(opened.train.metric)
    split = opened.watched_split
    samples = store.mixture(opened.data, split=split, seed=opened.seed)
    _check_enough("train.eval_samples", opened.train.eval_samples, samples, split)


@dataclass(frozen=True)
class Asked:
    """What `gnomon predict` was told: which model answers what."""

    recipe: Recipe
    exam: Exam
    run: Path | None
    """The run whose trained weights answer; None for a model as it came."""
    folder: Path | None
    """Pictures without labels, in place of the exam."""
    data: str
    """What the exam is called."""

    @property
    def file(self) -> Path:
        """Where the answers go unless said otherwise; beliefs beside answers given without any."""
        if self.run is not None:
            file = self.run / "predictions" / f"{self.data}.jsonl"
        else:
            model = Path(self.recipe.model.name).name
            file = Path("predictions") / f"{model}-{self.data}.jsonl"
        beside = self.recipe.eval.belief and _without_belief(file)
        return file.with_stem(f"{file.stem}-belief") if beside else file


def _without_belief(file: Path) -> bool:
    from gnomon.eval import predictions

    first = next(iter(predictions.read(file)), None) if file.is_file() else None
    return first is not None and not first.settings.get("belief")


def asked(model: str, data: str | None, overrides: Sequence[str]) -> Asked:
    """Sort out the verb's words: a run or a model; its own exam, a kind, a recipe, a directory."""
    run = Path(model) if (Path(model) / "recipe.yaml").is_file() else None
    if run is not None:
        opened = open_recipe(run / "recipe.yaml", overrides)
    elif data is None:
        raise RecipeError(f"what shall {model} be asked? Name a kind, a recipe or a directory")
    else:
        opened = _bare(model, data, overrides)
    if data is None:
        return Asked(opened, Exam.of(opened), run, None, AFTER)
    place = Path(data)
    if place.is_dir() and not (place / "manifest.json").exists() and not (place / "data").exists():
        return Asked(opened, Exam.of(opened), run, place, place.name)
    return Asked(opened, _exam_of(data, opened, overrides), run, None, place.stem)


def _bare(model: str, data: str, overrides: Sequence[str]) -> Recipe:
    """A recipe for a model that was not trained here; its data only names what is asked."""
    kind = data if data in generators.KINDS else "clock"
    return check(
        recipe.from_dict(
            {"data": [{"kind": kind}], "model": {"name": model}}, overrides, name="command line"
        )
    )


def _exam_of(data: str, opened: Recipe, overrides: Sequence[str]) -> Exam:
    place, asked = Path(data), opened.eval
    if data in generators.KINDS:
        return Exam((Source(kind=data),), asked.split, asked.seed, asked.samples)
    if place.suffix.lower() in (".csv", ".jsonl"):
        raise RecipeError(
            f"{data}: name it in a recipe, as path: with its columns, under eval.data"
        )
    if not place.is_dir():
        return Exam.of(open_recipe(data, [o for o in overrides if o.startswith("eval.")]))
    exam = Exam((Source(path=data),), asked.split, asked.seed, asked.samples)
    if any(override.startswith("eval.samples=") for override in overrides):
        _check_enough("eval.samples", exam.samples, exam.open(), exam.split)
        return exam
    return replace(exam, samples=exam.open().length or asked.samples)


def generate(opened: Recipe, run: Path, *, workers: int | None) -> None:
    """Write the run's training and held-out samples to its data directory."""
    _claim(run, opened)
    exam = Exam.of(opened)
    sources = store.mixture(opened.data, split="train", seed=opened.seed)
    store.write(sources, run / "data", n=opened.train.samples, split="train", workers=workers)
    store.write(exam.open(), run / "data", n=exam.samples, split=exam.split, workers=workers)


def train(opened: Recipe, run: Path) -> Path:
    """Fine-tune; where the adapter or the model lies. Goes on where a killed run stopped."""
    if opened.model.server is not None:
        raise RecipeError("model.server: a model behind a server is asked, not trained")
    _claim(run, opened)
    from gnomon.pipeline.train import train as fine_tune

    if (run / "data" / "manifest.json").exists():
        return fine_tune(opened, store.open(run / "data", "train"), run)
    return fine_tune(opened, store.mixture(opened.data, split="train", seed=opened.seed), run)


def predict(opened: Recipe, exam: Exam, out: Path, *, run: Path | None = None) -> Path:
    """Ask the exam's questions of a run's trained model, or (run None) of the model as it came."""
    about = {"exam": asdict(exam), "data": exam.open().describe(), "versions": versions()}
    if opened.model.server is not None:
        _ask_server(opened, exam, out)
        _write_json(out.with_suffix(".about.json"), about)
        return out
    loaded, weights = _loaded(opened, run)
    from gnomon.pipeline.predict import predict as ask

    settings = {**asdict(opened.model), "weights": weights}
    ask(
        loaded,
        exam,
        out,
        total=exam.samples,
        settings=settings,
        batch_size=opened.eval.batch_size,
        max_new_tokens=opened.eval.max_new_tokens,
        belief=opened.eval.belief,
    )
    _write_json(out.with_suffix(".about.json"), about)
    return out


def _ask_server(opened: Recipe, exam: Exam, out: Path) -> None:
    from gnomon.pipeline.hosted import predict as ask
    from gnomon.pipeline.server import Server

    model = opened.model
    assert model.server is not None
    if opened.eval.belief:
        raise RecipeError("eval.belief: a server does not tell what it gives every listed answer")
    family = families.create(model.family) if model.family else None
    ask(
        Server(model.server, model.name),
        exam,
        out,
        total=exam.samples,
        settings={"name": model.name, "server": model.server, "family": model.family},
        at_once=opened.eval.batch_size,
        max_new_tokens=opened.eval.max_new_tokens,
        dialect=family.dialect if family else "plain",
    )


def read_pictures(
    opened: Recipe, folder: Path, question: str, out: Path, *, run: Path | None = None
) -> int:
    """Ask one question of every picture in a folder, answers to a CSV file; how many answers."""
    from gnomon.pipeline.pictures import in_folder, to_csv

    files = in_folder(folder)
    read, settings = _reader(opened, run)
    settings |= {"max_new_tokens": opened.eval.max_new_tokens, "question": question}
    batch_size = opened.eval.batch_size
    broken = to_csv(read, files, question, out, batch_size=batch_size, settings=settings)
    for told in broken:
        _say(f"left out: {told}")
    return len(files) - len(broken)


def _reader(
    opened: Recipe, run: Path | None
) -> tuple[Callable[[Sequence[Picture]], list[str]], dict[str, Any]]:
    """What reads pictures, here or behind a server, and what its answers depend on."""
    settings = asdict(opened.model)
    if opened.model.server is not None:
        from gnomon.pipeline import hosted
        from gnomon.pipeline.server import Server

        server = Server(opened.model.server, opened.model.name)
        return partial(hosted.read, server, max_tokens=opened.eval.max_new_tokens), settings
    from gnomon.pipeline.predict import answer

    loaded, weights = _loaded(opened, run)
    read = partial(answer, loaded, max_new_tokens=opened.eval.max_new_tokens)
    return read, settings | {"weights": weights}


def score(file: Path, *, name: str | None = None) -> RunResult:
    """Score a file of answers against the samples they were given to; no model is needed."""
    from gnomon import eval as evaluation
    from gnomon.eval import predictions, questions

    if not file.is_file():
        raise RecipeError(f"no predictions {str(file)!r}: `gnomon predict` makes them")
    exam, about = _about(file)
    answers = predictions.PredictionFile(file)
    asked = questions.asked(file, exam, exam.samples)
    scores = evaluation.score(predictions.alike(file, answers), asked)
    return evaluation.RunResult(
        name=name or file.stem,
        scores=scores,
        sources={
            source: evaluation.score(
                (answer for answer in answers if answer.sample_id in ids),
                (question for question in asked if question.id in ids),
            )
            for source, ids in exam.by_source().items()
        },
        predictions=answers,
        versions=about["versions"],
        asked={**about["data"], "samples": exam.samples},
    )


def run(opened: Recipe, out: Path, *, workers: int | None) -> Path:
    """Generate, train, predict before and after, score, report: the straight road."""
    exam = Exam.of(opened)
    answers = out / "predictions"
    _say("drawing the samples")
    generate(opened, out, workers=workers)
    _say("asking the model as it came")
    predict(opened, exam, answers / f"{BEFORE}.jsonl")
    _say("fine-tuning")
    train(opened, out)
    _say("asking it again")
    predict(opened, exam, answers / f"{AFTER}.jsonl", run=out)
    _say("scoring")
    return report(results(out), out / "report.html", _pictures(exam))


def plan(opened: Recipe, *, config_only: bool, gib: float | None) -> bool:
    """Print what a recipe will take; whether it fits into the memory there is, or `gib`."""
    from gnomon.pipeline.plan import plan as planned

    samples = store.mixture(opened.data, split="train", seed=opened.seed)
    there = None if gib is None else gib * 2**30
    found = planned(opened, samples, config_only=config_only, there=there)
    print(found)
    return found.fits


def merge(run: Path, out: Path, *, samples: int, push_to: str | None = None) -> str:
    """A run's adapter and its base as one plain model, with a card; how well they agree."""
    from gnomon.pipeline.merge import merge as put_together
    from gnomon.pipeline.merge import push

    file = run / "recipe.yaml"
    if not file.is_file():
        raise RecipeError(f"{run} is no run: recipe.yaml is not in it")
    opened = open_recipe(file)
    exam = Exam.of(opened)
    asked = list(replace(exam, samples=min(samples, exam.samples)))
    found = put_together(opened, run, out, asked, card=_card(opened, run))
    if push_to is not None:
        push(out, push_to)
    return str(found)


def _card(opened: Recipe, run: Path) -> str:
    """A model's README: where it comes from, what it was trained on, how it scored."""
    from gnomon import eval as evaluation

    held = (run / "predictions" / f"{AFTER}.jsonl").is_file()
    trained_on = store.mixture(opened.data, split="train", seed=opened.seed).describe()
    digest = sha256(json.dumps(trained_on, sort_keys=True).encode()).hexdigest()
    return _CARD.format(
        base=opened.model.name,
        hash=digest[:16],
        scores=_indented(evaluation.table(results(run))) if held else "It was not measured.",
        recipe=recipe.to_yaml(opened).strip(),
        versions=", ".join(f"{name} {number}" for name, number in versions().items()),
    )


def _indented(table: str) -> str:
    return table.replace("\n", "\n    ")


_CARD = """\
---
base_model: {base}
library_name: transformers
tags: [gnomon, numeric-losses]
---

{base}, fine-tuned by the recipe below; the adapter is merged into the weights, which are in bf16.
Beside the run itself, on held-out samples: {{agreement}}.

    {scores}

Training data: sha256 {hash}, of the sources with their versions and options. Made with {versions}.

```yaml
{recipe}
```
"""


def results(out: Path) -> list[RunResult]:
    """A run's answers, scored: before and after, as far as they are there."""
    held = [out / "predictions" / f"{name}.jsonl" for name in (BEFORE, AFTER)]
    scored = [score(file) for file in held if file.is_file()]
    if not scored:
        raise RecipeError(f"{out} holds no predictions yet: `gnomon predict {out}` makes them")
    log = out / "log.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else None
    told = replace(
        scored[-1], recipe_yaml=(out / "recipe.yaml").read_text(), log=lines, trained=_trained(out)
    )
    return [*scored[:-1], told]


def compare(outs: Sequence[Path], file: Path, *, beside: Sequence[str] = ()) -> Path:
    """Lay several runs beside each other: each one's last answers, the first as the measure.

    Runs whose recipes differ in the seed alone are compared as one; runs that were not asked the
    same questions in the same way are refused. `beside` names published tables.
    """
    from gnomon import eval as evaluation
    from gnomon.eval import published, tables
    from gnomon.eval.beside import lay, text
    from gnomon.eval.groups import check_alike, grouped
    from gnomon.eval.runs import compared
    from gnomon.eval.scored import write_scores

    printed = [published.open_table(name) for name in beside]
    exam = _about(_last(outs[0]))[0]
    runs = [replace(_result(out), name=name) for out, name in zip(outs, _names(outs), strict=True)]
    check_alike(runs)
    laid = [lay(table, runs) for table in printed]
    groups = grouped(runs)
    comparisons, _ = compared(groups)
    told = [comparison.to_json() for comparison in comparisons]
    write_scores(file.with_suffix(".json"), {run.name: run.scores for run in runs}, told)
    evaluation.write_report(file, runs, samples=_pictures(exam), beside=laid)
    for table in laid:
        print(text(table, runs))
    print(tables.differences(groups, comparisons) if comparisons else evaluation.table(runs))
    print(f"report: {file}")
    return file


def _names(outs: Sequence[Path]) -> list[str]:
    """What runs are called: their directories or files, with the way there if two are alike."""
    names = [out.name if out.is_dir() else out.stem for out in outs]
    return names if len(set(names)) == len(names) else [str(out) for out in outs]


def report(scored: Sequence[RunResult], file: Path, samples: Mapping[str, Sample]) -> Path:
    """Write the HTML report and its JSON, and print the table."""
    from gnomon import eval as evaluation
    from gnomon.eval.scored import write_scores

    told = {run.name: run.scores for run in scored}
    for run in scored:
        told |= {f"{run.name}: {name}": part for name, part in run.sources.items()}
    write_scores(file.with_suffix(".json"), told)
    evaluation.write_report(file, scored, samples=samples)
    print(evaluation.table(scored))
    print(f"report: {file}")
    return file


def pictures_of(out: Path) -> Mapping[str, Sample]:
    """The samples that a run's (or a file's) answers are to, by id."""
    return _pictures(_about(_last(out))[0])


def _result(out: Path) -> RunResult:
    return results(out)[-1] if out.is_dir() else score(out)


def _last(out: Path) -> Path:
    """The file of a run's last answers, or that file itself."""
    held = [out / "predictions" / f"{name}.jsonl" for name in (AFTER, BEFORE)]
    return next((file for file in held if file.is_file()), out)


def _about(file: Path) -> tuple[Exam, dict[str, Any]]:
    """Which samples a file answers, made sure to be the ones that it answered."""
    beside = file.with_suffix(".about.json")
    if not beside.is_file():
        raise RecipeError(f"{file}: {beside.name} is not beside it; it says what was asked")
    try:
        about = json.loads(beside.read_text(encoding="utf-8"))
        exam, drawn, _ = Exam.from_json(about["exam"]), about["data"], about["versions"]
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise RecipeError(f"{beside}: not what `gnomon predict` writes: {error!r}") from error
    if exam.open().describe() != drawn:
        raise ValueError(f"{file}: the samples are not those it answers any more: predict again")
    return exam, about


def _pictures(exam: Exam) -> Mapping[str, Sample]:
    return store.ById(exam.open(), exam.samples)


def _trained(run: Path) -> int | None:
    """How many parameters a run's adapter has; None where the weights were trained whole."""
    file = run / "adapter" / "adapter_model.safetensors"
    if not file.is_file() or find_spec("safetensors") is None:
        return None
    from safetensors import safe_open

    with safe_open(file, framework="np") as opened:
        names: list[str] = list(opened.keys())  # an opened file is no mapping
        return int(sum(prod(opened.get_slice(name).get_shape()) for name in names))


def _loaded(opened: Recipe, run: Path | None) -> tuple[Loaded, str | None]:
    """The model, and a hash of what a run trained."""
    from gnomon.pipeline.load import fingerprint, load, load_trained

    if run is None:
        return load(opened.model, seed=opened.seed), None
    return load_trained(opened.model, run, seed=opened.seed), fingerprint(run)


def _claim(run: Path, opened: Recipe) -> None:
    """Take the directory for this recipe; one that another recipe holds is left as it was."""
    file = run / "recipe.yaml"
    if file.exists():
        held = recipe.load(file)
        if held != opened:
            raise RecipeError(
                f"{run} holds a run of another recipe ({_difference(held, opened)}):"
                " give another --out, or delete that directory"
            )
        return
    run.mkdir(parents=True, exist_ok=True)
    put_text(file, recipe.to_yaml(opened))  # at once, for several processes may look there
    _write_json(run / "versions.json", versions())


def _difference(held: Recipe, asked: Recipe) -> str:
    """The first few keys that differ, with both values."""
    old, new = recipe.flat(asdict(held)), recipe.flat(asdict(asked))
    keys = [key for key in old | new if old.get(key) != new.get(key)]
    shown = [f"{key}: {old.get(key)!r} there, {new.get(key)!r} here" for key in keys[:3]]
    return "; ".join(shown) + ("; …" if len(keys) > 3 else "")


def versions() -> dict[str, str]:
    """What a run stood on."""
    found = {"python": platform.python_version()}
    for package in ("gnomon", "torch", "transformers", "trl", "peft", "bitsandbytes", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _say(step: str) -> None:
    print(f"— {step}", file=sys.stderr)


def _write_json(file: Path, value: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    put_text(file, json.dumps(value, indent=2, ensure_ascii=False) + "\n")
