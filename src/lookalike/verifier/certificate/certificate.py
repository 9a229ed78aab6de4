"""The certificate of a release: what is promised, what was checked, and what is claimed.

It is public. About the original it says only how many rows there were: no fingerprint, no
suppressed value, no time, and no number that depends on what suppressed rows held. The same table,
policy and seed give the same certificate, byte for byte, on every engine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_args

from lookalike import strict_json
from lookalike.errors import Fault, FileError, LookalikeError, ReleaseRefused
from lookalike.policy.conventions import Nulls, Stars, Suppressed
from lookalike.policy.nine_models import MODELS
from lookalike.policy.requirement_names import requirements_from, requirements_to
from lookalike.verifier.finding import Finding

FORMAT = "lookalike certificate 4"
OLD_FORMATS = ("lookalike certificate 1", "lookalike certificate 2", "lookalike certificate 3")
OLD_DIGEST = "other rows can be made to fit its digest, so it proves nothing"
ORDER = "rows are sorted by every released column"
PARTS = {
    "verified", "require", "linking", "promise", "claim", "columns", "rows", "conventions",
    "findings", "release_digest", "made_with", "model", "eligible", "accepted",
}  # fmt: skip
ROWS = ("original", "suppressed", "allowed", "released", "classes")
SAMPLED_ROWS = ("released", "classes")  # of a private release
CLAIM_TEXTS = ("status", "sentence", "space", "metric", "algorithm")
CLAIM_NUMBERS = {"cost", "bound", "gap", "bound_by", "proof_size"}  # if no row was suppressed
MAY_BE_UNKNOWN = ("bound", "proof_size")
ROLES = {"quasi-identifier", "identifier", "pseudonym", "sensitive", "insensitive"}


@dataclass(frozen=True, slots=True)
class Certificate:
    """The findings and the claim of a release, as they are written beside it.

    Attributes
    ----------
    content : mapping
        The parts of the certificate, as in its JSON file.

    Examples
    --------
    >>> import lookalike as la
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [31, 34, 37, 52, 55, 58]})
    >>> policy = la.Policy(quasi_identifiers={"age": la.bands(10, 20)}, require=la.KAnonymity(3))
    >>> certificate = la.anonymize(table, policy).certificate
    >>> certificate.passed, certificate.content["rows"]["released"]
    (True, 6)
    """

    content: Mapping[str, Any]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was checked, one finding for each check."""
        return tuple(Finding(**finding) for finding in self.content["findings"])

    @property
    def passed(self) -> bool:
        """Whether every finding holds."""
        return all(finding.holds for finding in self.findings)

    def expect_passed(self) -> Certificate:
        """Raise unless every finding holds.

        Returns
        -------
        Certificate
            This certificate.

        Raises
        ------
        ReleaseRefused
            With every check that failed.
        """
        refuse(self.findings)
        return self

    def to_json(self) -> str:
        """The text of the certificate's file.

        Returns
        -------
        str
        """
        return json.dumps(self.content, indent=2, ensure_ascii=False) + "\n"

    @staticmethod
    def load(path: str | Path) -> Certificate:
        """Read a certificate from its file.

        Parameters
        ----------
        path : str or Path
            The ``.certificate.json`` file beside a release.

        Returns
        -------
        Certificate

        Raises
        ------
        FileError
            If the file cannot be read, or is not a certificate.
        ReleaseRefused
            If the certificate is incomplete or was altered.
        """
        return Certificate.read(certificate_bytes(Path(path)), Path(path).name)

    @staticmethod
    def in_note(note: str | None, where: str) -> Certificate | None:
        """Read a certificate from the comment on a database table.

        Parameters
        ----------
        note : str or None
            The comment.
        where : str
            What to call it in messages.

        Returns
        -------
        Certificate or None
            None if the comment is something else.

        Raises
        ------
        FileError, ReleaseRefused
            If the comment has parts of a certificate, but is not a valid one.
        """
        try:
            content = strict_json.loads(note or "")
        except ValueError:
            return None
        if note is None or not isinstance(content, dict) or content.keys().isdisjoint(PARTS):
            return None
        return Certificate.read(note, where)

    @staticmethod
    def read(text: str | bytes, where: str) -> Certificate:
        """Read a certificate from JSON.

        Parameters
        ----------
        text : str or bytes
            The JSON document.
        where : str
            What to call it in messages.

        Returns
        -------
        Certificate

        Raises
        ------
        FileError
            If this is not a certificate.
        ReleaseRefused
            If the certificate is incomplete or was altered.
        """
        try:
            content = strict_json.loads(text)
        except ValueError:
            content = None
        fix = "give the .certificate.json file that was written with the release"
        if isinstance(content, dict) and content.get("format") in OLD_FORMATS:
            problem = f"this certificate has an old format, {content['format']!r}: {OLD_DIGEST}"
            raise FileError(Fault(where, problem, "make the release again with this version"))
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise FileError(Fault(where, "this is not a certificate", fix))
        if missing := _missing_packages(content):
            problem = f"it uses definitions of {', '.join(missing)}, which is not installed here"
            raise FileError(Fault(where, problem, f"install {', '.join(missing)}"))
        if not is_complete(content):
            problem = "this certificate is incomplete or was altered"
            raise ReleaseRefused(Fault(where, problem, fix))
        return Certificate(content)


