"""Files and words that a careless or a hostile hand could pass, and the commands that read them.

Each line of bad_inputs.jsonl is laid out in an empty directory, and each of its commands has to
fail with a short message that has all of `message` in it: the value, the file, line and field, the
way out. `code` has the exit codes that are right, 1 or 2 by default; `clean` is true if nothing may
be written; `reply` and `status` are those of the server whose URL stands for SERVER.
"""

from __future__ import annotations

import base64
import io
import json
import os
import shlex
import tempfile
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from PIL import Image

from gnomon import store
from gnomon.eval.scoring import predictions, question_file
from gnomon.recipe import Source
from gnomon.runs.exam import Exam
from gnomon.runs.versions import kind_versions
from gnomon.sample import Prediction

Content: TypeAlias = "bytes | Callable[[Path], object] | None"
"""What lies at a path: bytes, a directory where it is None, or what a function makes there."""
Files: TypeAlias = "dict[str, Content]"


def lay(place: Path, content: Content) -> None:
    """Put the content at a path whose folders may be missing."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        place.mkdir()
    elif callable(content):
        content(place)
    else:
        place.write_bytes(content)


def sparse(start: bytes = b"") -> Content:
    """A file of 40 GiB, zeros after these bytes, which takes no room on the disk."""

    def make(place: Path) -> None:
        with place.open("wb") as file:
            file.write(start)
            file.truncate(40 * 2**30)

    return make


SPECIAL: Files = {
    "a pipe": os.mkfifo,
    "zeros without end": lambda place: place.symlink_to("/dev/zero"),
    "40 GiB of zeros": sparse(),
}


@cache
def sound_dataset(form: str) -> dict[str, bytes]:
    """Two samples in `d`."""
    kind = "arithmetic" if form == "parquet" else "gauge"
    samples = store.mixture((Source(kind=kind),), split="test", seed=0)
    with tempfile.TemporaryDirectory() as folder:
        store.write(samples, Path(folder), n=2, split="test", workers=1, format=form)
        files = [file for file in Path(folder).rglob("*") if file.is_file()]
        return {f"d/{file.relative_to(folder)}": file.read_bytes() for file in files}


@cache
def sound_answers() -> dict[str, bytes]:
    """Answers to two sums."""
    exam = Exam((Source(kind="arithmetic"),), "test", 0, 2)
    asked = {"sources": [{"kind": "arithmetic"}], "split": "test", "seed": 0, "samples": 2}
    about = {"exam": asked, "data": exam.pool.describe(), "versions": {"gnomon": "1"}}
    about["kinds"] = kind_versions(exam.sources)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a.jsonl"
        samples = list(question_file.record(list(exam), question_file.question_path(file)))
        answers = [Prediction(s.id, "5", None, "plain", {"name": "m"}) for s in samples]
        predictions.append(file, answers)
        (Path(folder) / "a.about.json").write_text(json.dumps(about))
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def sound_run() -> dict[str, bytes]:
    """The same answers as those of a run."""
    answers = {f"run/predictions/after{path[1:]}": data for path, data in sound_answers().items()}
    return {"run/recipe.yaml": b"data: [{kind: clock}]\n", **answers}


def adapter_without_weights() -> dict[str, bytes]:
    """A run of the embedded model whose adapter has a sound config."""
    recipe = b"data: [{kind: clock}]\nmodel: {load_in_4bit: false}\n"
    config = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": 2, "target_modules": ".*q_proj"}
    return {
        "run/recipe.yaml": recipe,
        "run/adapter/adapter_config.json": json.dumps(config).encode(),
        "run/adapter/adapter_model.safetensors": b"",
    }


def newcomer() -> dict[str, bytes]:
    """A note and two runs."""
    recipes = {f"runs/{run}/recipe.yaml": b"data: [{kind: clock}]" for run in ("demo", "ce-0")}
    return {"notes.txt": b"mine", "notes.jsonl": b"mine", **recipes}


BASES: dict[str, Callable[[], dict[str, bytes]]] = {
    "adapter": adapter_without_weights,
    "answers": sound_answers,
    "newcomer": newcomer,
    "run": sound_run,
    "parquet": lambda: sound_dataset("parquet"),
    "imagefolder": lambda: sound_dataset("imagefolder"),
    "webdataset": lambda: sound_dataset("webdataset"),
}
"""Sound files, of which a case changes one."""


def files_of(row: dict[str, Any]) -> Files:
    """Files of a case by path.

    `base` names sound files; `change` has a file among them and new values under dotted keys, or
    another first line; `files` has the content of others by path (see `content`).
    """
    sound = BASES[row["base"]]() if "base" in row else {}
    files: Files = dict(sound)
    for path, values in row.get("change", {}).items():
        lines = sound[path].splitlines(keepends=True) if path.endswith("l") else [sound[path]]
        files[path] = b"".join([changed(lines[0], values, path), *lines[1:]])
    for path, value in row.get("files", {}).items():
        files[path] = content(value, path, sound)
    return files


def commands_of(row: dict[str, Any]) -> list[list[str]]:
    """Words of each command, which are written as a shell has them, or as a list."""
    lines = [shlex.split(line) if isinstance(line, str) else line for line in row["commands"]]
    return [list(map(text, line)) for line in lines]


def changed(line: bytes, values: Any, path: str) -> bytes:
    """The line with other values; all of it where `values` is a content."""
    if isinstance(values, str) or "$bytes" in values:
        return content(values)
    whole = json.loads(line)
    for key, value in values.items():
        *outer, last = key.split(".")
        inner = whole
        for step in outer:
            inner = inner[int(step) if isinstance(inner, list) else step]
        last = int(last) if isinstance(inner, list) else last
        if value == {"$delete": True}:
            del inner[last]
        else:
            inner[last] = value
    return json.dumps(whole).encode() + b"\n" * path.endswith("l")


def text(word: Any) -> str:
    return word if isinstance(word, str) else content(word).decode()


def content(value: Any, path: str = "", sound: dict[str, bytes] | None = None) -> Any:
    """A text as it is, None, a dict with one of these keys, or any other JSON.

    $bytes      parts in Latin-1; [PART, N] repeats one, {"count": N} has the numbers below N, and
                {"of": PATH, "from": A, "to": B} is cut from a sound file
    $base64     other bytes; $zlib: compressed, too
    $special    a key of SPECIAL; $sparse: 40 GiB after these bytes in base64
    $picture    [width, height] of a PNG
    """
    kind, inner = next(iter(value.items()), ("", None)) if isinstance(value, dict) else ("", None)
    match kind:
        case "$bytes":
            return b"".join(part_of_bytes(part, sound or {}) for part in inner)
        case "$base64":
            return base64.b64decode(inner)
        case "$zlib":
            return zlib.decompress(base64.b64decode(inner))
        case "$special":
            return SPECIAL[inner]
        case "$sparse":
            return sparse(base64.b64decode(inner))
        case "$picture":
            Image.new("RGB", tuple(inner)).save(file := io.BytesIO(), "PNG")
            return file.getvalue()
    if value is None or isinstance(value, str):
        return value if value is None else value.encode()
    if path.endswith(".jsonl") and isinstance(value, list):
        return "".join(f"{json.dumps(line)}\n" for line in value).encode()
    return json.dumps(value).encode()


def part_of_bytes(part: Any, sound: dict[str, bytes]) -> bytes:
    if isinstance(part, str):
        return part.encode("latin-1")
    if isinstance(part, list):
        return part[0].encode("latin-1") * part[1]
    if "count" in part:
        return ",".join(map(str, range(part["count"]))).encode()
    return sound[part["of"]][part.get("from") : part.get("to")]


LINES = Path(__file__).with_suffix(".jsonl").read_text("utf-8").splitlines()
ROWS = [json.loads(line) for line in LINES]
