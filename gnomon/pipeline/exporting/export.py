"""Export of samples to the formats of other trainers, or as a task of lmms-eval.

Answers are in a family's dialect. `lmms-eval --include_path D --tasks gnomon_D` runs the task if
gnomon is installed. From version 0.7.3 on, lmms-eval looks for the rows next to the YAML. Earlier
versions must be called in the folder.
"""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from gnomon import dialect
from gnomon.answers.base.answer_type import Metric
from gnomon.answers.registry import TYPES
from gnomon.atomic import create_folder
from gnomon.pipeline.families.base import Family
from gnomon.pipeline.families.qwen import Qwen25VL
from gnomon.progress import track
from gnomon.sample import Sample, Size, Target, target_from_json, target_to_json

Row = dict[str, Any]

_MAX_NEW_TOKENS = 1024
"""Tokens for a working before the answer."""
_UTILS = '''"""What lmms-eval calls for the task beside this file; gnomon measures the answers."""

from pathlib import Path

from gnomon.eval.lmms import median, p90, pictures, r_squared, results, text


def doc_to_visual(doc):
    return pictures(doc, Path(__file__).parent)
'''


class ExportSample(NamedTuple):
    """Sample as text, with the paths of its pictures."""

    id: str
    question: str
    answer: str
    paths: list[str]
    """Paths of its pictures within the folder."""
    target: Target
    """Truth. Boxes are in the pixels of `size`."""
    size: Size | None
    dialect: str


def export(samples: Iterable[Sample], total: int, family: Family, form: str, out: Path) -> Path:
    """Write the folder `out` with data.jsonl and the pictures, completely or not at all.

    If the family's boxes are pixels of the resized picture, pictures are written in that size.
    Another trainer may resize differently, and then the boxes would be wrong.
    """
    if form not in FORMS:
        raise ValueError(f"form={form!r}: give one of {', '.join(FORMS)}")
    if out.exists():
        raise FileExistsError(f"{out} already exists; nothing was exported")
    with create_folder(out) as folder:
        (folder / "images").mkdir()
        with (folder / "data.jsonl").open("w", encoding="utf-8") as file:
            for index, sample in enumerate(track(samples, total=total, desc="export")):
                row = FORMS[form](_export_sample(sample, family, folder, index))
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        if form == "lmms-eval":
            _write_lmms_task(folder, folder / "data.jsonl", out.name)
        if form == "llama-factory":
            info = {out.name: _dataset_info(pictures=any((folder / "images").iterdir()))}
            (folder / "dataset_info.json").write_text(json.dumps(info, indent=2) + "\n")
    return out


def _export_size(family: Family, size: Size) -> Size:
    """Return a picture's size in the export. It changes only if boxes are in resized pixels."""
    return family.export_size(size) if isinstance(family, Qwen25VL) else size


def _export_sample(sample: Sample, family: Family, folder: Path, index: int) -> ExportSample:
    """Save a sample's pictures, numbered by its position, and write its answer."""
    target, size, paths = sample.target, None, []
    if sample.image is not None:
        if family.vision is None:
            raise ValueError(f"sample {sample.id} has a picture, but {family.name} reads only text")
        # The boxes of most families are relative, and their pictures keep their size.
        size = _export_size(family, sample.image.size)
        target = target.scaled(sample.image.size, size)
    for number, image in enumerate(sample.images):
        # Numbered, because an id may contain characters that are not allowed in file names.
        paths.append(f"images/{index:07}{f'-{number}' * (number > 0)}.png")
        image.resize(_export_size(family, image.size)).save(folder / paths[-1])
    answer = dialect.create(family.dialect).write(target, size)
    answer = dialect.add_working(sample.rationale, answer)
    return ExportSample(sample.id, sample.question, answer, paths, target, size, family.dialect)


def _chat_parts(text: str, paths: list[str]) -> list[Row]:
    pictures: list[Row] = [{"type": "image"} for _ in paths]
    return [*pictures, {"type": "text", "text": text}]


def _only_path(sample: ExportSample, form: str) -> str | None:
    """Return the path of its picture, for a form with one picture per row."""
    if len(sample.paths) > 1:
        raise ValueError(
            f"sample {sample.id} has {len(sample.paths)} pictures, but {form} takes one per row:"
            " give another form (--to)"
        )
    return sample.paths[0] if sample.paths else None


def _chat(sample: ExportSample, question: str | list[Row], answer: str | list[Row]) -> Row:
    """Return a row of two turns, with the pictures as a column."""
    return {
        "messages": [
            {"role": "user", "content": question},
            {"role": "assistant", "content": answer},
        ],
        **({"images": sample.paths} if sample.paths else {}),
    }


def _messages(sample: ExportSample) -> Row:
    return _chat(sample, _chat_parts(sample.question, sample.paths), _chat_parts(sample.answer, []))


