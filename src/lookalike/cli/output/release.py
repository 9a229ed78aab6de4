"""The summary of a release, for the data steward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

import lookalike as la
from lookalike import api
from lookalike.cli.output import layout as show
from lookalike.cli.output.cell_changes import cell_changes
from lookalike.cli.output.claim import quality
from lookalike.cli.output.release_attacks import attack_summary
from lookalike.cli.terminal.safe_text import clean
from lookalike.words import ROLES


def release_summary(
    release: la.Release, problem: api.Problem, files: Sequence[tuple[Path | str, str]]
) -> list[RenderableType]:
    """The promise, the rows kept, what columns show, the quality, what was verified, the files."""
    content = release.certificate.content
    solution = release.solution
    promised = content["claim"].get("guarantee", {}).get("sentence")
    return [
        *show.section("Promise", *promise(content)),
        *show.section("Rows", *rows(content, release.policy.allowance(solution.rows))),
        *show.section("Columns", columns(content)),
        *cell_changes(problem, solution),
        *quality(solution, problem, promised),
        *kept_columns(release),
        *attack_summary(release.attacks(api.quick_attacks())),
        *show.section("Independently verified", show.findings(release.certificate.findings)),
        *show.section(
            "Files", show.facts((clean(str(path)), show.dim(what)) for path, what in files)
        ),
    ]


def kept_columns(release: la.Release) -> list[RenderableType]:
    """What the kept columns reveal, and what of it was accepted."""
    revealed = release.screening.sentences if release.screening else ()
    accepted = api.accepted_sentences(release.certificate.content)
    if not revealed and not accepted:
        return []
    lines = [Text(clean(sentence)) for sentence in revealed]
    lines += [Text(clean(sentence), style="yellow") for sentence in accepted]
    return show.section("What the kept columns reveal", *lines)


def promise(content: Mapping[str, Any]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    k = content["require"].get("k_anonymity")
    if k is not None and content["conventions"]["stars"] == "own":
        parts.extend(
            Text(f"A search for a person by {names} finds {k} or more matching rows, or none.")
            for names in map(show.listed, content["linking"])
        )
    parts.extend(Text(clean(f"{sentence}."), style="dim") for sentence in content["promise"])
    return parts


def rows(content: Mapping[str, Any], allowed: int) -> list[RenderableType]:
    counts = content["rows"]
    if "sampling" in content:
        classes = show.plural(counts["classes"], "equivalence class", "equivalence classes")
        drawn = f"each row was drawn with probability {content['sampling']['probability']:.4g}"
        note = f"{classes} (groups of lookalikes); {drawn}"
        return [Text(f"{counts['released']:,} rows"), Text(note, style="dim")]
    total, suppressed = counts["original"], counts["suppressed"]
    kept = total - suppressed
    share = kept / total if total else 1.0
    fate = "left out" if content["conventions"]["suppressed"] == "drop" else "starred"
    line = show.bar(share, 40, style="green", track=True)
    line.append(f"  {kept:,} of {total:,} kept ({show.percent(share)})", style="default")
    classes = show.plural(counts["classes"], "equivalence class", "equivalence classes")
    notes = [
        f"{suppressed:,} suppressed ({fate}), the policy allows {allowed:,}; "
        f"{classes} (groups of lookalikes)"
    ]
    if "table" in counts:
        notes.append(f"{total:,} of {counts['table']:,} rows of the table were eligible")
    return [line, *(Text(note, style="dim") for note in notes)]


def columns(content: Mapping[str, Any]) -> RenderableType:
    table = show.ruled("column", "shows", "detail kept")
    for name, column in content["columns"].items():
        shown, role = column["shown"], column["role"]
        if "intervals" in column:
            detail = show.dim(show.plural(column["intervals"], "interval"))
        elif role == "quasi-identifier":
            detail = show.bar(1 - column["level"] / column["of"], 10, track=True)
            if column["level"] == column["of"] and "by_interval" not in column:
                shown = "hidden (*)"
        else:
            detail = show.dim(ROLES[role].name)
        style = "dim" if role == "identifier" else ""
        table.add_row(Text(clean(name), style=style), Text(clean(shown), style=style), detail)
    return table
