"""The command line: options, signals, exit codes. Nothing heavy is imported before a verb is run.

Exit codes: 0 done, 1 failed, 2 wrong use, 130 and 143 ended by Ctrl-C and by SIGTERM.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import threading
import traceback
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon import faults
from gnomon.commands._parser import call, parser
from gnomon.names import allow
from gnomon.terminal import printable, tell

if TYPE_CHECKING:
    from collections.abc import Sequence


_LOOKING = ("compare", "ls", "plan", "preview", "stats", "verify")
"""Verbs that only look at what is there."""
_LONGEST = 1900  # characters of a message: about a screen of 24 lines of 80


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return its exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    command_line = parser(*_verb_in(words))
    options, late = command_line.parse_known_args(words)
    for word in words:
        allow(word)  # the user typed it, so a module:Class among the words may be imported
    if options.verb is None:
        if late:
            command_line.error(f"{late[0]!r} is not understood; see gnomon --help")
        command_line.print_help()
        return 2
    # argparse takes no positionals after an option, so overrides there come back unparsed; those of
    # `compare` are runs, too.
    for word in late:
        is_rest = "rest" in options and ("=" in word or options.verb == "compare")
        if word.startswith("-") or not is_rest:
            way_out = "" if "rest" not in options or word.startswith("-") else ": give key=value"
            command_line.error(
                f"{word!r} is not understood{way_out}; see gnomon {options.verb} --help"
            )
    if late:
        setattr(options, options.rest, [*getattr(options, options.rest), *late])
    from gnomon import shortage
    from gnomon.names import UnknownNameError

    try:
        from gnomon.recipe import RecipeError
    except ModuleNotFoundError as error:  # the losses were installed alone
        tell(f"gnomon: {_missing_package(error)}")
        return 1
    _silence_libraries(quiet=options.quiet)
    is_debug = options.debug or os.environ.get("GNOMON_DEBUG", "0") not in ("", "0")
    fail = partial(_fail, is_debug=is_debug)
    previous = signal.getsignal(signal.SIGTERM)
    is_handled = _handle_sigterm()
    try:
        if options.plugins:
            from gnomon.runs.python_arguments import register_plugins

            register_plugins(options.plugins)
        code = call(options)
        # Here a full disk or a closed pipe raises, and not while Python ends.
        sys.stdout.flush()
        return code
    except (RecipeError, UnknownNameError) as error:
        return fail(error, 2)
    except BrokenPipeError:  # `gnomon ls | head` is no failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the flush at the end
        return 141  # 128 + SIGPIPE, as a shell reports it
    # Mistakes in what the user gave: the message says all, a traceback nothing more.
    except (ValueError, OSError) as error:
        return fail(error, 1, shortage.message_of(error))
    except _Terminated as error:
        return fail(error, 143, f"terminated{_way_on(options.verb)}")
    except KeyboardInterrupt as error:
        return fail(error, 130, f"interrupted{_way_on(options.verb)}")
    except Exception as error:
        message = shortage.message_of(error)
        if message is None and not faults.users_place(error):
            message = _missing_package(error)
            if message is None:
                raise  # a fault of gnomon's
        return fail(error, 1, message)
    finally:
        # `main` may have been called from Python, whose handler is put back.
        if is_handled:
            signal.signal(signal.SIGTERM, previous)


def _way_on(verb: str) -> str:
    """Return how to resume a verb that was stopped, or "" for a verb that only shows data."""
    return "" if verb in _LOOKING else "; the same command resumes from what was saved"


def _verb_in(words: Sequence[str]) -> list[str]:
    """Return a list with the first word that is not an option, or "" if all words are options."""
    return [next((word for word in words if not word.startswith("-")), "")]


class _Terminated(SystemExit):
    """Raised on SIGTERM, which schedulers, `timeout` and `kill` send."""


def _handle_sigterm() -> bool:
    """Make SIGTERM end a verb like Ctrl-C. Return False if Python cannot handle signals here."""
    if threading.current_thread() is not threading.main_thread():
        return False
    process = os.getpid()

    def end(number: int, _: object) -> None:
        # A forked process, as a data loader's, inherits this handler, and prints nothing.
        ours = os.getpid() == process
        # `timeout` sends a signal twice: one is enough.
        signal.signal(number, signal.SIG_IGN if ours else signal.SIG_DFL)
        if ours:
            raise _Terminated(128 + number)
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, end)
    return True


def _missing_package(error: Exception) -> str | None:
    """Say how to install a package that gnomon lacks; None for any other error."""
    # The base install has no torch; a module of gnomon's own that lacks is a fault.
    if not isinstance(error, ModuleNotFoundError) or (error.name or "gnomon").startswith("gnomon"):
        return None
    return f"{error.name} is not installed: pip install '.[train]' in gnomon's clone"


def _fail(error: BaseException, code: int, message: str | None = None, *, is_debug: bool) -> int:
    """Print an error's message, with --debug after its traceback, and return the code."""
    from tqdm import tqdm

    from gnomon.redact import redact

    for bar in list(getattr(tqdm, "_instances", ())):  # else the message stands at the end of a bar
        bar.close()
    if is_debug:
        tell(redact("".join(traceback.format_exception(error)).rstrip()))
    if message is None:
        message = _message(error)
        if place := faults.users_place(error) or faults.librarys_place(error):
            way_out = "" if is_debug else "; --debug shows the traceback"
            message = f"{message} ({place}{way_out})"
    tell(f"gnomon: {_short(redact(message))}")
    return code


