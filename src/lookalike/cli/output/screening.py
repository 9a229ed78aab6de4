"""What the kept columns reveal: the findings, and which columns single people out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import RenderableType
from rich.text import Text

import lookalike as la
from lookalike import api
from lookalike.cli.output import layout as show
from lookalike.cli.terminal.safe_text import clean

MAX_LISTED_SETS = 5  # sets of columns that are listed


def screening_report(screening: api.Screening, policy: la.Policy) -> list[RenderableType]:
    """The findings, those that refuse a release first, and how many rows are unique."""
    refused = screening.refused(policy.accept)
    lines: list[RenderableType] = []
    for finding in screening.findings:
        text = Text(clean(finding.sentence))
        if finding in refused:
            text = Text("✗  ", style=show.BAD) + text
        elif finding.refuses:
            reasons = {policy.accept[name] for name in finding.columns if name in policy.accept}
            text.append(f" Accepted: {clean('; '.join(sorted(reasons)))}", style="dim")
        lines.append(text)
    if not lines:
        none = "No kept column was found that restores a hidden one or names people."
        lines.append(Text(none))
    return [
        *show.section("What the kept columns reveal", *lines),
        *_singling_out(screening),
    ]


def _singling_out(screening: api.Screening) -> list[RenderableType]:
    """A line for each set of kept columns with the most unique rows."""
    worst = sorted(screening.singling_out, key=lambda single: (-single.rows, len(single.columns)))
    table = show.ruled("unique in these kept columns", "rows", "", right=(1,))
    for single in worst[:MAX_LISTED_SETS]:
        if single.rows:
            share = single.rows / screening.rows if screening.rows else 0.0
            table.add_row(
                show.listed(single.columns), f"{single.rows:,}", show.dim(show.percent(share))
            )
    return show.section("Singled out by kept columns", table) if table.row_count else []


def screening_facts(screening: api.Screening, policy: la.Policy) -> dict[str, Any]:
    """For the JSON document."""
    facts = asdict(screening)
    refused = screening.refused(policy.accept)
    for fact, finding in zip(facts["findings"], screening.findings, strict=True):
        fact["sentence"], fact["refused"] = finding.sentence, finding in refused
    return facts
