"""The Hugging Face image folder: PNG files, and a metadata.jsonl with the other columns.

A shard is a subfolder of its split with a separate metadata.jsonl. So it can be complete or absent
like any other shard, and a folder never holds a million files.
"""

import json
import re
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar

from gnomon import files, jsons
from gnomon.atomic import name_in_errors, replace_folder
from gnomon.store.formats import Format, file_sha256
from gnomon.store.records import Record, plain_columns, wrap_picture

METADATA, PICTURE = "metadata.jsonl", "file_name"


class ImageFolder(Format):
    """Shards as folders of PNG files."""

    name: ClassVar[str] = "imagefolder"
    loading: ClassVar[str] = """\
import datasets

# In each folder the rows are in order; which folder comes first is up to the library.
rows = datasets.load_dataset("imagefolder", data_dir="this/directory", split="{split}")"""

    def __init__(self) -> None:
        self._line_offsets = cache(_line_offsets)

    def file(self, split: str, number: int, shards: int) -> str:
        return f"{split}/{number:05}-of-{shards:05}"

    def shards(self, split: str) -> str:
        return f"{split}/[0-9]*-of-[0-9]*"

    def files(self, split: str) -> str:
        return f"{self.shards(split)}/*"

    def write(self, final: Path, records: Iterable[Record], *, split: str, first: int) -> None:
        lines = []
        with replace_folder(final) as folder:
            for index, record in enumerate(records, first):
                if record["image"] is None:
                    raise ValueError(
                        f"sample {record['id']!r} has no picture, and an image folder is made of"
                        " pictures: give --format parquet"
                    )
                # Nine digits, so names sort in the order of the samples.
                name = f"{split}-{index:09}.png"
                with name_in_errors(final / name):
                    (folder / name).write_bytes(record["image"]["bytes"])
                line = {PICTURE: name, **plain_columns(record)}
                lines.append(f"{json.dumps(line, ensure_ascii=False)}\n")
            (folder / METADATA).write_text("".join(lines), encoding="utf-8")

    def foreign_files(self, shard: Path, split: str) -> list[str]:
        # A picture with a name that gnomon writes. Hidden files are ignored.
        picture = re.compile(rf"{re.escape(split)}-\d{{9}}\.png")
        names = sorted(entry.name for entry in shard.iterdir())
        return [
            name
            for name in names
            if name[0] != "." and name != METADATA and not picture.fullmatch(name)
        ]

    def digest(self, shard: Path) -> str:
        """Return a hash over every file's name and bytes, so an extra file changes it."""
        paths = sorted(file for file in shard.rglob("*") if file.is_file())
        # posix: the same hash on Windows.
        entries = [(file.relative_to(shard).as_posix(), file_sha256(file)) for file in paths]
        return sha256(json.dumps(entries).encode()).hexdigest()

    def record(self, shard: Path, row: int) -> Record:
        with files.open_bytes(shard / METADATA) as stream:
            # Only this line is read, because the metadata of a shard may be long.
            stream.seek(self._line_offsets(shard)[row])
            line: dict[str, Any] = jsons.loads(next(files.read_lines(stream)), METADATA)
        picture = files.Folders(shard).find(line[PICTURE])
        data = files.read_bytes(picture, "a picture", limit=files.MAX_PICTURE_BYTES)
        return {**line, "image": wrap_picture(data)}


def _line_offsets(folder: Path) -> list[int]:
    """Return the byte offset of each line of the metadata."""
    with files.open_bytes(folder / METADATA) as stream:
        # The last sum is the length of the file, where no line starts.
        return [0, *accumulate(map(len, files.read_lines(stream)))][:-1]
