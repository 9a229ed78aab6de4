"""The command line: calls ``lookalike.api``, says what came of it, and ends with a number.

Everything heavy is imported inside the commands, so that ``lookalike --help`` answers at once.
"""


def program() -> None:
    """The program ``lookalike``, as a process of its own.

    It ends at once: to take a process apart that has loaded numba takes Python a third of a second.
    """
    import atexit
    import os
    import sys

    try:
        main()
        code = 0
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        code = end.code or 0
    atexit._run_exitfuncs()  # what lies in temporary folders goes
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # nobody listens
            code = code or 1
    os._exit(code)


def main() -> None:
    """What it does; raises SystemExit."""
    import gc
    import io
    import os
    import sys

    from lookalike.cli.app import app

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without ✓ gets ?, not a traceback
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads wait by spinning
    gc.set_threshold(200_000, 20, 20)  # long lists of labels that live until the end
    app(prog_name="lookalike")
