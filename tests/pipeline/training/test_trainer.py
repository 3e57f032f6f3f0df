"""Our trainer beside TRL's own, on the same weights and the same batches."""

from dataclasses import replace

import pytest
import torch
from pipeline_toys import UNEVEN, assert_close, batch_of, copied, dataset_of, ours, stock, trained

from gnomon.losses import NumericVocab, create
from gnomon.pipeline.collate import IGNORED
from gnomon.pipeline.training.trainer import NumericSFTTrainer, shift_labels
from gnomon.sample import Text

WINDOWS = {"4x1": (4, 1), "1x4": (1, 4), "2x2": (2, 2)}
"""Samples a forward, and forwards a step."""


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
def test_cross_entropy_is_stock_trls(blank, tmp_path, window):
    ours_lines, ours_gradients, _ = trained(ours, blank, tmp_path, window)
    lines, gradients, _ = trained(stock, blank, tmp_path, window)
    assert ours_lines[0]["loss"] == pytest.approx(lines[0]["loss"], rel=1e-5)
    assert ours_lines[0]["mean_token_accuracy"] == pytest.approx(
        lines[0]["mean_token_accuracy"], abs=1e-6 if window[1] == 1 else 0.1
    )
    assert_close(ours_gradients[0], gradients[0])


@pytest.mark.slow
@pytest.mark.parametrize("numeric", [None, "ntil"])
def test_rows_through_the_head_in_chunks_train_the_same(blank, tmp_path, monkeypatch, numeric):
    """As long rationales do: the values, the gradients and the log are those of one piece."""
    whole, gradient, trainer = trained(ours, blank, tmp_path, (4, 1), numeric_loss=numeric)
    widths = []
    monkeypatch.setattr(NumericSFTTrainer, "logits_at_once", 5 * trainer._vocab_size)
    rows_of = trainer.objective.rows.__func__
    monkeypatch.setattr(
        type(trainer.objective), "rows", lambda s, x, y: widths.append(len(x)) or rows_of(s, x, y)
    )
    lines, parts, chunked = trained(ours, blank, tmp_path, (4, 1), numeric_loss=numeric)
    assert set(widths) == {5, sum(widths[: len(widths) // 2]) % 5} - {0}
    assert len(widths) > 6
    for name in ("loss", "ce", "digit_accuracy", "mean_token_accuracy"):
        assert lines[0][name] == pytest.approx(whole[0][name], rel=1e-6), name
    assert_close(parts[0], gradient[0])
    head = chunked.model.get_output_embeddings()
    assert head(torch.zeros(2, head.in_features)).shape == (2, trainer._vocab_size)


@pytest.mark.slow
def test_a_weight_that_rises_starts_from_the_cross_entropy(blank, tmp_path):
    rising = {"numeric_loss": "ntil", "weight": 2.0, "warmup": 0.5}
    still = {"max_steps": 4, "learning_rate": 0.0}
    lines, _, _ = trained(ours, blank, tmp_path, (4, 1), sft=still, **rising)
    shares = [
        (line["loss"] - line["ce"])
        / (line["emd"] + 0.2 * line["relative"] + 0.2 * line["magnitude"])
        for line in lines
    ]
    assert shares == pytest.approx([0.0, 1.0, 2.0, 2.0], abs=1e-5)


@pytest.mark.parametrize("name", ["ntil", "smmd", "emd"])
@pytest.mark.parametrize("window", [(1, 4), (2, 2)], ids=["1x4", "2x2"])
def test_accumulated_batches_are_one_batch(blank, tmp_path, window, name):
    """Answers have one to three numbers, of one to six digits: means of means would differ."""
    whole, gradient, _ = trained(ours, blank, tmp_path, (4, 1), numeric_loss=name, weight=0.7)
    lines, parts, _ = trained(ours, blank, tmp_path, window, numeric_loss=name, weight=0.7)
    assert lines[0]["loss"] == pytest.approx(whole[0]["loss"], rel=1e-5)
    assert_close(parts[0], gradient[0])


@pytest.mark.slow
def test_a_window_cut_short_by_the_epochs_end_counts_what_it_has(blank, tmp_path):
    """Six samples in windows of four: the second step has two, and its own denominators."""
    epoch = {"max_steps": -1, "num_train_epochs": 1.0}
    options = {"samples": UNEVEN[:6], "numeric_loss": "ntil", "weight": 0.7, "sft": epoch}
    whole, gradients, _ = trained(ours, blank, tmp_path, (4, 1), **options)
    lines, parts, _ = trained(ours, blank, tmp_path, (1, 4), **options)
    assert len(whole) == len(lines) == 2
    for one, other in zip(whole, lines, strict=True):
        assert other["loss"] == pytest.approx(one["loss"], rel=1e-4)
    for one, other in zip(gradients, parts, strict=True):
        assert_close(other, one, 1e-4)


@pytest.mark.parametrize("numeric", [None, "ntil"])
def test_one_forward_a_batch_and_logits_at_the_answers_alone(blank, tmp_path, numeric):
    loaded = copied(blank)
    trainer = ours(
        loaded, UNEVEN, tmp_path, numeric_loss=numeric,
        sft={"per_device_train_batch_size": 2, "gradient_accumulation_steps": 2, "max_steps": 2},
    )  # fmt: skip
    forwards, projected = [], []
    loaded.model.model.register_forward_hook(lambda *_: forwards.append(1))
    loaded.model.lm_head.register_forward_hook(lambda _, __, out: projected.append(out.shape))
    trainer.train()
    batches = [batch_of(blank, UNEVEN[i : i + 2]) for i in range(0, 8, 2)]
    answers = [(batch["labels"] != IGNORED).sum().item() for batch in batches]
    assert len(forwards) == 4
    assert projected == [(rows, loaded.model.lm_head.weight.shape[0]) for rows in answers]


@pytest.mark.slow
def test_labels_are_read_once_a_batch(blank, tmp_path, monkeypatch):
    """For the window's counts, the sums and the log; an evaluation, which has no window, alike."""
    read, spans = [], NumericVocab.spans
    monkeypatch.setattr(NumericVocab, "spans", lambda v, y: read.append(y.shape) or spans(v, y))
    trained(
        ours, blank, tmp_path, (2, 2), numeric_loss="ntil", eval_dataset=dataset_of(UNEVEN[:3]),
        sft={"max_steps": 2, "eval_strategy": "steps", "eval_steps": 2,
             "per_device_eval_batch_size": 1},
    )  # fmt: skip
    assert [shape[0] for shape in read] == [2, 2, 2, 2, 1, 1, 1]


def test_a_training_whose_loss_is_no_number_ends(blank, tmp_path):
    """transformers would log a loss of 0 at each further step, and keep the weights."""
    loaded = copied(blank)
    trainer = ours(loaded, UNEVEN, tmp_path, sft={"max_steps": 3, "logging_steps": 1})
    with torch.no_grad():
        next(loaded.model.parameters())[0] = torch.nan
    with pytest.raises(ValueError, match=r"ce is nan at step 1, .* with a lower learning_rate"):
        trainer.train()


@pytest.mark.parametrize("cut", [slice(None), slice(1, 2)], ids=["all", "one of several"])
def test_a_sample_whose_answer_was_cut_off_is_refused(blank, tmp_path, cut):
    """TRL cuts at max_length: it would train on nothing, silently."""
    trainer = ours(copied(blank), UNEVEN, tmp_path, sft={"max_length": 64})
    batch = batch_of(blank, UNEVEN[:2])
    batch["labels"][cut] = IGNORED
    with pytest.raises(
        ValueError, match=r"a sample has no answer token: was its answer cut off.*max_length=64"
    ):
        trainer.compute_loss(trainer.model, batch)


def test_inputs_are_left_as_they_came(blank, tmp_path):
    trainer = ours(copied(blank), UNEVEN, tmp_path)
    batch = batch_of(blank, UNEVEN[:2])
    before = {name: tensor.clone() for name, tensor in batch.items()}
    trainer.compute_loss(trainer.model, batch)
    assert batch.keys() == before.keys()
    assert all(torch.equal(batch[name], before[name]) for name in before)


def by_hand(loaded, samples, loss):
    """Cross-entropy, accuracy and each part over all the samples, from full logits."""
    batch = batch_of(loaded, samples)
    labels = shift_labels(batch.pop("labels"))
    with torch.no_grad():
        logits = loaded.model(**batch).logits.float()
    kept = labels != IGNORED
    numeric = loss.vocab.spans(labels).numeric.view_as(labels)
    found = {
        "ce": torch.nn.functional.cross_entropy(logits[kept], labels[kept]),
        "mean_token_accuracy": (logits[kept].argmax(-1) == labels[kept]).float().mean(),
        "digit_accuracy": (logits.argmax(-1) == labels)[numeric].float().mean(),
        "coverage": torch.tensor(1.0),
        **loss.components(logits, labels),
    }
    return {name: value.item() for name, value in found.items()}


@pytest.mark.parametrize("window", WINDOWS.values(), ids=WINDOWS)
def test_the_log_has_each_part_as_its_mean(blank, tmp_path, window):
    lines, _, trainer = trained(ours, blank, tmp_path, window, numeric_loss="ntil")
    expected = by_hand(blank, UNEVEN[:4], trainer.objective.loss)
    assert {"ce", "digit_accuracy", "emd", "relative", "magnitude"} < set(expected)
    for name, value in expected.items():
        assert lines[0][name] == pytest.approx(value, rel=1e-5), name
    total = expected["ce"] + (
        expected["emd"] + 0.2 * expected["relative"] + 0.2 * expected["magnitude"]
    )
    assert lines[0]["loss"] == pytest.approx(total, rel=1e-5)


def test_log_lines_and_evaluations_have_parts_of_their_own(blank, tmp_path):
    """A line covers the steps since the last, and not the evaluation in the middle of it.

    At a rate of 0 nothing moves, so two steps are one pass over their samples.
    """
    lines, _, trainer = trained(
        ours, blank, tmp_path, (2, 1), numeric_loss="ntil", eval_dataset=dataset_of(UNEVEN[6:]),
        sft={"learning_rate": 0.0, "max_steps": 4, "logging_steps": 2, "eval_strategy": "steps",
             "eval_steps": 1, "per_device_eval_batch_size": 1},
    )  # fmt: skip
    judged = [line for line in trainer.state.log_history if "eval_loss" in line]
    assert len(judged) == 4
    for name, value in by_hand(blank, UNEVEN[6:], trainer.objective.loss).items():
        for line in judged:
            assert line[f"eval_{name}"] == pytest.approx(value, rel=1e-5), name
    for line, samples in zip(lines, (UNEVEN[:4], UNEVEN[4:]), strict=True):
        for name, value in by_hand(blank, samples, trainer.objective.loss).items():
            assert line[name] == pytest.approx(value, rel=1e-5), name


def test_a_loss_by_name_is_made_for_the_heads_width(fresh, tmp_path):
    """Qwen2-VL's head is wider than its tokenizer: logits and tables must agree."""
    width = len(fresh.processor.tokenizer) + 24
    fresh.model.resize_token_embeddings(width)
    trainer = ours(fresh, UNEVEN, tmp_path, numeric_loss="ntil")
    assert trainer.objective.loss.vocab.size == width
    trainer.train()
    assert trainer.state.log_history[0]["emd"] > 0


def test_a_loss_may_be_an_object_or_none_and_is_else_known(blank, tmp_path):
    width = blank.model.lm_head.weight.shape[0]
    vocab = NumericVocab.from_tokenizer(blank.processor.tokenizer, size=width)
    for given in (create("smmd", vocab), "ce", None):
        trainer = ours(copied(blank), UNEVEN, tmp_path, numeric_loss=given)
        assert trainer.objective.loss is (None if given == "ce" else given)
    with pytest.raises(ValueError, match="unknown loss 'ntill': did you mean ntil"):
        ours(copied(blank), UNEVEN, tmp_path, numeric_loss="ntill")


@pytest.mark.parametrize("options", [{"weight": 0.3}, {"loss_options": {"cycle": 10}}])
def test_settings_of_a_loss_without_a_loss_are_refused(blank, tmp_path, options):
    with pytest.raises(
        ValueError, match=r"need a numeric loss: name it, for example numeric_loss='crps'"
    ):
        NumericSFTTrainer(blank.model, **options)


def test_a_loss_that_sees_no_digit_says_so_once(blank, tmp_path, capsys):
    """Its answers are words: nothing is trained by it, and the log has zeros."""
    for numeric, says in (("crps", 1), ("ce", 0)):
        rows = [replace(sample, target=Text("seven")) for sample in UNEVEN]
        trained(ours, blank, tmp_path / numeric, (2, 1), samples=rows, numeric_loss=numeric,
                sft={"max_steps": 3, "logging_steps": 1})  # fmt: skip
        assert capsys.readouterr().err.count("the numeric loss sees no digit in the ans") == says


@pytest.mark.filterwarnings("ignore:`(label_smoothing_factor|compute_loss_func)` is deprecated")
@pytest.mark.parametrize(
    "options",
    [
        {"sft": {"loss_type": "dft"}},
        {"sft": {"label_smoothing_factor": 0.1}},
        {"compute_loss_func": lambda outputs, labels, num_items_in_batch=None: 0.0},
    ],
    ids=["dft", "label smoothing", "compute_loss_func"],
)
def test_what_would_change_the_cross_entropy_is_refused(blank, tmp_path, options):
    """TRL computes these in the method that is overridden: they would be ignored, silently."""
    with pytest.raises(ValueError, match=r"change the cross-entropy.*leave them out"):
        ours(copied(blank), UNEVEN, tmp_path, **options)


def test_labels_are_moved_to_what_scores_them():
    labels = torch.tensor([[IGNORED, 4, 5, 6], [1, IGNORED, IGNORED, 2]])
    assert shift_labels(labels).tolist() == [[4, 5, 6, IGNORED], [IGNORED, IGNORED, 2, IGNORED]]