def _missing_packages(content: Mapping[str, Any]) -> list[str]:
    """Packages whose definitions the certificate uses and that are not installed."""
    packages = content.get("packages", [])
    named = packages if isinstance(packages, list) else []
    names = [name for name in named if isinstance(name, str) and name.isidentifier()]
    return [name for name in names if not _is_installed(name)]


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # a module without a specification, for example __main__
        return False


def is_complete(content: Mapping[str, Any]) -> bool:
    """Has the certificate every part, of the right kind?"""
    try:
        rules = requirements_from(content["require"])
        findings = [Finding(**finding) for finding in content["findings"]]
        roles = [facts["role"] for facts in content["columns"].values()]
        conventions, rows = content["conventions"], content["rows"]
        sampled = "differential_privacy" in content["require"]
        numbers = [rows[name] for name in (SAMPLED_ROWS if sampled else ROWS)]
        unknown_cost = sampled or rows["suppressed"] > 0
        return (
            content.keys() >= PARTS
            and _same_json(requirements_to(rules, whole=True), content["require"])
            and all("fix" in finding for finding in content["findings"])
            and all(isinstance(finding.holds, bool) for finding in findings)
            and all(isinstance(f.check + f.sentence + f.fix, str) for f in findings)
            and all(set(rule.columns) <= content["columns"].keys() for rule in rules)
            and "quasi-identifier" in roles
            and set(roles) <= ROLES
            and _sets_are_valid(content)
            and conventions["stars"] in get_args(Stars)
            and conventions["suppressed"] in get_args(Suppressed)
            and conventions["nulls"] in get_args(Nulls)
            and conventions["order"] == ORDER
            and all(type(number) is int for number in (*numbers, rows.get("table", 0)))
            and _claim_is_complete(content["claim"], suppressed=unknown_cost)
            and sampled == ("sampling" in content)
            and (not sampled or _sampled_is_complete(content))
            and content["model"] in (None, *MODELS)
            and isinstance(content["eligible"], list)
            and content["eligible"] == sorted(set(content["eligible"]))
            and set(content["eligible"]) <= content["columns"].keys()
            and bool(content["eligible"]) == ("table" in rows)
            and _packages_are_valid(content)
            and _accepted_is_valid(content)
            and isinstance(content["verified"], bool)
            and isinstance(content["made_with"], str)
            and isinstance(content["release_digest"], str)
        )
    except (KeyError, TypeError, AttributeError, LookalikeError):
        return False


