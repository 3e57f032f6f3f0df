"""The demo: fine-tuning on the embedded model, with pictures, and what to type next."""

from pathlib import Path

from gnomon.atomic import put_bytes
from gnomon.commands._parser import Few
from gnomon.progress import note
from gnomon.terminal import show

NEXT = """next:
  gnomon preview demo -o speedometers.png     # more of what it learnt from
  gnomon cp demo mine.yaml                    # a recipe to change, for `gnomon run`
  gnomon selftest Qwen/Qwen2-VL-2B-Instruct   # does my GPU fine-tune a real model?"""


def demo(*overrides: str, out: Path = Path("runs/demo"), workers: Few | None = None) -> None:
    """Train and evaluate the embedded model, in minutes.

    Example: gnomon demo

    out DIR: the run's directory (runs/demo)
    """
    from gnomon.runs.resolve import resolve
    from gnomon.runs.run_steps import run_all

    resolved = resolve("demo", overrides, recipes_only=True)
    resolved.check_for_drawing()  # an override that is wrong is refused before the introduction
    note(
        "gnomon-tiny reads clocks and water meters and has never seen a car's speedometer. The demo"
        f" teaches it one, in six to seventeen minutes on two cores, and writes to {out}.\n"
        "If it is stopped, the same command resumes."
    )
    run_all(resolved, out, workers=workers)
    sheet = out / "three.png"
    put_bytes(sheet, _sheet_of_three(out))
    show(f"three of the speedometers, with both answers: {sheet}", NEXT)


def _sheet_of_three(out: Path) -> bytes:
    """Draw the first three pictures with their answers before and after as a PNG."""
    from gnomon.dialect import Dialect
    from gnomon.generators.drawing.sheet import contact_sheet
    from gnomon.runs.answer_scores import pictures_of, score_run
    from gnomon.store.pictures import encode_png

    before, after = (list(run.predictions)[:3] for run in score_run(out))
    pictures, _ = pictures_of(out)
    samples = [pictures[answer.sample_id] for answer in before]
    captions = [
        f"true {Dialect().write(sample.target)}, before {old.text}, after {new.text}"
        for sample, old, new in zip(samples, before, after, strict=True)
    ]
    return encode_png(contact_sheet(samples, answers=captions, columns=len(captions)))
