"""The end of a run, for somebody who must answer for the table and is no programmer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from lookalike.cli.output import cell_changes as show_changes
from lookalike.cli.output import layout as show
from lookalike.cli.output.claim import claim
from lookalike.cli.terminal.safe_text import clean

if TYPE_CHECKING:
    from rich.console import RenderableType

    from lookalike.problem.problem import Problem
    from lookalike.releasing.release import Release


def release_summary(
    release: Release, problem: Problem, files: Sequence[tuple[Path | str, str]]
) -> list[RenderableType]:
    """What was promised, what was kept, what is shown, how good it is, what was checked."""
    content = release.certificate.content
    solution = release.solution
    cost = solution.cost if solution.cost is not None else 0.0
    quality = release.policy.metric.sentence(cost)
    known = claim(solution.status, solution.gap, solution.claim())
    promised = content["claim"].get("guarantee")
    return [
        *show.section("Promise", *promise(content)),
        *show.section("Rows", *rows(content, release.policy.allowance(solution.rows))),
        *show.section("Columns", columns(content)),
        *show_changes.section(problem, solution),
        *show.section(
            "Quality",
            Text(f"{quality[0].upper()}{quality[1:]}."),
            known,
            *([Text(promised["sentence"], style="dim")] if promised else []),
        ),
        *show.section(
            "Checked on the released table, by other code than made it",
            show.findings(release.certificate.findings),
        ),
        *show.section(
            "Files", show.facts((Text(clean(str(path))), Text(what, "dim")) for path, what in files)
        ),
    ]


def promise(content: Mapping[str, Any]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    k = content["require"].get("k_anonymity")
    if k is not None and content["conventions"]["stars"] == "own":
        parts.extend(
            Text(
                f"Whoever looks for a person by {show.listed(names)} finds {k} or more rows that "
                "fit, or none."
            )
            for names in content["linking"]
        )
    parts.extend(Text(f"{sentence}.", style="dim") for sentence in content["promise"])
    return parts


def rows(content: Mapping[str, Any], allowed: int) -> list[RenderableType]:
    counts = content["rows"]
    total, suppressed = counts["original"], counts["suppressed"]
    kept = total - suppressed
    share = kept / total if total else 1.0
    fate = "left out" if content["conventions"]["suppressed"] == "drop" else "starred"
    line = show.bar(share, 40, style="green", track=True)
    line.append(f"  {kept:,} of {total:,} kept ({show.percent(share)})", style="default")
    told = [
        f"{suppressed:,} {fate}, the policy allows {allowed:,}; "
        f"{show.plural(counts['classes'], 'group')} of lookalikes"
    ]
    if "table" in counts:
        told.append(f"{total:,} of {counts['table']:,} rows of the table were eligible")
    return [line, *(Text(one, style="dim") for one in told)]


def columns(content: Mapping[str, Any]) -> RenderableType:
    table = show.ruled("column", "shows now", "detail kept")
    for name, one in content["columns"].items():
        if "intervals" in one:
            shown, detail = one["shown"], Text(show.plural(one["intervals"], "interval"), "dim")
        elif one["role"] == "quasi-identifier":
            kept = 1 - one["level"] / one["of"]
            detail = show.bar(kept, 10, track=True)
            told = one["level"] < one["of"] or "by_interval" in one
            shown = one["shown"] if told else "suppressed (*)"
        else:
            shown = one["shown"]
            detail = Text("dropped" if one["role"] == "identifier" else one["role"], style="dim")
        style = "dim" if one["role"] == "identifier" else ""
        table.add_row(Text(clean(name), style=style), Text(clean(shown), style=style), detail)
    return table
