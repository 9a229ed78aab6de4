"""Are the pseudonyms of a release those that the key gives, and none an original value?

They are worked out once more from the distinct values, as text. That every row has its own is seen
when the rows are compared (``truthful.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lookalike.policy.policy import Policy
from lookalike.policy.pseudonym import Pseudonym
from lookalike.pseudonyms.secret_key import Key, needed_key
from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding
from lookalike.verifier.pseudonyms.formats import own_key, same_form, token

SHOWN = {"token": "keyed token", "keep": "keyed, same format"}
Names = Mapping[str, Mapping[str | None, str | None]]  # by column, from text to pseudonym


def expected_pseudonyms(original: Table, policy: Policy, key: Key | None) -> Names:
    """Of every pseudonym column, what each text must become; a text that cannot stays null."""
    found = {}
    needed = needed_key(policy, key)
    for name, asked in policy.pseudonyms.items():
        assert needed is not None
        made = own_key(needed.secret, asked.format, asked.domain or name)
        of = token if asked.format == "token" else same_form
        texts = _texts(original, name)
        found[name] = {text: None if text is None else of(made, text) for text in texts}
    return found


def pseudonyms_hold(released: Table, expected: Names) -> list[Finding]:
    """One finding for each column."""
    return [
        _holds(name, _texts(released, name), of)
        for name, of in expected.items()
        if name in released.columns
    ]


def described(asked: Pseudonym) -> dict[str, str]:
    """What the certificate says of such a column."""
    return {"role": "pseudonym", "shown": SHOWN[asked.format]}


def _holds(name: str, seen: Sequence[str | None], of: Mapping[str | None, str | None]) -> Finding:
    known = set(of.values())
    others = [text for text in seen if text is not None and text not in known]
    leaked = sum(text in of for text in others)
    given = [made for text, made in of.items() if text is not None]
    nameless = given.count(None)
    double = len(given) - len(set(given))
    if not others and not nameless and not double:
        sentence = f"Every pseudonym in {name} is one that the key gives, and no other value."
        return Finding("truthful", True, sentence)
    sentence = (
        f"In {name}, {leaked:,} different values of the original are shown, "
        f"{len(others) - leaked:,} others are no pseudonyms by this key, {nameless:,} have none, "
        f"and {double:,} share one."
    )
    fix = "do not share this table; look whether the key is the one it was made with"
    return Finding("truthful", False, sentence, fix)


def _texts(table: Table, name: str) -> list[str | None]:
    texts: list[str | None] = table.distinct_text((name,)).column("c0").to_pylist()
    return texts
