"""Facts and figures as one HTML page that needs nothing but itself."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lookalike.report import figures
from lookalike.report.facts.report_facts import Facts
from lookalike.report.number_format import about, listed, number, percent, plural, sentence, some
from lookalike.report.term_explanations import (
    attackers,
    convention_meanings,
    role_meanings,
    searched,
    stopped,
)

if TYPE_CHECKING:
    from jinja2 import Environment

MARKS = {
    "internal": "internal: belongs with the original",
    "public": "public edition",
}


def page(facts: Facts) -> str:
    """The report of either edition."""
    return (
        environment()
        .get_template("report.html")
        .render(
            facts=facts,
            mark=MARKS[facts.edition],
            css=_css(),
            internal=facts.edition == "internal",
            **_figures(facts),
        )
    )


@cache
def environment() -> Environment:
    """Templates in which every text is escaped: a cell may hold HTML, and must show as text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("lookalike.report"),
        autoescape=True,
        undefined=StrictUndefined,
        lstrip_blocks=True,
    )
    made.filters |= {
        "percent": percent,
        "about": about,
        "listed": listed,
        "some": some,
        "number": number,
        "sentence": sentence,
        "count": "{:,}".format,
        "attackers": attackers,
        "roles": role_meanings,
        "searched": searched,
        "stopped": stopped,
        "conventions": convention_meanings,
    }
    made.globals["plural"] = plural
    return made


def _css() -> Any:
    from markupsafe import Markup

    return Markup(files("lookalike.report").joinpath("templates", "report.css").read_text("utf-8"))


def _figures(facts: Facts) -> dict[str, Any]:
    """All that is drawn; what the edition does not tell is None or empty."""
    search, suppressed, pairs = facts.search, facts.suppression, facts.associations
    metric = facts.quality.metric
    return {
        "class_sizes": figures.class_sizes(facts.risk),
        "spreads": figures.distributions([one for one in facts.distributions if not one.hidden]),
        "hidden": [one.column for one in facts.distributions if one.hidden],
        "changes": figures.changes(facts.changes) if facts.changes else None,
        "hit": figures.suppressed(suppressed) if suppressed else None,
        "hit_tables": figures.suppressed_tables(suppressed) if suppressed else [],
        "pairs": figures.associated(pairs) if pairs else None,
        "lattice": figures.lattice(search.lattice) if search and search.lattice else None,
        "ladders": figures.ladders(search.ladders) if search else [],
        "cuts": figures.cuts(search.cuts) if search else [],
        "trace": figures.trace(search.trace, metric) if search and len(search.trace) > 1 else None,
    }
