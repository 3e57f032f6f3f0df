"""Names on the command line are opened by one function, and each thing behind them is made once."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal

import pytest
from command_toys import gnomon, loaded_by, small

from gnomon import store
from gnomon.generators import create
from gnomon.recipe import plain_values, recipe_file
from gnomon.runs.resolve import exam_of, resolve, resolve_values
from gnomon.sample import Number


def count(monkeypatch, counts, owner, name):
    """Count the calls of a function while it does what it does."""
    real = getattr(owner, name)

    def counted(*words, **options):
        counts[name] += 1
        return real(*words, **options)

    monkeypatch.setattr(owner, name, counted)


@pytest.fixture
def counts(monkeypatch):
    """Calls that open samples and parse YAML."""
    counts = Counter()
    count(monkeypatch, counts, store, "mixture")
    count(monkeypatch, counts, recipe_file, "_parse_yaml")
    return counts


def test_a_kind_alone_is_its_samples_and_opens_no_model_loss_or_exam(tmp_path):
    words = ("generate", "clock", "size=84", "--n", "1", "--workers", "1", "--out")
    loaded = loaded_by(*words, str(tmp_path / "clocks"))
    assert (tmp_path / "clocks" / "manifest.json").is_file()
    assert "gnomon.generators.clock.generator" in loaded
    opening = ("torch", "trl", "gnomon.losses", "gnomon.pipeline", "gnomon.runs.shipped")
    assert not loaded & set(opening)


def test_a_kind_draws_what_it_draws_in_a_recipe(counts):
    clocks = resolve("clock", ["size=84"])
    sample = clocks.samples("val", seed=3)[5]
    assert clocks.samples("val", seed=3)[5].id == sample.id
    assert counts["mixture"] == 1
    again = create("clock", size=84, split="val", seed=3)[5]
    assert (sample.id, sample.target) == (again.id, again.target)
    assert sample.image.tobytes() == again.image.tobytes()
    assert clocks.samples("val", seed=4)[5].target != sample.target


def test_a_recipe_is_parsed_once_and_its_samples_and_exam_are_made_once(counts, tmp_path):
    file = small(tmp_path)
    resolved = resolve(file)
    assert counts == {"_parse_yaml": 1}
    for _ in range(2):
        assert resolved.recipe.train.samples == 24
        assert resolved.exam.samples == 12
        assert resolved.samples("train") is resolved.samples()
        assert len(list(resolved.exam)) == 12
    assert counts["_parse_yaml"] == 1
    assert counts["mixture"] == 2  # of the training and of the exam


def test_values_text_and_overrides_resolve_to_the_same_recipe(tmp_path):
    file = small(tmp_path)
    overrides = ["train.max_steps=7", "data.0.options.size=112"]
    resolved = resolve(file, overrides)
    (tmp_path / "other.yaml").write_text(resolved.text)
    assert resolve(tmp_path / "other.yaml").recipe == resolved.recipe
    assert resolve_values(plain_values(resolved.parsed)).recipe == resolved.recipe
    assert resolved.recipe == replace(
        resolve(file).recipe,
        data=resolved.parsed.data,
        train=replace(resolve(file).recipe.train, max_steps=7),
    )


@pytest.mark.slow
def test_a_run_parses_its_recipe_and_makes_its_settings_once(counts, tmp_path, monkeypatch):
    """Twenty samples drawn, two steps trained, both exams answered, a report written."""
    from gnomon.pipeline.training import settings

    count(monkeypatch, counts, settings, "SFTConfig")
    file = small(tmp_path)
    few = ("train.samples=8", "eval.samples=2", "train.max_steps=2", "--workers", 1)
    assert gnomon("run", file, *few, "--out", tmp_path / "run") == 0
    assert (tmp_path / "run" / "report.html").is_file()
    assert counts["SFTConfig"] == 1
    # The file and the value of each override, once to resolve them and once to write their text,
    # which is parsed again as a check.
    assert counts["_parse_yaml"] == 2 * (1 + 3) + 1


def test_a_new_table_is_read_by_the_columns_of_the_run_s_own(here, capsys):
    """Its own split and groups are not needed; without those columns it is read as any table."""
    columns = {"image": None, "question": "ask", "answer": "value", "kind": "number", "cycle": 10,
               "split": "part", "group": "site"}  # fmt: skip
    rows = "How far?,3,train,a\nHow far?,4,test,b\n"
    (here / "old.csv").write_text(f"ask,value,part,site\n{rows}")
    trained = resolve_values({"data": [{"path": "old.csv", "columns": columns}]}, []).recipe
    for name, header, row in [("sites", "ask,value,site", "How far?,9.5,b"),
                              ("bare", "ask,value", "How far?,9.5")]:  # fmt: skip
        (here / f"{name}.csv").write_text(f"{header}\n{row}\n")
        exam = exam_of(f"{name}.csv", [], trained)
        assert exam.questions[0].target == Number(Decimal("9.5"), cycle=Decimal(10))
        assert exam.sources[0].columns.group == ("site" if name == "sites" else None)
        assert f"{name}.csv: read by the columns of the run's recipe" in capsys.readouterr().err
    (here / "other.csv").write_text("question,answer\nHow far?,9.5\n")
    exam = exam_of("other.csv", ["columns.kind=number", "columns.image=null"], trained)
    assert exam.questions[0].target == Number(Decimal("9.5"))


def test_columns_that_the_user_names_go_before_those_of_the_run(here, capsys):
    """Those that nobody names stay as they were trained, of the same table and of a new one."""
    columns = {"image": None, "ask": "How far?", "answer": "value", "kind": "number", "cycle": 10,
               "split": "part"}  # fmt: skip
    trained = resolve_values({"data": [{"path": "old.csv", "columns": columns}]})
    (here / "old.csv").write_text("text,value,other,part\nNear?,3,4,train\nFar?,1,2,test\n")
    (here / "new.csv").write_text("text,value,other\nNear?,5,6\n")

    def ask(name, *overrides):
        exam = exam_of(name, overrides, trained.recipe)
        return [(question.question, question.target.value) for question in exam.questions]

    assert ask("old.csv", "columns.answer=other") == [("How far?", 2)]
    others = ask("old.csv", "columns.split=null", "eval.split=all", "columns.question=text")
    assert others == [("Near?", 3), ("Far?", 1)]
    assert ask("new.csv", "columns.answer=other") == [("How far?", 6)]
    assert "the run's recipe and by the columns that you name" in capsys.readouterr().err
    exam = exam_of("new.csv", ["columns.within=0.5"], trained.recipe)
    assert exam.questions[0].target == Number(Decimal(5), within=Decimal("0.5"), cycle=Decimal(10))
    # Another kind of answer has nothing of a cycle.
    with pytest.raises(ValueError, match="no column 'image'"):
        ask("new.csv", "columns.kind=text")


@pytest.mark.parametrize(("samples", "n"), [("all", 600), (None, 500), (7, 7)])
def test_all_rows_may_be_asked(here, samples, n):
    rows = "".join(f"Number {i}?,{i}\n" for i in range(600))
    (here / "own.csv").write_text(f"question,answer\n{rows}")
    own = [{"path": "own.csv", "columns": {"image": None, "kind": "number"}}]
    section = {"data": own, "split": "all", "samples": samples}
    values = {"data": [{"kind": "arithmetic"}], "eval": section}
    assert resolve_values(values).exam.samples == n
