"""The card: what is in a dataset, counted while it was written, and how to have it again."""

import json
import re
import shlex
from decimal import Decimal

import pytest
import yaml
from huggingface_hub import DatasetCard
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from store_toys import Listed, toys, tree

from gnomon import store
from gnomon.commands import main
from gnomon.generators import create
from gnomon.recipe import Source
from gnomon.sample import Box, Number, Sample
from gnomon.store import GeneratedSamples, write
from gnomon.store.formats import manifest as manifests
from gnomon.store.writing.card import RECIPE, recipe_yaml
from gnomon.store.writing.census import OTHERS, PICTURE, count_sample, count_table, merge_counts


def card(root):
    return (root / "README.md").read_text(encoding="utf-8")


def front(root):
    """The card's metadata as the hub's own library reads them."""
    return DatasetCard.load(root / "README.md").data


def sample(target, size=(10, 10), name="a-1", **facts):
    return Sample(name, Image.new("L", size) if size else None, "How many?", target, facts)


SAMPLES = st.lists(
    st.builds(
        lambda value, form, name: sample(Number(Decimal(value)), None, f"{name}-1", question=form),
        st.integers(-20, 20), st.sampled_from(["read", "sum"]),
        st.sampled_from(["clock-v1-00ff00ff-train-0", "mine"]),
    )
)  # fmt: skip


def counted(samples):
    counts = {}
    for each in samples:
        count_sample(each, counts)
    return merge_counts([counts])


@given(SAMPLES, SAMPLES)
def test_counts_of_parts_add_up_to_those_of_the_whole(one, other):
    whole = counted([*one, *other])
    assert merge_counts([counted(one), counted(other)]) == whole == json.loads(json.dumps(whole))
    assert list(merge_counts([counted(one), counted(other)])) == list(whole)
    for counts in whole.values():
        assert sum(counts.values()) <= len(one) + len(other)


def test_each_split_s_rows_add_up_where_a_long_list_is_cut():
    """The others of both splits were 0 and 0 under the longest bar."""
    splits = {
        name: {"kind": {"toy": 24}, PICTURE: {name * length: 2 for length in range(1, 13)}}
        for name in "ab"
    }
    listed = count_table(splits).partition(PICTURE)[2].splitlines()[1:]
    found = [[int(many) for many in re.findall(r" (\d+) +[\d.]+ %", line)] for line in listed]
    assert listed[-1].startswith(OTHERS)
    assert [sum(column) for column in zip(*found, strict=True)] == [24, 24]


def test_a_long_list_is_cut_to_the_commonest_and_loses_nobody():
    widths = [width for each in range(1, 60) for width in (each, 33)]
    found = counted([sample(Number(Decimal(1)), (width, 1)) for width in widths])
    sizes = merge_counts([found, found])["picture"]
    assert len(sizes) == 21
    assert next(iter(sizes.items())) == ("33×1", 120)
    assert sum(sizes.values()) == 4 * 59
    assert sizes[OTHERS] == 2 * (59 - 20)


def test_the_counts_of_a_card_are_those_of_the_samples(tmp_path):
    sources = (
        Source(kind="word_problem"),
        Source(kind="arithmetic", options={"level": "easy"}, weight=3.0),
    )
    samples = store.mixture(sources, split="train", seed=0)
    manifest = write(samples, tmp_path, n=80, shards=4)
    counts = merge_counts(shard["counts"] for shard in manifest["splits"]["train"]["shards"])
    assert counts["kind"] == {"arithmetic": 60, "word_problem": 20}
    assert re.search(r"\narithmetic +60  75\.0 %\n", card(tmp_path))
    assert re.search(r"\nword_problem +20  25\.0 %\n", card(tmp_path))
    # The parts of a mixture are counted by their kinds.
    parts = [{"kind": "arithmetic", "options": {"level": "medium"}}, {"kind": "word_problem"}]
    mixture = create("mixture", parts=parts)
    assert counted(mixture[i] for i in range(40))["kind"].keys() == {"arithmetic", "word_problem"}


def test_a_label_is_one_short_line():
    found = counted([sample(Number(Decimal(1)), question="how\nmany " + "x" * 100)])
    (label,) = found["question"]
    assert label.startswith("own rows: how many xxx")
    assert label.endswith("xx…")
    assert len(label) == 40


@pytest.mark.parametrize("form", ["parquet", "imagefolder", "webdataset"])
def test_the_sheet_shows_the_first_samples_and_the_card_shows_the_sheet(tmp_path, form):
    thin = sample(Box(1, 1, 1.01, 1.01), (2000, 20))  # too thin to be written
    samples = Listed((thin, *toys()[:29]))
    write(samples, tmp_path, n=30, format=form)
    assert "![Some of the samples](sheet.png)" in card(tmp_path)
    with Image.open(tmp_path / "sheet.png") as sheet:
        assert min(sheet.size) > 100
    before = (tmp_path / "sheet.png").read_bytes()
    (tmp_path / "sheet.png").unlink()
    write(samples, tmp_path, n=30)
    assert (tmp_path / "sheet.png").read_bytes() == before


