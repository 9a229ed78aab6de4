"""The nine models: what may be generalized and what suppressed, by column, by cell or by row.

The survey's vocabulary (Saroha 2014, section 2.5): AG_TS generalizes whole attributes and
suppresses whole tuples, CG_ generalizes single cells and suppresses nothing, CS suppresses single
cells and generalizes nothing. As every hierarchy ends in ``*``, generalizing all the way up *is*
suppression at the same level: AG_AS is AG_, and CG_CS is CG_.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from lookalike.errors import Fault, PolicyError
from lookalike.policy.name_suggestions import unknown_keys, unknown_word

Generalize = Literal["attribute", "cell", "none"]
Suppress = Literal["tuple", "attribute", "cell", "none"]

_LETTER = {"attribute": "A", "cell": "C", "tuple": "T"}


@dataclass(frozen=True, slots=True)
class Model:
    """One of the nine."""

    generalize: Generalize
    suppress: Suppress

    @property
    def name(self) -> str:
        """As the survey writes it."""
        general = "" if self.generalize == "none" else f"{_LETTER[self.generalize]}G"
        gone = "" if self.suppress == "none" else f"{_LETTER[self.suppress]}S"
        return f"{general}_{gone}" if general else gone

    @property
    def by_cell(self) -> bool:
        """May equal values of a column be released differently?"""
        return "cell" in (self.generalize, self.suppress)

    @property
    def rows_may_go(self) -> bool:
        return self.suppress == "tuple"

    def sentence(self) -> str:
        how = {
            "attribute": "Values are generalized column by column",
            "cell": "Values are generalized cell by cell",
            "none": "No value is generalized",
        }[self.generalize]
        what = {
            "tuple": "whole rows may be left out",
            "attribute": "whole columns may be suppressed",
            "cell": "single cells may be suppressed",
            "none": "nothing is suppressed but by generalizing it to *",
        }[self.suppress]
        return f"Model {self.name}: {how[0].lower()}{how[1:]}, and {what}"


MODELS: Mapping[str, Model] = {
    model.name: model
    for model in (
        Model("attribute", "tuple"),
        Model("attribute", "attribute"),
        Model("attribute", "cell"),
        Model("attribute", "none"),
        Model("cell", "cell"),
        Model("cell", "none"),
        Model("none", "tuple"),
        Model("none", "attribute"),
        Model("none", "cell"),
    )
}


def model_from(spec: object) -> Model:
    """The model of ``"AG_TS"`` or ``{"generalize": "attribute", "suppress": "tuple"}``."""
    if isinstance(spec, Model):
        found = spec
    elif isinstance(spec, Mapping):
        words = {"generalize": get_args(Generalize), "suppress": get_args(Suppress)}
        faults = unknown_keys("model", spec, tuple(words))
        faults += [
            unknown_word(f"model.{key}", "no such level", spec[key], allowed)
            for key, allowed in words.items()
            if key in spec and spec[key] not in allowed
        ]
        if faults:
            raise PolicyError(faults)
        found = Model(spec.get("generalize", "none"), spec.get("suppress", "none"))
    elif isinstance(spec, str) and spec in MODELS:
        return MODELS[spec]
    else:
        raise PolicyError(unknown_word("model", "no such model", spec, MODELS))
    if found not in MODELS.values():
        problem = f"{found.generalize} generalization with {found.suppress} suppression is no model"
        raise PolicyError(Fault("model", problem, f"use one of: {', '.join(MODELS)}"))
    return found
