"""The pseudonyms of the values of a column, and faults for values that cannot have one."""

from __future__ import annotations

from collections.abc import Sequence

from lookalike.counts.level_table import Value
from lookalike.errors import Fault, TableError
from lookalike.policy.pseudonym import Pseudonym
from lookalike.pseudonyms.derived_key import derived_key
from lookalike.pseudonyms.same_format import MIN_VALUES, form_of, kept_forms, possible
from lookalike.pseudonyms.secret_key import Key
from lookalike.pseudonyms.token import tokens

Texts = Sequence[str | None]
USE_TOKENS = 'use format = "token"'


def value_faults(
    name: str, pseudonym: Pseudonym, values: Sequence[Value], texts: Texts
) -> list[Fault]:
    """Faults for values that cannot have a pseudonym; they have counts, not values."""
    where = f"pseudonyms.{name}"
    faults = []
    if any(isinstance(value, float) for value in values):
        problem = "it has floating-point numbers, which are written differently in other tables"
        fix = "make it whole numbers or text; whole numbers with nulls are Int64 in pandas"
        faults.append(Fault(where, problem, fix))
    elif pseudonym.format == "keep":
        forms = [form_of(text) for text in texts if text is not None]
        if not_ascii := forms.count(None):
            problem = f"{_counted(not_ascii)} characters other than ASCII, which cannot be kept"
            faults.append(Fault(where, problem, USE_TOKENS))
        small = {form for form in set(forms) if form is not None and possible(form) < MIN_VALUES}
        if few := sum(form in small for form in forms):
            problem = f"{_counted(few)} a form with fewer than {MIN_VALUES:,} possible values"
            fix = f"{USE_TOKENS}, or write longer values, for example 000123 in place of 123"
            faults.append(Fault(where, problem, fix))
    return faults


def pseudonyms_of(
    name: str, pseudonym: Pseudonym, texts: Texts, key: Key
) -> tuple[str | None, ...]:
    """The pseudonym of each distinct text; null stays null."""
    known = [text for text in texts if text is not None]
    domain_key = derived_key(key.secret, pseudonym.format, pseudonym.domain or name)
    replace = tokens if pseudonym.format == "token" else kept_forms
    replaced = dict(zip(known, replace(domain_key, known), strict=True))
    if len(set(replaced.values())) != len(replaced):
        problem = "two values have the same pseudonym, which is extremely unlikely"
        raise TableError(Fault(f"pseudonyms.{name}", problem, "use another domain, or another key"))
    return tuple(None if text is None else replaced[text] for text in texts)


def _counted(values: int) -> str:
    return f"{values:,} different value{'s have' if values > 1 else ' has'}"
