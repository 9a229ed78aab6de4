"""Draft a policy file from what a table looks like; every guess has its reason as a comment."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from lookalike.errors import Fault, PolicyError
from lookalike.policy.draft_roles import ColumnFacts, Guess, guess_role
from lookalike.policy.hierarchies.flat import flat
from lookalike.policy.toml_writer import toml_key, toml_string, toml_value

__all__ = ["ColumnFacts", "draft_policy"]

Guesses = list[tuple[ColumnFacts, Guess]]


def draft_policy(columns: Sequence[ColumnFacts], table_name: str, k: int = 5) -> str:
    """The text of a policy file that can be used without changes; it shows no cell values.

    A heuristic: it goes by names and values, and cannot know what outsiders know.
    """
    if not columns:
        fix = "draft from a table with columns"
        raise PolicyError(Fault("quasi_identifiers", "the table has no columns", fix))
    guesses = _with_a_quasi_identifier([(facts, guess_role(facts)) for facts in columns])
    parts = [
        _header(table_name),
        "# Removed from the release: they identify people.",
        _list("identifiers", guesses),
        "# Identifiers that must stay joinable are never guessed. With a key of yours, each value",
        "# gets the same pseudonym in every release (lookalike key FILE, then run --key FILE).",
        "# Move such a column from identifiers to this list:",
        '# pseudonyms = ["column"]\n',
        "# Kept unchanged: what nobody should learn about a person.",
        _list("sensitive", guesses),
        "# Kept unchanged and harmless: never guessed. Move columns here with care.",
        "insensitive = []\n",
        "# Generalized: what an outsider could know about a person.",
        _quasi_identifiers(guesses),
        "[require]",
        f"k_anonymity = {toml_value(k)}  # every row looks like at least {k - 1} others\n",
        "[spend]",
        'metric = "precision"',
        "suppress = 0.02  # up to this share of rows may be suppressed (left out)\n",
        "[conventions]",
        'nulls = "value"  # a null looks like other nulls',
        'stars = "own"  # a * looks like other stars',
        'suppressed = "drop"  # suppressed rows are left out\n',
        "[search]",
        'by = "auto"',
        "seconds = 300",
    ]
    return "\n".join(parts) + "\n"


def with_findings(text: str, sentences: Sequence[str]) -> str:
    """The draft with what its kept columns reveal, after the header; shows no cell values."""
    if not sentences:
        return text
    lines = ["# With this draft a release would be refused, because of columns that are kept:"]
    for sentence in sentences:
        lines += wrap(sentence, 98, initial_indent="# - ", subsequent_indent="#   ")
    lines.append("# Give these columns another role, or accept them with a reason:")
    lines.append('# accept = { column = "reason" }\n')
    header, _, rest = text.partition("\n\n")
    return "\n".join([header, "", *lines, rest])


def _header(table_name: str) -> str:
    return (
        f"# A policy for {toml_string(table_name)}, drafted by lookalike init.\n"
        "# Every role and hierarchy below is a guess, with its reason. Read each one: only you\n"
        "# know what outsiders know. Columns of unsure role are under quasi_identifiers.\n"
    )


def _list(role: str, guesses: Guesses) -> str:
    lines = [f"{role} = ["]
    for facts, guess in guesses:
        if guess.role == role:
            lines += [f"  # {_comment(facts, guess)}", f"  {toml_string(facts.name)},"]
    return f"{role} = []\n" if len(lines) == 1 else "\n".join([*lines, "]\n"])


def _quasi_identifiers(guesses: Guesses) -> str:
    lines = ["[quasi_identifiers]"]
    for facts, guess in guesses:
        if guess.hierarchy is not None:
            hierarchy = toml_value(guess.hierarchy.to_dict())
            lines += [f"# {_comment(facts, guess)}", f"{toml_key(facts.name)} = {hierarchy}"]
    return "\n".join(lines) + "\n"


def _comment(facts: ColumnFacts, guess: Guess) -> str:
    kind = " ".join(facts.type.split())
    reason = guess.reason[0].upper() + guess.reason[1:]
    sample = " Based on a sample of its values." if len(facts.known) < facts.distinct else ""
    return (
        f"{kind}: {facts.distinct:,} distinct in {facts.rows:,} rows ({facts.share:.0%} unique), "
        f"{facts.nulls:,} nulls. {reason}.{sample}"
    )


def _with_a_quasi_identifier(guesses: Guesses) -> Guesses:
    """A policy needs one: if none is guessed, the first of the columns with the fewest values."""
    if any(guess.hierarchy is not None for _, guess in guesses):
        return guesses
    place = min(range(len(guesses)), key=lambda at: guesses[at][0].distinct)
    facts, guess = guesses[place]
    reason = f"{guess.reason}; but a policy needs a quasi-identifier, and this has fewest values"
    guesses[place] = (facts, Guess("quasi_identifiers", reason, flat()))
    return guesses
