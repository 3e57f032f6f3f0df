"""Prediction files: appended to, whole lines only, safe against a kill."""

import os
from contextlib import nullcontext
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gnomon.eval.scoring import predictions
from gnomon.sample import Prediction

texts = st.text(st.characters(exclude_categories=["Cs"]))
some = st.lists(
    st.builds(
        Prediction,
        sample_id=texts,
        text=texts,
        size=st.none() | st.tuples(st.integers(1, 4000), st.integers(1, 4000)),
        dialect=st.sampled_from(["plain", "qwen2-vl"]),
        settings=st.dictionaries(texts, st.integers() | texts, max_size=2),
        logprobs=st.none() | st.dictionaries(texts, st.floats(-50, 0), max_size=2),
    ),
    max_size=4,
)
each_file = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def made(*names):
    return [Prediction(name, f"answer to {name}", None, "plain") for name in names]


def resume(file):
    return list(predictions.resume(file))


def opened(file):
    return list(predictions.PredictionFile(file))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "new" / "predictions.jsonl"


@each_file
@given(first=some, second=some)
def test_what_is_appended_is_read_in_order(tmp_path_factory, first, second):
    """Answers may hold line separators of every alphabet; a line is a line all the same."""
    file = tmp_path_factory.mktemp("files") / "p.jsonl"
    once = [replace(p, sample_id=f"{i} {p.sample_id}") for i, p in enumerate(first + second)]
    predictions.append(file, once[: len(first)])
    predictions.append(file, once[len(first) :])
    assert predictions.read(file) == resume(file) == opened(file) == once
    assert len(predictions.PredictionFile(file)) == len(once)
    assert all(p in predictions.PredictionFile(file) for p in once)


def test_a_line_is_on_the_disk_before_append_returns(file, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.append(file.stat().st_size))
    predictions.append(file, made("a"))
    assert synced == [file.stat().st_size]


@each_file
@given(cut=st.integers(1, 60))
def test_wherever_a_kill_cuts_the_last_line_the_others_are_kept(tmp_path_factory, cut):
    """Without its end a line is incomplete even if it parses: another would be appended to it."""
    file = tmp_path_factory.mktemp("files") / "p.jsonl"
    predictions.append(file, made("a", "b"))
    whole = file.stat().st_size
    predictions.append(file, made("ü"))
    os.truncate(file, file.stat().st_size - cut)
    for read in (predictions.read, opened):
        with pytest.warns(UserWarning, match=r"p\.jsonl: dropped an incomplete last line"):
            assert read(file) == made("a", "b")
    assert file.stat().st_size > whole  # reading changes nothing
    with pytest.warns(UserWarning, match="dropped an incomplete last line"):
        assert resume(file) == made("a", "b")
    assert file.stat().st_size == whole
    predictions.append(file, made("c"))
    assert resume(file) == made("a", "b", "c")


@pytest.mark.parametrize(
    "line",
    [
        *(b"{", b"", b"[]", b"null", b"5", b'{"sample_id": "a"}', b"\x00"),
        *(b'{"sample_id": "a", "txt": "b"}', b'{"sample_id": "\xff"}'),
    ],
)
def test_a_spoilt_line_in_the_middle_is_told_by_its_number(file, line):
    predictions.append(file, made("a"))
    with file.open("ab") as stream:
        stream.write(line + b"\n")
    predictions.append(file, made("b"))
    before = file.read_bytes()
    for read in (predictions.read, resume, opened):
        with pytest.raises(ValueError, match=r"predictions\.jsonl, line 2: "):
            read(file)
    assert file.read_bytes() == before


def test_answers_that_do_not_fit_the_questions_are_told(file):
    predictions.append(file, made("a", "nobody"))
    with pytest.raises(ValueError, match=r"ns\.jsonl: 'nobody' is not among the questions"):
        predictions.check(file, {"a", "b"})
    predictions.append(file, [replace(p, text="otherwise") for p in made("a")])
    with pytest.raises(ValueError, match=r"predictions\.jsonl: 'a' is answered twice: delete one"):
        predictions.check(file, {"a", "nobody"})


def test_identical_lines_are_dropped_and_said(file):
    """Two processes wrote into one file before files were locked."""
    predictions.append(file, made("a", "b"))
    predictions.append(file, made("b", "c", "a"))
    whole = file.read_bytes()
    message = r"p.*\.jsonl: dropped 2 lines that repeat an earlier line"
    for read in (predictions.read, opened):
        with pytest.warns(UserWarning, match=message):
            assert read(file) == made("a", "b", "c")
    with pytest.warns(UserWarning, match=message):
        assert predictions.answered_ids(file, {}) == {"a", "b", "c"}
    assert file.read_bytes() == whole


def test_a_file_that_is_empty_or_not_there_holds_nothing(file):
    assert resume(file) == []
    assert not file.exists()
    predictions.append(file, [])
    assert predictions.read(file) == resume(file) == opened(file) == []


def with_settings(name, values):
    return [replace(p, settings=values) for p in made(name)]


def test_a_setting_that_is_none_is_as_if_it_were_not_there(file):
    predictions.append(file, with_settings("a", {"name": "m"}))
    assert predictions.answered_ids(file, {"name": "m", "server": None}) == {"a"}
    with pytest.raises(ValueError, match=r"'name': 'm'.*not.*'name': 'n'"):
        predictions.answered_ids(file, {"name": "n"})
    first, second = with_settings("a", {"tokens": None}), with_settings("b", {"tokens": 9})
    assert list(predictions.require_settings(file, first + made("c"))) == first + made("c")
    with pytest.raises(ValueError, match=r"'b' was answered with {'tokens': 9}, not .*None"):
        list(predictions.require_settings(file, first + second))


@pytest.mark.parametrize("text", ['{"question": "a"}\n{"question": "?"}\n', '{"question": "?"}\n',
                                  "mine", "{}"])  # fmt: skip
def test_a_file_of_somebody_elses_is_refused_and_left_as_it_is(tmp_path, text):
    """A last line that was no prediction was taken for one that a kill had cut, and cut off."""
    file = tmp_path / "other.jsonl"
    file.write_text(text)
    with pytest.raises(
        ValueError, match=r"r\.jsonl, line 1: not an answer that gnomon wrote .*name another"
    ):
        predictions.check(file, {"a"})
    assert file.read_text() == text


@pytest.mark.parametrize("length", [0, 1, 9, 40])
def test_a_first_line_that_a_kill_cut_is_no_hindrance(file, length):
    predictions.append(file, made("a"))
    os.truncate(file, length)
    with pytest.warns(UserWarning, match="incomplete") if length else nullcontext():
        predictions.check(file, {"a"})
