"""``lookalike reapply``: apply the recoding of an earlier table to a new one."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from lookalike.cli import options
from lookalike.cli.input.table_address import open_location
from lookalike.cli.parameter import argument, option
from lookalike.cli.terminal.terminal import Terminal

SolutionPath = Annotated[Path, argument("SOLUTION", "The solution file of the earlier table.")]
SavePolicy = Annotated[
    Path | None, option("--save-policy FILE", "Write the policy used, with values that were new.")
]


def reapply(
    terminal: Terminal,
    table: options.Table,
    policy: options.PolicyPath,
    solution: SolutionPath,
    output: options.Release,
    seconds: options.Seconds = None,
    keep_solution: options.KeepSolution = None,
    save_policy: SavePolicy = None,
    certificate: options.Certificate = None,
    partition_by: options.PartitionBy = None,
    files_of: options.FilesOf = None,
    key: options.Key = None,
    ledger: options.Ledger = None,
    person: options.Person = None,
    force: options.Force = False,
) -> None:
    """Recode a new table as an earlier one, verify, then write."""
    from lookalike import api
    from lookalike.cli.input.locations import Locations
    from lookalike.cli.input.output_files import check_paths, write_private
    from lookalike.cli.input.request import (
        PolicyFlags,
        SearchFlags,
        portable_policy,
        request_from_file,
    )
    from lookalike.cli.output.ledger import report_entry
    from lookalike.cli.output.release import release_summary
    from lookalike.cli.terminal.search_session import solution_facts
    from lookalike.policy import policy_file
    from lookalike.search.limits import Limits
    from lookalike.solution import solution_file

    locations = Locations(
        table,
        policy,
        output,
        keep_solution,
        save_policy,
        force=force,
        certificate_copy=certificate,
        partition_by=tuple(partition_by or ()),
        files_of=files_of,
        key=key,
        ledger=ledger,
        person=tuple(person or ()),
    )
    locations.check()
    check_paths((), [solution], force=force)
    request = request_from_file(policy, PolicyFlags(), SearchFlags())
    before = solution_file.load(solution)
    opened = open_location(table)
    limits = Limits(seconds=request.search.seconds if seconds is None else seconds)
    with terminal.step("Recoding as before, and verifying"):
        reapplied = api.reapply(opened, request.policy, before, limits, key=key)
    for unseen in reapplied.unseen:
        terminal.note(unseen.sentence())
    applied = reapplied.release.solution
    terminal.note(
        f"suppressed: {applied.suppressed:,} of {applied.rows:,} rows; "
        f"before, {before.suppressed:,} of {before.rows:,}"
    )
    with terminal.step("Writing, and verifying what was written", writing=True):
        report_entry(terminal, locations, locations.write(reapplied.release))
    locations.write_certificate_copy(reapplied.release)
    files = locations.written_files()
    if keep_solution is not None:
        write_private(keep_solution, solution_file.dumps(applied), force=force)
        files.append((keep_solution, "private: belongs with the original"))
    if save_policy is not None:
        used = dataclasses.replace(request, policy=reapplied.policy)
        text = policy_file.dumps(portable_policy(used), request.search)
        write_private(save_policy, text, force=force)
        files.append((save_policy, "the policy"))
    terminal.document |= {
        "table": opened.name,
        "release": locations.release_name,
        "certificate_file": locations.certificate or locations.certificate_copy,
        "unseen": [dataclasses.asdict(unseen) for unseen in reapplied.unseen],
        "before": {"rows": before.rows, "suppressed": before.suppressed},
        "solution": solution_facts(applied),
        "solution_file": keep_solution,
        "policy_file": save_policy or policy,
        "certificate": reapplied.release.certificate.content,
    }
    problem = api.prepare(opened, reapplied.policy)
    terminal.answer(*release_summary(reapplied.release, problem, files))
