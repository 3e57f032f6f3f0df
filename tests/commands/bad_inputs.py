"""Files and words that a careless or a hostile hand could pass, and the commands that read them.

Each entry of INPUTS is laid out in an empty directory, and every one of its commands has to fail
with a short message that names the file or the key. Cases that need code to be made stand here,
all others in bad_inputs.jsonl.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import struct
import tarfile
import tempfile
import zlib
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from gnomon import store
from gnomon.commands.exam import Exam
from gnomon.eval.scoring import predictions, questions
from gnomon.recipe import Source
from gnomon.sample import Prediction

DEEP = 50_000
"""Levels of nesting that no recursive reader stands."""


Content: TypeAlias = "bytes | Callable[[Path], object] | None"
"""What lies at a path: bytes, a directory where it is None, or what a function makes there."""


@dataclass(frozen=True)
class Bad:
    """One bad input."""

    name: str
    files: dict[str, Content]
    """By path."""
    commands: tuple[tuple[str, ...], ...]
    message: tuple[str, ...]
    """What the message has to name: the value, the file, line and field, the way out."""
    server: tuple[int, bytes] | None = None
    """Status and body of each reply of the server whose URL stands for SERVER."""


INPUTS: list[Bad] = []


def lay(place: Path, content: Content) -> None:
    """Put the content at a path whose folders may be missing."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        place.mkdir()
    elif callable(content):
        content(place)
    else:
        place.write_bytes(content)


def sparse(begins: bytes = b"") -> Content:
    """A file of 40 GiB, zeros after these bytes, which takes no room on the disk."""

    def make(place: Path) -> None:
        with place.open("wb") as file:
            file.write(begins)
            file.truncate(40 * 2**30)

    return make


def zeros_without_end(place: Path) -> None:
    place.symlink_to("/dev/zero")


SPECIAL: dict[str, Content] = {
    "a pipe": os.mkfifo, "zeros without end": zeros_without_end, "40 GiB of zeros": sparse()
}  # fmt: skip


def add(name: str, files: dict[str, Content], message: str, *commands: str) -> None:
    INPUTS.append(Bad(name, files, tuple(tuple(words.split()) for words in commands), (message,)))


# Recipes


def a_recipe(name: str, content: Content | str, message: str = "r.yaml") -> None:
    data = content.encode() if isinstance(content, str) else content
    add(f"recipe: {name}", {"r.yaml": data}, message, "train r.yaml --out run")


def laughs(levels: int) -> str:
    """Make YAML whose aliases grow ninefold with each line."""
    lines = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(["a0: &a0 [lol]", *lines, "data: [{kind: clock}]"])


