"""The report as one HTML page that needs no other file."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from lookalike import words
from lookalike.report import figures
from lookalike.report.facts.report_facts import Facts
from lookalike.report.facts.risk import RiskFacts, SetRisk
from lookalike.report.number_format import about, listed, number, percent, plural, sentence, some
from lookalike.risks.table_risk import Risk

if TYPE_CHECKING:
    from jinja2 import Environment

MARKS = {"internal": "internal: keep with the original", "public": "public edition"}


def page(facts: Facts) -> str:
    """The report of either edition."""
    mark, internal = MARKS[facts.edition], facts.edition == "internal"
    template = environment().get_template("report.html")
    return template.render(facts=facts, mark=mark, css=_css(), internal=internal, **_figures(facts))


@cache
def environment() -> Environment:
    """The templates. All texts are escaped, because a cell may contain HTML."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("lookalike.report"),
        autoescape=True,
        undefined=StrictUndefined,
        lstrip_blocks=True,
    )
    filters = (percent, about, listed, some, number, sentence, risk_rows, algorithm)
    templates.filters |= {function.__name__: function for function in filters}
    templates.filters["count"] = "{:,}".format
    glossaries = ("TERMS", "ROLES", "STATUSES", "STOPS", "ATTACKERS", "CONVENTIONS")
    templates.globals |= {name: getattr(words, name) for name in glossaries}
    templates.globals["plural"] = plural
    return templates


def _css() -> Any:
    from markupsafe import Markup

    return Markup(files("lookalike.report").joinpath("templates", "report.css").read_text("utf-8"))


def _figures(facts: Facts) -> dict[str, Any]:
    """All charts; None or empty where the edition does not show them."""
    search, suppressed, pairs = facts.search, facts.suppression, facts.associations
    metric = facts.quality.metric
    shown = [column for column in facts.distributions if not column.hidden]
    return {
        "class_sizes": figures.class_sizes(facts.risk),
        "distributions": figures.distributions(shown),
        "hidden": [column.column for column in facts.distributions if column.hidden],
        "changes": figures.changes(facts.changes) if facts.changes else None,
        "hit": figures.suppressed(suppressed) if suppressed else None,
        "hit_tables": figures.suppressed_tables(suppressed) if suppressed else [],
        "pairs": figures.associated(pairs) if pairs else None,
        "lattice": figures.lattice(search.lattice) if search and search.lattice else None,
        "ladders": figures.ladders(search.ladders) if search else [],
        "cuts": figures.cuts(search.cuts) if search else [],
        "trace": figures.trace(search.trace, metric) if search and len(search.trace) > 1 else None,
    }


def algorithm(facts: Facts) -> str:
    """The algorithm, and why it was chosen."""
    assert facts.repeat is not None
    solution = facts.repeat.solution
    name, why = solution.algorithm, solution.why.removesuffix(".")
    return why if why.startswith(name) else f"{name}, {why}" if why else name


def risk_rows(risk: SetRisk, facts: RiskFacts) -> list[tuple[str, str, str, str, str]]:
    """Attacker, measure, risk before, risk after and threshold."""
    limit = facts.required if facts.required is not None else facts.threshold
    promised = not (facts.together and risk is facts.sets[-1])
    highest = percent(limit) if promised else "–"
    above = f"rows with a risk above {about(facts.threshold)}"

    def row(
        who: str, measure: str, value: Callable[[Risk], float], threshold: str = ""
    ) -> tuple[str, str, str, str, str]:
        before = percent(value(risk.before)) if risk.before else ""
        return who, measure, before, percent(value(risk.after)), threshold

    def unique(risk: Risk) -> float:
        return risk.unique / risk.rows if risk.rows else 0.0

    no_unique = "0%" if facts.required and promised else ""
    return [
        row("prosecutor", "highest risk", lambda r: r.prosecutor.highest, highest),
        row("prosecutor", above, lambda r: r.prosecutor.above),
        row("journalist", "highest risk, at most", lambda r: r.journalist.highest, highest),
        row("marketer", "rows recognized, on average", lambda r: r.marketer),
        row("all", "unique rows", unique, no_unique),
    ]