def _packages_are_valid(content: Mapping[str, Any]) -> bool:
    """Are other packages named in order, once each, if there are any?"""
    if "packages" not in content:
        return True
    packages = content["packages"]
    return (
        isinstance(packages, list)
        and bool(packages)
        and all(isinstance(name, str) and name.isprintable() for name in packages)
        and packages == sorted(set(packages))
    )


def _accepted_is_valid(content: Mapping[str, Any]) -> bool:
    """Are only kept columns accepted, each with a reason and a number of rows?"""
    accepted, columns = content["accepted"], content["columns"]
    return isinstance(accepted, dict) and all(
        columns[name]["role"] in ("sensitive", "insensitive")
        and facts.keys() == {"reason", "rows_at_risk"}
        and isinstance(facts["reason"], str)
        and bool(facts["reason"].strip())
        and type(facts["rows_at_risk"]) is int
        for name, facts in accepted.items()
    )


def _sampled_is_complete(content: Mapping[str, Any]) -> bool:
    from lookalike.verifier.certificate.sampled import sampled_is_complete

    return sampled_is_complete(content)


def _same_json(part: object, other: object) -> bool:
    return json.dumps(part, sort_keys=True) == json.dumps(other, sort_keys=True)


def _claim_is_complete(claim: Mapping[str, Any], *, suppressed: bool) -> bool:
    """Has the claim its parts, each of the right type, and no number that it must not have?"""
    texts, numbers = [claim[name] for name in CLAIM_TEXTS], {}
    if suppressed:  # some metrics have a cost that does not depend on these rows
        numbers = {"cost": claim["cost"]} if "cost" in claim else {}
        if not claim.keys().isdisjoint(CLAIM_NUMBERS - {"cost"}):
            return False
    else:
        numbers = {name: claim[name] for name in CLAIM_NUMBERS}
        texts.append(numbers.pop("bound_by"))
        numbers = {k: v for k, v in numbers.items() if v is not None or k not in MAY_BE_UNKNOWN}
    whole = [claim["seed"], *(numbers[name] for name in ("proof_size",) if name in numbers)]
    return (
        all(isinstance(text, str) for text in texts)
        and all(type(number) in (int, float) for number in numbers.values())
        and all(type(number) is int for number in whole)
    )


def _sets_are_valid(content: Mapping[str, Any]) -> bool:
    """Is there a set of columns, is each made of quasi-identifiers, and none in two sets?"""
    columns, sets = content["columns"], content["linking"]
    named = [name for names in sets for name in names]
    return (
        all(isinstance(names, list) and bool(names) for names in sets)
        and bool(sets)
        and len(named) == len(set(named))
        and all(columns[name]["role"] == "quasi-identifier" for name in named)
    )


def certificate_bytes(path: Path) -> bytes:
    """The bytes of a certificate's file."""
    try:
        return path.read_bytes()
    except OSError as error:
        fix = "check the path; a release is written with its certificate beside it"
        raise FileError(Fault(path.name, f"cannot be read ({error.strerror})", fix)) from None


def columns_with_role(content: Mapping[str, Any], role: str) -> list[str]:
    """The columns that have a role, by the certificate."""
    return [name for name, facts in content["columns"].items() if facts["role"] == role]


def rounded(value: float | None) -> float | None:
    """To ten digits: the others depend on the order in which floats are added."""
    if value is None or value in (float("inf"), float("-inf")):
        return None
    return float(f"{value:.10g}")


def agree(written: Certificate, fresh: Certificate) -> bool:
    """Do two certificates say the same, whatever version made them?"""
    old, new = ({**one.content, "made_with": ""} for one in (written, fresh))
    return _same_json(old, new)  # in Python True == 1 == 1.0


def refuse(findings: tuple[Finding, ...]) -> None:
    """Raise ReleaseRefused with every check that failed, if any did."""
    if failed := [Fault(f.check, f.sentence, f.fix) for f in findings if not f.holds]:
        raise ReleaseRefused(failed)
