"""README.md: the dataset card, with a sheet of samples, what is in it, and how to load it.

It also tells the Hugging Face libraries where each split lies. All of it but the sheet's dozen of
samples is known from the manifest: nothing is read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gnomon.atomic import put_bytes
from gnomon.generators.drawing.files import NOT_STATED
from gnomon.store import manifest as manifests
from gnomon.store.describing import bars
from gnomon.store.describing.tally import PICTURE, merged
from gnomon.store.layout import CARD, MANIFEST, SHEET
from gnomon.store.pixels import encoded
from gnomon.store.reading.dataset import open as open_dataset
from gnomon.store.rows import texts_of
from gnomon.store.writing import command

_BODY = """\
# Numbers to be read off

Questions with exact answers, drawn or copied by [gnomon](https://pypi.org/project/gnomon).
Written by `gnomon generate`; what stands here is overwritten when a split is added.

![Some of the samples]({sheet})

| split | samples | shards | source |
|---|---:|---:|---|
{splits}

| column | holds |
|---|---|
| `id` | a name that no other sample has |
| `image` | the picture, losslessly; null where the question is text alone |
| `question` | what is asked |
| `rationale` | the working that leads to the answer, where it is shown |
| `answer` | the answer as plain text; boxes as shares of the picture's width and height |
| `target` | the answer in canonical units, as JSON: seconds, a decimal, or a box in pixels |
| `facts` | what was drawn, as JSON |

## What is in it

```
{counts}
```

## How to load it

```python
{loading}
```

```python
import gnomon.store

samples = gnomon.store.open("this/directory", "{split}")
```

`{manifest}` has the options, versions and hashes; `gnomon verify` checks them, `gnomon stats` looks
for samples that stand twice, or in two splits.

## How to make it again

{again}

On the same library versions the bytes are the same: {versions}.
{files}
## License

{license}
"""
_FILES = """
## Files it is drawn with

| file | SHA-256 | licence |
|---|---|---|
{rows}
"""
_MOST_FILES = 100
_LICENSE = {
    False: "`{}`, as it was given to `gnomon generate --license`.",
    True: "Not stated: say it with `gnomon generate --license`. gnomon claims none on what it "
    "draws; pictures that were copied keep the license that they came with.",
}
_SHOWN, _ACROSS = 12, 4


def write_card(root: Path, manifest: dict[str, Any], *, afresh: bool) -> None:
    """Write the card of the splits that are whole, unless it says the same already.

    The sheet is drawn `afresh` when something was written, and where there is none.
    """
    splits = _whole(manifest)
    if afresh or not (root / SHEET).is_file():
        _put(root / SHEET, _sheet(root, next(iter(splits))))
    _put(root / CARD, (_front(manifest, splits) + _told(manifest, splits)).encode())


def _whole(manifest: dict[str, Any]) -> dict[str, Any]:
    return {name: split for name, split in manifest["splits"].items() if manifests.whole(split)}


def _put(file: Path, data: bytes) -> None:
    if not file.is_file() or file.read_bytes() != data:
        put_bytes(file, data)


def _sheet(root: Path, split: str) -> bytes:
    from gnomon.generators.sheet import contact_sheet

    rows = open_dataset(root, split)
    samples = [rows[index] for index in range(min(_SHOWN, len(rows)))]
    answers = [texts_of(sample)["answer"] or "–" for sample in samples]
    return encoded(contact_sheet(samples, answers=answers, columns=min(_ACROSS, len(samples))))


def _front(manifest: dict[str, Any], splits: dict[str, Any]) -> str:
    """What the hub reads of a card."""
    form = manifests.format_of(manifest)
    lines = ["configs:", "- config_name: default", "  data_files:"]
    for name in splits:
        lines += [f"  - split: {name}", f"    path: {form.files(name)}"]
    pictured = any(label != "none" for label in merged(_counts(splits).values()).get(PICTURE, {}))
    task = "visual-question-answering" if pictured else "question-answering"
    lines += [f"license: {manifests.license_of(manifest)}", f"task_categories: [{task}]"]
    return "\n".join(["---", *lines, "tags: [synthetic, gnomon]", "---", "", ""])


def _told(manifest: dict[str, Any], splits: dict[str, Any]) -> str:
    form, licence = manifests.format_of(manifest), manifests.license_of(manifest)
    first = next(iter(splits))
    shards = len(splits[first]["shards"])
    return _BODY.format(
        sheet=SHEET,
        splits="\n".join(_line(name, split) for name, split in splits.items()),
        counts=bars.table(_counts(splits)),
        loading=form.loading.format(split=first, shards=shards, last=shards - 1),
        split=first,
        again="\n\n".join(_again(splits, form.name)),
        versions=", ".join(f"{name} {said}" for name, said in splits[first]["versions"].items()),
        manifest=MANIFEST,
        files=_files(splits),
        license=_LICENSE[licence == manifests.UNKNOWN].format(licence),
    )


def _counts(splits: dict[str, Any]) -> dict[str, dict[str, dict[str, int]]]:
    """By split; a dataset that is older than its counts has none."""
    return {
        name: merged(shard.get("counts", {}) for shard in split["shards"])
        for name, split in splits.items()
    }


def _files(splits: dict[str, Any]) -> str:
    """The user's own files behind what was drawn; nothing where there are none."""
    found = {
        path: f"| `{_in_table(path)}` | `{digest}` | {_in_table(licence)} |"
        for split in splits.values()
        for path, digest in _hashes(split["samples"]).items()
        for licence in [split.get("licences", {}).get(path, NOT_STATED)]
    }
    rows = list(found.values())[:_MOST_FILES]
    if len(found) > _MOST_FILES:
        rows.append(f"| and {len(found) - _MOST_FILES:,} more, in `{MANIFEST}` | | |")
    return _FILES.format(rows="\n".join(rows)) if rows else ""


def _hashes(samples: dict[str, Any]) -> dict[str, str]:
    within = [_hashes(source) for source in samples.get("sources", [])]
    return {path: each for one in [samples.get("files", {}), *within] for path, each in one.items()}


def _in_table(text: str) -> str:
    return text.replace("|", "\\|")


def _again(splits: dict[str, Any], form: str) -> Iterator[str]:
    for name, split in splits.items():
        if recipe := command.recipe(split):
            yield f"With this as {command.RECIPE}:\n\n```yaml\n{recipe}```"
        yield f"```bash\n{command.command(name, split, form)}\n```"


def _line(name: str, split: dict[str, Any]) -> str:
    sources = "; ".join(_sources(split["samples"]))
    return f"| {name} | {split['n']:,} | {len(split['shards'])} | {sources} |"


def _sources(samples: dict[str, Any]) -> Iterator[str]:
    """A phrase for each source."""
    if samples["source"] == "mixture":
        for source in samples["sources"]:
            yield from (f"{source['weight']:g} × {told}" for told in _sources(source))
    elif samples["source"] == "drawn":
        said = [f"v{samples['version']}", f"seed {samples['seed']}"]
        said += [f"`{option}`".replace("|", "\\|") for option in command.overrides(samples)]
        yield f"{samples['kind']} ({', '.join(said)})"
    else:
        yield f"`{samples.get('directory') or samples.get('file') or samples['source']}`"
