"""How an identifier that must stay joinable is replaced: format and domain of its pseudonyms.

The key is not part of it: a policy may be shown to anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from lookalike.errors import Fault, PolicyError
from lookalike.name_suggestions import unknown_keys, unknown_word

Format = Literal["token", "keep"]
FORMATS: tuple[str, ...] = get_args(Format)
KEYS = ("format", "domain")
EXAMPLE = 'use { format = "token" } or { format = "keep" }, optionally with domain = "person"'


@dataclass(frozen=True, slots=True)
class Pseudonym:
    """The format of a column's pseudonyms, and the domain for which they are made.

    ``token`` is a keyed text of fixed length; ``keep`` replaces digits by digits and letters by
    letters. Columns with the same domain and format give equal values equal pseudonyms, in all
    tables. The default domain is the name of the column.
    """

    format: Format = "token"
    domain: str | None = None

    def to_dict(self) -> dict[str, str]:
        """The form in a policy file."""
        more = {} if self.domain is None else {"domain": self.domain}
        return {"format": self.format} | more


def pseudonyms_from(given: object) -> dict[str, Pseudonym]:
    """Pseudonyms from a column, several columns, or a dict from columns to formats."""
    if isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        names = [given] if isinstance(given, str) else _listed(given)
        pairs = [(name, Pseudonym()) for name in names]
    pseudonyms: dict[str, Pseudonym] = {}
    faults: list[Fault] = []
    for name, spec in pairs:
        if not isinstance(name, str):
            fix = 'name columns as text, for example ("patient_id",)'
            faults.append(Fault("pseudonyms", "not a list of columns", fix))
            continue
        if name in pseudonyms:
            faults.append(Fault(name, "the column is twice in pseudonyms", "give it one role"))
        try:
            pseudonyms[name] = _pseudonym(f"pseudonyms.{name}", spec)
        except PolicyError as error:
            faults.extend(error.faults)
    if faults:
        raise PolicyError(faults)
    return pseudonyms


def _listed(given: object) -> list[Any]:
    try:
        return list(given)  # type: ignore[call-overload,no-any-return]  # or it is a fault
    except TypeError:
        fix = 'use pseudonyms = ["column"]'
        raise PolicyError(Fault("pseudonyms", "not a list of columns", fix)) from None


def _pseudonym(where: str, given: object) -> Pseudonym:
    """From a format, from the table of a column in a policy file, or from a pseudonym."""
    if isinstance(given, Pseudonym):
        given = given.to_dict()
    if isinstance(given, str):
        given = {"format": given}
    if not isinstance(given, Mapping):
        raise PolicyError(Fault(where, "not a format of pseudonyms", EXAMPLE))
    faults = unknown_keys(where, given, KEYS)
    form, domain = given.get("format", "token"), given.get("domain")
    if form not in FORMATS:
        faults.append(unknown_word(f"{where}.format", "unknown format", form, FORMATS))
    if domain is not None and not (isinstance(domain, str) and domain):
        fix = 'name it, for example domain = "person", or remove it to use the name of the column'
        faults.append(Fault(f"{where}.domain", "not the name of a domain", fix))
    if faults:
        raise PolicyError(faults)
    return Pseudonym(form, domain)
