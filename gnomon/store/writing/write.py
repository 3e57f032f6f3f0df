"""Writing of a dataset: complete shards stay, missing shards are drawn, other data is refused.

Refusals happen before anything is written.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from gnomon.atomic import remove_leftovers
from gnomon.generators.base import SPLITS
from gnomon.generators.user_files import licence
from gnomon.options import option
from gnomon.progress import track
from gnomon.store import formats
from gnomon.store.changed_rows import ComparedRow, explain_differences
from gnomon.store.formats import Format
from gnomon.store.formats import manifest as manifests
from gnomon.store.formats.manifest import MANIFEST
from gnomon.store.lock import sole_writer
from gnomon.store.reading.dataset import open_copy
from gnomon.store.records import Fingerprints, Record, to_record
from gnomon.store.samples import Samples
from gnomon.store.workers import run
from gnomon.store.writing.card import CARD, SHEET, write_card
from gnomon.store.writing.census import Counts, count_sample, cut_counts


def write(
    samples: Samples,
    out: str | Path,
    *,
    n: int,
    split: str = "train",
    workers: int | None = 1,
    shards: int | None = None,
    format: str | None = None,  # noqa: A002 - as the command line has it
    license: str | None = None,  # noqa: A002 - as the command line has it
    part: tuple[int, int] = (1, 1),
) -> dict[str, Any]:
    """Write the first `n` samples as one split of the directory `out`, and return its manifest.

    The bytes do not depend on the number of workers (all cores if it is None). After a crash, the
    same call resumes. On a finished split it draws only damaged or missing shards. A directory with
    other data is refused and left unchanged. `format` is one of `formats.FORMATS`. The default is
    the directory's format, or Parquet. `license` is written into the card, under the hub's name for
    it.

    `part` (2, 10) writes the second tenth of the shards into a folder below `out`, so that ten
    machines can share the work. The call without `part` then moves the shards of all parts to their
    places, draws missing shards, and removes the folders.
    """
    if license is not None and not re.fullmatch(r"[a-z0-9.-]+", license):
        raise ValueError(
            f"license={license!r}: give a license as the hub names it, such as cc-by-4.0"
        )
    if format:
        shard_format = formats.create(format)
    else:
        shard_format = manifests.format_of(manifests.read(Path(out)))
    plan = SplitPlan(samples, Path(out), split, n, shards or shards_for(n), shard_format)
    check_samples(plan)
    if part != (1, 1):
        if Path(out).exists():
            plan_entry(plan, manifests.read(plan.root))  # refuses what could not be joined
        plan = plan.to_part(*part)
    parts = sorted(plan.root.glob(f"{PARTS}/{split}-?????-of-?????"))
    with sole_writer(plan.root, *parts, folder=True):
        manifest = manifests.read(plan.root)
        entry = plan_entry(plan, manifest)
        part_shards = _shards_of_parts(plan, parts)
        # The manifest's own `shards` is the file format. The `shards` of a split lists its
        # shards.
        manifest["shards"] = shard_format.name
        if license is not None:
            manifest["license"] = license
        splits = {**manifest["splits"], split: entry}
        manifest["splits"] = {name: splits[name] for name in sorted(splits, key=_place)}
        _write_shards(plan, manifest, part_shards, workers)
        if part == (1, 1):
            # The card comes last because it contains the counts of all shards.
            write_card(plan.root, manifest)
    for folder in parts:
        shutil.rmtree(folder)
    with suppress(OSError):  # parts of another split, or none
        (plan.root / PARTS).rmdir()
    return manifest


def _shards_of_parts(plan: SplitPlan, parts: list[Path]) -> dict[int, tuple[Path, dict[str, Any]]]:
    """Return place and entry of each intact shard in folders of parts, by its number.

    A part of another dataset is refused.
    """
    part_shards = {}
    for folder in parts:
        entry = plan_entry(replace(plan, root=folder), manifests.read(folder))
        for number, shard in enumerate(entry["shards"]):
            if shard:
                part_shards[number] = folder / shard["file"], shard
    return part_shards


def remove_split(out: Path, split: str) -> None:
    """Remove a split if it exists, so that another number of samples can be written."""
    if split not in manifests.read(out)["splits"]:
        return
    with sole_writer(out, folder=True):
        manifest = manifests.read(out)
        entry = manifest["splits"].pop(split)
        manifests.save(out, manifest)
        for shard in entry["shards"]:
            if shard is not None:
                (out / shard["file"]).unlink(missing_ok=True)


def _place(split: str) -> tuple[int, str]:
    """Return a sort key that puts train, val and test first, and then other splits by name."""
    return SPLITS.index(split) if split in SPLITS else len(SPLITS), split


def _write_shards(
    plan: SplitPlan,
    manifest: dict[str, Any],
    part_shards: dict[int, tuple[Path, dict[str, Any]]],
    workers: int | None,
) -> None:
    """Move the shards of parts to their places, and write the missing shards.

    The manifest comes first, because shards without a manifest could not be recognised.
    """
    _remove_leftovers(plan)  # of a run that was killed
    manifests.save(plan.root, manifest)
    (plan.root / plan.file(0)).parent.mkdir(exist_ok=True)
    shards = manifest["splits"][plan.split]["shards"]
    # The bar starts where an earlier run ended.
    finished = sum(shard["rows"] for shard in shards if shard)
    total = sum(len(plan.span(number)) for number in plan.numbers)
    bar = track(total=total, initial=finished, desc=plan.split, unit=" samples", delay=2)

    def record(index: int, shard: dict[str, Any]) -> None:
        shards[index] = shard
        # After every shard, so a killed run repeats only unfinished shards.
        manifests.save(plan.root, manifest)
        bar.update(shard["rows"])

    try:
        with bar:
            for number, (place, shard) in part_shards.items():
                final = plan.root / plan.file(number)
                if shards[number] is None and not final.exists():
                    place.replace(final)
                    record(number, shard)
            missing = [number for number in plan.numbers if shards[number] is None]
            run(partial(write_shard, plan), missing, workers=workers, on_result=record)
    except ChildProcessError as error:
        raise ChildProcessError(f"{error}: finished shards are kept") from error
    finally:
        _remove_leftovers(plan)  # of workers that were stopped


def _remove_leftovers(plan: SplitPlan) -> None:
    shards = plan.root / plan.format.shards(plan.split)
    for file in (*(plan.root / name for name in (MANIFEST, CARD, SHEET)), shards):
        remove_leftovers(file.parent, file.name, locked=True)


def write_shard(plan: SplitPlan, number: int) -> dict[str, Any]:
    """Write a shard of the plan and return its entry in the manifest."""
    final, span = plan.root / plan.file(number), plan.span(number)
    has_several, fingerprints = plan.samples.has_several_pictures, Fingerprints()
    counts: Counts = {}

    def records() -> Iterator[Record]:
        for index in span:
            sample = plan.samples[index]
            record = to_record(sample, has_several_pictures=has_several)
            fingerprints.add(sample, record)
            count_sample(sample, counts)
            yield record

    # One sample at a time, so a shard of 2,000 pictures is never in memory.
    plan.format.write(final, records(), split=plan.split, first=span.start)
    return {
        "file": plan.file(number),
        "rows": len(span),
        "sha256": plan.format.digest(final),
        **fingerprints.to_json(),
        "counts": cut_counts(counts),
    }


PARTS = "parts"
"""Folder in a dataset for the parts that several machines write, until they are joined."""
_SHARDS = 20
_SMALL_SHARD, _LARGE_SHARD = 10, 2000


@dataclass(frozen=True)
class SplitPlan:
    """Split of a dataset to be written."""

    samples: Samples
    root: Path
    split: str
    n: int
    """Number of samples, starting with the first."""
    shards: int
    format: Format
    part: tuple[int, int] = (1, 1)
    """Part of the shards to write, counted from 1, and the number of parts."""

    def to_part(self, part: int, parts: int) -> SplitPlan:
        """Return the plan of one part, in a separate folder."""
        if parts > self.shards:
            raise ValueError(
                f"n={self.n:,} is written as {self.shards} files: make at most"
                f" {self.shards} parts ({option('shard')})"
            )
        root = self.root / PARTS / f"{self.split}-{part:05}-of-{parts:05}"
        return replace(self, root=root, part=(part, parts))

    @property
    def numbers(self) -> range:
        """Numbers of the shards that this plan writes."""
        part, parts = self.part
        return range(part - 1, self.shards, parts)

    def file(self, number: int) -> str:
        """Return a shard's path below the root."""
        return self.format.file(self.split, number, self.shards)

    def span(self, number: int) -> range:
        """Return the indices of a shard's samples. The sizes of shards differ by at most one."""
        return range(*(edge * self.n // self.shards for edge in (number, number + 1)))


def shards_for(n: int) -> int:
    """Return the number of shards for n samples: 20, so a stream can shuffle them.

    Fewer if they would have under 10 samples each. More if they would have over 2000, so that a
    killed run has little to repeat.
    """
    return max(1, min(_SHARDS, n // _SMALL_SHARD), -(-n // _LARGE_SHARD))


_EXAMPLES = 3
"""Number of files that a message names."""


def check_samples(plan: SplitPlan) -> None:
    """Refuse a plan that its samples cannot fill."""
    length, split = plan.samples.length, plan.samples.describe().get("split", plan.split)
    if plan.n < 1 or (length is not None and plan.n > length):
        raise ValueError(f"n={plan.n}: give {'1 or more' if length is None else f'1 to {length}'}")
    if split != plan.split:  # otherwise test questions could be trained on
        raise ValueError(f"split={plan.split!r}: the samples belong to the split {split!r}")
    if plan.samples.has_several_pictures and not plan.format.holds_several_pictures:
        raise ValueError(
            f"format={plan.format.name!r} holds one picture per sample, and these samples may have"
            " several:"
            f" give {option('format', 'parquet')}"
        )


def plan_entry(plan: SplitPlan, manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the split's entry of the manifest, with None for shards to write.

    A plan that does not fit the content of the directory is refused before anything is written.
    """
    stored_format = manifests.format_of(manifest).name
    # If there is only a manifest, no work would be lost.
    has_shards = any(any(split["shards"]) for split in manifest["splits"].values())
    if stored_format != plan.format.name and has_shards:
        raise ValueError(
            f"{plan.root} holds {stored_format}, not {plan.format.name}, and a directory holds one"
            f" format: write to another ({option('out')}), or leave {option('format')} out"
        )
    entry = {
        "samples": plan.samples.describe(),
        "n": plan.n,
        "versions": manifests.versions(),
        "shards": [None] * plan.shards,
    }
    files = manifests.user_file_hashes(entry)
    if files:
        entry["licences"] = {path: licence(path) for path in files}
    stored = manifest["splits"].get(plan.split)
    if stored is None or not any(stored["shards"]):  # an earlier run wrote no whole shard
        _check_files_are_named(plan, was_started=stored is not None)
        _check_folders_are_ours(plan, [None] * plan.shards)
        return entry
    if _size(stored) != _size(entry):
        _refuse_split(plan, _row_differences(plan, stored, entry))
    _check_files_are_named(plan, was_started=True)
    shards = [shard if shard and _is_sound(plan, shard) else None for shard in stored["shards"]]
    if None in shards:  # a dataset half by one version and half by another would be neither
        changes = list(manifests.differences(stored["versions"], entry["versions"], "versions"))
        if changes:
            _refuse_split(plan, changes)
    _check_folders_are_ours(plan, shards)
    return {**stored, "shards": shards}


def _size(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of an entry that a resumed run must share."""
    return {"samples": entry["samples"], "n": entry["n"], "shards": len(entry["shards"])}


def _row_differences(plan: SplitPlan, stored: dict[str, Any], entry: dict[str, Any]) -> list[str]:
    """Say how the stored samples differ, row by row if they are all there."""
    differences = list(manifests.differences(_size(stored), _size(entry)))
    if None in stored["shards"] or plan.samples.length is None:
        return differences
    before, now = open_copy(plan.root, plan.split), plan.samples
    return explain_differences(
        differences, _compared_rows(before, before.length or 0), _compared_rows(now, plan.n)
    )


def _compared_rows(samples: Samples, n: int) -> Iterator[ComparedRow]:
    for outline in map(samples.outline, range(n)):
        yield ComparedRow(
            outline.id, outline.question, outline.target, outline.facts, outline.picture_hashes
        )


def _refuse_split(plan: SplitPlan, differences: list[str]) -> NoReturn:
    raise ValueError(
        f"{plan.root} holds another {plan.split!r} split: {'; '.join(differences)}. "
        f"Write to another directory ({option('out')}), or delete this one first"
    )


def _check_files_are_named(plan: SplitPlan, *, was_started: bool) -> None:
    """Refuse files that are not in the manifest: they are the user's, or shards of another dataset.

    Hidden files are ignored: locks, leftovers of killed processes, .DS_Store.
    """
    if (plan.root / MANIFEST).exists():
        # Shards that an earlier run of the same split has written.
        ours = {plan.file(number) for number in range(plan.shards)} if was_started else set()
        files = sorted(set(plan.format.find_shards(plan.root, plan.split)) - ours)
    else:
        names = [entry.name for entry in plan.root.iterdir()]
        files = sorted(name for name in names if not name.startswith(".") and name != PARTS)
    if files:
        more = f" and {len(files) - _EXAMPLES} more" if len(files) > _EXAMPLES else ""
        raise ValueError(
            f"{plan.root} holds {', '.join(files[:_EXAMPLES])}{more}, which no {MANIFEST} names:"
            f" write to a new or empty directory ({option('out')}), or delete what lies there first"
        )


def _check_folders_are_ours(plan: SplitPlan, shards: list[Any]) -> None:
    """Refuse to replace folders of shards that contain files of the user."""
    for number, shard in enumerate(shards):
        path = plan.root / plan.file(number)
        # A shard that is a single file cannot contain other files.
        if shard is not None or not path.is_dir():
            continue
        names = plan.format.foreign_files(path, plan.split)
        if names:
            raise ValueError(
                f"{path} must be written again but holds {', '.join(names[:_EXAMPLES])}, which is"
                " not part of the dataset: move it away"
            )


def _is_sound(plan: SplitPlan, shard: dict[str, Any]) -> bool:
    """Return True if a shard lies on disk as it was written."""
    path = plan.root / shard["file"]
    return path.exists() and plan.format.digest(path) == str(shard["sha256"])
