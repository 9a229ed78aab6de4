"""Does each column show what its certificate says of it, as far as its cells tell?

How far a hierarchy was climbed cannot be seen without the hierarchy. Of intervals it can be seen
that the labels are just those listed, and that the members listed are those that a label names.
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
from lookalike.verifier.labels.interval_truth import lists, shortened
from lookalike.verifier.pseudonyms.people import shows_pseudonyms
from lookalike.verifier.requirements.recount import rows_by_label
from lookalike.verifier.rows.class_intervals import BY_INTERVAL, intervals_as_said

Content = Mapping[str, Any]


def columns_as_said(released: Table, content: Content) -> Finding:
    """Each column in turn, and those that do not by name."""
    wrong = [name for name in content["columns"] if not _shows(released, name, content)]
    if wrong:
        sentence = f"What the certificate says of {', '.join(wrong)} is not what is shown there."
        return Finding("shown", False, sentence)
    return Finding("shown", True, "Columns show what is said of them, as far as labels tell.")


def _shows(released: Table, name: str, content: Content) -> bool:
    facts, words = content["columns"][name], content["conventions"]
    if facts["role"] != "quasi-identifier":
        return _not_recoded(released, name, facts)
    seen = rows_by_label(released, name)
    if words["nulls"] == "refuse" and None in seen:
        return False
    space = content["claim"].get("space")
    if "intervals" in facts:
        if words["suppressed"] == "star" and content["rows"]["suppressed"]:
            seen.pop(TOP, None)  # of suppressed rows: an interval is never called that
        rules = requirements_from(content["require"])
        smallest = max((rule.smallest for rule in rules), default=1)
        return space == Space.CUTS and _intervals(facts, seen, smallest)
    level, height = facts.get("level"), facts.get("of")
    if not all(isinstance(one, int | float) for one in (level, height)) or not 0 <= level <= height:
        return False
    if "by_interval" in facts or BY_INTERVAL in str(facts.get("shown")):
        return space != Space.CUTS and intervals_as_said(facts, released, name)
    return _levels(facts, set(seen), space)


def _not_recoded(released: Table, name: str, facts: Content) -> bool:
    """Is a column dropped, keyed or as it is, as its role has it?"""
    if facts["role"] == "pseudonym":
        return shows_pseudonyms(released, name, facts.get("shown"))
    return bool(facts.get("shown") == ("dropped" if facts["role"] == "identifier" else UNCHANGED))


def _levels(facts: Content, seen: set[str | None], space: str) -> bool:
    """Does a column at some level show ``*`` if that is the top, and nothing but ``*``?"""
    level, height, shown = facts["level"], facts["of"], facts.get("shown")
    if space == Space.CELL_LEVEL:
        return level < height or seen <= {TOP}
    suppressed = level == height
    return bool(
        (shown == SUPPRESSED) is suppressed
        and (shown != UNCHANGED or level == 0)
        and (space != Space.CUTS or shown in (UNCHANGED, SUPPRESSED))
        and (not suppressed or seen <= {TOP})
    )


def _intervals(facts: Content, seen: Mapping[str | None, int], smallest: int) -> bool:
    """Are the labels of a column just those listed, and the members those that a label names?"""
    if facts["intervals"] != len(seen):
        return False
    if "intervals_listed" not in facts:
        return True  # written before they were listed
    try:
        listed = facts["intervals_listed"]
        labels = [one["label"] for one in listed]
        members = [value for one in listed for value in one.get("values", ())]
        return (
            len(labels) == len(seen)
            and set(labels) == set(seen)
            and facts["shown"] == f"cut into {intervals_in_words(labels)}"
            and len(members) == len(set(members))
            and all(_members(one, seen[one["label"]] >= smallest) for one in listed)
        )
    except (KeyError, TypeError, AttributeError):
        return False


def _members(one: Content, enough: bool) -> bool:
    """Listed if the label is a list that enough rows show, and then just those of the label."""
    if "values" not in one:
        return not (enough and shortened(one["label"]))
    return enough and lists(one["label"], one["values"])
