"""The answers of a served or converted model, compared with the answers of its run."""

from pathlib import Path

from gnomon.commands._parser import Count, Few, Html


def check_served(
    run: Path,
    *,
    server: str,
    model: str | None = None,
    samples: Count | None = None,
    at_once: Few = 8,
    least: float = 0.9,
    out: Html | None = None,
) -> int:
    """Check that a served or converted model answers a run's questions as the run did.

    Example: gnomon check-served runs/clocks --server http://localhost:8000/v1

    run RUN: a run with answers after its training
    server URL: an OpenAI-compatible server, up to /v1, such as http://localhost:8000/v1. The key is
        read from OPENAI_API_KEY
    model NAME: the model's name on the server (default: its only model)
    samples N: number of questions (default: all)
    at_once N: number of parallel requests (8)
    least SHARE: exit with 1 if a smaller share of answers is read as the same (0.9)
    out HTML: a report with the answers and pictures
    """
    from gnomon.runs.server_check import answers_alike

    is_alike = answers_alike(
        run, server, model=model, samples=samples, n_parallel=at_once, least=least, out=out
    )
    return 0 if is_alike else 1
