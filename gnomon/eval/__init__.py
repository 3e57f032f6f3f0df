"""Evaluation: read and score answers, compare runs, and write reports.

`METRICS` maps the name of each metric's function to its import path. The types of answers declare
metrics and readers. All of them are imported on first use.
"""

from typing import TYPE_CHECKING, Any

from gnomon import names

if TYPE_CHECKING:
    from gnomon.answers.box.measure import iou as iou
    from gnomon.answers.box.read import parse_box as parse_box
    from gnomon.answers.box.read import read_box as read_box
    from gnomon.answers.number.measure import relaxed_correctness as relaxed_correctness
    from gnomon.answers.number.read import parse_number as parse_number
    from gnomon.answers.number.read import read_number as read_number
    from gnomon.answers.text.read import read_text as read_text
    from gnomon.answers.time.measure import time_deviation as time_deviation
    from gnomon.answers.time.read import parse_time as parse_time
    from gnomon.answers.time.read import read_time as read_time
    from gnomon.eval.comparing.comparison import compare as compare
    from gnomon.eval.report.page import write_report as write_report
    from gnomon.eval.report.text_tables import table as table
    from gnomon.eval.rewards import crps_reward as crps_reward
    from gnomon.eval.rewards import form_reward as form_reward
    from gnomon.eval.rewards import reward as reward
    from gnomon.eval.scoring.question_file import Question as Question
    from gnomon.eval.scoring.runs import RunResult as RunResult
    from gnomon.eval.scoring.runs import Scores as Scores
    from gnomon.eval.scoring.score import score as score

    METRICS: dict[str, str]

_EXPORTS = {
    "compare": "gnomon.eval.comparing.comparison:compare",
    "crps_reward": "gnomon.eval.rewards:crps_reward",
    "Question": "gnomon.eval.scoring.question_file:Question",
    "form_reward": "gnomon.eval.rewards:form_reward",
    "reward": "gnomon.eval.rewards:reward",
    "RunResult": "gnomon.eval.scoring.runs:RunResult",
    "score": "gnomon.eval.scoring.score:score",
    "Scores": "gnomon.eval.scoring.runs:Scores",
    "table": "gnomon.eval.report.text_tables:table",
    "write_report": "gnomon.eval.report.page:write_report",
}


def __getattr__(name: str) -> Any:
    exports = _EXPORTS
    # Python asks for names such as __path__, which a type of answer never declares.
    if name not in exports and not name.startswith("_"):
        from gnomon.answers import registry

        if name == "METRICS":
            return registry.metric_import_paths()
        exports = registry.metric_import_paths() | registry.reader_import_paths()
    return names.load_export(__name__, exports, name)


def __dir__() -> list[str]:
    from gnomon.answers import registry

    exports = {
        *_EXPORTS,
        *registry.metric_import_paths(),
        *registry.reader_import_paths(),
        "METRICS",
    }
    return sorted({*globals(), *exports})
