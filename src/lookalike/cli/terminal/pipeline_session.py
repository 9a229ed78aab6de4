"""Run the pipeline with its progress on the terminal and Ctrl-C to stop it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import lookalike as la
from lookalike import api, pipeline
from lookalike.cli.input.column_list import split_columns
from lookalike.cli.input.locations import Locations
from lookalike.cli.input.output_files import open_private, write_private
from lookalike.cli.input.request import Request, portable_policy, wants_prompt
from lookalike.cli.input.table_address import as_argument
from lookalike.cli.output.solution_facts import solution_facts
from lookalike.cli.terminal.progress import progress_line
from lookalike.cli.terminal.recovery import recover_on_interrupt, save_solution
from lookalike.cli.terminal.terminal import Terminal
from lookalike.events import (
    Compiling,
    Event,
    Observer,
    Phase,
    PhaseStarted,
    Started,
    broadcast,
    jsonl,
    silent,
)
from lookalike.pipeline import Pipeline


def make_release(
    terminal: Terminal, locations: Locations, request: Request, table: api.Table, **given: Any
) -> Pipeline:
    """Run the whole pipeline and write everything that was requested.

    ``given`` may bring a ``solution`` to release, or an ``earlier`` one to apply again.
    """
    with watch(terminal, request, locations.events) as observer:
        run = Pipeline(
            pipeline_request(
                terminal, request, table, key=locations.key, ledger=locations.ledger,
                person=split_columns(locations.person, table.columns), **given,
            ),
            observer,
        )  # fmt: skip
        run.on_solution = lambda found: save_solution(terminal, locations, found)
        # a solution or an earlier one is a file already, and resumes as it began
        resumable = recover_on_interrupt(terminal, locations, request, run)
        with nullcontext() if given else resumable:
            run.run(
                as_argument(locations.out),
                force=locations.force,
                partition_by=split_columns(locations.partition_by, table.columns),
                files_of=locations.files_of,
            )
    if run.ledger is not None:
        _report_entry(terminal, locations, run.ledger.last)
    locations.write_certificate_copy(run.release)
    if locations.report or locations.report_public:
        with terminal.step(Phase.REPORTING.heading):
            locations.write_reports(run.release)
    terminal.document |= {
        "release": locations.release_name,
        "certificate_file": locations.certificate_path or locations.certificate,
        "report_file": locations.report,
        "public_report_file": locations.report_public,
        "solution": solution_facts(run.release.solution),
        "solution_file": locations.solution,
        "policy_file": locations.save_policy or locations.policy,
        "certificate": run.release.certificate.content,
    }
    return run


def _report_entry(terminal: Terminal, locations: Locations, entry: api.Entry | None) -> None:
    """Report that a release was recorded, and how many of its people were already in the ledger."""
    if entry is not None:
        kept = {key: value for key, value in asdict(entry).items() if key != "seal"}
        terminal.document["ledger"] = {"folder": locations.ledger, **kept}
        terminal.note(f"ledger: {entry.returning_people()}")


def answer(terminal: Terminal, locations: Locations, request: Request, run: Pipeline) -> None:
    """Show the release, and the files that were written."""
    files = locations.written_files()
    if locations.solution is not None:
        files.append((locations.solution, "the solution; private: keep it with the original"))
    if locations.save_policy is not None:
        text = api.policy_file_text(portable_policy(request, run.policy), request.search)
        write_private(locations.save_policy, text, force=locations.force)
        files.append((locations.save_policy, "the policy"))
    if terminal.shows_answers:
        from lookalike.cli.output.release import release_summary

        terminal.answer(*release_summary(run.release, run.problem, files))


def pipeline_request(
    terminal: Terminal, request: Request, table: api.Table, **given: Any
) -> pipeline.Request:
    """The request to the pipeline."""
    settings = request.search
    by: Any = settings.by
    if wants_prompt(by):
        from lookalike.cli.terminal.mu_argus_prompt import prompting_algorithm

        by = prompting_algorithm(by, terminal)
    return pipeline.Request(
        table=table,
        policy=request.policy,
        by=by,
        limits=la.Limits(settings.seconds, settings.checks, lambda: terminal.interrupt.pressed),
        seed=settings.seed,
        want=la.Status(settings.want),
        **given,
    )


@contextmanager
def watch(terminal: Terminal, request: Request, events: Path | None) -> Iterator[Observer]:
    """Show each phase on the terminal while it lasts, and write its events to a file."""
    live = not terminal.quiet and not wants_prompt(request.search.by)
    with ExitStack() as files, ExitStack() as phase_ends, ExitStack() as compiled:
        to_file = jsonl(files.enter_context(open_private(events))) if events else silent
        line: Observer = silent

        def show(event: Event) -> None:
            nonlocal line
            if isinstance(event, Compiling):  # no search yet: Ctrl-C ends the program
                compiled.enter_context(terminal.interrupt.at_prompt())
            elif isinstance(event, Started):
                compiled.close()
            if not isinstance(event, PhaseStarted):
                line(event)
                return
            phase_ends.close()
            line = silent
            if event.phase is Phase.SEARCHING:
                phase_ends.enter_context(terminal.interrupt.stop_search())
                if live:
                    shown = progress_line(terminal.err, terminal.interrupt)
                    line = phase_ends.enter_context(shown)
            else:
                writing = event.phase is Phase.WRITING
                step = terminal.step(event.phase.heading, writing=writing)
                phase_ends.enter_context(step)

        yield broadcast(show, to_file)
