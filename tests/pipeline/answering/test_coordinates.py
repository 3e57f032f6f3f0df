"""Numbers of boxes have the probability that the answer with them has, in every way of cutting."""

import copy
import json
import math

import numpy as np
import pytest
import real_tokenizers
import torch
from answer_files import predict_to_file
from pipeline_toys import boxed, total
from small_models import SEEING
from tokenizers import AddedToken

from gnomon.dialect import DIALECTS
from gnomon.eval.scoring import predictions
from gnomon.eval.scoring.edges import choose_number, number_interval
from gnomon.pipeline.answering import coordinates
from gnomon.pipeline.answering import local as module
from gnomon.pipeline.answering.coordinates import (
    REST,
    BoxText,
    Search,
    TokenTrie,
    _first_token,
    _trie_at,
    choose_edges,
    coordinate_logprobs,
    without_marks,
)
from gnomon.pipeline.answering.rule import AnswerRule
from gnomon.pipeline.collate import prompt_of, resized_size
from gnomon.pipeline.families.base import encode
from gnomon.pipeline.load import Loaded
from gnomon.sample import Box, Boxes, LabelledBox, Sample, prediction_from_json, prediction_to_json

PAIR = Boxes((LabelledBox("red mug", Box(10, 20, 60, 80)), LabelledBox("cup", Box(5, 30, 90, 70))))
SIZE = (100, 90)


def of_dialect(loaded, dialect):
    """The same model, taken for one of a family with another way of writing boxes."""
    family = copy.copy(loaded.family)
    family.dialect = dialect
    return Loaded(loaded.model, loaded.processor, family)


def of_tokens(loaded, tokens):
    """A copy of the model that has some more tokens."""
    processor = copy.deepcopy(loaded.processor)
    processor.tokenizer.add_tokens([AddedToken(token, normalized=False) for token in tokens])
    model = copy.deepcopy(loaded.model)
    model.resize_token_embeddings(len(processor.tokenizer), mean_resizing=False)
    return Loaded(model.eval(), processor, loaded.family)


def several(target=PAIR):
    return Sample("boxes/0", boxed(0).image, "Find all mugs.", target)


