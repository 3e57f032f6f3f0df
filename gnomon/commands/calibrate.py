"""A run's calibration: intervals, confidence and refusals, learned on labelled pictures."""

from typing import Literal

from gnomon.terminal import show


def calibrate(
    model: str,
    data: str | None = None,
    *overrides: str,
    within: float | None = None,
    same_groups: bool = False,
    server: str | None = None,
    finder: Literal["on", "off"] = "off",
) -> None:
    """Learn how far off a run's answers are, so `predict` gives intervals and refuses.

    Example: gnomon calibrate runs/dials new-dials.csv --within 0.2

    model RUN|MODEL: a trained run, or the name of a model on a server
    data DATA: labelled pictures that the training did not see: a table or folder, a recipe, a kind
        or a dataset (default: the run's split val)
    overrides key=value: such as eval.grid=[0,9.9,0.1], the numbers that an answer may be, or
        eval.answer=mode (default: the median of the model's belief)
    within DISTANCE: an answer this far from the truth is right, in minutes for times (default: by
        the labels)
    same_groups: the next pictures come from the same groups (cameras, meters) as DATA. By default
        they come from new groups, which needs wider intervals
    server URL: an OpenAI-compatible server that holds MODEL, such as http://localhost:8000/v1. Each
        question is asked eval.repeats times
    finder on|off: on, if DATA are whole photographs: gnomon's finder looks for the instrument
        first, now and in `gnomon predict`
    """
    from gnomon.eval.calibration.calibration import Terms
    from gnomon.runs import calibrating

    calibrated = calibrating.calibrate(
        model,
        data,
        overrides,
        within=within,
        same_groups=same_groups,
        server=server,
        finder=finder == "on",
    )
    show(calibrated.summary)
    command = f"gnomon predict {model} PICTURES" + (f" --server {server}" if server else "")
    if 0 < calibrated.coverage < Terms.coverage:
        # Nine of ten cannot be shown, and predict would refuse.
        command += f" --coverage {calibrated.coverage:g}"
    show(f"{calibrated.file}: `{command}` now writes low, high and confidence")
