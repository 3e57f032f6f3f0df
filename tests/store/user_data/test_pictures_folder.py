"""Rows name pictures in their own folder, and elsewhere only where the user allows it."""

import json
import re

import pytest
from PIL import Image

from gnomon.eval import lmms
from gnomon.files import Folders
from gnomon.recipe import Columns, Source
from gnomon.store import mixture

TABLES = {
    "labels.csv": lambda name: f"image,question,answer\n{name},?,3\n",
    "labels.jsonl": lambda name: json.dumps({"image": name, "question": "?", "answer": 3}),
    "lists.jsonl": lambda name: json.dumps(
        {"image": [{"path": name}], "question": "?", "answer": 3}
    ),
    "chats.json": lambda name: json.dumps([{"messages": [
        {"role": "user", "content": [{"type": "image", "image": name}, {"type": "text",
                                                                         "text": "?"}]},
        {"role": "assistant", "content": "3"},
    ]}]),
    "metadata.csv": lambda name: f"file_name,question,answer\n{name},?,3\n",
}  # fmt: skip


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A table's folder with a picture, a link in it and one out of it, and a folder elsewhere."""
    monkeypatch.chdir(tmp_path)
    for folder, colour in (("mine", "green"), ("mine/in", "green"), ("secret", "red")):
        (tmp_path / folder).mkdir()
        Image.new("RGB", (8, 8), colour).save(tmp_path / folder / "a.png")
    (tmp_path / "mine" / "link.png").symlink_to("in/a.png")
    (tmp_path / "mine" / "out.png").symlink_to("../secret/a.png")
    (tmp_path / "mine" / "away").symlink_to("../secret")
    return tmp_path


def opened(places, table, name, **more):
    (places / "mine" / table).write_text(TABLES[table](name))
    path = "mine" if table == "metadata.csv" else f"mine/{table}"
    source = Source(path=path, columns=Columns(kind="number"), **more)
    return mixture((source,), split="all", seed=0)[0].image.getpixel((0, 0))


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("{root}/secret/a.png", "lies"),
        ("{root}/secret/none.png", "lies"),  # nor is told what is there
        ("../secret/a.png", "lies"),
        ("in/../../secret/a.png", "lies"),
        ("out.png", "leads through a link"),
        ("away/a.png", "leads through a link"),
    ],
)
def test_what_lies_elsewhere_is_refused_with_the_option_that_allows_it(places, table, name, way):
    name = name.format(root=places)
    told = f"{name!r} {way} outside the folder: pictures={places.resolve()}/secret also allows"
    with pytest.raises(ValueError, match=re.escape(told)):
        opened(places, table, name)
    if "none" not in name:
        assert opened(places, table, name, pictures="secret") == (255, 0, 0)


@pytest.mark.parametrize(
    "name", ["a.png", "in/a.png", "in/../a.png", "link.png", "{root}/mine/a.png"]
)
def test_what_lies_in_the_folder_is_opened_however_it_is_named(places, name):
    assert opened(places, "labels.csv", name.format(root=places)) == (0, 128, 0)


def test_names_are_looked_for_in_the_folder_that_is_allowed(places):
    (places / "secret" / "b.png").write_bytes((places / "secret" / "a.png").read_bytes())
    assert opened(places, "labels.csv", "b.png", pictures="secret") == (255, 0, 0)
    assert opened(places, "labels.csv", "a.png", pictures="secret") == (0, 128, 0)
    with pytest.raises(ValueError, match="pictures: 'nowhere' is not a folder"):
        opened(places, "labels.csv", "a.png", pictures="nowhere")
    with pytest.raises(ValueError, match="pictures belongs to a file of your own"):
        Source(kind="clock", pictures="secret")
    with pytest.raises(ValueError, match="pictures belongs to a file of your own"):
        Source(hub="some/rows", pictures="secret")


def test_a_missing_picture_is_looked_for_in_the_folders_beside_the_table(places):
    (places / "mine" / "photos").mkdir()
    Image.new("RGB", (8, 8), "green").save(places / "mine" / "photos" / "c.png")
    here = r"1 row cannot be used because of pictures .* elsewhere: add pictures=mine/photos\n"
    with pytest.raises(ValueError, match=here + r"line \d: no picture at 'c\.png'$"):
        opened(places, "labels.csv", "c.png")
    assert opened(places, "labels.csv", "c.png", pictures="mine/photos") == (0, 128, 0)
    says = (
        r"; pictures=FOLDER says where pictures lie, if not in the table's folder\nline \d: no pic"
    )
    with pytest.raises(ValueError, match=says):
        opened(places, "labels.csv", "d.png")


def test_rows_of_the_hub_open_no_file_of_this_machine(places, hub):
    source = Source(hub="some/rows", columns=Columns(kind="number"))
    for name in (f"{places}/secret/a.png", "../secret/a.png", "mine/a.png"):
        hub(image=[name], question=["?"], answer=["3"])
        with pytest.raises(ValueError, match=r"line 1: (no picture at|.*lies outside the folder$)"):
            mixture((source,), split="all", seed=0)


def test_rows_of_the_hub_open_what_was_downloaded_for_them(places, hub, monkeypatch):
    """As the hub's library keeps it: links to files that are called by their hashes."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(places / "hub"))
    for repository in ("some--rows", "other--rows"):
        folder = places / "hub" / f"datasets--{repository}"
        (folder / "snapshots" / "1").mkdir(parents=True)
        (folder / "blobs").mkdir()
        Image.new("RGB", (8, 8), "blue").save(folder / "blobs" / "f00", "PNG")
        (folder / "snapshots" / "1" / "a.png").symlink_to("../../blobs/f00")
    name = str(places / "hub" / "datasets--some--rows" / "snapshots" / "1" / "a.png")
    hub(image=[name], question=["?"], answer=["3"])
    columns = Columns(kind="number")
    source = Source(hub="some/rows", columns=columns)
    assert mixture((source,), split="all", seed=0)[0].image.getpixel((0, 0)) == (0, 0, 255)
    with pytest.raises(ValueError, match="lies outside the folder"):
        mixture((Source(hub="other/rows", columns=columns),), split="all", seed=0)


@pytest.mark.parametrize("name", ["{root}/secret/b.png", "../secret/b.png", "away/b.png"])
def test_a_benchmark_s_file_opens_no_picture_elsewhere(places, name):
    (places / "secret" / "a.png").rename(places / "secret" / "b.png")
    rows = [{"imgname": name.format(root=places), "query": "?", "label": "3"}]
    (places / "mine" / "test.json").write_text(json.dumps(rows))
    source = Source(path="mine/test.json", benchmark="chartqa")
    with pytest.raises(ValueError, match=r"outside the folder: pictures=.*secret also allows"):
        mixture((source,), split="test", seed=0)
    allowed = Source(path="mine/test.json", benchmark="chartqa", pictures="secret")
    assert mixture((allowed,), split="test", seed=0)[0].image.getpixel((0, 0)) == (255, 0, 0)


def test_a_task_of_lmms_eval_opens_no_picture_elsewhere(places):
    assert len(lmms.pictures({"image": "in/a.png"}, places / "mine")) == 1
    for name in ("../secret/a.png", "out.png", str(places / "secret" / "a.png")):
        with pytest.raises(ValueError, match="outside the folder"):
            lmms.pictures({"image": name}, places / "mine")


def test_a_name_that_can_be_none_is_no_picture(places):
    for name in ("x" * 5000, "a\0.png", "", ".", "in", "a.png/b"):
        with pytest.raises(ValueError, match="no picture at"):
            Folders(places / "mine").find(name)
