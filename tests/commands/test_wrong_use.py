"""Wrong use is refused in one message, with exit code 2, before anything heavy loads."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import pytest
from command_toys import gnomon, loaded_by, small
from quick import quick

from gnomon.commands import ls as listing

HEAVY = {"torch", "transformers", "trl", "peft", "bitsandbytes", "matplotlib", "albumentations"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("\nloos: {name: emd}", "loos: no such key; did you mean loss"),
        ("\nmodel: {nam: x}", "model.nam: no such key; did you mean name"),
        ("\nmodel: {load_in_4bit: maybe}", "model.load_in_4bit: 'maybe'"),
        ("\nmodel: {name: nowhere}", "model.name: 'nowhere' is no directory"),
        ("\nmodel: {family: quen}", "unknown family 'quen': did you mean qwen2"),
        ("\nseed: 1.5", "seed: 1.5"),
    ],
)
def test_a_wrong_recipe_says_where_and_what(tmp_path, capsys, more, said):
    assert gnomon("train", small(tmp_path, more), "--out", tmp_path / "run") == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("loss.name=smdm", "unknown loss 'smdm': did you mean smmd"),
        ("train.lr=fast", "train.lr: no such key; did you mean learning_rate"),
        ("train.learning_rate=fast", "train.learning_rate: 'fast': input should be a valid number"),
        ("data.0.options.rotation=99", "rotation=99"),
        ("data.0.options.rotatoin=9", "rotatoin: no such key; did you mean rotation"),
        ("data.0.options.dials=[rund]", "'rund'"),
        ("data.0.kind=clok", "unknown generator 'clok': did you mean clock"),
        ("data=[{path: nowhere}]", "nowhere is no directory"),
        ("data.5.kind=clock", "'5' is no place in a list of 2"),
        ("train.samples=0", "samples: 0: input should be greater"),
        ("just-a-word", "'just-a-word': an override is key=value"),
    ],
)
def test_a_wrong_override_says_where_and_what(tmp_path, capsys, override, said):
    assert gnomon("run", small(tmp_path), override, "--out", tmp_path / "run") == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("predict runs/nope", "there is no run runs/nope: there are ce-0, demo"),
        ("predict runs/dmeo clock", "there is no run runs/dmeo: did you mean demo?"),
        ("predict nope", "there is no run nope. If it is a model: what shall nope be asked?"),
        ("predict gnomon-tiny clok", "unknown generator or recipe 'clok': did you mean clock?"),
        ("predict clock gnomon-tiny", "model.name: 'clock' is no directory, no hub id"),
        ("predict demo clock", "model.name: 'demo' is no directory, no hub id"),
        (
            "predict gnomon-tiny clock rotatoin=1",
            "clock: rotatoin: no such key; did you mean rotation?",
        ),
        ("predict gnomon-tiny gone.csv", "gone.csv: there is no such file"),
        ("score runs/dmeo", "there is no run runs/dmeo: did you mean demo?"),
        ("score gone.jsonl", "gone.jsonl: there are no answers yet; `gnomon predict` makes them"),
        ("compare runs/dmeo runs/ce-0 -o x.html", "there is no run runs/dmeo: did you mean demo?"),
        ("merge runs/dmeo x", "there is no run runs/dmeo: did you mean demo?"),
        ("merge notes.txt x", "there is no run notes.txt"),
        ("train runs/demo", "that is a run; its recipe is runs/demo/recipe.yaml"),
        ("train clock", "clock is data, not a recipe: `gnomon plan clock --write recipe.yaml`"),
        ("run runs", "runs is data, not a recipe: `gnomon plan runs --write recipe.yaml`"),
        ("run gone.csv", "gone.csv: there is no such file"),
        ("train clok", "no recipe 'clok': there is no such file; "),
        ("train nope", "no recipe 'nope': there is no such file; `gnomon ls configs` lists all "),
        (
            "train demo data=[{path: x}]",
            "data: the value is not YAML: ",
        ),
        ("train demo loss=ntil", "loss: 'ntil': it has keys of its own, such as loss.name"),
        ("train demo data=clock", "data: 'clock': give a list, such as [a, b]"),
        ("plan notes.txt", "notes.txt: a recipe is a mapping with data, model,"),
        ("preview clok -o x.png", "unknown generator or recipe 'clok': did you mean clock?"),
        ("preview chart -o x.png charts=pie", "'pie': give a list, such as [a, b]"),
        ("preview clock -o x.png size=a", "size: 'a': input should be a valid integer or a list"),
        ("preview clock -o x.foo", "x.foo: a picture is called something.png"),
        ("preview clock --n ten -o x.png", "--n: ten: give a whole number, 1 to 1,024"),
        ("preview clock --n 2 -o x.png big", "'big' is not understood: give key=value"),
        ("ls clock chart", "'chart' is not understood; see gnomon ls --help"),
        ("generate --n 3 --out x", "the following arguments are required: KIND|RECIPE"),
    ],
)
def test_a_newcomers_mistake_is_named_with_the_way_out(tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    for run in ("demo", "ce-0"):
        (tmp_path / "runs" / run).mkdir(parents=True)
        (tmp_path / "runs" / run / "recipe.yaml").write_text("data: [{kind: clock}]")
    assert gnomon(*words.split()) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "key=value\n" not in told  # is never required


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("cp demo no/where.yaml", "gnomon: no/where.yaml: no such file or directory\n"),
        ("cp demo notes.txt/x.yaml", "gnomon: notes.txt/x.yaml: not a directory\n"),
        ("train demo --out notes.txt", "gnomon: notes.txt: "),
        ("generate clock --n 3 --out notes.txt", "gnomon: notes.txt: "),
        ("verify gone", "gnomon: gone: there is no such directory"),
        ("verify notes.txt", "gnomon: notes.txt has no manifest.json: there is nothing to check"),
    ],
)
def test_a_number_of_the_system_never_stands_for_a_reason(
    tmp_path, monkeypatch, capsys, words, said
):
    """It said [Errno 2] No such file or directory, and the file came last."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("mine")
    assert gnomon(*words.split()) in (1, 2)
    told = capsys.readouterr().err
    assert said in told
    assert "Errno" not in told


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(28, "No space left on device"), "no space left on device"),
        (OSError(2, "No such file or directory", "/dev/gone"), "/dev/gone: no such file or dir"),
        (ValueError("it: <urlopen error [Errno 111] Connection refused>"), "it: <urlopen error C"),
        (FileExistsError("x is there already"), "x is there already"),
    ],
)
def test_an_error_of_the_system_is_told_in_words(monkeypatch, capsys, error, said):
    def table(_):
        raise error

    monkeypatch.setattr("gnomon.commands.ls.table", table)
    assert gnomon("ls") == 1
    assert capsys.readouterr().err.startswith(f"gnomon: {said}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("data:\n  - {kind: clock\nloss: 3\n", "expected ',' or '}', but got ':' (line 3"),
        ("\tdata: x\n", "cannot start any token (line 1"),
        ("data: [{kind: clock}]\nseed: 1\nseed: 2\n", "the key 'seed' is given twice (line "),
    ],
)
def test_a_fault_in_yaml_is_one_line_with_its_file_and_line(tmp_path, capsys, text, said):
    (tmp_path / "mine.yaml").write_text(text)
    assert gnomon("train", tmp_path / "mine.yaml") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"gnomon: {tmp_path / 'mine.yaml'}: not YAML: ")
    assert said in line


