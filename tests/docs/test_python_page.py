"""The code on the page about Python runs as it stands there, in one namespace."""

import re
from pathlib import Path

import pytest

from gnomon.generators import create

PAGE = Path(__file__).parents[2] / "docs/howto/python.md"
RECIPE = """
data: [{kind: clock, options: {size: 84, second_hand: 0.0}}]
model: {name: gnomon-tiny}
train: {samples: 16, per_device_train_batch_size: 8, max_steps: 4}
eval: {samples: 4, max_new_tokens: 8}
"""


def write_table(name, start, n):
    """Write clocks and a table of what they show."""
    clocks = create("clock", split="test", size=84, second_hand=0.0)
    lines = ["image,question,answer"]
    for index in range(start, start + n):
        sample = clocks[index]
        sample.image.save(f"{name}-{index}.png")
        lines.append(f"{name}-{index}.png,{sample.question},{sample.target.display()}")
    Path(f"{name}.csv").write_text("\n".join(lines))


@pytest.mark.slow
def test_the_code_of_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    create("clock", split="test", level="easy", second_hand=0.0)[0].image.save("clock.png")
    Path("photos").mkdir()
    for index in range(3):
        create("clock", size=84)[index].image.save(f"photos/{index}.png")
    Path("clocks.yaml").write_text(RECIPE)
    write_table("labels", 0, 4)
    write_table("calibration", 100, 24)
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 7
    names = {}
    for block in blocks:
        exec(block, names)
    printed = capsys.readouterr().out
    assert "Within 1 minute" in printed
    assert "Right as far as the scale can be read" in printed
    assert Path("report.html").is_file()
    assert Path("runs/clocks/calibration.json").is_file()
    assert names["answer"].confidence is not None