def test_the_card_tells_the_hub_where_the_splits_lie_and_what_they_ask(tmp_path):
    write(toys(), tmp_path / "a", n=30, shards=3)
    write(toys(split="test"), tmp_path / "a", n=6, split="test")
    write(toys(pictures=False), tmp_path / "b", n=30, format="webdataset")
    write(GeneratedSamples(create("arithmetic")), tmp_path / "sums", n=10, license="cc-by-4.0")
    a, b, sums = (front(tmp_path / name) for name in ("a", "b", "sums"))
    assert a.configs[0]["data_files"] == [
        {"split": "train", "path": "data/train-*.parquet"},
        {"split": "test", "path": "data/test-*.parquet"},
    ]
    assert a.task_categories == ["visual-question-answering"]
    assert b.task_categories == sums.task_categories == ["question-answering"]
    assert "| train | 30 | 3 |" in card(tmp_path / "a")
    assert "--out DIR --format webdataset pictures=false" in card(tmp_path / "b")
    assert (sums.license, sums.language) == ("cc-by-4.0", ["en"])
    assert sums.tags == ["synthetic", "gnomon"]
    # What a user's own kind asks, and in which language, is not known.
    assert (a.language, a.tags) == (None, ["gnomon"])


def test_a_license_is_said_once_and_stays(tmp_path):
    write(toys(), tmp_path, n=10)
    assert front(tmp_path).license == "unknown"
    before = tree(tmp_path)
    write(toys(), tmp_path, n=10, license="cc-by-4.0")  # nothing is drawn for it
    assert {f: d for f, d in tree(tmp_path).items() if "data/" in f} == {
        f: d for f, d in before.items() if "data/" in f
    }
    write(toys(split="test"), tmp_path, n=10, split="test")
    assert front(tmp_path).license == "cc-by-4.0"
    assert manifests.read(tmp_path)["license"] == "cc-by-4.0"
    with pytest.raises(ValueError, match="license='CC BY': give a license as the hub names it"):
        write(toys(), tmp_path, n=10, license="CC BY")


def _commands(text, folder):
    """The commands of a card, with the recipes that they name put beside them."""
    for recipe in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL):
        (folder / RECIPE).write_text(recipe)
    for line in re.findall(r"^gnomon generate .*$", text, re.MULTILINE):
        yield shlex.split(line)[1:]


@pytest.mark.parametrize(
    ("what", "options"),
    [
        ("clock", ["size=84", "forms=[words, json]", "rotation=5.5", "--seed", "3"]),
        ("arithmetic", ["level=hard", "--format", "webdataset"]),
        ("mixture", ["parts=[{kind: clock, options: {size: 84}}, {kind: scene}]"]),
        ("mixed.yaml", ["--format", "imagefolder"]),
    ],
)
def test_the_card_s_own_commands_make_the_same_bytes(tmp_path, monkeypatch, what, options):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mixed.yaml").write_text(
        "data: [{kind: clock, weight: 2, options: {size: 84}}, {kind: gauge}]\nseed: 7\n"
    )
    for split in ("train", "test"):
        words = [what, "--n", "10", "--split", split, "--workers", "1", "--out", "first", *options]
        assert main(["generate", *words]) == 0
    commands = list(_commands(card(tmp_path / "first"), tmp_path))
    assert len(commands) == 2
    for words in commands:
        words[words.index("DIR")] = "second"
        assert main([*words, "--workers", "1"]) == 0
    assert tree(tmp_path / "second") == tree(tmp_path / "first")


def test_a_copied_directory_is_named_and_its_recipe_says_so(tmp_path):
    write(toys(), tmp_path / "one", n=20)
    write(store.open(tmp_path / "one"), tmp_path / "two", n=20)
    assert "| train | 20 | 2 |" in card(tmp_path / "two")
    entry = manifests.read(tmp_path / "two")["splits"]["train"]
    assert yaml.safe_load(recipe_yaml(entry)) == {"data": [{"path": "one"}]}


@pytest.mark.slow
def test_the_users_own_files_are_listed_and_a_changed_one_is_noticed(tmp_path, monkeypatch):
    """The workers of a pool draw with them, too."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photos").mkdir()
    for name in "ab":
        Image.radial_gradient("L").rotate(ord(name)).save(f"photos/{name}.png")
    (tmp_path / "photos" / "LICENSE.txt").write_text("CC BY 4.0 | me\n")
    (tmp_path / "dial.hex").write_text("floor #ffffff\nhands #202020\n")
    options = {"size": 84, "backgrounds": ["plain", "photos"], "palettes": ["dial.hex", "dark"]}
    clocks = GeneratedSamples(create("clock", **options))
    for workers in (1, 2):
        write(clocks, tmp_path / f"{workers}", n=24, shards=2, workers=workers)
    assert tree(tmp_path / "1") == tree(tmp_path / "2")

    rows = [line.split(" | ") for line in card(tmp_path / "1").splitlines() if "| `" in line]
    told = {row[0]: row[2] for row in rows if len(row[1]) == 66}
    assert told["| `photos/b.png`"].startswith(r"LICENSE.txt: CC BY 4.0 \|")
    assert told["| `dial.hex`"] == "not stated |"
    assert store.verify("1") == []
    write(clocks, tmp_path / "1", n=24, shards=2)  # goes on

    Image.linear_gradient("L").save("photos/b.png")
    with pytest.raises(ValueError, match=r"another 'train' split: samples.files.photos/b.png is"):
        write(GeneratedSamples(create("clock", **options)), tmp_path / "1", n=24, shards=2)