CLOCK = "data: [{kind: clock}]\n"
a_recipe("nothing", "")
a_recipe("blanks", " \n\n")
a_recipe("a list", "- kind: clock")
a_recipe("a word", "clock")
a_recipe("a tab", "data:\n\t- kind: clock", "line 2")
a_recipe("no end of a list", "data: [")
a_recipe("no end of a text", 'data: "clock')
a_recipe("a key twice", CLOCK + "seed: 1\nseed: 2", "line 3")
a_recipe("a billion laughs", laughs(12), "aliases written out")
a_recipe("a text a million times", f"a: &a {'x' * 900}\nb: [{'*a, ' * 900}]", "no such key")
a_recipe("an alias in itself", "data: &a [*a]", "aliases written out")
a_recipe("an alias of nothing", "data: *nothing", "nothing")
STEPS = [f"a{n}: &a{n} [[[[*a{n - 1}]]]]" for n in range(1, 200)]
a_recipe("levels by aliases", "\n".join(["a0: &a0 [x]", *STEPS]))
a_recipe("deep lists", "[" * DEEP, "nested more than 50 deep")
a_recipe("deep maps", "{a: " * DEEP, "nested more than 50 deep")
a_recipe("deep blocks", "- " * DEEP, "nested more than 50 deep")
a_recipe("51 levels", "data: " + "[" * 51 + "]" * 51, "nested more than 50 deep")
a_recipe("a megabyte", CLOCK + "#" * 2**20, "bytes are more than the 262,144 of a recipe")
a_recipe("zeros", bytes(100))
a_recipe("UTF-16", CLOCK.encode("utf-16"), "text in UTF-16: save it as UTF-8")
a_recipe("UTF-16 without a mark", CLOCK.encode("utf-16-le"))
a_recipe("Latin-1", "# Küche\n".encode("latin-1"), "save it as UTF-8")
a_recipe("a picture", b"\x89PNG\r\n\x1a\n" + bytes(9), "a picture: give a table of labels")
a_recipe("an archive", b"PK\x03\x04" + bytes(9) + b"\xff", "a zip archive, as spreadsheets are")
a_recipe("a long archive", b"PK\x03\x04" + bytes(2**19), "a zip archive, as spreadsheets are")
a_recipe("a Parquet file", b"PAR1\xff" + bytes(99), "ends in .parquet")
a_recipe("a compressed file", b"\x1f\x8b" + bytes(99), "unpack it")
a_recipe("a command", CLOCK + "seed: !!python/object/apply:os.system [ls]", "line 2")
a_recipe("a day in a 45th month", CLOCK + "seed: 2020-45-45")
a_recipe("an integer without digits", CLOCK + "seed: !!int ''")
a_recipe("an integer of 5,000 digits", CLOCK + "seed: " + "9" * 5000)
a_recipe("a hexadecimal of 9,000 digits", CLOCK + "seed: 0x" + "f" * 9000)
a_recipe("a truth that is none", CLOCK + "seed: !!bool perhaps")
a_recipe("a day as a key", CLOCK + "2020-01-01: 1")
a_recipe("a list as a key", CLOCK + "? [a]\n: 1")
a_recipe("half an emoji", CLOCK + 'model: {name: "\\ud83d"}')
a_recipe("two documents", CLOCK + "---\n" + CLOCK)
a_recipe("999 unknown keys", CLOCK + "".join(f"k{n}: 1\n" for n in range(999)), "and 989 more")
a_recipe("a long unknown key", CLOCK + f"{'k' * 9999}: 1")
a_recipe("a long value", CLOCK + f"seed: {'k' * 99999}")
a_recipe("not a number", CLOCK + "train: {learning_rate: .nan}", "train.learning_rate")
a_recipe("TRL's output", CLOCK + "train: {sft: {output_dir: /tmp}}", "sft.output_dir: leave it out")
a_recipe("a token", CLOCK + "train: {sft: {hub_token: hf_x}}", "sft.hub_token: leave it out")
a_recipe("code of a stranger", CLOCK + "train: {sft: {trust_remote_code: true}}", "no code")
a_recipe("a word for a list", "data: clock", "data: 'clock'")
a_recipe("a generator of nothing", "data: [{kind: ../../clock}]", "'../../clock'")
a_recipe("a path with a zero", 'data: [{path: "a\\0b"}]', "a\\x00b")
a_recipe("a path without end", f"data: [{{path: {'a/' * 9999}}}]", "a/a/a")
a_recipe("options of nothing", "data: [{kind: clock, options: {size: [1]}}]", "size")
for kind, content in SPECIAL.items():
    a_recipe(kind, content)
add("recipe: a directory", {"r.yaml": None}, "r.yaml", "train r.yaml", "plan r.yaml")
add("recipe: what a program writes, as <(…) names it", {"r": os.mkfifo}, "r is a pipe",
    "train r", "plan r", "score r --data arithmetic eval.samples=2")  # fmt: skip
add("recipe: a run's", {"run/recipe.yaml": b"data: ["}, "recipe.yaml", "predict run")


# Words of the command line

for name, word, message in (
    ("an unfinished list", "train.sft=[", "train.sft: the value is not YAML"),
    ("deep lists", f"data={'[' * DEEP}{']' * DEEP}", "nested more than 50 deep"),
    ("a deep path", "a." * DEEP + "b=1", "a"),
    ("laughs", "data=" + laughs(12).replace("\n", ", ").join("{}"), "aliases written out"),
    ("a place beyond all", f"data.{'9' * 5000}.kind=clock", "is no place in a list"),
    ("no key", "=1", "key=value"),
    ("a zero", "model.name=a\0b", "model.name: the value is not YAML"),
    ("a key of a value", "seed.a.b=1", "seed"),
    ("TRL's upload", "train.sft.push_to_hub=true", "sft.push_to_hub: leave it out"),
    ("a server without a host", "model.server=http://", "server: give a URL"),
):
    INPUTS.append(
        Bad(f"override: {name}", {}, (("train", "demo", word, "--out", "run"),), (message,))
    )


# Pictures, alone in a folder and named by a table


