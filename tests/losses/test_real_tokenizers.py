import pytest
from real_tokenizers import KINDS
from transformers import AutoTokenizer

IDS = {
    "qwen2": {
        "<|endoftext|>": 151643,
        "<|im_start|>": 151644,
        "<|im_end|>": 151645,
        "<|box_start|>": 151648,
        "<|vision_start|>": 151652,
        "<|image_pad|>": 151655,
        "<|video_pad|>": 151656,
    },
    "llama3": {
        "<|begin_of_text|>": 128000,
        "<|finetune_right_pad_id|>": 128004,
        "<|start_header_id|>": 128006,
        "<|eot_id|>": 128009,
        "<|reserved_special_token_246|>": 128255,
        "<|image|>": 128256,
    },
    "sentencepiece": {"<unk>": 0, "<s>": 1, "</s>": 2, "<image>": 32000, "<pad>": 32001},
    "smolvlm": {
        "<|im_start|>": 1,
        "<|im_end|>": 2,
        "<global-img>": 49152,
        "<fake_token_around_image>": 49189,
        "<image>": 49190,
        "<end_of_utterance>": 49279,
    },
}
WORDS = {
    "qwen2": [9707, 1879, 0],
    "llama3": [128000, 9906, 1917, 0],
    "sentencepiece": [1, 22557, 1526, 28808],
    "smolvlm": [19556, 905, 17],
}
"""`Hello world!` in each."""


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_ids_are_the_models_own(name):
    tokenizer = KINDS[name]()
    assert len(tokenizer) == max(IDS[name].values()) + 1
    for token, i in IDS[name].items():
        assert tokenizer.convert_tokens_to_ids(token) == i
        assert tokenizer.encode(token, add_special_tokens=False)[-1] == i
    assert tokenizer("Hello world!").input_ids == WORDS[name]
    assert tokenizer.decode(WORDS[name], skip_special_tokens=True) == "Hello world!"


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_a_saved_one_is_the_same(name, tmp_path):
    tokenizer = KINDS[name]()
    tokenizer.save_pretrained(tmp_path)
    again = AutoTokenizer.from_pretrained(tmp_path)
    assert again.get_vocab() == tokenizer.get_vocab()
    text = "The box (12,34),(567,890): 10:08, Ünïcode 你好"
    assert again(text).input_ids == tokenizer(text).input_ids


def test_each_call_gives_a_new_one():
    first = KINDS["sentencepiece"]()
    first.add_tokens(["<clock>"])
    assert "<clock>" not in KINDS["sentencepiece"]().get_vocab()
