"""Check that each column shows what the certificate says, as far as its cells tell.

How far values were generalized cannot be seen without the hierarchy. For intervals it can be seen
that the labels are exactly those listed, and that the values listed are those that a label names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lookalike.counts.level_table import TOP
from lookalike.policy.hierarchies.level_builder import SUPPRESSED, UNCHANGED
from lookalike.policy.requirement_names import requirements_from
from lookalike.solution.interval_labels import intervals_in_words
from lookalike.solution.recoding import Space
from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding
from lookalike.verifier.labels.interval_truth import is_shortened, lists
from lookalike.verifier.pseudonyms.people_per_class import shows_pseudonyms
from lookalike.verifier.requirements.recount import rows_by_label
from lookalike.verifier.rows.class_intervals import BY_INTERVAL, intervals_agree

Content = Mapping[str, Any]


def check_columns(released: Table, content: Content) -> Finding:
    """A finding that names the columns which do not show what the certificate says."""
    wrong = [name for name in content["columns"] if not _agrees(released, name, content)]
    if wrong:
        sentence = f"The certificate does not describe what these columns show: {', '.join(wrong)}."
        return Finding("shown", False, sentence)
    sentence = "Every column shows what the certificate says, as far as its labels tell."
    return Finding("shown", True, sentence)


def _agrees(released: Table, name: str, content: Content) -> bool:
    facts, conventions = content["columns"][name], content["conventions"]
    if facts["role"] != "quasi-identifier":
        return _not_recoded(released, name, facts)
    rows = rows_by_label(released, name)
    if conventions["nulls"] == "refuse" and None in rows:
        return False
    space = content["claim"].get("space")
    if "intervals" in facts:
        if conventions["suppressed"] == "star" and content["rows"]["suppressed"]:
            rows.pop(TOP, None)  # the suppressed rows: no interval has this label
        rules = requirements_from(content["require"])
        smallest = max((rule.smallest for rule in rules), default=1)
        complete = not content["rows"]["suppressed"]
        return space == Space.CUTS and _intervals_agree(facts, rows, smallest, complete=complete)
    level, height = facts.get("level"), facts.get("of")
    numbers = isinstance(level, int | float) and isinstance(height, int | float)
    if not numbers or not 0 <= level <= height:
        return False
    if "by_interval" in facts or BY_INTERVAL in str(facts.get("shown")):
        return space != Space.CUTS and intervals_agree(facts, released, name)
    return _level_agrees(facts, set(rows), space)


def _not_recoded(released: Table, name: str, facts: Content) -> bool:
    """Is the column dropped, a pseudonym or unchanged, as its role says?"""
    if facts["role"] == "pseudonym":
        return shows_pseudonyms(released, name, facts.get("shown"))
    return bool(facts.get("shown") == ("dropped" if facts["role"] == "identifier" else UNCHANGED))


def _level_agrees(facts: Content, labels: set[str | None], space: str) -> bool:
    """Does the description fit the level, and does a suppressed column show only ``*``?"""
    level, height, shown = facts["level"], facts["of"], facts.get("shown")
    if space == Space.CELL_LEVEL:
        return level < height or labels <= {TOP}
    suppressed = level == height
    return bool(
        (shown == SUPPRESSED) is suppressed
        and (shown != UNCHANGED or level == 0)
        and (space != Space.CUTS or shown in (UNCHANGED, SUPPRESSED))
        and (not suppressed or labels <= {TOP})
    )


def _intervals_agree(
    facts: Content, rows: Mapping[str | None, int], smallest: int, *, complete: bool
) -> bool:
    """Are the labels of a column exactly those listed, with the values that each label names?

    If rows were suppressed (not ``complete``), values may be left out: some may be in these only.
    """
    if type(facts["intervals"]) is not int or facts["intervals"] != len(rows):
        return False
    try:
        listed = facts["intervals_listed"]
        labels = [interval["label"] for interval in listed]
        values = [value for interval in listed for value in interval.get("values", ())]
        return (
            len(labels) == len(rows)
            and set(labels) == set(rows)
            and facts["shown"] == f"cut into {intervals_in_words(labels)}"
            and len(values) == len(set(values))
            and all(
                _values_agree(part, rows[part["label"]] >= smallest, complete=complete)
                for part in listed
            )
        )
    except (KeyError, TypeError, AttributeError):
        return False


def _values_agree(interval: Content, enough: bool, *, complete: bool) -> bool:
    """The values of an interval are listed if its label is a list that ``enough`` rows show."""
    if "values" not in interval:
        return not (enough and complete and is_shortened(interval["label"]))
    return enough and lists(interval["label"], interval["values"])
