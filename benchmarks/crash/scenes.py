"""The commands that are struck, each in a folder that was made ready for it."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

Gnomon = Callable[[str], Any]
"""Runs one command line in the folder, undisturbed."""

RECIPE = """
data:
  - kind: clock
    options: {size: 84, rotation: 5.0}
  - kind: arithmetic
    weight: 0.5
loss: {name: ntil}
train: {samples: 12, per_device_train_batch_size: 2, learning_rate: 1e-3, save_steps: 1, \
logging_steps: 1, max_steps: 2, vision: lora}
eval: {samples: 4, batch_size: 2, max_new_tokens: 8}
"""
NOTES = "What I must not lose.\n"


@dataclass(frozen=True)
class Scene:
    """A command, and the folder it is typed in."""

    name: str
    command: str
    place: str
    """What it writes, or where."""
    prepare: Callable[[Path, Gnomon], None] = lambda *_: None
    server: bool = False
    """True if it asks a server; SERVER in the command is its URL."""
    damaged: str = ""
    """The shard that `prepare` damages: a file, or a folder."""
    heavy: bool = False
    """True if it opens a model: seconds, where others take a part of one."""


def user_files(folder: Path) -> None:
    """What a user has beside everything that gnomon writes."""
    (folder / "notes.txt").write_text(NOTES)
    (folder / "mine").mkdir()
    (folder / "mine" / "labels.csv").write_text("image,answer\nphotos/0.png,10:00\n")
    (folder / "small.yaml").write_text(RECIPE)


def a_dataset(form: str = "parquet", n: int = 20) -> Callable[[Path, Gnomon], None]:
    def prepare(folder: Path, gnomon: Gnomon) -> None:
        gnomon(f"generate clock --n {n} --out set --workers 1 --format {form} size=72")
        (folder / "set" / "my-notes.txt").write_text(NOTES)

    return prepare


SHARDS = {
    "parquet": "set/data/train-00001-of-00002.parquet",
    "imagefolder": "set/train/00001-of-00002",
    "webdataset": "set/data/train-00001-of-00002.tar",
}
"""The last shard of a dataset in each format."""


def a_damaged_dataset(form: str) -> Callable[[Path, Gnomon], None]:
    def prepare(folder: Path, gnomon: Gnomon) -> None:
        a_dataset(form)(folder, gnomon)
        shard = folder / SHARDS[form]
        file = sorted(shard.iterdir())[0] if shard.is_dir() else shard
        file.write_bytes(file.read_bytes()[:-9])

    return prepare


def photographs(folder: Path, _: Gnomon) -> None:
    (folder / "photos").mkdir()
    for shade in range(4):
        Image.new("RGB", (84, 84), (60 * shade, 40, 90)).save(folder / "photos" / f"{shade}.png")
    rows = [f"photos/{shade}.png,What time is it?,0{shade}:00\n" for shade in range(4)]
    (folder / "labels.csv").write_text("image,question,answer\n" + "".join(rows))


def answers(folder: Path, gnomon: Gnomon) -> None:
    """Two files of answers to the same questions, and one that was made elsewhere."""
    gnomon("predict gnomon-tiny small.yaml --out a.jsonl")
    for file in folder.glob("a.*"):
        other = file.read_text().replace('"text": "1', '"text": "2')
        file.with_name(f"b{file.name[1:]}").write_text(other)
    text = "".join(f"{json.dumps({'answer': str(n)})}\n" for n in range(4))
    (folder / "gpt.jsonl").write_text(text)


def reported(folder: Path, gnomon: Gnomon) -> None:
    """A report of other answers lies there already."""
    answers(folder, gnomon)
    gnomon("score b.jsonl --out a.html")


def a_run(_: Path, gnomon: Gnomon) -> None:
    gnomon("run small.yaml --out run --workers 1")


def a_trained_run(_: Path, gnomon: Gnomon) -> None:
    gnomon("train small.yaml --out run")


def with_earlier(name: str, command: str) -> Callable[[Path, Gnomon], None]:
    """A file of an earlier command of the same name."""

    def prepare(folder: Path, gnomon: Gnomon) -> None:
        gnomon(command)
        assert (folder / name).exists()

    return prepare


GENERATE = "generate clock --n 20 --out set --workers 1 size=72"
SCENES = [
    Scene("generate parquet", GENERATE, "set"),
    Scene("generate imagefolder", f"{GENERATE} --format imagefolder", "set"),
    Scene("generate webdataset", f"{GENERATE} --format webdataset", "set"),
    Scene("generate by two workers", GENERATE.replace("rs 1", "rs 2"), "set"),
    Scene("generate another split", f"{GENERATE} --split val", "set", a_dataset()),
    Scene(
        "generate your own rows",
        "generate labels.csv --n 4 --split train --out set --workers 1 columns.kind=time",
        "set",
        photographs,
    ),
    *(
        Scene(
            f"generate mends {form}",
            f"{GENERATE} --format {form}",
            "set",
            a_damaged_dataset(form),
            damaged=shard,
        )
        for form, shard in SHARDS.items()
    ),
    Scene(
        "preview",
        "preview arithmetic -o sheet.png",
        "sheet.png",
        with_earlier("sheet.png", "preview clock --n 4 -o sheet.png"),
    ),
    Scene("cp", "cp demo mine.yaml", "mine.yaml"),
    Scene(
        "plan --write", "plan small.yaml --config-only --memory 24 --write fits.yaml", "fits.yaml"
    ),
    *(
        Scene(
            f"export {form}",
            f"export set --split train --to {form} --family qwen2-vl --out out --n 6",
            "out",
            a_dataset(),
        )
        for form in ("trl", "llama-factory", "lmms-eval")
    ),
    Scene("score", "score a.jsonl", "a.html", answers),
    Scene("score over a report", "score a.jsonl", "a.html", reported),
    Scene(
        "score answers of others", "score gpt.jsonl --data small.yaml", "gpt-scores.html", answers
    ),
    Scene("compare", "compare a.jsonl b.jsonl -o both.html", "both.html", answers),
    Scene("predict", "predict gnomon-tiny small.yaml --out a.jsonl", "a.jsonl", heavy=True),
    Scene(
        "predict photographs",
        "predict gnomon-tiny photos --out a.csv",
        "a.csv",
        photographs,
        heavy=True,
    ),
    Scene(
        "predict by a server",
        "predict m small.yaml --server SERVER --out a.jsonl",
        "a.jsonl",
        server=True,
    ),
    Scene(
        "check-served",
        "check-served run --server SERVER --least 0 --out served.html",
        "served.html",
        a_run,
        server=True,
    ),
    Scene("train", "train small.yaml --out run", "run", heavy=True),
    Scene(
        "train all weights",
        "train small.yaml train.language=full train.vision=frozen "
        "model.load_in_4bit=false --out run",
        "run",
        heavy=True,
    ),
    Scene("run", "run small.yaml --out run --workers 1", "run", heavy=True),
    Scene("merge", "merge run whole --samples 2", "whole", a_trained_run, heavy=True),
]
BY_NAME = {scene.name: scene for scene in SCENES}


def prepare_folder(scene: Scene, folder: Path, gnomon: Gnomon) -> None:
    """A new folder as the scene's command finds it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    user_files(folder)
    scene.prepare(folder, gnomon)


