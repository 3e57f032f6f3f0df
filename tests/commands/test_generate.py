"""gnomon generate, verify and ls: the verbs that need no model."""

import filecmp
import re
import resource
from dataclasses import asdict

import pytest
from command_toys import gnomon, small

from gnomon.commands.resolve import resolve
from gnomon.recipe import flatten
from gnomon.store.benchmarks import BENCHMARKS


def test_generate_then_verify_then_damage(tmp_path, capsys):
    out = tmp_path / "clocks"
    assert gnomon("generate", "clock", "--n", 30, "--out", out, "--workers", 1, "size=84") == 0
    assert gnomon("verify", out) == 0
    assert "sound" in capsys.readouterr().out
    shard = sorted(out.glob("data/*.parquet"))[1]
    damaged = bytearray(shard.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    shard.write_bytes(damaged)
    assert gnomon("verify", out) == 1
    assert shard.name in capsys.readouterr().out


@pytest.mark.parametrize("form", ["imagefolder", "webdataset"])
def test_generate_writes_every_format_and_a_path_reads_it(tmp_path, capsys, form):
    out = tmp_path / "clocks"
    command = ("generate", "clock", "--n", 20, "--out", out, "--workers", 1, "size=84")
    assert gnomon(*command, "--format", form) == 0
    assert gnomon(*command, "--format", "parquet") == 1
    assert f"{out} holds {form}, not parquet" in capsys.readouterr().err
    words = ("--to", "trl", "--family", "qwen2-vl", "--out", tmp_path / "x")
    assert gnomon("export", out, *words) == 0


def test_a_full_disk_is_one_line_and_the_same_command_goes_on(tmp_path, capsys):
    out = tmp_path / "clocks"
    command = ("generate", "clock", "--n", 20, "--out", out, "--workers", 1, "size=84")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, hard))
    try:
        assert gnomon(*command) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert capsys.readouterr().err.strip() == (
        f"gnomon: {out}/data/train-00000-of-00002.parquet: file too large: free some space and type"
        " the same command again; what was saved is kept"
    )
    assert gnomon(*command) == 0
    assert gnomon("generate", "clock", "--n", 20, "--out", "/dev/full", "--workers", 1) == 1
    assert "/dev/full: file exists" in capsys.readouterr().err


def test_generate_takes_a_recipe(tmp_path):
    for name in ("a", "b"):
        out = tmp_path / name
        assert gnomon("generate", small(tmp_path), "--n", 12, "--out", out, "--workers", 1) == 0
    shards = [file.relative_to(tmp_path / "a") for file in (tmp_path / "a").rglob("*.parquet")]
    assert shards
    assert filecmp.cmpfiles(tmp_path / "a", tmp_path / "b", shards, shallow=False)[1:] == ([], [])


@pytest.mark.slow
def test_ls_lists_every_room_and_a_kind_alone(capsys):
    assert gnomon("ls") == 0
    output = capsys.readouterr().out
    for name in ("clock", "rotation", "ntil", "qwen2-vl", "demo", "time_deviation"):
        assert name in output
    assert gnomon("ls", "clock") == 0
    output = capsys.readouterr().out
    assert output.startswith("clock:\n  clock ")
    assert "rotation" in output
    assert "arithmetic" not in output


def test_ls_tells_every_key_of_a_recipe_and_what_it_takes(capsys):
    assert gnomon("ls", "recipe") == 0
    keys = dict(re.findall(r"^  (\S+) +(.+)$", capsys.readouterr().out, re.MULTILINE))
    every = {re.sub(r"\.\d+", "", key) for key in flatten(asdict(resolve("demo").parsed))}
    assert {key for key in every if not key.startswith("data.options.")} <= {*keys, "data.options"}
    assert keys["data.columns.kind"] == (
        "The type of the answers: time, number, box, boxes (several, or none) or text. [text]"
    )
    assert keys["train.lora_r"] == "Rank of the adapters. [16]"
    assert keys["loss"] == "The numeric loss beside the cross-entropy."


def test_ls_tells_where_a_benchmarks_files_lie(capsys):
    assert gnomon("ls", "benchmarks") == 0
    output = capsys.readouterr().out
    assert output.count("\n    layout ") == len(BENCHMARKS)
    assert "with the charts in png/ beside it" in output
