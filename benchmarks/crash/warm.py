"""A process that has imported all that gnomon may need, and forks for each command it is given.

Starting Python with torch takes seconds; a fork takes milliseconds. It reads a JSON object a line
from stdin and answers with another. `injection.Injector` starts it, the shim preloaded.
"""

import ctypes
import json
import os
import pkgutil
import signal
import sys
import traceback
import warnings
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from PIL import Image


def main() -> None:
    """Run commands until stdin ends."""
    # Commands write to files of their own; nothing else may reach the pipe of answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**message: Any) -> None:
        print(json.dumps(message), file=answers, flush=True)

    def attend(command: dict[str, Any]) -> None:
        """Run one command, and others while it is stopped."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Arrow's thread holds no lock
            child = os.fork()
        if not child:
            run(**command)
        answer(started=child)
        _, status = os.waitpid(child, os.WUNTRACED)
        while os.WIFSTOPPED(status):
            answer(stopped=child)
            while (other := json.loads(sys.stdin.readline())) != "go on":
                attend(other)
            os.kill(child, signal.SIGCONT)
            _, status = os.waitpid(child, os.WUNTRACED)
        answer(ended=os.waitstatus_to_exitcode(status))

    import_all()
    answer(ready=os.getpid())
    while line := sys.stdin.readline():
        attend(json.loads(line))


def import_all() -> None:
    """Import what verbs import when they are called; call none."""
    import gnomon
    from gnomon import generators

    for module in pkgutil.walk_packages(gnomon.__path__, "gnomon."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for name in ("matplotlib.backends.backend_agg", "matplotlib.figure", "scipy.stats"):
        import_module(name)
    for name in ("qwen2_vl.modeling_qwen2_vl", "qwen2_vl.image_processing_pil_qwen2_vl"):
        import_module(f"transformers.models.{name}")
    Image.init()
    for kind in generators.KINDS:
        generators.create(kind)


def run(words: list[str], folder: str, output: str, plan: str | None) -> NoReturn:
    """Run gnomon in this fork, as a shell would in that folder, and end with its exit code."""
    code: Any = 1
    try:
        os.setsid()
        log = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        for stream, file in enumerate((os.open(os.devnull, os.O_RDONLY), log, log)):
            os.dup2(file, stream)
        os.chdir(folder)
        if plan is not None:
            os.environ["STRIKE_PLAN"] = plan  # for the processes that it starts
            if ctypes.CDLL(os.environ["LD_PRELOAD"]).strike_by(plan.encode()):
                raise OSError(f"{plan} cannot be mapped")
        from gnomon.commands import main as gnomon

        code = gnomon(words)
    except SystemExit as stop:
        code = stop.code
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main()
