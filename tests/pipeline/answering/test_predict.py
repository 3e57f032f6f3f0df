"""Answers by generation, and the file they are appended to."""

import pytest
import torch
from answer_files import predict_to_file
from pipeline_toys import CLOCKS, SUMS, UNEVEN, boxed, total

from gnomon.eval.scoring import predictions
from gnomon.pipeline.answering import belief
from gnomon.pipeline.answering import local as module
from gnomon.pipeline.answering.belief import answer_logprobs
from gnomon.pipeline.answering.local import generate_texts
from gnomon.pipeline.collate import resized_size
from gnomon.pipeline.exporting import merge

SAMPLES = [
    *(CLOCKS[i] for i in range(6)),
    *(SUMS[i] for i in range(6)),
    boxed(0),
    boxed(1, (300, 90)),
]
"""Questions of several lengths, with pictures of several sizes and without."""
SETTINGS = {"model": "toy", "seed": 0}


def predicted(loaded, out, *, samples=SAMPLES, **changes):
    options = {"settings": SETTINGS, "batch_size": 4, "max_new_tokens": 5, **changes}
    predict_to_file(loaded, samples, out, total=len(SAMPLES), **options)
    return {p.sample_id: p for p in predictions.read(out)}


@pytest.fixture
def out(tmp_path):
    return tmp_path / "run" / "predictions.jsonl"


@pytest.fixture
def watched(monkeypatch):
    """The batches that the model was asked, by the samples' ids."""
    asked = []

    def watch(loaded, batch, **options):
        asked.append([sample.id for sample in batch])
        return generate_texts(loaded, batch, **options)

    monkeypatch.setattr(module, "generate_texts", watch)
    return asked


def test_every_sample_is_answered_once(blank, out):
    found = predicted(blank, out)
    assert found.keys() == {sample.id for sample in SAMPLES}
    assert len(out.read_text().splitlines()) == len(SAMPLES)
    for sample in SAMPLES:
        prediction = found[sample.id]
        assert prediction.size == resized_size(blank.family, blank.processor, sample)
        assert (prediction.size is None) == (sample.image is None)
        assert prediction.dialect == "qwen2-vl"
        assert prediction.settings == {**SETTINGS, "max_new_tokens": 5}


def test_the_longest_come_first(blank, out, watched):
    predicted(blank, out, batch_size=5)
    lengths = {s.id: module._approximate_length(blank, s) for s in SAMPLES}
    asked = [lengths[name] for batch in watched for name in batch]
    assert asked == sorted(asked, reverse=True)
    assert [len(batch) for batch in watched] == [5, 5, 4]


def test_samples_without_end_are_taken_window_by_window(blank, out, watched, monkeypatch):
    monkeypatch.setattr(module, "WINDOW", 2)
    predicted(blank, out, samples=iter(SAMPLES), batch_size=2, max_new_tokens=2)
    for window, batch in enumerate(watched):
        start = 4 * (window // 2)
        assert set(batch) <= {s.id for s in SAMPLES[start : start + 4]}


def test_a_killed_run_goes_on(blank, out, watched, monkeypatch):
    whole = predicted(blank, out.with_name("whole.jsonl"))
    watched.clear()
    calls = []

    def killed(*args, **kwargs):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return generate_texts(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(module, "generate_texts", killed)
        with pytest.raises(KeyboardInterrupt):
            predicted(blank, out)
    before = out.read_text()
    done = {p.sample_id for p in predictions.read(out)}
    assert len(done) == 8
    found = predicted(blank, out)
    assert out.read_text().startswith(before)
    assert not done & {name for batch in watched for name in batch}
    assert {i: p.text for i, p in found.items()} == {i: p.text for i, p in whole.items()}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"settings": {**SETTINGS, "model": "b"}}, "with {'model': 'toy'}, not {'model': 'b'}"),
        ({"settings": {"model": "toy"}}, "answered with {'seed': 0}, not {'seed': None}"),
        ({"settings": {**SETTINGS, "fingerprint": "x"}}, "answered with {'fingerprint': None}"),
        ({"max_new_tokens": 6}, "answered with {'max_new_tokens': 5}, not {'max_new_tokens': 6}"),
    ],
)  # fmt: skip
def test_answers_given_otherwise_are_never_mixed_in(blank, out, changes, told):
    predicted(blank, out, samples=SAMPLES[:2])
    before = out.read_bytes()
    with pytest.raises(ValueError, match="name another file, or delete this") as error:
        predicted(blank, out, **changes)
    assert told in str(error.value)
    assert out.read_bytes() == before


