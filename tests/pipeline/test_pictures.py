"""Pictures without labels are shown to the model as their viewer shows them."""

from __future__ import annotations

from PIL import ExifTags, Image

from gnomon.pipeline import pictures


def test_one_broken_picture_costs_no_answer_of_the_others(tmp_path, monkeypatch):
    for name in ("a.png", "c.gif"):
        Image.new("RGB", (4, 4)).save(tmp_path / name)
    (tmp_path / "b.jpg").write_text("no picture")
    (tmp_path / "d.png").write_text("nor this")

    def answer(loaded, batch, *, max_new_tokens):
        assert batch
        return [f"{picture.id} read" for picture in batch]

    monkeypatch.setattr(pictures, "answer", answer)
    files, out = pictures.in_folder(tmp_path), tmp_path / "answers.csv"
    broken = pictures.to_csv(None, files, "What time is it?", out, batch_size=1, max_new_tokens=8)
    assert [told.split(" is ")[0] for told in broken] == ["b.jpg", "d.png"]
    assert out.read_text().splitlines() == ["file,answer", "a.png,a.png read", "c.gif,c.gif read"]


def test_a_photograph_is_asked_about_upright(tmp_path, monkeypatch):
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    Image.new("RGB", (40, 30)).save(tmp_path / "a.jpg", exif=exif)
    sizes = []

    def answer(loaded, batch, *, max_new_tokens):
        sizes.extend(picture.image.size for picture in batch)
        return ["10:08"] * len(batch)

    monkeypatch.setattr(pictures, "answer", answer)
    files, out = pictures.in_folder(tmp_path), tmp_path / "answers.csv"
    pictures.to_csv(None, files, "What time is it?", out, batch_size=2, max_new_tokens=8)
    assert sizes == [(30, 40)]
    assert out.read_text().splitlines() == ["file,answer", "a.jpg,10:08"]
