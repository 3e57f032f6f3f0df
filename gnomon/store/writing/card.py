"""README.md: the dataset card, with a sheet of samples, counts, and instructions for loading.

Its header tells the Hugging Face libraries the files of each split. Everything except the twelve
samples of the sheet comes from the manifest, so no shard is read again.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from jinja2 import StrictUndefined, Template

from gnomon.atomic import put_bytes
from gnomon.generators import KINDS, create
from gnomon.store.formats import manifest as manifests
from gnomon.store.formats.manifest import MANIFEST
from gnomon.store.pictures import encode_png
from gnomon.store.reading.dataset import open_dataset
from gnomon.store.reading.mixture import varied_indices
from gnomon.store.records import text_columns
from gnomon.store.writing.census import PICTURE, count_table, merge_counts

CARD, SHEET = "README.md", "sheet.png"
_SHEET_SAMPLES, _SHEET_COLUMNS = 12, 4


def write_card(root: Path, manifest: dict[str, Any]) -> None:
    """Write the card and the sheet of the splits whose shards are all written."""
    splits = {
        name: split for name, split in manifest["splits"].items() if None not in split["shards"]
    }
    # train if it exists, because the manifest has the splits in that order.
    first = next(iter(splits))
    put_bytes(root / SHEET, _sheet(root, first, splits[first]["samples"]["source"]))
    put_bytes(root / CARD, _card(manifest, splits).encode())


def _sheet(root: Path, split: str, source: str) -> bytes:
    """Draw a sheet of the first samples, or of random samples from a table, which may be sorted."""
    from gnomon.generators.drawing.sheet import contact_sheet

    dataset = open_dataset(root, split)
    indices: Sequence[int] = range(min(_SHEET_SAMPLES, len(dataset)))
    if source == "own":
        # Rows with the same label are often neighbours in a table.
        indices = varied_indices(dataset, _SHEET_SAMPLES, seed=0)
    samples = [dataset[index] for index in indices]
    answers = [text_columns(sample)["answer"] or "–" for sample in samples]
    columns = min(_SHEET_COLUMNS, len(samples))
    return encode_png(contact_sheet(samples, answers=answers, columns=columns))


# The card contains neither times nor places, so the same samples make the same card.
def _card(manifest: dict[str, Any], splits: dict[str, Any]) -> str:
    source = Path(__file__).with_suffix(".md.j2").read_text(encoding="utf-8")
    # StrictUndefined: a missing name is an error instead of an empty text.
    template = Template(
        source, trim_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
    )
    shard_format, first = manifests.format_of(manifest), next(iter(splits))
    shards = len(splits[first]["shards"])
    counts = {
        name: merge_counts(shard["counts"] for shard in split["shards"])
        for name, split in splits.items()
    }
    text: str = template.render(
        splits=splits,
        shard_format=shard_format,
        is_drawn=all(_is_drawn(split["samples"]) for split in splits.values()),
        license=manifest.get("license", "unknown"),
        pictured=any(each.get(PICTURE, {}).keys() - {"none"} for each in counts.values()),
        sheet=SHEET,
        counts=count_table(counts),
        loading=shard_format.loading.format(split=first, shards=shards, last=shards - 1),
        first=first,
        manifest=MANIFEST,
        generate_command=generate_command,
        recipe_yaml=recipe_yaml,
        recipe_file=RECIPE,
        files=list(_files(splits).items()),
    )
    return text


def _is_drawn(samples: dict[str, Any]) -> bool:
    """Return True if gnomon's kinds drew everything. Their questions are in English."""
    return all(
        source["source"] == "drawn" and KINDS.get(source["kind"], "").startswith("gnomon.")
        for source in samples.get("sources", [samples])
    )


def _files(splits: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Return hash and licence of the user's files that samples were drawn with, by path."""
    return {
        path: (digest, split.get("licences", {}).get(path, "not stated"))
        for split in splits.values()
        for path, digest in manifests.user_file_hashes(split).items()
    }


RECIPE = "recipe.yaml"


def generate_command(split: str, entry: Mapping[str, Any], shard_format: str) -> str:
    """Return the `gnomon generate` command that writes this split, with the options that differ."""
    samples = entry["samples"]
    source, options = RECIPE, []
    if samples["source"] == "drawn":
        source = _name(samples["kind"])
        options = [f"{key}={_plain(value)}" for key, value in _options(samples).items()]
    words = ["gnomon", "generate", source, "--n", entry["n"], "--split", split, "--out", "DIR"]
    if seed := samples.get("seed"):
        words += ["--seed", seed]
    if shard_format != "parquet":
        words += ["--format", shard_format]
    return shlex.join(map(str, [*words, *options]))


def recipe_yaml(entry: Mapping[str, Any]) -> str:
    """Return the recipe that the command names. Empty for a kind, which does not need a recipe."""
    samples = entry["samples"]
    if samples["source"] == "drawn":
        return ""
    sources = [_source(source) for source in samples.get("sources", [samples])]
    return yaml.safe_dump({"data": sources}, sort_keys=False, default_flow_style=None)


def _source(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return a source as a recipe has it. Only the name of a file is known, not its folder."""
    # Sources of equal weight are written without weights.
    weight = {"weight": described["weight"]} if described.get("weight", 1) != 1 else {}
    if described["source"] == "drawn":
        kind, options = _name(described["kind"]), _options(described)
        return {"kind": kind, **weight, **({"options": options} if options else {})}
    path = described.get("directory") or described.get("file") or described["source"]
    keys = {key: described[key] for key in ("columns", "benchmark") if key in described}
    return {"path": path, **weight, **keys}


def _name(kind: str) -> str:
    """Return a kind's name, or module:Class of a user's own generator."""
    location = KINDS.get(kind, kind)
    return kind if location.startswith("gnomon.") else location


def _options(samples: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of drawn samples that are not the kind's defaults."""
    kind, options = samples["kind"], samples["options"]
    defaults = create(kind).options if kind in KINDS else {}
    return {key: value for key, value in options.items() if value != defaults.get(key)}


def _plain(value: Any) -> str:
    """Write a value as an override: a bare word, or JSON, which is also valid YAML."""
    # YAML takes the identifiers no, on and yes for truth values.
    if isinstance(value, str) and value.isidentifier() and yaml.safe_load(value) == value:
        return value
    return json.dumps(value, ensure_ascii=False)