def test_settings_that_json_changes_and_another_batch_size_go_on_too(blank, out):
    """A tuple comes back from the file as a list, and is the same setting."""
    settings = {"sizes": (84, 112), "model": "toy"}
    predicted(blank, out, samples=SAMPLES[:2], settings=settings, batch_size=2)
    assert len(predicted(blank, out, samples=SAMPLES[:4], settings=settings, batch_size=3)) == 4


def test_answers_end_where_the_model_ends_them(fresh):
    """The head is made to say a 7 and then stop; what a longer neighbour says is not waited for."""
    tokenizer = fresh.processor.tokenizer
    end, seven = (tokenizer.convert_tokens_to_ids(t) for t in ("<|im_end|>", "7"))

    class Says(torch.nn.Module):
        weight = fresh.model.lm_head.weight
        said = 0

        def forward(self, hidden):
            logits = torch.zeros(*hidden.shape[:-1], self.weight.shape[0])
            logits[..., seven if self.said == 0 else end] = 1.0
            self.said += 1
            return logits

    fresh.model.lm_head = Says()
    assert generate_texts(fresh, [total(7), total(1234)], max_new_tokens=6) == ["7", "7"]
    assert fresh.model.lm_head.said == 2


def test_the_mode_is_left_as_it_was(blank):
    for training in (True, False):
        blank.model.train(training)
        generate_texts(blank, UNEVEN[:1], max_new_tokens=1)
        answer_logprobs(blank, total(7), ["7"])
        assert blank.model.training is training


def test_the_mode_is_restored_after_an_error(blank, monkeypatch):
    blank.model.train(True)
    monkeypatch.setattr(belief, "_score_answers", lambda *_: 1 / blank.model.training)
    with pytest.raises(ZeroDivisionError):  # since the mode is another in between
        answer_logprobs(blank, total(7), ["7"])
    assert blank.model.training
    blank.model.train(False)


def test_generation_is_greedy_whatever_the_checkpoint_asks(fresh):
    fresh.model.generation_config.update(do_sample=True, temperature=5.0, top_k=50, top_p=0.9)
    first = generate_texts(fresh, UNEVEN[:3], max_new_tokens=6)
    assert all(generate_texts(fresh, UNEVEN[:3], max_new_tokens=6) == first for _ in range(3))


@pytest.mark.parametrize("setting", [{"repetition_penalty": 5.0}, {"no_repeat_ngram_size": 1},
                                     {"num_beams": 3}], ids=str)  # fmt: skip
def test_no_setting_of_the_checkpoint_changes_the_likeliest_tokens(fresh, setting):
    """Qwen2.5-VL's penalty for repetition, say, takes a figure that the question has already."""
    plain = generate_texts(fresh, UNEVEN[:3], max_new_tokens=6)
    fresh.model.generation_config.update(**setting)
    assert generate_texts(fresh, UNEVEN[:3], max_new_tokens=6) == plain


def test_a_model_that_returns_every_logit_has_the_same_belief(fresh):
    """Some take any keyword, and ignore that only the last logits are wanted."""
    expected = answer_logprobs(fresh, CLOCKS[0], ["10:08", "1:50", "10:09"])
    kind = type(fresh.model)

    class Lavish(kind):
        def forward(self, *args, **kwargs):
            kwargs.pop("logits_to_keep", None)
            return kind.forward(self, *args, **kwargs)

    fresh.model.__class__ = Lavish
    assert answer_logprobs(fresh, CLOCKS[0], ["10:08", "1:50", "10:09"]) == pytest.approx(expected)
    scores = merge._answer_scores(fresh, UNEVEN[:3])
    fresh.model.__class__ = kind
    torch.testing.assert_close(scores, merge._answer_scores(fresh, UNEVEN[:3]))


def test_the_head_is_given_rows_that_lie_together(blank):
    """Of others a CPU copies a frozen head's weights once a row, which takes seconds."""
    given = []
    head = blank.model.get_output_embeddings()
    with head.register_forward_hook(lambda _, inputs, __: given.append(inputs[0])):
        generate_texts(blank, SAMPLES[:3], max_new_tokens=2)
    assert given[0].shape[:2] == (3, 1)
    assert all(rows.is_contiguous() for rows in given)
