"""The command line: calls ``lookalike.api``, reports the result and ends with an exit code.

Everything heavy is imported inside the commands, so that ``lookalike --help`` is fast.
"""


def program() -> None:
    """The program ``lookalike``, as a process of its own.

    It skips Python's shutdown, which takes a third of a second once numba is loaded.
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
    atexit._run_exitfuncs()  # removes temporary folders
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # nobody reads
            code = code or 1
    os._exit(code)


def main() -> None:
    """Run the command line; raises SystemExit."""
    import gc
    import io
    import os
    import sys

    from lookalike.cli.app import app

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without ✓ gets ?, not a traceback
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads wait by spinning
    gc.set_threshold(200_000, 20, 20)  # labels are long lists that live until the end
    app(prog_name="lookalike")
