"""The fixtures of runs: a finished run, the command line, and an empty working directory."""

from run_fixtures import cli, here, run  # noqa: F401
