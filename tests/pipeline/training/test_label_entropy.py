"""A training that came no lower than its labels' frequencies is told so, and no other."""

import random
from decimal import Decimal
from math import log

import pytest
from PIL import Image
from pipeline_toys import BLANK

from gnomon.pipeline.collate import Collator
from gnomon.pipeline.load import load
from gnomon.pipeline.training.log import label_entropy, label_entropy_warning
from gnomon.pipeline.training.train import fine_tune
from gnomon.recipe import Recipe, validate
from gnomon.sample import Number, Sample

END = 99


def digits(n, seed=0, question="Which digit?"):
    """Random digits as a tokenizer of one token a digit writes them."""
    rng = random.Random(seed)
    return [(question, [rng.randrange(10), END]) for _ in range(n)]


def test_uniform_digits_have_a_tenth_each():
    assert label_entropy(digits(5000)) == pytest.approx(log(10) / 2, rel=0.01)


def test_few_labels_are_not_taken_for_more_alike_than_many():
    few = [label_entropy(digits(50, seed)) for seed in range(40)]
    assert sum(few) / len(few) == pytest.approx(log(10) / 2, rel=0.02)


def test_tokens_are_counted_at_their_place_after_the_one_before():
    """Of twelve hours 10, 11 and 12 begin with a 1: not 2.25 nats for the second figure."""
    hours = [("?", [*map(int, f"{hour:02}"), END]) for hour in range(1, 13)] * 500
    assert 3 * label_entropy(hours) == pytest.approx(log(12), rel=0.01)


def test_a_question_that_is_asked_often_has_frequencies_of_its_own():
    yes = [("Is it on?", [7, END])] * 300
    mixed = label_entropy([*yes, *digits(300)])
    assert mixed == pytest.approx(log(10) / 4, rel=0.03)
    once = [(f"What is {n}?", ids) for n, (_, ids) in enumerate(digits(300))]
    assert label_entropy(once) == pytest.approx(log(10) / 2, rel=0.03)


@pytest.mark.parametrize("answers", [[], [("?", [])], [("?", [5, END])] * 9])
def test_labels_that_are_all_alike_have_none(answers):
    assert label_entropy(answers) == 0


@pytest.fixture(scope="module")
def collator():
    loaded = load(BLANK, seed=0)
    return Collator(loaded.family, loaded.processor)


def pictures(n, *, image=True):
    """Grey pictures that show nothing, each with a random digit for its label."""
    rng = random.Random(0)
    grey = Image.new("RGB", (28, 28), "grey") if image else None
    return [
        Sample(str(i), grey, "Which digit?", Number(Decimal(rng.randrange(10)))) for i in range(n)
    ]


@pytest.mark.parametrize(
    ("losses", "told"),
    [
        ([5.0, 2.0, 1.2, 1.17], "ended at 1.17 nats a token, and a guess by the labels' frequencies"
         " gives 1.16: the model has learned how frequent the answers are, and nothing about the"),
        ([5.0, 4.0, 3.0, 2.5], "the model has learned less than how frequent the answers are"),
        ([1.2], "nothing about the"),
        ([5.0, 2.0, 1.1, 0.9], None),
        ([1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.0, 0.9], None),
        ([], None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("image", [True, False])
def test_a_loss_is_judged_by_where_it_ended(collator, losses, told, image):
    log_history = [{"step": step, "ce": loss} for step, loss in enumerate(losses)]
    log_history += [{"eval_ce": 9.0}, {"train_runtime": 1.0}]
    said = label_entropy_warning(collator, pictures(256, image=image), log_history)
    if told is None:
        assert said is None
    else:
        assert told in said
        assert said.endswith(("pictures" if image else "questions", "answers are"))


def test_labels_that_are_all_alike_say_nothing_of_a_training(collator):
    same = [pictures(1)[0]] * 30
    assert label_entropy_warning(collator, same, [{"ce": 0.01}]) is None


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")
def test_a_training_on_pictures_that_show_nothing_says_so(tmp_path, capsys):
    raw = {
        "data": [{"kind": "clock"}],
        "model": {"name": "gnomon-tiny-blank", "load_in_4bit": False, "dtype": "float32"},
        "loss": {"name": "ce"},
        "train": {"language": "full", "per_device_train_batch_size": 16, "max_steps": 2,
                  "logging_steps": 1},
    }  # fmt: skip
    fine_tune(validate(Recipe, raw, name="test"), pictures(640), tmp_path)
    (said,) = (line for line in capsys.readouterr().err.splitlines() if "learned less" in line)
    assert "the model has learned less than how frequent the answers are; try more steps, " in said
    assert said.endswith("or train.vision=lora")
