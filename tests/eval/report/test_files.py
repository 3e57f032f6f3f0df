"""A report's files take the places of an older report's, and of nothing else."""

import os
import re

import pytest
from eval_toys import clocks, run, true_texts
from PIL import Image

from gnomon.eval.report.answers import write_csv
from gnomon.eval.report.page import write_picture, write_report
from gnomon.eval.report.report_files import COLUMNS, ReportFiles, check_replaceable
from gnomon.runs.report_output import report

SAMPLES = clocks(6)
RUN = run("mine", SAMPLES, true_texts(SAMPLES), questions=SAMPLES)


def write(page):
    report([RUN], page, {})
    return ReportFiles.of(page)


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_report_is_written_again_to_the_same_bytes(tmp_path):
    files = write(tmp_path / "it.html")
    before = contents(tmp_path)
    assert {file.name for file in files} == before.keys()
    assert write(tmp_path / "it.html") == files
    assert contents(tmp_path) == before
    assert files[1].read_text().startswith(",".join(COLUMNS))


@pytest.mark.parametrize("name", ["it.html", "it.csv", "it.json", "it.png"])
def test_a_file_of_the_users_is_left_and_so_are_the_others(tmp_path, name):
    written = write(tmp_path / "it.html")
    for file in written:
        file.unlink()
    own = tmp_path / name
    if name == "it.png":
        Image.new("RGB", (1200, 100)).save(own, dpi=(200, 200))
    else:
        own.write_text({"it.csv": "file,answer\n", "it.json": '{"groups": 1}'}.get(name, "mine"))
    before = contents(tmp_path)
    with pytest.raises(FileExistsError, match=rf"{re.escape(name)}: the report would replace this"):
        write(tmp_path / "it.html")
    assert contents(tmp_path) == before
    own.write_bytes(b"")  # in which nothing is lost
    write(tmp_path / "it.html")


def test_nor_does_the_function_replace_a_page_of_the_users(tmp_path):
    (tmp_path / "it.html").write_text("mine")
    with pytest.raises(FileExistsError, match=r"it\.html: the report would replace this"):
        write_report(tmp_path / "it.html", [RUN])
    assert contents(tmp_path) == {"it.html": b"mine"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes that have names")
def test_what_is_no_file_is_neither_read_nor_replaced(tmp_path):
    os.mkfifo(tmp_path / "it.json")
    with pytest.raises(ValueError, match=r"it\.json is a pipe, not a regular file"):
        write(tmp_path / "it.html")
    (tmp_path / "it.json").unlink()
    (tmp_path / "it.csv").mkdir()
    with pytest.raises(FileExistsError, match=r"it\.csv: the report would"):
        write(tmp_path / "it.html")


def test_what_comes_while_a_report_is_made_stays(tmp_path, monkeypatch):
    def come(*given):
        (tmp_path / "it.json").write_text("mine")
        return write_picture(*given)

    monkeypatch.setattr("gnomon.eval.report.page.write_picture", come)
    with pytest.raises(FileExistsError, match=r"it\.json: the report would"):
        write(tmp_path / "it.html")
    assert contents(tmp_path) == {"it.json": b"mine"}


@pytest.mark.parametrize("suffix", [".html", ".htm"])
def test_what_python_writes_alone_is_known_as_well(tmp_path, suffix):
    files = ReportFiles.of(tmp_path / f"it{suffix}")
    write_report(files.page, [RUN])
    write_csv(files.csv, [RUN])
    write_picture(files.picture, [RUN])
    check_replaceable(files)
