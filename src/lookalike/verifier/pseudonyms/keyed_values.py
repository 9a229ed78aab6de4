"""Check that the pseudonyms of a release are those that the key gives, and not original values.

They are computed again from the distinct values, as text. That each row has its own pseudonym is
checked when the rows are compared (``rows/faithfulness.py``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lookalike.policy.policy import Policy
from lookalike.pseudonyms.secret_key import Key, needed_key
from lookalike.tables.table import Table
from lookalike.verifier.finding import Finding
from lookalike.verifier.pseudonyms.formats import own_key, same_format, token
from lookalike.verifier.requirements.recount import rows_by_label

SHOWN = {"token": "keyed token", "keep": "keyed, same format"}  # in the certificate, by format
Pseudonyms = Mapping[str, Mapping[str | None, str | None]]  # by column: text to pseudonym


def expected_pseudonyms(original: Table, policy: Policy, key: Key | None) -> Pseudonyms:
    """What each text of a pseudonym column must become; None for a text that has no pseudonym."""
    pseudonyms = {}
    secret_key = needed_key(policy, key)
    for name, pseudonym in policy.pseudonyms.items():
        assert secret_key is not None
        own = own_key(secret_key.secret, pseudonym.format, pseudonym.domain or name)
        make = token if pseudonym.format == "token" else same_format
        texts = rows_by_label(original, name)
        pseudonyms[name] = {text: None if text is None else make(own, text) for text in texts}
    return pseudonyms


def pseudonym_findings(released: Table, expected: Pseudonyms) -> list[Finding]:
    """One finding for each pseudonym column that is released."""
    return [
        _pseudonym_finding(name, rows_by_label(released, name), pseudonym_of)
        for name, pseudonym_of in expected.items()
        if name in released.columns
    ]


def _pseudonym_finding(
    name: str, texts: Iterable[str | None], pseudonym_of: Mapping[str | None, str | None]
) -> Finding:
    known = set(pseudonym_of.values())
    others = [text for text in texts if text is not None and text not in known]
    originals = sum(text in pseudonym_of for text in others)
    made = [pseudonym for text, pseudonym in pseudonym_of.items() if text is not None]
    lacking = made.count(None)
    shared = len(made) - len(set(made))
    if not others and not lacking and not shared:
        sentence = f"Every value in {name} is a pseudonym that the key gives."
        return Finding("truthful", True, sentence)
    sentence = (
        f"In {name}, {originals:,} distinct values of the original are shown, "
        f"{len(others) - originals:,} other values are not pseudonyms of this key, {lacking:,} "
        f"values have no pseudonym, and {shared:,} share one."
    )
    fix = "do not share this table; check that the key is the one it was made with"
    return Finding("truthful", False, sentence, fix)