def _trl(sample: ExportSample) -> Row:
    """Return a row of prompt and completion, so the loss never includes an image placeholder."""
    row = _messages(sample)
    question, answer = row.pop("messages")
    return {"prompt": [question], "completion": [answer], **row}


_PLACEHOLDER = "<image>"
"""Place of a picture within a row's text, by trainer."""


def _check_no_placeholder(sample: ExportSample) -> None:
    """Refuse a sample whose words would stand for an additional picture."""
    for text in (sample.question, sample.answer):
        if _PLACEHOLDER in text:
            raise ValueError(
                f"sample {sample.id}: this trainer reads {_PLACEHOLDER!r} as a picture, so the"
                f" text must not contain it: {text!r}"
            )


def _swift(sample: ExportSample) -> Row:
    _check_no_placeholder(sample)
    return _chat(sample, _PLACEHOLDER * len(sample.paths) + sample.question, sample.answer)


def _llava(sample: ExportSample) -> Row:
    _check_no_placeholder(sample)
    path = _only_path(sample, "llava")
    question = f"{_PLACEHOLDER}\n{sample.question}" if path else sample.question
    return {
        "id": sample.id,
        **({"image": path} if path else {}),
        "conversations": [
            {"from": "human", "value": question},
            {"from": "gpt", "value": sample.answer},
        ],
    }


def _dataset_info(*, pictures: bool) -> Row:
    """Return the entry of LLaMA-Factory's dataset_info.json, which names the columns."""
    columns = ("messages", "images") if pictures else ("messages",)
    tags = ("role", "content", "user", "assistant")
    return {
        "file_name": "data.jsonl",
        "formatting": "sharegpt",
        "columns": dict(zip(columns, columns, strict=True)),
        "tags": {f"{tag}_tag": tag for tag in tags},
    }


def _lmms_eval(sample: ExportSample) -> Row:
    """Return a row of plain columns. The target is JSON text, because target types do not share
    fields."""
    return {
        "id": sample.id,
        "question": sample.question,
        "answer": sample.answer,
        "image": _only_path(sample, "lmms-eval"),
        "target": json.dumps(target_to_json(sample.target), ensure_ascii=False),
        "size": sample.size,
        "dialect": sample.dialect,
    }


FORMS: dict[str, Callable[[ExportSample], Row]] = {
    "trl": _trl,
    "messages": _messages,
    "llava": _llava,
    "swift": _swift,
    "llama-factory": _swift,
    "lmms-eval": _lmms_eval,
}
"""Function that makes a row for each trainer, and for lmms-eval."""


def _write_lmms_task(folder: Path, rows_file: Path, name: str) -> None:
    """Write the task next to its rows, and add the cost of an unread answer to each row."""
    types = _add_costs(rows_file)
    task = f"gnomon_{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_')}"
    values = {
        "task": task,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": rows_file.name}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_visual": "!function utils.doc_to_visual",
        "doc_to_text": "!function utils.text",
        "doc_to_target": "answer",
        "generation_kwargs": {
            "max_new_tokens": _MAX_NEW_TOKENS,
            "do_sample": False,
            "temperature": 0,
            "until": [],  # by default lmms-eval cuts an answer at its first empty line
        },
        "process_results": "!function utils.results",
        "metric_list": [_metric(name, metric) for name in types for metric in TYPES[name].metrics],
        "metadata": [{"version": 1.0}],
    }
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    text = re.sub(r"'(!function [\w.]+)'", r"\1", text)  # a YAML tag must not be quoted
    (folder / f"{task}.yaml").write_text(text, encoding="utf-8")
    (folder / "utils.py").write_text(_UTILS, encoding="utf-8")


def _metric(answer_type: str, metric: Metric) -> dict[str, Any]:
    """Return the entry of metric_list for one metric of the scores of a type of answers."""
    is_mean = metric.statistic in ("share", "mean")
    return {
        "metric": f"{answer_type}_{metric.name}",
        "aggregation": "mean" if is_mean else f"!function utils.{metric.statistic}",
        "higher_is_better": metric.better == "higher",
    }


def _add_costs(file: Path) -> list[str]:
    """Add the cost of an unread answer to each row, and return the types of answers.

    A cost may depend on the truths of all rows, so rows get it after all are written.
    """
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    truths = [target_from_json(json.loads(row["target"])) for row in rows]
    type_of_row = [truth.type_name for truth in truths]
    types = [name for name in TYPES if name in type_of_row]
    for name in types:
        indices = [i for i, answer_type in enumerate(type_of_row) if answer_type == name]
        costs = TYPES[name].costs([truths[i] for i in indices])
        for i, cost in zip(indices, costs, strict=True):
            rows[i]["cost"] = cost
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file.write_text("".join(lines), encoding="utf-8")
    return types
