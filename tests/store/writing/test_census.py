"""gnomon stats: what is in a dataset, what stands there twice, and what leaks."""

import json
import tracemalloc
from dataclasses import asdict

import pytest
from PIL import Image
from store_toys import Listed, toys

from gnomon.commands.stats import splits_of
from gnomon.generators import create
from gnomon.recipe import Columns
from gnomon.runs.resolve import resolve
from gnomon.sample import Sample, Text
from gnomon.store import GeneratedSamples, write
from gnomon.store.user_data.mistakes import contradictions
from gnomon.store.user_data.opening import open_table
from gnomon.store.writing.census import ANSWERS, TRACES, census, merge_counts


def taken(**splits):
    return census({name: (each, each.length) for name, each in splits.items()})


def of(folder):
    return census(splits_of(resolve(folder), None))


def listed(*rows):
    """Samples of (id, grey, question) each; grey None is text alone."""
    return Listed(
        tuple(
            Sample(name, None if grey is None else Image.new("L", (4, 4), grey), asked, Text("a"))
            for name, grey, asked in rows
        )
    )


@pytest.mark.parametrize("form", ["parquet", "imagefolder", "webdataset"])
def test_a_directory_is_counted_as_its_samples_are(tmp_path, form):
    write(toys(), tmp_path, n=40, shards=4, format=form)
    write(toys(split="test"), tmp_path, n=12, split="test")
    found = of(tmp_path)
    assert found.samples == {"train": 40, "test": 12}
    assert found.counts["train"]["kind"] == {"toy": 40}
    assert found.counts["train"]["answer"] == {"time": 14, "number": 13, "box": 13}
    assert found.counts["train"]["picture"] == {"16×16": 40}
    assert found.repeated["train"] == dict.fromkeys(TRACES, 0)
    plain = asdict(found)
    assert json.loads(json.dumps(plain)) == {**plain, "leaks": []}


def test_what_is_counted_when_it_is_written_is_what_is_found_later(tmp_path):
    write(GeneratedSamples(create("gauge", size=224)), tmp_path, n=30, shards=3)
    shards = json.loads((tmp_path / "manifest.json").read_text())["splits"]["train"]["shards"]
    found = of(tmp_path).counts["train"]
    assert found == merge_counts(shard["counts"] for shard in shards)
    assert list(found["kind"]) == ["gauge"]


def test_several_processes_find_the_same():
    parts = {name: (toys(seed=seed), 250) for seed, name in enumerate("ab")}
    assert census(parts, workers=2) == census(parts)


def test_what_stands_twice_is_counted_by_what_is_the_same():
    found = taken(
        train=listed(
            ("a", 1, "how?"), ("b", 1, "how?"), ("c", 1, "why?"), ("d", 2, "how?"), ("d", 3, "how?")
        )
    )
    assert found.repeated == {"train": {"id": 1, "picture": 2, "question": 1}}


def test_text_alone_is_known_by_its_question():
    found = taken(train=listed(("a", None, "how?"), ("b", None, "how?"), ("c", None, "why?")))
    assert found.repeated["train"] == {"id": 0, "question": 1}


def test_a_leak_is_named_with_the_two_samples():
    found = taken(
        train=listed(("a", 1, "how?"), ("b", 2, "how?"), ("c", 2, "when?")),
        val=listed(("x", 9, "how?")),
        test=listed(("y", 2, "why?"), ("b", 3, "how?")),
    )
    assert [(leak.splits, leak.trace, leak.many, leak.such_as) for leak in found.leaks] == [
        (("train", "test"), "id", 1, ("b", "b")),
        (("train", "test"), "picture", 1, ("b", "y")),
    ]
    told = str(found)
    assert "leak: train and test have 1 picture in common, such as that of b and y" in told
    assert "is in two splits" not in told


def test_a_question_in_two_splits_is_one_with_its_answer_and_picture():
    rows = [(name, grey, "how?") for grey, name in enumerate("abc")]
    found = taken(train=listed(*rows), test=listed(*((f"{name}2", *rest) for name, *rest in rows)))
    assert (
        "leak: train and test have 3 questions with their answers and pictures in common, such as"
        " that of a and a2"
    ) in str(found)


def test_texts_of_all_chunks_are_counted_before_the_list_is_cut():
    """Each chunk of 250 has 125 texts, more than the list's 60, and all chunks have one of them."""
    texts = [f"chunk {i // 250}, {i % 125}" if i % 125 else "the same" for i in range(1000)]
    rows = tuple(Sample(str(i), None, "what?", Text(text)) for i, text in enumerate(texts))
    assert taken(train=Listed(rows)).counts["train"][ANSWERS]["the same"] == 8


def test_only_answers_that_many_samples_have_are_listed():
    texts = ["yes"] * 3 + [f"word {i}" for i in range(97)]
    found = taken(
        train=Listed(tuple(Sample(t + str(i), None, "?", Text(t)) for i, t in enumerate(texts)))
    )
    listed = str(found).partition(ANSWERS)[2].splitlines()
    assert listed[1].split() == ["yes", "3", "3.0", "%"]
    assert listed[2].split() == ["others", "97", "97.0", "%"]
    distinct = taken(train=Listed(tuple(Sample(t, None, "?", Text(t)) for t in texts[3:])))
    assert ANSWERS not in str(distinct)


def test_splits_that_share_nothing_are_said_to():
    found = taken(train=listed(("a", 1, "how?")), test=listed(("b", 2, "how?")))
    assert str(found).endswith(
        "no id, picture or question with its answer and picture is in two splits"
    )


@pytest.mark.slow
def test_memory_grows_with_the_pictures_of_a_table_and_hardly_with_its_rows(tmp_path):
    """Four times the rows on the same pictures; with rows as objects it was 3.1 times as much."""
    for number in range(800):
        Image.new("RGB", (8, 8), (number % 256, number // 256, 0)).save(tmp_path / f"{number}.png")

    def peak(n):
        file = tmp_path / f"{n}.csv"
        lines = [f"{i % 800}.png,Gauge {i // 800} of {i % 800}?,{i % 50}" for i in range(n)]
        file.write_text("\n".join(["image,question,answer", *lines]))
        tracemalloc.start()
        table = open_table(file, Columns(kind="number"), "all")
        found = census({split: (part, part.length) for split, part in table.parts().items()})
        assert contradictions([table]) == []
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert sum(found.samples.values()) == n
        return highest

    peak(800)  # imports and caches
    assert peak(9600) < 2.3 * peak(2400)
