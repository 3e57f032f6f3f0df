from dataclasses import replace

import pytest
from pipeline_toys import CLOCKS, SUMS, boxed, clock, rows, total

from gnomon import dialect
from gnomon.pipeline.collate import FINAL_LABELS, IGNORED, Collator, resized_size
from gnomon.sample import Box, Sample, Time

MIXED = [CLOCKS[0], SUMS[0], boxed(), SUMS[1], CLOCKS[1]]


@pytest.fixture
def collate(blank):
    return Collator(blank.family, blank.processor)


def supervised(blank, labels):
    return blank.processor.tokenizer.decode(labels[labels != IGNORED])


def test_pictures_go_to_the_texts_that_have_them(blank, collate):
    batch = collate(rows(MIXED))
    placeholders = (batch["input_ids"] == blank.processor.image_token_id).sum(1)
    sides = [resized_size(blank.family, blank.processor, s) for s in MIXED]
    expected = [0 if side is None else side[0] * side[1] // 28**2 for side in sides]
    assert placeholders.tolist() == expected
    assert len(batch["image_grid_thw"]) == 3
    assert len(batch["pixel_values"]) == 4 * sum(expected)

    assert "pixel_values" not in collate(rows([SUMS[0], SUMS[1]]))


def test_a_box_without_a_picture_is_refused(blank, collate):
    sample = Sample("box/none", None, "Where?", Box(0, 0, 1, 1))
    with pytest.raises(ValueError, match="give its size"):
        collate(rows([sample]))


@pytest.mark.parametrize("lost", [1, 3, 5, 6, 12])
def test_an_answer_that_was_cut_off_is_refused_by_name(blank, collate, monkeypatch, lost):
    """Cut off in front of its answer, a sample's loss would be a silent 0."""
    whole = type(blank.processor).__call__

    def cut(self, *args, **kwargs):
        batch = whole(self, *args, **kwargs)
        return {name: tensor[:, :-lost] for name, tensor in batch.items()}

    monkeypatch.setattr(type(blank.processor), "__call__", cut)
    with pytest.raises(
        ValueError, match=r"sample sum/5: the .* joins the answer '1234<.*' with the prompt"
    ):
        collate(rows([total(1234, 5)]))


def test_an_answer_that_the_tokenizer_joins_with_the_prompt_is_refused_by_name(blank, monkeypatch):
    """A prompt that ends in `Wh` and an answer `at` come out as the one token `What`."""

    class OpenEnded(type(blank.family)):
        def prompt(self, processor, question, *, n_images):
            return super().prompt(processor, question, n_images=n_images) + "Wh"

    class Says(dialect.Dialect):
        def write(self, target, size=None):
            return "at"

    collate = Collator(OpenEnded(), blank.processor)
    collate(rows([total(5)]))
    monkeypatch.setitem(dialect.DIALECTS, blank.family.dialect, Says())
    with pytest.raises(
        ValueError, match=r"sample sum/9: the .* joins the answer 'at<.*' with the prompt"
    ):
        collate(rows([total(5, 9)]))


def worked(target, rationale, index=0):
    return replace(total(target, index), rationale=rationale)


WORKED = [
    worked(19, "12 + 7: 2 and 7 are 9, 1 ten stays."),
    total(345, 1),
    worked(-4, "3 - 7 is less than 0.\nAnswer: no, once more.", 2),
    worked("0.5", "1 / 2", 3),
    replace(clock(Time(7 * 3600 + 300), 4), rationale="The hour hand is past 7."),
    replace(clock(Time(7 * 3600 + 300), 5), rationale="short hand 7.08, long hand 1"),
    worked(7, "Steps: needle past 6, tick 5", 6),
]


def test_final_labels_are_the_answer_after_its_working(blank):
    batch = Collator(blank.family, blank.processor, has_final_labels=True)(rows(WORKED))
    for labels, final, sample in zip(batch["labels"], batch[FINAL_LABELS], WORKED, strict=True):
        answer = dialect.create("qwen2-vl").write(sample.target)
        assert supervised(blank, final).lstrip() == answer + "<|im_end|>"
        whole = dialect.add_working(sample.rationale, answer)
        assert supervised(blank, labels) == whole + "<|im_end|>"
        kept = final != IGNORED
        assert (labels[kept] == final[kept]).all()


def test_final_labels_are_there_only_where_asked_for(blank, collate):
    assert FINAL_LABELS not in collate(rows(WORKED))
    final = replace(collate, has_final_labels=True)
    assert FINAL_LABELS in final(rows(WORKED))
    assert FINAL_LABELS not in final(rows([WORKED[1]]))


def test_a_sample_that_is_too_long_is_refused_with_the_length_it_needs(blank):
    length = Collator(blank.family, blank.processor)(rows(WORKED))["attention_mask"].sum(1)
    longest, row = length.max(0)
    fits = Collator(blank.family, blank.processor, max_length=int(longest))
    assert fits(rows(WORKED))["input_ids"].shape[1] == longest
    short = Collator(blank.family, blank.processor, max_length=int(longest) - 1)
    message = (
        f"sample {WORKED[row].id}: its {longest} tokens .*max_length={longest - 1}.*{longest} or"
    )
    with pytest.raises(ValueError, match=message):
        short(rows(WORKED))


def test_an_empty_answer_is_refused_by_name(blank, collate, monkeypatch):
    class Empty(dialect.Dialect):
        def write(self, target, size=None):
            return ""

    monkeypatch.setitem(dialect.DIALECTS, blank.family.dialect, Empty())
    with pytest.raises(ValueError, match="sample sum/3: its answer is empty"):
        collate(rows([total(5, 3)]))