def png(width: int, height: int, *chunks: bytes) -> bytes:
    """The beginning of a picture of that size, which a few bytes can claim."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunks) + chunk(b"IEND", b"")


def picture_bytes(
    form: str, *, size: tuple[int, int] = (8, 8), mode: str = "RGB", **options: Any
) -> bytes:
    file = io.BytesIO()
    Image.new(mode, size).save(file, form, **options)
    return file.getvalue()


EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n(a) (w) file closefile\n"
LABELS = b"image,question,answer,split\nphotos/a.png,Which?,3,test\n"


def a_picture(name: str, data: Content, message: str = "a.png") -> None:
    add(f"picture: {name}", {"photos/a.png": data}, message,
        "predict m photos --question ? --server http://127.0.0.1:9/v1")  # fmt: skip
    add(f"labelled picture: {name}", {"photos/a.png": data, "labels.csv": LABELS}, "labels.csv",
        "stats labels.csv columns.split=split columns.kind=number")  # fmt: skip


a_picture("nothing", b"")
a_picture("a text", b"no picture")
a_picture("a directory", None)
for kind, content in SPECIAL.items():
    a_picture(kind, content)
a_picture("40 GiB after its beginning", sparse(picture_bytes("PNG")), "a.png")
for form in ("F", "I"):
    a_picture(
        f"pixels of 32 bits, {form}", picture_bytes("TIFF", mode=form), "save it in 8 or 16 bits"
    )
a_picture("EPS", EPS)
a_picture("PostScript", EPS.replace(b" EPSF-3.0", b""))
a_picture("PDF", b"%PDF-1.4\n")
a_picture("SVG", b"<svg xmlns='http://www.w3.org/2000/svg'/>")
a_picture("a format that is not opened", picture_bytes("TGA"))
a_picture("a bomb", png(50_000, 50_000), "pixels: give a smaller copy")
a_picture("the largest bomb", png(2**31 - 1, 2**31 - 1), "pixels: give a smaller copy")
a_picture("no width", png(0, 9))
a_picture("a signature alone", b"\x89PNG\r\n\x1a\n")
a_picture("a GIF cut short", picture_bytes("GIF")[:9])
a_picture("a JPEG cut short", picture_bytes("JPEG")[:30])
a_picture("a TIFF cut short", picture_bytes("TIFF")[:30])
a_picture("a WebP cut short", picture_bytes("WEBP")[:20])
BMP = b"BM" + struct.pack("<6I2H6I", 54, 0, 54, 40, 60_000, 60_000, 1, 24, *[0] * 6)
a_picture("a BMP bomb", BMP, "pixels: give a smaller copy")
a_picture("a GIF bomb", b"GIF89a" + struct.pack("<2H3B", 65_535, 65_535, 0, 0, 0)
          + b"," + struct.pack("<4HB", 0, 0, 65_535, 65_535, 0) + b"\x02\x00;",
          "pixels: give a smaller copy")  # fmt: skip


# Tables of labels


def a_table(name: str, file: str, data: Content | str, *options: str, message: str = "") -> None:
    content = data.encode() if isinstance(data, str) else data
    words = " ".join((file, "columns.image=null", *options))
    add(f"labels: {name}", {file: content}, message or file, f"stats {words}",
        f"export {words} --to trl --family qwen2-vl --out out")  # fmt: skip


def parquet(**columns: list[Any]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


def bomb() -> bytes:
    """Under 1,000 bytes that are a table of 40 GB: one text in 4,000 rows, once in a dictionary."""
    file, n = io.BytesIO(), 4000
    text = pa.array(["x" * 10_000_000])
    repeated = pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), text)
    columns = {"question": repeated, "answer": ["1"] * n}
    pq.write_table(pa.table(columns), file, compression="zstd", dictionary_pagesize_limit=2**30)
    return file.getvalue()


def nothing() -> bytes:
    """A few thousand bytes that are ten million rows."""
    file, nulls = io.BytesIO(), pa.nulls(10**7, pa.int8())
    pq.write_table(pa.table({"question": nulls}), file, compression="zstd", row_group_size=10**7)
    return file.getvalue()


ROW = {"question": "2 + 2?", "answer": "4"}
a_table("nothing", "l.csv", "")
a_table("a header alone", "l.csv", "question,answer\n")
a_table("zeros", "l.csv", bytes(100))
a_table("UTF-16", "l.csv", "question,answer\n1,2\n".encode("utf-16"))
a_table("Latin-1", "l.csv", "question,answer\nK\xfcche?,2\n".encode("latin-1"))
a_table("a picture", "l.csv", png(4, 4))
a_table("no end of a quotation", "l.csv", 'question,answer\n"what,2\n', message="l.csv")
a_table("other columns", "l.csv", "q,a\n1,2\n")
a_table(
    "a path too long",
    "l.csv",
    f"image,question,answer\n{'a' * 5000}.png,?,2\n",
    "columns.image=image",
)
a_table(
    "a path with a zero", "l.csv", "image,question,answer\na\0b.png,?,2\n", "columns.image=image"
)
a_table("a device", "l.csv", "image,question,answer\n/dev/zero,?,2\n", "columns.image=image")
a_table("a long word", "l.csv", f"question,answer\n?,{'no' * 99999}\n", "columns.kind=number")
a_table("no times", "l.csv", "question,answer\n?,25:61\n", "columns.kind=time")
a_table("no numbers", "l.csv", "question,answer\n?,1e999999\n", "columns.kind=number")
a_table("boxes without pictures", "l.csv", 'question,answer\n?,"[1,2,3,4]"\n', "columns.kind=box")
a_table("9,999 bad rows", "l.csv", "question,answer\n" + "?,no\n" * 9999, "columns.kind=number")
COLUMNS = ",".join(map(str, range(200_000)))
a_table("200,000 columns", "l.csv", f"{COLUMNS}\n{COLUMNS}\n")
a_table("200,000 cells more than columns", "l.csv", f"question,answer\n{COLUMNS}\n")
a_table("no lines", "l.jsonl", "")
a_table("no JSON", "l.jsonl", "{\n")
a_table("a cut line", "l.jsonl", json.dumps(ROW) + "\n" + json.dumps(ROW)[:9])
a_table("a list", "l.jsonl", "[1]\n")
a_table("a number", "l.jsonl", "1\n")
a_table("a long list", "l.jsonl", f"[{'1,' * 99999}1]\n")
a_table("deep lists", "l.jsonl", "[" * DEEP + "\n")
a_table("a deep answer", "l.jsonl", '{"question": "?", "answer": ' + "[" * 400 + "]" * 400 + "}",
        "columns.kind=number")  # fmt: skip
a_table(
    "a very deep answer", "l.jsonl", '{"question": "?", "answer": ' + "[" * DEEP + "]" * DEEP + "}"
)
a_table("an integer of 5,000 digits", "l.jsonl", '{"question": "?", "answer": ' + "9" * 5000 + "}")
a_table("lines in UTF-16", "l.jsonl", json.dumps(ROW).encode("utf-16"))
a_table("a zero", "l.jsonl", b"\0\n")
WORDS = json.dumps(ROW | {"image": {"bytes": "x"}})
a_table("a picture of words", "l.jsonl", WORDS, "columns.image=image")
a_table(
    "no word of the columns",
    "l.jsonl",
    json.dumps(ROW) + "\n",
    "columns.kind=sound",
    message="columns: kind='sound'",
)
for end in ("csv", "tsv", "json", "jsonl", "parquet"):
    for kind, content in SPECIAL.items():
        a_table(f"{kind}, .{end}", f"l.{end}", content)
        add(f"answers elsewhere: {kind}, .{end}", {f"a.{end}": content}, f"a.{end}",
            f"score a.{end} --data arithmetic eval.samples=2")  # fmt: skip
a_table("a text a million times", "l.parquet", bomb())
a_table("ten million rows of nothing", "l.parquet", nothing())
add("answers elsewhere: a text a million times", {"a.parquet": bomb()}, "a.parquet",
    "score a.parquet --data arithmetic eval.samples=2 --id-column none")  # fmt: skip
for end in ("csv", "jsonl"):
    add(f"labels: a directory named .{end}", {f"l.{end}": None}, f"l.{end}", f"stats l.{end}")
add("labels: metadata that is a directory", {"photos/metadata.csv": None}, "photos", "stats photos")


# Benchmarks


def a_benchmark(name: str, file: str, data: bytes | str, message: str = "", **also: bytes) -> None:
    content = data.encode() if isinstance(data, str) else data
    add(
        f"{name}: {file}",
        {file: content, **also},
        message or file,
        f"stats {file} benchmark={name}",
    )


BY_BENCHMARK: dict[str, list[tuple[str, Any]]] = {
    "chartqa": [
        ("json", [{"imgname": 5, "query": "?", "label": "1"}]),
        ("json", {"a": 1}),
        ("json", 5),
    ],
    "clockbench": [("json", [{"id": 1}]), ("json", {"a": {"image_url": []}})],
    "gsm8k": [
        ("jsonl", {"question": 5, "answer": 5}),
        ("jsonl", {"question": "?", "answer": "#### x"}),
    ],
    "measurebench": [("json", [{"img_path": "a.png", "evaluator_kwargs": "["}])],
    "refcoco": [("jsonl", {"image": "a.png", "sent": 5, "bbox": {}})],
    "ticktockvqa": [("json", [{"image_path": "\0", "hour": [], "minute": 5}])],
}
for benchmark, cases in BY_BENCHMARK.items():
    for number, (end, value) in enumerate(cases):
        a_benchmark(benchmark, f"test{number}.{end}", json.dumps(value))
    a_benchmark(benchmark, "test.json", "[" * DEEP)
    a_benchmark(benchmark, "test.parquet", b"PAR1" + bytes(99) + b"PAR1")
GOOD = parquet(image=[picture_bytes("PNG")], query=["?"], label=[["1"]])
a_benchmark("chartqa", "test-cut.parquet", GOOD[:-20])
a_benchmark(
    "chartqa", "test-hole.parquet", GOOD[:8] + bytes(len(GOOD) // 2) + GOOD[8 + len(GOOD) // 2 :]
)
a_benchmark("chartqa", "test-eps.parquet", parquet(image=[EPS], query=["?"], label=[["1"]]))
a_benchmark("chartqa", "test-number.parquet", parquet(image=[5], query=["?"], label=[["1"]]))
a_benchmark("chartqa", "test-none.parquet", b"")
a_benchmark("vlmevalkit", "test.tsv", "index\timage\tquestion\tanswer\n1\t////\t?\t1\n")
a_benchmark(
    "vlmevalkit", "test-64.tsv", "index\timage\tquestion\tanswer\n1\t" + "A" * 80 + "\t?\t1\n"
)
a_benchmark(
    "vlmevalkit", "test.json", json.dumps([{"image": 5, "hint": 5, "question": 5, "answer": 5}])
)
ANSWERS = {"answers.json": b"[" * DEEP, "a.png": picture_bytes("PNG")}
CLOCKS = json.dumps({"a": {"image_url": "a.png"}})
a_benchmark("clockbench", "input.json", CLOCKS, "answers.json", **ANSWERS)
a_benchmark("chartqa", "test.xml", "<a/>")
add("chartqa: a directory", {"test.json": None}, "test.json", "stats test.json benchmark=chartqa")


# Datasets: manifests and shards


@cache
def dataset(form: str) -> dict[str, bytes]:
    """Files of a small sound dataset."""
    samples = store.mixture(
        (Source(kind="arithmetic" if form == "parquet" else "gauge"),), split="test", seed=0
    )
    with tempfile.TemporaryDirectory() as folder:
        store.write(samples, Path(folder), n=2, split="test", workers=1, format=form)
        files = (file for file in Path(folder).rglob("*") if file.is_file())
        return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def a_dataset(
    name: str, message: str, form: str = "parquet", *, huge: bool = False, **changed: Content
) -> None:
    """Change files of a sound dataset; hashing a huge one takes its time, and is no fault."""
    files: dict[str, Content] = {f"d/{path}": data for path, data in dataset(form).items()}
    for start, data in changed.items():
        (path,) = [path for path in files if path.startswith(f"d/{start}") or path.endswith(start)]
        files[path] = data
    export = "export d --to trl --family qwen2-vl --out out --split test"
    add(f"dataset: {name}", files, message, *([] if huge else ["verify d"]), export)


def a_manifest(name: str, change: Any, message: str = "manifest.json") -> None:
    """`change` makes other content of the sound one, unless it makes the file itself."""
    if callable(change) and change not in SPECIAL.values():
        whole = json.loads(dataset("parquet")["manifest.json"])
        change(whole, whole["splits"]["test"])
        change = json.dumps(whole).encode()
    a_dataset(f"manifest: {name}", message, manifest=change)
    words = "generate arithmetic --n 2 --out d --split val --workers 1"
    INPUTS[-1] = replace(INPUTS[-1], commands=(*INPUTS[-1].commands, tuple(words.split())))


a_manifest("nothing", b"")
a_manifest("a list", b"[]")
a_manifest("a word", b'"manifest"')
a_manifest("deep lists", b"[" * DEEP)
a_manifest("zeros", bytes(50))
a_manifest("Latin-1", '{"\xfc": 1}'.encode("latin-1"))
a_manifest("UTF-16", json.dumps({"format": 1}).encode("utf-16"))
a_manifest("another format", lambda whole, _: whole.update(format=99))
a_manifest("shards of an unknown kind", lambda whole, _: whole.update(shards="../x"))
a_manifest("a list of splits", lambda whole, _: whole.update(splits=[1]))
a_manifest("a word for a split", lambda whole, _: whole["splits"].update(test="all"))
a_manifest("no shards", lambda _, test: test.update(shards=[]))
a_manifest("a word for a shard", lambda _, test: test.update(shards=["all"]))
a_manifest("a shard without a file", lambda _, test: test["shards"][0].pop("file"))
a_manifest("a shard elsewhere", lambda _, test: test["shards"][0].update(file="../../etc/passwd"))
a_manifest("a shard at the root", lambda _, test: test["shards"][0].update(file="/etc/passwd"))
a_manifest("a shard of no number of rows", lambda _, test: test["shards"][0].update(rows="many"))
a_manifest("samples of nowhere", lambda _, test: test.update(samples={}))
a_manifest("a word for the samples", lambda _, test: test.update(samples="all"))
a_manifest("no number of samples", lambda _, test: test.update(n="many"))
a_manifest("a list of counts", lambda _, test: test["shards"][0].update(counts=[1]))
a_manifest("words for counts", lambda _, test: test["shards"][0].update(counts={"a": {"b": "c"}}))
a_manifest("10^30 rows", lambda _, test: test["shards"][0].update(rows=10**30))
a_manifest("10^30 samples", lambda _, test: test.update(n=10**30))
a_manifest("10^9 rows of two", lambda _, test: test["shards"][0].update(rows=10**9), "n is 2")
for kind, content in SPECIAL.items():
    a_manifest(kind, content)
    for form, place in (
        ("parquet", "data"), ("webdataset", "data"),
        ("imagefolder", "metadata.jsonl"), ("imagefolder", "000.png"),
    ):  # fmt: skip
        a_dataset(f"{kind}, {form}, {place}", "00000-of-00001", form, huge=kind.startswith("40"),
                  **{place: content})  # fmt: skip
SHARD = dataset("parquet")["data/test-00000-of-00001.parquet"]
a_dataset("an empty shard", "test-00000", data=b"")
a_dataset("a shard cut short", "test-00000", data=SHARD[:-9])
a_dataset("a shard with a hole", "test-00000", data=SHARD[:8] + bytes(200) + SHARD[208:])
a_dataset("a shard of other columns", "test-00000", data=parquet(a=[1]))
a_dataset(
    "a shard of numbers",
    "test-00000",
    data=parquet(id=[1, 2], image=[1, 2], question=[1, 2], target=[1, 2]),
)
a_dataset("a shard that is a directory", "test-00000", data=None)
a_dataset("an empty tar", "test-00000", "webdataset", data=b"")
a_dataset("a tar of zeros", "test-00000", "webdataset", data=bytes(2048))
LONG = tarfile.TarInfo("test-000000000.json")
LONG.size = 2**33 - 1
LONG_TAR = LONG.tobuf(tarfile.USTAR_FORMAT) + bytes(512)
a_dataset("a tar of JSON beyond its end", "test-00000", "webdataset", data=LONG_TAR)
a_dataset("8 GiB of JSON", "bytes of JSON", "webdataset", huge=True, data=sparse(LONG_TAR))
LONG.type = tarfile.XHDTYPE
a_dataset(
    "8 GiB of headers",
    "is no file",
    "webdataset",
    huge=True,
    data=sparse(LONG.tobuf(tarfile.USTAR_FORMAT)),
)
a_dataset(
    "a tar cut short",
    "test-00000",
    "webdataset",
    data=dataset("webdataset")["data/test-00000-of-00001.tar"][:700],
)
a_dataset("lines of a folder", "00000-of-00001", "imagefolder", **{"metadata.jsonl": b"[" * DEEP})
ELSEWHERE = json.dumps({"file_name": "../../../x", "id": "a", "question": "?", "target": "{}"})
LINES = {"metadata.jsonl": 2 * f"{ELSEWHERE}\n".encode()}
a_dataset("a folder that leads elsewhere", "00000-of-00001", "imagefolder", **LINES)


# Answers, and what was asked

EXAM = Exam((Source(kind="arithmetic"),), "test", 0, 2)


@cache
def sound_answers() -> dict[str, bytes]:
    """Sound answers to two sums."""
    samples = list(EXAM)
    exam = {"sources": [{"kind": "arithmetic"}], "split": "test", "seed": 0, "samples": 2}
    about = {"exam": exam, "data": EXAM.pool.describe(), "versions": {"gnomon": "1"}}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a.jsonl"
        predictions.append(
            file, [Prediction(s.id, "5", None, "plain", {"name": "m"}) for s in samples]
        )
        list(questions.record(samples, questions.question_path(file)))
        (Path(folder) / "a.about.json").write_text(json.dumps(about))
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def bad_answers(name: str, message: str = "a.", **changed: Any) -> None:
    files: dict[str, Content] = dict(sound_answers())
    for path, data in changed.items():
        files[path.replace("_", ".", 1) if path == "a_jsonl" else "a.about.json"] = data
    add(f"answers: {name}", files, message, "score a.jsonl", "compare a.jsonl -o c.html")


def a_line(name: str, change: Any) -> None:
    """`change` makes another first line of the sound one."""
    first, second = sound_answers()["a.jsonl"].splitlines(keepends=True)
    row = json.loads(first)
    changed = change if isinstance(change, bytes) else json.dumps(row | change).encode() + b"\n"
    bad_answers(name, a_jsonl=changed + second)


a_line("zeros", bytes(9) + b"\n")
a_line("no JSON", b"{\n")
a_line("deep lists", b"[" * DEEP + b"\n")
a_line("a list", b"[1]\n")
a_line("a number", b"5\n")
a_line("a long list", b"[" + b"1," * 99999 + b"1]\n")
a_line("Latin-1", '{"sample_id": "\xfc"}\n'.encode("latin-1"))
a_line("UTF-16", '{"sample_id": "a"}\n'.encode("utf-16") + b"\n")
a_line("an unknown key", {"colour": "red"})
a_line("a number for a name", {"sample_id": 5})
a_line("nothing for a text", {"text": None})
a_line("a word for settings", {"settings": "none"})
a_line("a size of one", {"size": [5]})
a_line("a map for a size", {"size": {"a": 1}})
a_line("no size", {"size": [0, 0]})
a_line("words for beliefs", {"logprobs": {"5": "much"}})
bad_answers("a directory", a_jsonl=None)
for kind, content in SPECIAL.items():
    bad_answers(kind, a_jsonl=content)
    bad_answers(f"about: {kind}", about=content)
for name, about in (
    ("nothing", b""), ("a list", b"[]"), ("deep lists", b"[" * DEEP), ("zeros", bytes(9)),
    ("Latin-1", '{"\xfc": 1}'.encode("latin-1")), ("UTF-16", "{}".encode("utf-16")),
    ("other keys", b"{}"), ("a word for all", b'{"exam": "a", "data": "b", "versions": "c"}'),
):  # fmt: skip
    bad_answers(f"about: {name}", about=about)
ABOUT = json.loads(sound_answers()["a.about.json"])
for name, changed in (
    ("a word for a number", {"exam": ABOUT["exam"] | {"samples": "many"}}),
    ("a split that is none", {"exam": ABOUT["exam"] | {"split": "x"}}),
    ("no sources", {"exam": ABOUT["exam"] | {"sources": []}}),
    ("a word for a source", {"exam": ABOUT["exam"] | {"sources": ["clock"]}}),
    ("an unknown key", {"exam": ABOUT["exam"] | {"colour": 1}}),
    ("a list of data", {"data": [1]}), ("a list of versions", {"versions": [1]}),
):  # fmt: skip
    bad_answers(f"about: {name}", about=json.dumps(ABOUT | changed).encode())

RUN = {f"run/predictions/after{path[1:]}": data for path, data in sound_answers().items()}
for name, files in (
    ("a log that is none", {"run/log.jsonl": b"[" * DEEP + b"\n"}),
    ("a log of lists", {"run/log.jsonl": b"[1]\n"}),
    ("a log in Latin-1", {"run/log.jsonl": b"\xfc\n"}),
    ("a recipe in Latin-1", {"run/recipe.yaml": b"# \xfc\n"}),
):
    add(f"run: {name}", {"run/recipe.yaml": CLOCK.encode(), **RUN, **files}, "run/", "score run",
        "compare run run/predictions/after.jsonl -o c.html")  # fmt: skip
for kind, content in SPECIAL.items():
    files = {"run/recipe.yaml": CLOCK.encode(), **RUN}
    add(f"run: a log of {kind}", {**files, "run/log.jsonl": content}, "log.jsonl", "score run")
    add(f"run: a recipe of {kind}", {**files, "run/recipe.yaml": content}, "recipe.yaml",
        "score run")  # fmt: skip
    add(f"answers: judgements of {kind}", {**sound_answers(), "j.json": content}, "j.json",
        "score a.jsonl --reviewed j.json")  # fmt: skip
add("run: no run", {}, "nope", "score nope", "compare nope nope -o c.html")
add("run: a file for a run", {"run": b""}, "run.about.json", "score run")

# Places to write to

for kind, content in list(SPECIAL.items())[:2]:
    for file, words in (
        ("s.png", "preview arithmetic -o s.png"),
        ("r.html", "score a.jsonl -o r.html"),
        ("r.csv", "score a.jsonl -o r.html"),
        ("n.jsonl", "predict m clock eval.samples=1 --server http://127.0.0.1:9/v1 --out n.jsonl"),
        ("n.csv", "predict m p.png --question ? --server http://127.0.0.1:9/v1 --out n.csv"),
        ("d", "generate arithmetic --n 2 --out d --workers 1"),
        ("d/manifest.json", "generate arithmetic --n 2 --out d --workers 1"),
    ):  # fmt: skip
        files = {**sound_answers(), "p.png": picture_bytes("PNG"), file: content}
        add(f"output: {kind}, {file}", files, file, words)


# Cases that are data: bad_inputs.jsonl, a case a line


def adapter() -> dict[str, bytes]:
    """A run of the embedded model whose adapter has a sound config, and no weights."""
    recipe = CLOCK + "model: {load_in_4bit: false}\n"
    config = {"peft_type": "LORA", "task_type": "CAUSAL_LM", "r": 2, "target_modules": ".*q_proj"}
    return {
        "run/recipe.yaml": recipe.encode(),
        "run/adapter/adapter_config.json": json.dumps(config).encode(),
        "run/adapter/adapter_model.safetensors": b"",
    }


BASES: dict[str, Callable[[], dict[str, bytes]]] = {
    "adapter": adapter,
    "answers": sound_answers,
    "parquet": lambda: {f"d/{path}": data for path, data in dataset("parquet").items()},
    "imagefolder": lambda: {f"d/{path}": data for path, data in dataset("imagefolder").items()},
}
"""Sound files in which one value is changed."""


def from_table(row: dict[str, Any]) -> Bad:
    """Read a line of bad_inputs.jsonl.

    `files` by path: a text as it is, {"$base64": ...}, {"$picture": [width, height]}, or JSON, a
    line for each of a list if the path ends in .jsonl. `base` names sound files, and `change` a
    file among them with new values under dotted keys, in the first line where it has many.
    """
    files: dict[str, Content] = dict(BASES[row["base"]]() if "base" in row else {})
    for path, values in row.get("change", {}).items():
        first, *rest = (
            files[path].splitlines(keepends=True) if path.endswith("l") else [files[path]]
        )
        whole = json.loads(first)
        for key, value in values.items():
            *outer, last = key.split(".")
            inner = whole
            for step in outer:
                inner = inner[int(step) if isinstance(inner, list) else step]
            inner[last] = value
        files[path] = b"".join([json.dumps(whole).encode() + b"\n", *rest])
    files |= {path: _content(path, value) for path, value in row["files"].items()}
    commands = tuple(tuple(shlex.split(words)) for words in row["commands"])
    reply = (row.get("status", 200), row["reply"].encode()) if "reply" in row else None
    return Bad(row["name"], files, commands, tuple(row["message"]), reply)


def _content(path: str, value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict) and "$base64" in value:
        return b64decode(value["$base64"])
    if isinstance(value, dict) and "$picture" in value:
        return picture_bytes("PNG", size=tuple(value["$picture"]))
    if path.endswith(".jsonl") and isinstance(value, list):
        return "".join(f"{json.dumps(line)}\n" for line in value).encode()
    return json.dumps(value).encode()


TABLE = Path(__file__).with_suffix(".jsonl")
INPUTS += [from_table(json.loads(line)) for line in TABLE.read_text().splitlines()]

INPUTS[:] = [replace(bad, name=f"{number:03} {bad.name}") for number, bad in enumerate(INPUTS)]
