"""What each value of a column is called in a release, and which values cannot be."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.counts.level_table import Value
from lookalike.errors import Fault, TableError
from lookalike.policy.pseudonym import Pseudonym
from lookalike.pseudonyms.derived_key import derived_key
from lookalike.pseudonyms.same_format import SMALLEST, form_of, kept_forms, possible
from lookalike.pseudonyms.secret_key import Key
from lookalike.pseudonyms.token import tokens

Texts = Sequence[str | None]
IN_TOKENS = 'use format = "token"'


def value_faults(name: str, asked: Pseudonym, values: Sequence[Value], texts: Texts) -> list[Fault]:
    """Values of which no pseudonym is made, by how many there are."""
    where = f"pseudonyms.{name}"
    found = []
    if any(isinstance(value, float) for value in values):
        problem = "it holds floating-point numbers, which read differently from table to table"
        fix = "make it whole numbers or text; whole numbers with nulls are Int64 in pandas"
        found.append(Fault(where, problem, fix))
    elif asked.format == "keep":
        forms = [form_of(text) for text in texts if text is not None]
        if beyond := forms.count(None):
            problem = f"{_many(beyond)} signs beyond ASCII, which have no form to keep"
            found.append(Fault(where, problem, IN_TOKENS))
        small = {form for form in set(forms) if form is not None and possible(form) < SMALLEST}
        if few := sum(form in small for form in forms):
            problem = f"{_many(few)} a form with fewer than {SMALLEST:,} possible values"
            fix = f"{IN_TOKENS}, or write the values longer, as 000123 for 123"
            found.append(Fault(where, problem, fix))
    return found


def pseudonyms_of(name: str, asked: Pseudonym, texts: Texts, key: Key) -> tuple[str | None, ...]:
    """The pseudonym of each text, each text once; null stays null."""
    told = [text for text in texts if text is not None]
    of_domain = derived_key(key.secret, asked.format, asked.domain or name)
    made = tokens(of_domain, told) if asked.format == "token" else kept_forms(of_domain, told)
    if len(set(made)) != len(set(told)):
        problem = "two values have the same pseudonym, by a chance that hardly ever comes"
        raise TableError(Fault(f"pseudonyms.{name}", problem, "use another domain, or another key"))
    coming = iter(made)
    return tuple(None if text is None else next(coming) for text in texts)


def _many(values: int) -> str:
    return f"{values:,} different value{'s have' if values > 1 else ' has'}"
