"""gnomon generate, verify and ls: the verbs that need no model."""

import filecmp
import re
from dataclasses import asdict

from command_toys import gnomon, small

from gnomon.recipe import flatten
from gnomon.runs.resolve import resolve
from gnomon.store.benchmarks import BENCHMARKS


def test_generate_then_verify_then_damage(tmp_path, cli):
    out = tmp_path / "clocks"
    cli("generate", "clock", "--n", 30, "--out", out, "--workers", 1, "size=84")
    assert "sound" in cli("verify", out).out
    shard = sorted(out.glob("data/*.parquet"))[1]
    damaged = bytearray(shard.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    shard.write_bytes(damaged)
    assert shard.name in cli("verify", out, code=1).out


def test_shards_of_several_machines_join_to_what_one_command_writes(tmp_path):
    words = ("generate", "clock", "--n", 40, "--workers", 1, "size=84")
    assert gnomon(*words, "--out", tmp_path / "one") == 0
    for shard in ("2/2", "1/2"):
        assert gnomon(*words, "--out", tmp_path / "joined", "--shard", shard) == 0
    assert gnomon(*words, "--out", tmp_path / "joined") == 0
    files = [file.relative_to(tmp_path / "one") for file in (tmp_path / "one").rglob("*.*")]
    assert len(list((tmp_path / "joined").rglob("*.*"))) == len(files) == 7
    for file in files:
        assert (tmp_path / "joined" / file).read_bytes() == (tmp_path / "one" / file).read_bytes()


def test_generate_takes_a_recipe(tmp_path):
    for name in ("a", "b"):
        out = tmp_path / name
        assert gnomon("generate", small(tmp_path), "--n", 12, "--out", out, "--workers", 1) == 0
    shards = [file.relative_to(tmp_path / "a") for file in (tmp_path / "a").rglob("*.parquet")]
    assert shards
    assert filecmp.cmpfiles(tmp_path / "a", tmp_path / "b", shards, shallow=False)[1:] == ([], [])


def test_ls_is_a_page_of_names_and_explains_each(cli):
    output = cli("ls").out
    for name in ("clock", "ntil", "qwen2-vl", "demo", "train", "time_deviation", "chartqa", "box"):
        assert name in re.findall(r"[\w-]+", output)
        assert cli("ls", name).out.count("\n") < 70
    assert len(output) < 2000
    assert cli("ls", "ntil").out.startswith("losses:\n  ntil  L = ")
    assert "  train.max_steps " in cli("ls", "train").out
    assert "did you mean losses" in cli("ls", "losse", code=2).err
    output = cli("ls", "clock").out
    assert output.startswith("clock:\n  clock ")
    assert "rotation" in output
    assert "arithmetic" not in output


def test_ls_tells_every_key_of_a_recipe_and_what_it_takes(cli):
    keys = dict(re.findall(r"^  (\S+) +(.+)$", cli("ls", "recipe").out, re.MULTILINE))
    every = {re.sub(r"\.\d+", "", key) for key in flatten(asdict(resolve("demo").parsed))}
    assert {key for key in every if not key.startswith("data.options.")} <= {*keys, "data.options"}
    assert keys["data.columns.kind"] == (
        "Type of the answers: time, number, box, boxes (any number of them), table or text. [text]"
    )
    assert keys["train.lora_r"] == "Rank of the adapters. [16]"
    assert keys["loss"] == "The numeric loss, which is added to the cross-entropy."


def test_ls_tells_where_a_benchmarks_files_lie(cli):
    output = cli("ls", "benchmarks").out
    assert output.count("\n    layout ") == len(BENCHMARKS)
    assert "with the charts in png/ next to it" in output
