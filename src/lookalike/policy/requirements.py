"""Requirements by the names that a policy file gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lookalike.errors import Fault, PolicyError
from lookalike.policy.linking import is_share
from lookalike.policy.words import unknown_keys
from lookalike.privacy.k_anonymity import KAnonymity
from lookalike.privacy.requirement import Requirement

KEYS = ("k_anonymity", "anonymity_level")


def requirements_from(section: Mapping[str, object]) -> tuple[Requirement, ...]:
    """The requirements of the [require] section."""
    found = unknown_keys("require", section, KEYS)
    require: list[Requirement] = []
    if all(key in section for key in KEYS):
        problem = "k_anonymity and anonymity_level both say what k is"
        found.append(Fault("require", problem, "keep one of the two"))
    if "k_anonymity" in section:
        k = section["k_anonymity"]
        if isinstance(k, bool) or not isinstance(k, int) or k < 2:
            found.append(
                Fault("require.k_anonymity", "not a whole number from 2 up", "use k_anonymity = 5")
            )
        else:
            require.append(KAnonymity(k))
    if "anonymity_level" in section:
        level = section["anonymity_level"]
        if is_share(level) and level != 1:
            require.append(KAnonymity.at_level(level))  # type: ignore[arg-type]  # is_share knows
        else:
            problem = "not a number from 0 up to but not 1"
            fix = "use anonymity_level = 0.8 for k = 5, 0.9 for k = 10"
            found.append(Fault("require.anonymity_level", problem, fix))
    if found:
        raise PolicyError(found)
    return tuple(require)


def requirements_to(require: Sequence[Requirement]) -> Mapping[str, object]:
    """As a policy file writes them: the inverse of ``requirements_from``."""
    section: dict[str, object] = {}
    for rule in require:
        if not isinstance(rule, KAnonymity):
            problem = f"{type(rule).__name__} has no name in policy files"
            raise PolicyError(Fault("require", problem, f"use one of: {', '.join(KEYS)}"))
        # Of two k-anonymities the larger says everything.
        section["k_anonymity"] = max(rule.k, *(r.k for r in require if isinstance(r, KAnonymity)))
    return section