@pytest.mark.parametrize(
    "words",
    [
        ["train", "no-such-file.yaml"],
        ["generate", "clok", "--n", "3", "--out", "x"],
        ["generate", "clock", "--n", "0", "--out", "x"],
        ["generate", "clock", "--n", "3", "--out", "x", "siz=3"],
        ["preview", "clock"],
        ["predict", "gnomon-tiny"],
        ["predict", "gnomon-tinny", "clock"],
        ["predict", "gnomon-tiny", "eval.samples=3"],
        ["score", "nothing.jsonl"],
        ["predict", "m", "clock", "--belief", "model.server=http://localhost:1/v1"],
        ["predict", "m", "clock", "--server", "localhost:8000/v1"],
        ["compare", "a", "b", "-o", "x.html"],
        ["cp", "no-such-recipe"],
        ["frobnicate"],
        ["ls", "losss"],
        ["ls", "--sorted"],
        [],
    ],
)
def test_wrong_words_exit_with_2(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    assert gnomon(*words) == 2
    assert not list(tmp_path.iterdir())


def test_labelled_rows_without_columns_say_which_are_there(tmp_path, capsys):
    """They were called a recipe without data, model and the rest."""
    (tmp_path / "labels.csv").write_text("file,time\na.png,10:08\n")
    assert gnomon("predict", "gnomon-tiny", tmp_path / "labels.csv") == 1
    assert "its columns are file, time: set columns.image" in capsys.readouterr().err


def test_all_rows_are_those_of_an_own_file(capsys):
    assert gnomon("predict", "gnomon-tiny", "clock", "eval.split=all") == 2
    assert "only files of your own have it" in capsys.readouterr().err


@pytest.mark.parametrize(("what", "wrong"), [("clock", "notes.csv"), ("photos", "notes.jsonl")])
def test_answers_are_written_as_what_they_are_called(tmp_path, monkeypatch, capsys, what, wrong):
    """JSON stood in a .csv, and the notes that were there were taken for an answer cut short."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photos").mkdir()
    (tmp_path / wrong).write_text("mine")
    assert gnomon("predict", "gnomon-tiny", what, "--out", wrong) == 2
    assert f"--out {wrong}: answers " in capsys.readouterr().err
    assert (tmp_path / wrong).read_text() == "mine"


@pytest.mark.parametrize("words", [["compare", "a", "b", "-o"], ["score", "a", "--out"]])
def test_a_report_never_takes_the_place_of_another_file(tmp_path, capsys, words):
    (tmp_path / "mine.yaml").write_text("mine")
    assert gnomon(*words, tmp_path / "mine.yaml") == 2
    assert "a report is called something.html" in capsys.readouterr().err
    assert (tmp_path / "mine.yaml").read_text() == "mine"


@pytest.mark.parametrize(
    "words",
    quick(
        [
            ["--help"],
            ["ls"],
            ["train", "--help"],
            ["cp", "demo", "/dev/null"],
            ["train", "tiny-base", "loss.name=smdm"],
            ["train", "tiny-base", "model.name=nowhere"],
        ],
        ["train", "tiny-base", "loss.name=smdm"],
    ),
)
def test_light_words_load_nothing_heavy(words):
    assert not loaded_by(*words) & HEAVY


@pytest.mark.parametrize(
    "verb",
    [
        "ls",
        "cp",
        "preview",
        "generate",
        "verify",
        "train",
        "predict",
        "score",
        "run",
        "demo",
        "compare",
    ],
)
def test_every_verb_shows_an_example(capsys, verb):
    assert gnomon(verb, "--help") == 0
    assert f"Example: gnomon {verb}" in " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
def test_without_the_training_extra_it_says_what_to_install(tmp_path):
    code = (
        "import sys\nsys.modules['datasets'] = None\nfrom gnomon.commands import main\n"
        f"sys.exit(main(['train', 'demo', '--out', {str(tmp_path / 'run')!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    told = "gnomon: datasets is not here: pip install '.[train]' in gnomon's clone"
    assert done.stderr.strip() == told


def test_no_question_is_asked_twice(tmp_path, capsys):
    """Of a source with an end only so many can be; to be told before the model answers."""
    data = tmp_path / "six"
    assert gnomon("generate", "clock", "--n", 6, "--split", "test", "--out", data, "size=84") == 0
    asked = tmp_path / "two.yaml"
    both = f"[{{path: {data}}}, {{kind: gauge}}]"
    asked.write_text(f"data: [{{kind: clock}}]\neval: {{samples: 40, data: {both}}}\n")
    out = tmp_path / "answers.jsonl"
    assert gnomon("predict", "gnomon-tiny", asked, "--out", out) == 2
    assert "the test split has only" in (said := capsys.readouterr().err)
    assert "before a source begins again" in said
    assert gnomon("predict", "gnomon-tiny", data, "--out", out, "eval.samples=9") == 2
    assert "eval.samples: 9: the test split has only 6" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.slow
@pytest.mark.parametrize("words", [["ls"], ["ls", "losses"], ["stats", "clock", "--n", "2"]])
def test_a_reader_that_has_seen_enough_is_no_failure(words):
    with subprocess.Popen(
        [sys.executable, "-m", "gnomon", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()  # as head does once it has its lines
        assert "ipe" not in process.stderr.read()
    assert process.returncode == 141


def test_a_kind_is_listed_alone(capsys):
    assert gnomon("ls", "clock") == 0
    said = capsys.readouterr().out
    assert said.startswith("clock:\n  clock ")
    assert "rotation" in said
    assert "arithmetic" not in said


def test_a_terminal_has_no_line_too_long(monkeypatch):
    for room in (None, "generators", "losses", "clock"):
        plain = listing.table(room)
        with monkeypatch.context() as patch:
            patch.setenv("COLUMNS", "80")
            patch.setattr("sys.stdout", SimpleNamespace(isatty=lambda: True))
            folded = listing.table(room)
        assert max(map(len, folded.splitlines())) <= 80
        assert folded.split() == plain.split()


def test_a_road_that_was_launched_in_several_processes_names_what_to_launch(
    tmp_path, capsys, monkeypatch
):
    """They were told that another process was writing there, and to wait until it ends."""
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert gnomon("run", small(tmp_path), "--out", tmp_path / "run") == 2
    assert "2 were launched: launch `gnomon train`" in capsys.readouterr().err
    assert not (tmp_path / "run" / "data").exists()
