"""A first draft of a policy file, from what a table looks like; every guess is a comment."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.errors import Fault, PolicyError
from lookalike.policy.draft_roles import ColumnFacts, Guess, guess
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.toml_writer import toml_key, toml_string, toml_value

__all__ = ["ColumnFacts", "draft"]

Guessed = list[tuple[ColumnFacts, Guess]]


def draft(columns: Sequence[ColumnFacts], table_name: str, k: int = 5) -> str:
    """A policy file that loads as it stands, for ``lookalike init``.

    A heuristic: it knows names and shapes, not what outsiders know. It shows no cell values.
    """
    if not columns:
        raise PolicyError(
            Fault(
                "quasi_identifiers", "the table has no columns", "draft from a table with columns"
            )
        )
    guessed = _with_a_quasi_identifier([(facts, guess(facts)) for facts in columns])
    parts = [
        _header(table_name),
        "# Dropped from the release: they name people.",
        _list("identifiers", guessed),
        "# Identifiers that must stay joinable are never guessed. A key of yours gives each value",
        "# the same pseudonym in every release (lookalike key FILE, then run --key FILE). Move",
        "# such a column from identifiers to this list:",
        '# pseudonyms = ["column"]\n',
        "# Kept as they are: what others should not learn about a person.",
        _list("sensitive", guessed),
        "# Kept as they are, and harmless: nothing is guessed to be. Move columns here with care.",
        "insensitive = []\n",
        "# Made less specific: what an outsider could know about a person.",
        _quasi_identifiers(guessed),
        "[require]",
        f"k_anonymity = {toml_value(k)}  # every row looks like at least {k - 1} others\n",
        "[spend]",
        'metric = "precision"',
        "suppress = 0.02  # up to this share of rows may be left out\n",
        "[conventions]",
        'nulls = "value"  # a null looks like other nulls',
        'stars = "own"  # a * looks like other stars',
        'suppressed = "drop"  # suppressed rows are left out\n',
        "[search]",
        'by = "auto"',
        "seconds = 300",
    ]
    return "\n".join(parts) + "\n"


def _header(table_name: str) -> str:
    return (
        f"# A policy for {toml_string(table_name)}, drafted by lookalike init.\n"
        "# Every role and hierarchy below is a guess, with its reason. Read each one: only you\n"
        "# know what outsiders know. A column that is unsure stands under quasi_identifiers.\n"
    )


def _list(role: str, guessed: Guessed) -> str:
    lines = [f"{role} = ["]
    for facts, one in guessed:
        if one.role == role:
            lines += [f"  # {_comment(facts, one)}", f"  {toml_string(facts.name)},"]
    return f"{role} = []\n" if len(lines) == 1 else "\n".join([*lines, "]\n"])


def _quasi_identifiers(guessed: Guessed) -> str:
    lines = ["[quasi_identifiers]"]
    for facts, one in guessed:
        if one.hierarchy is not None:
            written = toml_value(one.hierarchy.to_dict())
            lines += [f"# {_comment(facts, one)}", f"{toml_key(facts.name)} = {written}"]
    return "\n".join(lines) + "\n"


def _comment(facts: ColumnFacts, one: Guess) -> str:
    kind = " ".join(facts.type.split())
    reason = one.reason[0].upper() + one.reason[1:]
    sample = " Judged by a sample of its values." if len(facts.known) < facts.distinct else ""
    return (
        f"{kind}: {facts.distinct:,} distinct in {facts.rows:,} rows ({facts.share:.0%} unique), "
        f"{facts.nulls:,} nulls. {reason}.{sample}"
    )


def _with_a_quasi_identifier(guessed: Guessed) -> Guessed:
    """A policy needs one: failing all else, the column that tells people apart least."""
    if any(one.hierarchy is not None for _, one in guessed):
        return guessed
    least = min(facts.distinct for facts, _ in guessed)
    place = next(at for at, (facts, _) in enumerate(guessed) if facts.distinct == least)
    facts, one = guessed[place]
    reason = f"{one.reason}; yet a policy needs a quasi-identifier, and this has fewest values"
    guessed[place] = (facts, Guess("quasi_identifiers", reason, flat()))
    return guessed
