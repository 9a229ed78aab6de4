"""The certificate of a private release: what is added to it, and what it must not say.

Everything that is published is part of the output that differential privacy is about. So the
certificate has only what follows from the released rows, the policy and the levels: not how many
rows the table has, how many were drawn, how many were left out, or what the levels cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from lookalike.policy.policy import Policy
from lookalike.policy.requirement_names import requirements_from
from lookalike.privacy.differential_privacy import DifferentialPrivacy
from lookalike.solution.recoding import Space
from lookalike.verifier.finding import Finding
from lookalike.verifier.requirements.sampling_privacy import promised

Content = Mapping[str, Any]
ROWS = ("released", "classes")
GIVEN, CHOSEN = "given", "chosen by the exponential mechanism"
SECRET, FIXED = "secret", "fixed, for a test: this release is not private"


def is_sampled(content: Content) -> bool:
    """Does the certificate promise something that holds only for a secret random sample?"""
    return DifferentialPrivacy.key in content["require"]


def sampled_content(content: Content, policy: Policy, *, secret: bool) -> dict[str, Any]:
    """The content without what depends on rows that are not released, and with the sampling."""
    sampling = _sampling(policy.require) | {"randomness": SECRET if secret else FIXED}
    rows = {name: content["rows"][name] for name in ROWS}
    public = {f.check: f for f in row_findings(rows["released"], policy.smallest)}
    findings = [
        asdict(public[finding["check"]])
        if finding["holds"] and finding["check"] in public
        else finding
        for finding in content["findings"]
    ]
    changed = {"rows": rows, "findings": findings}
    made: dict[str, Any] = {}
    for name, part in content.items():
        made[name] = changed.get(name, part)
        if name == "promise":
            made["sampling"] = sampling
    return made


def row_findings(released: int, k: int) -> tuple[Finding, Finding]:
    """The findings on released and suppressed rows, without a number that is not public."""
    hidden = "how many rows the table has, and how many were drawn, is not said"
    return (
        Finding("rows", True, f"{released:,} rows are released; {hidden}."),
        Finding(
            "suppressed", True, f"Exactly the classes of fewer than {k} drawn rows are left out."
        ),
    )


def sampled_is_complete(content: Content) -> bool:
    """Does it state the sampling and the rows, and nothing that the promise does not cover?"""
    sampling, claim = content["sampling"], content["claim"]
    return (
        content["rows"].keys() == set(ROWS)
        and sampling.keys() == {"probability", "k", "levels", "randomness"}
        and type(sampling["probability"]) is float
        and type(sampling["k"]) is int
        and sampling["randomness"] in (SECRET, FIXED)
        and content["conventions"]["suppressed"] == "drop"
        and content["conventions"]["stars"] == "own"
        and (claim["space"], claim["metric"]) == (Space.FULL_DOMAIN, "precision")
        and "cost" not in claim
        and content["model"] is None
        and len(content["linking"]) == 1
        and all(facts["role"] in ("quasi-identifier", "identifier")
                and facts.keys().isdisjoint({"intervals", "by_interval"})
                for facts in content["columns"].values())
    )  # fmt: skip


def check_sampling(content: Content) -> Finding:
    """Do probability and k follow from the promise, and was the sample secret?"""
    rules, sampling = requirements_from(content["require"]), content["sampling"]
    if sampling["randomness"] != SECRET:
        sentence = "The random bits were fixed for a test, so this release is not private."
        return Finding("sampling", False, sentence, "make the release again, without fixed bits")
    if {**sampling, "randomness": SECRET} != _sampling(rules) | {"randomness": SECRET}:
        sentence = "The sampling is not the one that the promise needs."
        return Finding("sampling", False, sentence)
    return Finding("sampling", True, "The probability and k are those that the promise needs.")


def _sampling(rules: Any) -> dict[str, Any]:
    [rule] = (rule for rule in rules if isinstance(rule, DifferentialPrivacy))
    probability, k, _ = promised(rule.epsilon, rule.delta, rule.search_epsilon)
    k = max(k, *(other.smallest for other in rules))
    levels = CHOSEN if rule.search_epsilon else GIVEN
    return {"probability": probability, "k": k, "levels": levels}