@dataclass(frozen=True)
class Pair:
    """Two commands on one place: one is held up, or killed, and the other runs meanwhile."""

    first: str
    second: str
    """A command, or "note PLACE": a user makes that directory and puts a note in it."""
    prepare: Callable[[Path, Gnomon], None] = lambda *_: None
    places: int = 4
    """At how many of its operations the first is held up, and at how many it is killed."""

    @property
    def name(self) -> str:
        return f"{self.first} | {self.second}"


EXPORT = "export arithmetic --n 4 --to {} --family qwen2-vl --out {}"
SET = GENERATE.replace("--n 20", "--n 10")
TRAIN = "train small.yaml train.max_steps=1 --out run"
MERGE = "merge run whole --samples 2"
PREDICT = "predict m small.yaml --server SERVER --out a.jsonl"
PAIRS = [
    Pair(SET, SET),
    Pair(SET, f"{SET} --split val"),
    Pair(SET, SET.replace("clock", "gauge")),
    Pair(SET, f"{SET} --format imagefolder"),
    Pair(SET, EXPORT.format("trl", "set")),
    Pair(SET, "verify set"),
    Pair(SET, "stats set"),
    Pair(SET, "note set"),
    Pair(EXPORT.format("trl", "out"), EXPORT.format("swift", "out")),
    Pair(EXPORT.format("trl", "out"), SET.replace("set", "out")),
    Pair(EXPORT.format("trl", "out"), "note out"),
    Pair(EXPORT.format("trl", "out"), "cp demo out"),
    Pair(MERGE, SET.replace("set", "whole"), a_trained_run, 2),
    Pair(SET.replace("set", "whole"), MERGE, a_trained_run, 2),
    Pair(MERGE, "note whole", a_trained_run, 2),
    Pair(TRAIN, TRAIN, places=2),
    Pair(TRAIN, SET.replace("set", "run"), places=2),
    Pair(TRAIN, "note run", places=2),
    Pair(SET.replace("set", "run"), TRAIN, places=2),
    Pair("score a.jsonl --out z.html", "score b.jsonl --out z.htm", answers, 2),
    Pair("score a.jsonl --out z.html", "compare a.jsonl b.jsonl --out z.html", answers, 2),
    Pair(PREDICT, PREDICT),
    Pair(PREDICT, "score a.jsonl"),
    Pair("score a.jsonl", "predict gnomon-tiny small.yaml --out a.jsonl", answers, 2),
    Pair("cp demo mine.yaml", "plan small.yaml --config-only --memory 24 --write mine.yaml"),
    Pair("cp demo mine.yaml", "cp tiny-base mine.yaml"),
    Pair("preview clock --n 2 -o sheet.png", "preview gauge --n 2 -o sheet.png"),
    Pair("preview clock --n 2 -o sheet.png", "note sheet.png"),
]