def some_numbers(dialect, n=12):
    """A few of the possible numbers of each place, of every length."""
    return [
        tuple(dict.fromkeys(choices[i * (len(choices) - 1) // (n - 1)] for i in range(n)))
        for choices in dialect.possible_numbers(SIZE)
    ]


def alone(loaded, sample, text, span):
    """The log-probability of a number and its end in a forward of its own, by characters."""
    prompt = prompt_of(loaded.family, loaded.processor, sample)
    whole = prompt + loaded.family.answer(loaded.processor, prompt, text)
    start, end = (place + whole.rindex(text) for place in span)
    encoding = loaded.tokenizer(whole, add_special_tokens=False, return_offsets_mapping=True)
    inputs = encode(loaded.processor, [whole], [sample.image], side="left")
    with torch.inference_mode():
        logits = loaded.model(**inputs).logits[0].log_softmax(-1)
    offsets = encoding["offset_mapping"]
    total_logprob, reached = 0.0, start
    for place, ((_, right), token) in enumerate(zip(offsets, encoding["input_ids"], strict=True)):
        if right > start and reached <= end:
            row = place - len(offsets) - 1
            assert inputs["input_ids"][0, row + 1] == token
            total_logprob += logits[row, token].item()
            reached = right
    return total_logprob


@pytest.fixture
def whole_tries(monkeypatch):
    """Leave nothing out: of random weights short numbers have nearly all probability."""
    monkeypatch.setattr(coordinates, "REST", 0)


def check(loaded, sample, dialect):
    numbers = some_numbers(dialect)
    size = resized_size(loaded.family, loaded.processor, sample)
    text = dialect.write(sample.target.scaled(SIZE, size), size)
    spans = tuple(map(tuple, dialect.number_spans(text)))
    answer = BoxText(text, spans)
    numbers = [(*choices, text[slice(*spans[0][place])]) for place, choices in enumerate(numbers)]
    beliefs = coordinate_logprobs(loaded, sample, answer, numbers)
    assert len(beliefs) == len(spans)
    for box, believed in zip(spans, beliefs, strict=True):
        for (start, end), logprobs, choices in zip(box, believed, numbers, strict=True):
            assert set(logprobs) == set(choices)
            for number in list(logprobs)[:: max(1, len(logprobs) // 3)]:
                other = text[:start] + number + text[end:]
                expected = alone(loaded, sample, other, (start, start + len(number)))
                assert logprobs[number] == pytest.approx(expected, abs=2e-4), (number, text)


@pytest.mark.slow
@pytest.mark.usefixtures("whole_tries")
def test_every_family_believes_what_each_answer_alone_says(name, exact):
    if name in SEEING:
        check(exact, several(), DIALECTS[exact.family.dialect])


@pytest.mark.usefixtures("whole_tries")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_believes_what_each_answer_alone_says(blank, dialect):
    check(of_dialect(blank, dialect), several(), DIALECTS[dialect])


@pytest.mark.usefixtures("whole_tries")
@pytest.mark.parametrize(
    ("dialect", "form"), [("paligemma", "<loc{:04}>"), ("florence-2", "<loc_{}>")]
)
def test_a_number_that_is_one_token(blank, dialect, form):
    loaded = of_tokens(blank, [form.format(n) for n in range(1024)])
    check(of_dialect(loaded, dialect), several(), DIALECTS[dialect])


@pytest.fixture(scope="module", params=real_tokenizers.NAMES)
def tokenizer(request):
    return getattr(real_tokenizers, request.param)()


@pytest.mark.parametrize("dialect", ["plain", "qwen2-vl", "qwen2.5-vl", "internvl", "paligemma"])
def test_real_tokenizers_cut_a_number_as_the_whole_answer_does(tokenizer, dialect):
    form = DIALECTS[dialect]
    text = "assistant\n" + form.write(PAIR, SIZE)
    whole = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    for box in form.number_spans(text):
        for (start, end), choices in zip(box, some_numbers(form, 20), strict=True):
            numbers = tuple(dict.fromkeys([*choices, text[start:end]]))
            trie = _trie_at(
                tokenizer, text, (start, end), numbers, whole["input_ids"], whole["offset_mapping"]
            )
            others = [text[:start] + number + text[end:] for number in numbers]
            cuts = tokenizer(others, add_special_tokens=False, return_offsets_mapping=True)
            paths = {number: path for path, number in trie.numbers.items()}
            for number, ids, offsets in zip(
                numbers, cuts["input_ids"], cuts["offset_mapping"], strict=True
            ):
                first = trie.start(_first_token(offsets, start), number)
                assert tuple(ids[first : first + len(paths[number])]) == paths[number], number


def test_what_is_left_out_weighs_no_more_than_said():
    """Against the whole trie, with tries of random numbers whose digits are as unlike as can be."""
    rng = np.random.default_rng(0)
    for sharpness in (0.1, 1.0, 5.0, 30.0):
        # Paths of one to four digits and an end, 10; to other tokens a part is lost at each step.
        paths = {(*map(int, str(number)), 10): str(number) for number in range(1001)}
        search, trie = Search((), TokenTrie(paths, {})), TokenTrie(paths, {})
        steps = {
            node: np.log(rng.dirichlet(np.full(len(tokens) + 1, 1 / sharpness)) + 1e-12)
            for node, tokens in trie._children.items()
        }
        exact = {}
        for path, number in paths.items():
            places = [trie.tokens_after(path[:i]).index(token) for i, token in enumerate(path)]
            exact[number] = sum(steps[path[:i]][place] for i, place in enumerate(places))
        n_rows = 0
        while nodes := search.nodes_to_expand():
            n_rows += len(nodes)
            for node in nodes:
                search.expand(node, steps[node][:-1].tolist())
        result = search.result()
        p = {number: math.exp(value) for number, value in exact.items()}
        assert sum(p[number] for number in result) >= (1 - REST) * sum(p.values())
        assert all(abs(result[number] - exact[number]) < 1e-5 for number in result)
        if sharpness == 30.0:
            assert n_rows < 60  # of 1,112
    assert list(result) == sorted(result, key=int)


def test_a_number_s_choice_and_interval():
    logprobs = {str(n): math.log(p) for n, p in [(10, 0.4), (11, 0.3), (20, 0.2), (99, 0.1)]}
    assert choose_number(logprobs, "mode") == "10"
    assert choose_number(logprobs, "median") == "11"
    assert choose_number(logprobs, "mean") == "20"  # nearest to 21.2
    assert number_interval(logprobs) == ("10", "99")
    assert number_interval({"0.2": -900.0}) == ("0.2", "0.2")
    with pytest.raises(ValueError, match="give one of mode, median, mean"):
        choose_number(logprobs, "best")


def chosen(blank, monkeypatch, text, sample, numbers, rule="median"):
    """The answer that a rule makes of a text, where the model is sure of one number each."""
    believed = [[{n: 0.0} for n in box] for box in numbers]
    monkeypatch.setattr(
        "gnomon.pipeline.answering.coordinates.coordinate_logprobs", lambda *_: believed
    )
    answer = BoxText.of(blank, sample, text, SIZE)
    return choose_edges(blank, sample, answer, SIZE, AnswerRule(rule))


def test_edges_that_would_be_swapped_stay_as_they_are_written(blank, monkeypatch):
    text = "<|box_start|>(100,200),(300,400)<|box_end|>"
    answer, (edges,) = chosen(blank, monkeypatch, text, boxed(), [("310", "210", "305", "390")])
    assert answer == "<|box_start|>(100,210),(300,390)<|box_end|>"
    assert [edge.is_written for edge in edges] == [True, False, True, False]
    assert [edge.low for edge in edges] == ["310", "210", "305", "390"]
    # No room between two edges is no box either.
    answer, _ = chosen(blank, monkeypatch, text, boxed(), [("305", "210", "305", "390")])
    assert answer == "<|box_start|>(100,210),(300,390)<|box_end|>"
    answer, (edges,) = chosen(
        blank, monkeypatch, text, boxed(), [("310", "1", "305", "2")], "greedy"
    )
    assert answer == text
    assert not any(edge.is_written for edge in edges)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("(100,200),(300,400)", ["100 200 300 400"]),
        ("The box (1,2),(3,4) it is not.\nAnswer: (100, 200), (300, 400)", ["100 200 300 400"]),
        ("none", None),
        ("", None),
        ("(100,200),(300,", None),  # cut off
        ("[0.1, 0.2, 0.3, 0.4]", None),  # another space than the family's
    ],
)
def test_only_numbers_of_boxes_that_scoring_reads_have_a_belief(blank, text, numbers):
    for sample in (boxed(), several()):
        answer = BoxText.of(blank, sample, text, SIZE)
        spans = answer.spans if answer else ()
        words = [" ".join(text[slice(*span)] for span in box) for box in spans]
        assert words == (numbers or [])
    assert BoxText.of(blank, total(7), "(100,200),(300,400)", SIZE) is None


def test_boxes_that_are_swapped_have_no_belief_and_repeated_ones_have(blank):
    box = "<|box_start|>(100,200),(300,400)<|box_end|>"
    text = f"<|object_ref_start|>mug<|object_ref_end|>{box}\n{box}\n{box.replace('300', '90')}"
    answer = BoxText.of(blank, several(), text, SIZE)
    assert len(answer.spans) == 2
    assert answer.replaced([["1", "2", "3", "4"], ["5", "6", "7", "8"]]) == text.replace(
        "(100,200),(300,400)", "(1,2),(3,4)", 1
    ).replace("(100,200),(300,400)", "(5,6),(7,8)", 1)
    assert without_marks(blank, box + "\n") == "(100,200),(300,400)"


@pytest.mark.parametrize(("name", "belief"), [("median", True), ("mean", False), ("greedy", True)])
def test_predict_stores_what_is_believed_of_each_number(blank, tmp_path, monkeypatch, name, belief):
    written = "<|object_ref_start|>mug<|object_ref_end|><|box_start|>(100,222),(600,889)<|box_end|>"
    monkeypatch.setattr(
        module,
        "generate_texts",
        lambda _, samples, *, keep_marks=False, **__: [
            written if keep_marks else without_marks(blank, written) for _ in samples
        ],
    )
    numbers = some_numbers(DIALECTS["qwen2-vl"])
    monkeypatch.setattr("gnomon.answers.base.dialect.Dialect.possible_numbers", lambda *_: numbers)
    samples, out = [several(), boxed(), total(3)], tmp_path / "answers.jsonl"
    predict_to_file(
        blank, samples, out, total=3, settings={}, batch_size=3, max_new_tokens=4,
        rule=AnswerRule(name, belief),
    )  # fmt: skip
    by_id = {p.sample_id: p for p in predictions.read(out)}
    for sample in samples[:2]:
        prediction = by_id[sample.id]
        assert prediction.logprobs is None
        ((*edges,),) = prediction.edges
        for edge in edges:
            assert float(edge.low) <= float(edge.high)
            assert 0 <= edge.listed <= 1
            assert (edge.logprobs is not None) == belief
            if name != "greedy" and belief and not edge.is_written:
                assert edge.value == choose_number(edge.logprobs, name)
        values = [edge.value for edge in edges]
        if name == "greedy":
            assert values == ["100", "222", "600", "889"]
        assert "({},{}),({},{})".format(*values) in prediction.text
        assert "<|box" not in prediction.text
        again = json.loads(json.dumps(prediction_to_json(prediction)))
        assert prediction_from_json(again) == prediction
    assert by_id["sum/0"].edges is None
    assert "edges" not in prediction_to_json(by_id["sum/0"])
