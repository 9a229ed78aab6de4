"""``lookalike compare``: run several algorithms on one problem."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import lookalike as la
from lookalike import api
from lookalike.cli import options
from lookalike.cli.input.column_list import split_columns
from lookalike.cli.input.table_address import open_location
from lookalike.cli.options import option
from lookalike.cli.terminal.terminal import Terminal
from lookalike.errors import Fault, PolicyError
from lookalike.registry import ALGORITHMS

Algorithms = Annotated[
    list[str] | None,
    option("--by ALGORITHMS", "The algorithms: flash,datafly,samarati:every; or all."),
]
Label = Annotated[
    str | None, option("--class COLUMN", "Show CM too, with COLUMN as the class label.")
]
Plot = Annotated[
    Path | None, option("--plot FILE", "Write a chart of cost against time: .html, .svg or .png.")
]


def compare(
    terminal: Terminal,
    table: options.Table,
    policy: options.PolicyPath,
    by: Algorithms = None,
    seconds: options.Seconds = None,
    checks: options.Checks = None,
    seed: options.Seed = None,
    label: Label = None,
    plot: Plot = None,
    force: options.Force = False,
) -> None:
    """Run several algorithms on one problem. All gaps are to the best lower bound."""
    from lookalike.cli.input.output_files import check_paths
    from lookalike.cli.input.request import request_from_file
    from lookalike.cli.output.comparison import comparison_report
    from lookalike.cli.terminal.interrupt import Interrupted
    from lookalike.cli.terminal.progress import progress_line
    from lookalike.report.charts.chart_files import check_suffix, save

    flags = options.SearchOptions(seconds=seconds, checks=checks, seed=seed)
    request = request_from_file(policy, flags)
    algorithms = _algorithms(by or ())
    if plot is not None:
        check_paths([plot], [table, policy], force=force)
        check_suffix(plot)
    opened = open_location(table)
    with terminal.step("Counting who looks alike"):
        problem = api.prepare(opened, request.policy, labels=[label] if label else ())
    settings = request.search
    with (
        progress_line(terminal.err, terminal.interrupt) as observer,
        terminal.interrupt.stop_search() as cancelled,
    ):
        limits = la.Limits(settings.seconds, settings.checks, cancelled)
        result = api.compare(problem, algorithms, limits, observer, settings.seed)
    terminal.document |= {
        "table": opened.name,
        "metric": result.metric,
        "bounds": dict(result.bounds),
        "rows": [
            {
                "algorithm": row.algorithm,
                "refusal": row.refusal,
                "gap_to_best_bound": row.gap,
                "held": row.held,
                "stars": row.stars,
                "measures": dict(row.measures),
                "solution": _facts(row.solution) if row.solution else None,
            }
            for row in result.rows
        ],
    }
    if plot is not None:
        from lookalike.report.charts.comparison_charts import comparison_chart  # late: loads Altair

        terminal.document["plot"] = save(comparison_chart(result), plot, force=force)
    terminal.answer(*comparison_report(result))
    if terminal.interrupt.pressed:
        raise Interrupted("interrupted; the results so far are above")


def _algorithms(by: Sequence[str]) -> tuple[str, ...]:
    """The algorithms to run, or every fault in their names."""
    from lookalike.cli.input.request import algorithm_faults

    names = split_columns(by, ())
    if by and not names:
        fix = f"use one of: all, auto, {', '.join(ALGORITHMS.names)}"
        raise PolicyError(Fault("--by", "no algorithm is named", fix))
    if not names or "all" in names:
        return ("all",)
    faults = [fault for name in names for fault in algorithm_faults(f"--by {name}", name)]
    if faults:
        raise PolicyError(faults)
    return names


def _facts(solution: la.Solution) -> dict[str, Any]:
    """As for one search alone, but the gap has its full name: there are two here."""
    from lookalike.cli.output.solution_facts import solution_facts

    facts = solution_facts(solution)
    facts["gap_to_own_bound"] = facts.pop("gap")
    return facts
