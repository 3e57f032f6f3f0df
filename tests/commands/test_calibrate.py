"""A run is calibrated on labelled pictures, and then knows how far off its readings may be."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import shutil
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
import yaml
from command_toys import gnomon
from PIL import Image
from reply_server import reply_server

from gnomon import store
from gnomon.eval.calibration import calibration as calibrations
from gnomon.eval.calibration.calibration import CalibrationPart
from gnomon.eval.calibration.summary import summary
from gnomon.eval.scoring import predictions
from gnomon.pipeline.answering import local
from gnomon.runs.reader import Reader
from gnomon.runs.resolve import resolve

CLOCK = "What time does the clock show? Answer HH:MM."
CLOCKS = ("clock", "size=84", "rotation=5.0", "second_hand=0.0")
HALVES = ", ".join(f"{hour:02}:{minute:02}" for hour in range(1, 13) for minute in (0, 30))
"""Two dozen times in place of all 720, which take a while."""


@pytest.fixture(scope="module")
def calibrated(run, tmp_path_factory):
    """A copy of the shared run, calibrated on 24 clocks that it did not see."""
    folder = tmp_path_factory.mktemp("calibrated") / "run"
    shutil.copytree(run, folder)
    words = (*CLOCKS, "eval.split=val", "eval.samples=24", f"eval.belief=[{HALVES}]")
    assert gnomon("calibrate", folder, *words, "--within", 60) == 0
    return folder


def test_a_calibration_is_about_the_values_after_steps(run, tmp_path, monkeypatch):
    steps = "short hand 10.13, long hand 1.6: "
    asked = []

    def generate(loaded, samples, **_):
        asked.extend(samples)
        return [f"{steps}11:17"] * len(samples)

    monkeypatch.setattr(local, "generate_texts", generate)
    shutil.copytree(run, tmp_path / "run")
    words = (*CLOCKS, "answer=steps", "eval.split=val", "eval.samples=24")
    halves = f"eval.belief=[{HALVES}]"
    assert gnomon("calibrate", tmp_path / "run", *words, halves, "--within", 60) == 0
    (file,) = (tmp_path / "run/predictions").glob("calibration-????????.jsonl")
    answers = list(predictions.read(file))
    assert len(asked) == len(answers) == 24
    for answer in answers:
        assert answer.text.startswith(steps)
        assert answer.text.removeprefix(steps) in answer.logprobs
    assert calibrations.read(tmp_path / "run").parts


@pytest.fixture
def photos(here):
    Path("photos").mkdir()
    for shade in range(4):
        Image.new("RGB", (40, 30), (60 * shade,) * 3).save(f"photos/{shade}.png")
    return here / "photos"


def test_what_was_learnt_is_printed_and_written(run, tmp_path, capsys):
    shutil.copytree(run, tmp_path / "run")
    words = ("arithmetic", "tasks=[add]", "digits=[1, 2]", "eval.samples=30", "--within", 9)
    # A sum above 100 is in no list, and the message names one that has it.
    assert gnomon("calibrate", tmp_path / "run", *words) == 2
    message = capsys.readouterr().err
    assert "of 30 labels, such as 1" in message
    (grid,) = re.findall(r"eval\.grid=\S+", message)
    assert gnomon("calibrate", tmp_path / "run", *words, grid) == 0
    printed = capsys.readouterr().out
    assert "30 answers; an answer within 9 of the truth is right" in printed
    assert "answered     wrong" in printed
    assert "calibration.json: `gnomon predict" in printed
    stored = calibrations.read(tmp_path / "run")
    assert stored.rule == "mode"
    (part,) = stored.parts
    assert len(part.scores) == 30
    # The same words again, for answers: the calibration's own list is no contradiction.
    asked = ("predict", tmp_path / "run", *words[:3], "eval.samples=2")
    assert gnomon(*asked, grid) == 0
    assert "has its own" not in capsys.readouterr().err
    assert gnomon(*asked, "eval.grid=[0,50,1]") == 0
    assert "eval.grid=[0,50,1]: ignored, because the calibration of" in capsys.readouterr().err
    # Another list is another calibration, and an earlier one is not in its way.
    narrow = ("eval.grid=[0,50,1]", "eval.answer=mode")
    assert gnomon("calibrate", tmp_path / "run", *words, *narrow) == 2
    assert "so intervals cannot hold them: eval.grid=[" in capsys.readouterr().err


@pytest.mark.parametrize("change", ["eval.max_new_tokens=9", "model.max_pixels=5000"])
def test_answers_under_other_settings_are_asked_for_anew(calibrated, tmp_path, change):
    folder = tmp_path / "run"
    shutil.copytree(calibrated, folder)
    words = (*CLOCKS, "eval.split=val", "eval.samples=24", f"eval.belief=[{HALVES}]")
    assert gnomon("calibrate", folder, *words, "--within", 60, change) == 0
    assert len(list(folder.glob("predictions/calibration-????????.jsonl"))) == 2


@pytest.mark.slow
def test_without_data_a_run_is_calibrated_on_its_split_for_validation(run, tmp_path, capsys):
    shutil.copytree(run, tmp_path / "run")
    clocks = (
        "data.0.options.second_hand=0",
        "data.1.weight=0.002",
        "eval.samples=24",
        f"eval.belief=[{HALVES}]",
    )
    assert gnomon("calibrate", tmp_path / "run", *clocks) == 0
    assert "24 answers\n" in capsys.readouterr().out
    (about,) = (tmp_path / "run/predictions").glob("calibration-*.about.json")
    assert json.loads(about.read_text())["exam"]["split"] == "val"


def test_a_folder_of_photographs_gets_intervals_and_refusals(calibrated, photos, capsys):
    words = ("--question", CLOCK, "--answered", 0.5)
    assert gnomon("predict", calibrated, photos, *words) == 0
    rows = list(csv.DictReader(Path("answers.csv").read_text().splitlines()))
    assert [*rows[0]] == ["file", "answer", "low", "high", "confidence", "refused"]
    part = calibrations.read(calibrated).parts[0]
    for row in rows:
        assert (row["answer"] == "") == (row["refused"] == "yes")
        assert row["low"][2] == row["high"][2] == ":"
        assert min(part.confidence_curve[1]) - 1e-4 <= float(row["confidence"]) < 1
    assert (
        gnomon("predict", calibrated, photos / "0.png", "--question", CLOCK, "-o", "one.csv") == 0
    )
    line = capsys.readouterr().out.splitlines()[-2]
    assert line.startswith(f"0.png: {line[7:12]} (")
    assert "; right in " in line


def test_another_question_keeps_no_confidence(calibrated, photos, capsys):
    other = ("predict", calibrated, photos, "--question", "Which hour is it? Answer HH:MM.")
    assert gnomon(*other, "--wrong", 0.1) == 2
    assert '"Which hour is it? Answer HH:MM." was not calibrated' in capsys.readouterr().err
    assert gnomon(*other) == 0
    assert "4 of 4 answers have no interval" in capsys.readouterr().err
    assert "low" not in Path("answers.csv").read_text().splitlines()[0]


@pytest.mark.slow
def test_a_calibration_over_three_views_answers_over_three_views(run, tmp_path, here, capsys):
    shutil.copytree(run, tmp_path / "run")
    words = (*CLOCKS, "eval.split=val", "eval.samples=20", f"eval.belief=[{HALVES}]")
    assert gnomon("calibrate", tmp_path / "run", *words, "--within", 60, "eval.views=3") == 0
    assert calibrations.read(tmp_path / "run").views == 3
    capsys.readouterr()
    assert gnomon("predict", tmp_path / "run", *CLOCKS, "eval.samples=4") == 0
    answers = predictions.read(Path(capsys.readouterr().out.strip()))
    assert all(answer.settings["views"] == 3 for answer in answers)
    assert all(answer.certainty is not None for answer in answers)
    # One view gives another belief of the same clock.
    one_view = ("eval.answer=mode", f"eval.belief=[{HALVES}]", "eval.samples=4", "eval.views=1")
    assert gnomon("predict", tmp_path / "run", *CLOCKS, *one_view, "-o", here / "one.jsonl") == 0
    (other, *_) = predictions.read(here / "one.jsonl")
    assert other.sample_id == answers[0].sample_id
    assert other.logprobs != answers[0].logprobs


def test_a_report_says_what_intervals_hold(calibrated, here, capsys):
    """Against the certainty of each answer, and the share that was asked for."""
    words = (*CLOCKS, "eval.samples=20", "--answered", 0.5)
    assert gnomon("predict", calibrated, *words) == 0
    file = Path(capsys.readouterr().out.strip())
    assert file.name == "clock-calibrated-answered-0.5.jsonl"
    answers = predictions.read(file)
    refused = sum(answer.certainty.refused for answer in answers)
    assert all(answer.settings["calibration"]["answered"] == 0.5 for answer in answers)
    assert gnomon("score", file, "--json", "-o", here / "report.html") == 0
    lines = json.loads(capsys.readouterr().out)
    text = json.dumps(lines)
    for label in ("interval_covers", "interval_width", "answered", "answered_right"):
        assert f'"{label}"' in text
    assert refused < 20
    # Every answer has its interval, and the refused ones say so.
    page = (here / "report.html").read_text()
    assert page.count('<p class="certainty"><b>refused</b> ') == refused
    assert len(re.findall(r'<p class="certainty">.*; right in \d+ % of such cases</p>', page)) == 20
    assert "<option>refused</option>" in page
    with (here / "report.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert sum(row["refused"] == "yes" for row in rows) == refused
    assert float(rows[0]["confidence"]) == answers[0].certainty.confidence
    # Greedy answers are still to be had, under a name of their own.
    assert gnomon("predict", calibrated, *CLOCKS, "eval.answer=greedy", "--wrong", 0.1) == 2
    assert "--wrong 0.1 is about calibrated answers" in capsys.readouterr().err
    assert gnomon("predict", calibrated, *CLOCKS, "eval.samples=4", "eval.answer=greedy") == 0
    assert predictions.read(Path(capsys.readouterr().out.strip()))[0].certainty is None


def test_another_cutoff_asks_nothing_again_and_is_compared(
    calibrated, tmp_path, monkeypatch, here, capsys
):
    folder = tmp_path / "run"
    shutil.copytree(calibrated, folder)
    words = ("predict", folder, *CLOCKS, "eval.samples=20")
    names, digest = [], hashlib.file_digest
    monkeypatch.setattr(
        hashlib, "file_digest", lambda file, how: names.append(file.name) or digest(file, how)
    )
    assert gnomon(*words, "--answered", 0.5) == 0
    # A large model's weights take a while to be read: they are hashed once.
    weights = [name for name in names if name.endswith(".safetensors")]
    assert weights == [str(folder / "adapter" / "adapter_model.safetensors")]
    loaded = property(lambda _: pytest.fail("the model was loaded"))
    monkeypatch.setattr(Reader, "model", loaded)
    assert gnomon(*words, "--answered", 0.9, "--coverage", 0.8) == 0
    half, most = map(Path, capsys.readouterr().out.split())
    assert most.name == "clock-calibrated-coverage-0.8-answered-0.9.jsonl"
    before, after = predictions.read(half), predictions.read(most)
    assert [answer.text for answer in after] == [answer.text for answer in before]
    assert after[0].logprobs == before[0].logprobs
    refused = [sum(answer.certainty.refused for answer in answers) for answers in (before, after)]
    assert refused[0] > refused[1]
    # The way back gives what the model was asked for.
    half.unlink()
    assert gnomon(*words, "--answered", 0.5, "--out", half) == 0
    assert f"{most} holds the beliefs of 20 answers" in capsys.readouterr().err
    assert predictions.read(half) == before
    assert gnomon("compare", half, most, "-o", here / "both.html") == 0
    cells = re.search(
        r"Answered \(not refused\) +(.*?) %.* +(.*?) %", capsys.readouterr().out
    ).groups()
    assert list(map(float, cells)) == [100 - 5 * n for n in refused]
    # One alone may have intervals.
    plain = here / "plain.jsonl"
    settings = {name: v for name, v in before[0].settings.items() if name != "calibration"}
    predictions.append(
        plain, [replace(a, certainty=None, logprobs=None, settings=settings) for a in before]
    )
    for suffix in (".about.json", ".asked.jsonl"):
        shutil.copy(half.with_suffix(suffix), plain.with_suffix(suffix))
    assert gnomon("compare", half, plain, "-o", here / "one.html") == 0
    # Other questions, and other weights, are no answers to these.
    with pytest.raises(pytest.fail.Exception, match="loaded"):
        gnomon(*words[:-1], "eval.samples=21", "--answered", 0.9)
    with pytest.raises(pytest.fail.Exception, match="loaded"):
        gnomon(*words, "eval.max_new_tokens=9", "--answered", 0.8)


@pytest.mark.parametrize("words", [("--coverage", 0.9), ("--wrong", 0.05), ("--answered", 0.8)])
def test_terms_without_a_calibration_are_refused(run, photos, words, capsys):
    assert gnomon("predict", run, photos, "--question", CLOCK, *words) == 2
    assert "was not calibrated: `gnomon calibrate RUN DATA`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--coverage", 90), "coverage=90: give a share between 0 and 1"),
        (("--coverage", 0.99), "needs pictures of at least 99 groups, but the calibration has 24"),
        (("--wrong", 0), "wrong=0: give a share between 0 and 1"),
        (("--answered", 2), "answered=2: give a share above 0"),
        (("--wrong", 0.1, "--answered", 0.5), "give only one of them"),
    ],
)
def test_terms_that_make_no_sense_are_refused(calibrated, photos, words, message, capsys):
    assert gnomon("predict", calibrated, photos, "--question", CLOCK, *words) == 1
    assert message in capsys.readouterr().err


def test_a_calibration_of_other_weights_is_refused(calibrated, photos, tmp_path, capsys):
    folder = tmp_path / "again"
    shutil.copytree(calibrated, folder)
    file = folder / calibrations.NAME
    file.write_text(json.dumps(json.loads(file.read_text()) | {"weights": "others"}))
    assert gnomon("predict", folder, photos, "--question", CLOCK) == 2
    assert "is of other weights" in capsys.readouterr().err
    file.write_text("{}")
    assert gnomon("predict", folder, photos, "--question", CLOCK) == 1
    assert "not a file that `gnomon calibrate` wrote" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("eval.samples=12",), "12 labelled pictures are too few: give at least 20"),
        (("--within", -1), "--within -1: give a distance, 0 or more"),
    ],
)
def test_what_teaches_nothing_is_refused(run, tmp_path, words, message, capsys):
    shutil.copytree(run, tmp_path / "run")
    assert gnomon("calibrate", tmp_path / "run", *CLOCKS, *words) == 2
    assert message in capsys.readouterr().err


def test_a_model_that_was_not_trained_is_refused(capsys):
    assert gnomon("calibrate", "gnomon-tiny", "clock") == 2
    assert "calibrate a run that was trained" in capsys.readouterr().err


def test_boxes_cannot_be_calibrated(run, here, monkeypatch, capsys):
    shutil.copytree(run, here / "run")
    Image.new("RGB", (96, 72)).save("a.png")
    Path("boxes.csv").write_text("image,answer\n" + 'a.png,"5 5 20 20"\n' * 24)
    loaded = property(lambda _: pytest.fail("the model was loaded"))
    monkeypatch.setattr(Reader, "model", loaded)
    words = ("columns.kind=box", "columns.ask=Where is the bar?")
    assert gnomon("calibrate", "run", "boxes.csv", *words) == 2
    assert "boxes, free texts" in capsys.readouterr().err


@pytest.fixture(params=["{:05}", "{:05}.3"])
def counter(request, run, here, monkeypatch):
    """A run that reads counters, at most two steps off; labels with and without decimals."""
    folder = here / "run"
    shutil.copytree(run, folder)
    shutil.rmtree(folder / "data")
    Path("photos").mkdir()
    labels = [request.param.format(5000 + 37 * n) for n in range(30)]
    for n in range(30):
        Image.new("RGB", (20, 20), (n, 0, 0)).save(f"photos/{n:02}.png")
    rows = [f"photos/{n:02}.png,{label}" for n, label in enumerate(labels)]
    Path("counters.csv").write_text("\n".join(["image,answer", *rows]))
    recipe = yaml.safe_load((folder / "recipe.yaml").read_text())
    columns = {"ask": "Count?", "kind": "number", "digits": "label"}
    recipe["data"] = [{"path": str(here / "counters.csv"), "columns": columns}]
    (folder / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    table = resolve("counters.csv", [f"columns.{k}={v}" for k, v in columns.items()])
    rows = table.samples("train")
    store.write(rows, folder / "data", n=rows.length, split="train", workers=1)

    def search(loaded, sample, numbers, working):
        n = np.asarray(sample.image)[0, 0, 0]
        value = Decimal(labels[n]) + (int(n) % 5 - 2) * numbers.step
        shares = {value - numbers.step: 0.2, value: 0.5, value + numbers.step: 0.2}
        return {
            numbers.answer(f"{v:.{numbers.decimals}f}".zfill(len(labels[n]))): float(np.log(p))
            for v, p in shares.items()
        }

    monkeypatch.setattr(local, "range_logprobs", search)
    return folder, labels


def test_a_counter_is_calibrated_answered_and_scored(counter, capsys):
    run, labels = counter
    assert gnomon("calibrate", run, "counters.csv", "eval.split=all") == 0
    output = capsys.readouterr()
    assert ("from 0 to 99999.9 in steps of 0.1" in output.err) == ("." in labels[0])
    assert "30 answers\n" in output.out
    assert gnomon("predict", run, "photos", "--belief", "--out", "out.csv") == 0
    with open("out.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    # Each picture has other numbers, so that only the likeliest is in the table.
    columns = ["file", "answer", "low", "high", "confidence", "refused"]
    assert [*rows[0]] == [*columns, "likeliest", "belief", "belief_listed"]
    for row, label in zip(rows, labels, strict=True):
        assert len(row["answer"]) == len(row["low"]) == len(label)
        assert float(row["low"]) <= float(label) <= float(row["high"])
        assert float(row["belief_listed"]) == pytest.approx(0.9)
    assert gnomon("predict", run, "counters.csv", "eval.split=all", "--out", "a.jsonl") == 0
    # Beliefs in other numbers are asked again; those in the same serve other terms.
    capsys.readouterr()
    assert gnomon("predict", run, "counters.csv", "eval.split=all", "--out", "b.jsonl",
                  "--answered", 0.5) == 0  # fmt: skip
    assert "which are not asked again" in capsys.readouterr().err
    assert gnomon("score", "a.jsonl", "-o", "a.html", "--json") == 0
    (figures,) = json.loads(capsys.readouterr().out)["runs"]["a"].values()
    lines = {line["name"]: line for line in figures["results"]}
    # The truth is believed with 0.5 or 0.2 of 0.9, and not at all where it was not reached.
    assert lines["belief_true"]["estimate"]["value"] == pytest.approx((0.5 + 2 * 0.2) / 0.9 / 5)
    assert lines["belief_true"]["chance"] == {}
    assert lines["interval_covers"]["estimate"]["value"] == 1


def test_what_is_learnt_of_groups_is_said_of_new_ones():
    """One camera of sixty has all of its hundred pictures wrong, which counts as one camera."""
    groups = [str(n) for n in range(59) for _ in range(2)] + ["bad"] * 100
    right = tuple(group != "bad" for group in groups)
    part = CalibrationPart(
        "list", 0.0, tuple(groups), (0.5,) * 218, tuple(np.linspace(1, 0, 218)), right
    )
    lines = summary(part)
    assert lines[0] == "218 answers of 60 groups"
    assert lines[1].endswith("at most, with 90 % probability, for new groups, on average")
    share, wrong, bound = re.findall(r"[\d.]+(?=%)", lines[2])
    assert (share, wrong) == ("100", "1.7")
    assert 4 < float(bound) < 12
    alone = summary(replace(part, groups=tuple(map(str, range(218)))))
    assert alone[1].endswith("for new pictures")
    assert alone[2].split()[1] == "45.9%"


def test_where_the_surest_are_wrong_as_often_it_is_said():
    right = (False, True, False, True, False, True, True, True)
    trusts = (0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2)
    part = CalibrationPart("list", 0.0, tuple("abcdefgh"), (0.5,) * 8, trusts, right)
    assert summary(part)[-1].endswith("refusing does not help")
    better = replace(part, right=part.right[::-1])
    assert "refusing" not in "".join(summary(better))


def dial(tenths):
    """A picture that shows a reading by its colour."""
    return Image.new("RGB", (8, 8), (tenths, 255 - tenths, 7))


def reader(seed):
    """Replies of a model that reads such pictures with a blur, and now and then says a word."""
    rng = np.random.default_rng(seed)

    def reply(request):
        part = request["messages"][0]["content"][0]["image_url"]["url"].partition(",")[2]
        picture = Image.open(io.BytesIO(base64.b64decode(part)))
        place = picture.getpixel((0, 0))[0] + rng.normal(0, 1)
        n = request.get("n", 1)
        values = np.clip(np.round(rng.normal(place, 1.5, n)), 0, 99) / 10
        texts = [f"It reads {v:.1f}." if rng.random() < 0.95 else "a dial" for v in values]
        choices = [{"message": {"content": text}, "finish_reason": "stop"} for text in texts]
        return 200, {"choices": choices}

    return reply


def test_labels_in_tenths_round_a_dial_need_no_list_and_few_groups_get_what_they_can(here, capsys):
    lines = ["image,answer,camera"]
    for n in range(40):
        dial(2 * n + 5).save(f"{n}.png")
        lines.append(f"{n}.png,{(2 * n + 5) / 10:.1f},{n % 4}")
    Path("dials.csv").write_text("\n".join(lines))
    columns = ("kind=number", "ask=How far?", "cycle=10", "group=camera")
    words = ("served/m", "dials.csv", *(f"columns.{word}" for word in columns))
    with reply_server(reader(0)) as server:
        words = (*words, "--server", server.url)
        assert gnomon("calibrate", *words) == 0
        output = capsys.readouterr()
        assert "answers are listed from 0 to 9.9 in steps of 0.1" in output.err
        assert calibrations.read(Path("predictions/m-served")).grid == (0, 9.9, 0.1)
        (width,) = re.findall(r"intervals of 80 % are ([\d.]+) wide on average", output.out)
        assert 0.2 < float(width) < 1
        command = re.findall(r"`gnomon (predict .*)`", output.out)[-1].split()
        assert command[-2:] == ["--coverage", "0.8"]
        # The command that is printed works; nine of ten are refused with a way out.
        photo = ["0.png" if word == "PICTURES" else word for word in command]
        assert gnomon(*photo, "--question", "How far?", "--out", "a.csv") == 0
        assert gnomon(*photo[:-2], "--question", "How far?", "--out", "b.csv") == 1
        assert "or run `gnomon calibrate` on more" in capsys.readouterr().err


def test_the_answer_rule_is_the_one_that_reads_the_labels_best(here, capsys):
    """The median answered in any case, and was right less often than what the model wrote."""

    def reply(request):
        part = request["messages"][0]["content"][0]["image_url"]["url"].partition(",")[2]
        place = Image.open(io.BytesIO(base64.b64decode(part))).getpixel((0, 0))[0]
        texts = [f"{(place + off) / 10:.1f}" for off in (0, 0, 0, 0, 3, 4, 5, 6, 7)]
        choices = [{"message": {"content": text}, "finish_reason": "stop"} for text in texts]
        return 200, {"choices": choices}

    lines = ["image,answer"]
    for n in range(80):
        dial(n).save(f"{n}.png")
        lines.append(f"{n}.png,{n / 10:.1f}")
    Path("dials.csv").write_text("\n".join(lines))
    columns = ("columns.kind=number", "columns.ask=How far?", "eval.grid=[0,9.9,0.1]")
    with reply_server(reply) as server:
        words = ("calibrate", "served/m", "dials.csv", *columns, "eval.repeats=9")
        assert gnomon(*words, "--server", server.url) == 0
        printed = capsys.readouterr().out
        assert "answers are the mode of the belief, right for 100.0% of 20 pictures" in printed
        assert "60 answers\n" in printed
        assert calibrations.read(Path("predictions/m-served")).rule == "mode"
        assert gnomon(*words, "--server", server.url, "eval.answer=median") == 0
        assert "80 answers\n" in capsys.readouterr().out


def test_a_served_model_is_calibrated_by_answers_that_it_draws(here, capsys):
    lines = ["image,answer"]
    for n in range(40):
        dial(2 * n + 5).save(f"{n}.png")
        lines.append(f"{n}.png,{(2 * n + 5) / 10:.1f}")
    Path("dials.csv").write_text("\n".join(lines))
    Path("photos").mkdir()
    for n in range(6):
        dial(10 + 12 * n).save(f"photos/{n}.png")
    grid, ask = "eval.grid=[0,9.9,0.1]", ("--question", "How far?")
    columns = ("columns.kind=number", "columns.ask=How far?")
    with reply_server(reader(0)) as server:
        words = ("served/m", "dials.csv", *columns, grid, "--server", server.url)
        assert gnomon("calibrate", *words, "--within", 0.3) == 0
        assert len(server.requests) >= 40
        assert all(r["n"] == 20 for _, _, r in server.requests[:5])
        printed = capsys.readouterr().out
        assert "40 answers; an answer within 0.3 of the truth is right" in printed
        assert Path("predictions/m-served/calibration.json").is_file()
        photos = ("predict", "served/m", "photos", *ask, "--server", server.url)
        assert gnomon(*photos, "--out", "out.csv") == 0
        with open("out.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for n, row in enumerate(rows):
            assert abs(float(row["answer"]) - (1 + 1.2 * n)) < 0.5
            assert float(row["low"]) <= float(row["answer"]) <= float(row["high"])
            assert float(row["high"]) - float(row["low"]) < 2
        # Without the calibration, by the belief alone.
        assert gnomon(*photos, "--out", "b.csv", "eval.answer=median", grid, "eval.repeats=5") == 0
        assert "low" not in Path("b.csv").read_text()
    file = Path("predictions/m-served/calibration.json")
    file.write_text(json.dumps(json.loads(file.read_text()) | {"weights": "m at elsewhere"}))
    assert gnomon(*photos, "--out", "c.csv") == 2
    assert "is of m at elsewhere" in capsys.readouterr().err
    assert gnomon("calibrate", "served/m", "--server", "http://localhost:1/v1") == 2
    assert "name labelled pictures" in capsys.readouterr().err
