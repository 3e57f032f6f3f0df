"""A model that cannot be opened is told of in one line that names the key and the model."""

import json
import shutil

import pytest
from pipeline_toys import BLANK

from gnomon.pipeline import checkpoint, families
from gnomon.pipeline.checkpoint import ModelNotHereError, locate_checkpoint, open_processor
from gnomon.pipeline.load import load
from gnomon.recipe import Model


@pytest.fixture
def whole(small):
    return small("llava")


@pytest.fixture
def broken(whole, tmp_path):
    """A copy that a test may break."""
    return shutil.copytree(whole, tmp_path / "broken")


def told(error):
    text = str(error.value)
    assert "\n" not in text
    assert len(text) < 450
    return text


@pytest.mark.parametrize("file", ["processor_config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("rest", [None, b"{rubbish", b"\x00" * 300, -1000])
def test_a_file_that_is_missing_or_broken_is_one_line(broken, file, rest):
    if rest is None:
        (broken / file).unlink()
    elif rest == -1000:  # as a download that was cut short leaves it
        (broken / file).write_bytes((broken / file).read_bytes()[:rest])
    else:
        (broken / file).write_bytes(rest)
    with pytest.raises(ModelNotHereError) as error:
        load(Model(name=str(broken), load_in_4bit=False))
    assert told(error).startswith(f"model.name: {str(broken)!r} cannot be opened: ")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (None, r"no config\.json that names a"),
        ({"architectures": ["LlavaForCausalLM"]}, r"no config\.json that names a"),
        # Whether transformers knows it or not.
        ({"model_type": "bert"}, "model_type 'bert' belongs to no family"),
        ({"model_type": "tomorrow"}, "model_type 'tomorrow' belongs to no family"),
    ],
)
def test_what_is_no_checkpoint_or_of_no_family_is_one_line(tmp_path, config, message):
    if config is not None:
        (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ValueError, match=message) as error:
        locate_checkpoint(Model(name=str(tmp_path)))
    if "no family" in message:
        assert all(model_type in told(error) for model_type in families.model_types())
    else:
        assert str(tmp_path) in told(error)


@pytest.mark.parametrize("family", [None, "qwen2-vl"])
def test_without_a_network_a_hub_id_is_told_of_at_once(monkeypatch, tmp_path, family):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelNotHereError, match=r"'someone/else' was never downloaded") as error:
        locate_checkpoint(Model(name="someone/else", family=family))
    assert "cannot be reached" in told(error)


def test_without_a_network_an_earlier_download_serves(monkeypatch, tmp_path, whole):
    kept = tmp_path / "models--someone--else"
    shutil.copytree(whole, kept / "snapshots" / "abc")
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("abc")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    path, family = locate_checkpoint(Model(name="someone/else"))
    assert path == str(kept / "snapshots" / "abc")
    assert family.name == "llava"


@pytest.mark.parametrize(("found", "proxies", "reached"),
                         [(True, {}, True), (False, {}, False),
                          (False, {"https": "http://proxy:8080"}, True)])  # fmt: skip
def test_the_hub_is_asked_for_where_its_name_is_known(monkeypatch, found, proxies, reached):
    def look_up(host, port):
        assert (host, port) == ("huggingface.co", 443)
        if not found:
            raise OSError("Name or service not known")

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "https://huggingface.co")
    monkeypatch.setattr(checkpoint, "getproxies", lambda: proxies)
    monkeypatch.setattr(checkpoint.socket, "getaddrinfo", look_up)
    assert checkpoint._reaches_hub() is reached
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert checkpoint._reaches_hub() is False


def test_a_processor_opens_without_the_weights(broken):
    (broken / "model.safetensors").unlink()
    family, processor = open_processor(Model(name=str(broken)))
    assert family.name == "llava"
    assert processor.tokenizer is not None


def test_the_embedded_model_needs_no_network(monkeypatch):
    monkeypatch.setattr(checkpoint, "_reaches_hub", lambda: pytest.fail("it was asked for"))
    assert locate_checkpoint(BLANK)[1].name == "gnomon-tiny"
