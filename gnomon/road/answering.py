"""A model's answers to an exam or about a folder of pictures, here or behind a server."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from gnomon.pipeline import families
from gnomon.recipe import RecipeError
from gnomon.road.directory import versions, warn, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gnomon.pipeline.load import Loaded
    from gnomon.pipeline.pictures import Picture
    from gnomon.recipe import Recipe
    from gnomon.road.exam import Exam


def predict(opened: Recipe, exam: Exam, out: Path, *, run: Path | None = None) -> Path:
    """Ask the exam's questions of a run's trained model, or (run None) of the model as it came."""
    about = {"exam": asdict(exam), "data": exam.open().describe(), "versions": versions()}
    if opened.model.server is not None:
        _ask_server(opened, exam, out)
        write_json(out.with_suffix(".about.json"), about)
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
    write_json(out.with_suffix(".about.json"), about)
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
        warn(f"left out: {told}")
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


def _loaded(opened: Recipe, run: Path | None) -> tuple[Loaded, str | None]:
    """The model, and a hash of what a run trained."""
    from gnomon.pipeline.load import fingerprint, load, load_trained

    if run is None:
        return load(opened.model, seed=opened.seed), None
    return load_trained(opened.model, run, seed=opened.seed), fingerprint(run)