def _message(error: BaseException) -> str:
    """Return the message without the system's error number: "FILE: no such file or directory".

    If the message is unclear alone, the name of the exception's class precedes it.
    """
    if isinstance(error, OSError) and error.strerror:
        files = [str(file) for file in (error.filename, error.filename2) if file is not None]
        return ": ".join([*files, error.strerror[0].lower() + error.strerror[1:]])
    message = str(error).strip()
    while not message and error.__cause__ is not None:  # a wrapper of an error that says nothing
        error = error.__cause__
    name = type(error).__name__
    if "Traceback (most recent call last)" in message:
        # A data loader's process hands on its whole traceback; the message is the last line.
        message = message.rpartition("\n")[2].removeprefix(name).removeprefix(": ")
    # Other libraries quote the system's numbers.
    message = re.sub(r"\[Errno -?\d+\] ", "", message)
    if isinstance(error, ValueError | OSError) and message:
        return message
    return ": ".join(filter(None, [name, message]))


def _short(message: str) -> str:
    """Leave the middle out of a message that is longer than a screen: it may quote a file."""
    lines = printable(message)
    return lines if len(lines) <= _LONGEST else f"{lines[: _LONGEST - 500]} … {lines[-490:]}"


def _format_warning(message: Warning | str, _: type[Warning], file: str, *__: object) -> str:
    """Write a warning as one line; those of other libraries begin with their file."""
    ours = Path(file).is_relative_to(Path(__file__).parents[1])
    return printable(f"gnomon: {message}\n" if ours else f"{file}: {message}\n")


def _silence_libraries(*, quiet: bool) -> None:
    """Silence other libraries' notices, and their progress bars if stderr is not a terminal.

    With `quiet`, gnomon's progress is silenced as well.
    """
    from gnomon import progress

    progress.quiet = quiet
    if quiet or not sys.stderr.isatty():
        # Other libraries' bars; both are read when tqdm and the hub's package are imported, below.
        os.environ["TQDM_DISABLE"] = os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    # Written for programmers; what a user can act on comes as UserWarning.
    warnings.filterwarnings("ignore", category=FutureWarning)
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    warnings.filterwarnings("ignore", module=r"PIL\b")  # on damage that it can read past
    warnings.formatwarning = _format_warning  # type: ignore[assignment]  # fewer parameters
    if quiet:
        os.environ["TRANSFORMERS_VERBOSITY"] = "error"
        warnings.filterwarnings("ignore", module=r"(?!gnomon\b)")  # ours are of the results
    # Notices about weights, kernels and settings that a user cannot act on.
    for name in ("bitsandbytes", "transformers", "huggingface_hub"):
        logging.getLogger(name).setLevel(logging.ERROR)
    # Tokenizers warn of a fork after threads; data loaders fork.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
