"""How an identifier that must stay joinable is shown: in which form, and joinable with what.

The key is no part of it: a policy may be shown to anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from lookalike.errors import Fault, PolicyError
from lookalike.policy.name_suggestions import unknown_keys, unknown_word

Format = Literal["token", "keep"]
FORMATS: tuple[str, ...] = get_args(Format)
KEYS = ("format", "domain")
EXAMPLE = 'use { format = "token" } or { format = "keep" }, perhaps with domain = "person"'


@dataclass(frozen=True, slots=True)
class Pseudonym:
    """The form of a column's pseudonyms, and the domain that they are made for.

    ``token`` is a keyed text of one length; ``keep`` has digits for digits and letters for letters.
    Columns of one domain and form give equal values equal pseudonyms, in whatever table. Without a
    domain it is the column's name.
    """

    format: Format = "token"
    domain: str | None = None

    def to_dict(self) -> dict[str, str]:
        """As a policy file writes it."""
        more = {} if self.domain is None else {"domain": self.domain}
        return {"format": self.format} | more


def pseudonyms_from(given: object) -> dict[str, Pseudonym]:
    """A column, some columns, or a dict from columns to formats; raises every fault at once."""
    if isinstance(given, Mapping):
        pairs = list(given.items())
    else:
        names = [given] if isinstance(given, str) else _listed(given)
        pairs = [(name, Pseudonym()) for name in names]
    made: dict[str, Pseudonym] = {}
    found: list[Fault] = []
    for name, one in pairs:
        if not isinstance(name, str):
            fix = 'name columns as text, as ("patient_id",)'
            found.append(Fault("pseudonyms", "not a list of columns", fix))
            continue
        if name in made:
            fault = Fault(name, "the column is twice in pseudonyms", "give it one role")
            found.append(fault)
        try:
            made[name] = _pseudonym(f"pseudonyms.{name}", one)
        except PolicyError as error:
            found.extend(error.faults)
    if found:
        raise PolicyError(found)
    return made


def _listed(given: object) -> list[Any]:
    try:
        return list(given)  # type: ignore[call-overload,no-any-return]  # or it is a fault
    except TypeError:
        fix = 'use pseudonyms = ["column"]'
        raise PolicyError(Fault("pseudonyms", "not a list of columns", fix)) from None


def _pseudonym(where: str, given: object) -> Pseudonym:
    """From a format, from what a policy file says of a column, or from one made already."""
    if isinstance(given, Pseudonym):
        given = given.to_dict()
    if isinstance(given, str):
        given = {"format": given}
    if not isinstance(given, Mapping):
        raise PolicyError(Fault(where, "not a form of pseudonyms", EXAMPLE))
    found = unknown_keys(where, given, KEYS)
    form, domain = given.get("format", "token"), given.get("domain")
    if form not in FORMATS:
        found.append(unknown_word(f"{where}.format", "no such format", form, FORMATS))
    if domain is not None and not (isinstance(domain, str) and domain):
        fix = 'name it, as domain = "person", or leave it out: it is the column\'s name then'
        found.append(Fault(f"{where}.domain", "not the name of a domain", fix))
    if found:
        raise PolicyError(found)
    return Pseudonym(form, domain)
