"""The nine models: what may be generalized and what suppressed, by column, by cell or by row.

The names are from a survey (Saroha 2014, section 2.5): AG_TS generalizes whole attributes and
suppresses whole tuples, CG_ generalizes single cells and suppresses nothing, CS suppresses single
cells and generalizes nothing. Every hierarchy ends in ``*``, so generalizing to the top *is*
suppression: AG_AS is the same as AG_, and CG_CS the same as CG_.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from lookalike.errors import Fault, PolicyError
from lookalike.name_suggestions import unknown_keys, unknown_word

Generalize = Literal["attribute", "cell", "none"]
Suppress = Literal["tuple", "attribute", "cell", "none"]

_LETTER = {"attribute": "A", "cell": "C", "tuple": "T"}


@dataclass(frozen=True, slots=True)
class Model:
    """What a policy allows: which parts may be generalized, and which suppressed.

    Parameters
    ----------
    generalize : {"attribute", "cell", "none"}
        Values are generalized by whole columns, by single cells, or not at all.
    suppress : {"tuple", "attribute", "cell", "none"}
        Whole rows, whole columns or single cells may be suppressed, or nothing.

    Examples
    --------
    >>> import lookalike as la
    >>> la.Model("attribute", "tuple").name
    'AG_TS'
    """

    generalize: Generalize
    suppress: Suppress

    @property
    def name(self) -> str:
        """The name in the survey, for example ``AG_TS``."""
        general = "" if self.generalize == "none" else f"{_LETTER[self.generalize]}G"
        gone = "" if self.suppress == "none" else f"{_LETTER[self.suppress]}S"
        return f"{general}_{gone}" if general else gone

    @property
    def by_cell(self) -> bool:
        """May equal values of a column be released differently?"""
        return "cell" in (self.generalize, self.suppress)

    @property
    def suppresses_rows(self) -> bool:
        """May whole rows be suppressed?"""
        return self.suppress == "tuple"

    def sentence(self) -> str:
        """The model in words, as the certificate prints it.

        Returns
        -------
        str
        """
        how = {
            "attribute": "values are generalized column by column",
            "cell": "values are generalized cell by cell",
            "none": "no value is generalized",
        }[self.generalize]
        what = {
            "tuple": "whole rows may be suppressed (left out)",
            "attribute": "whole columns may be suppressed",
            "cell": "single cells may be suppressed",
            "none": "nothing is suppressed, except by generalizing it to *",
        }[self.suppress]
        return f"Model {self.name}: {how}, and {what}"


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
    """The model that ``"AG_TS"`` or ``{"generalize": "attribute", "suppress": "tuple"}`` names."""
    if isinstance(spec, Model):
        model = spec
    elif isinstance(spec, Mapping):
        words = {"generalize": get_args(Generalize), "suppress": get_args(Suppress)}
        faults = unknown_keys("model", spec, tuple(words))
        faults += [
            unknown_word(f"model.{key}", "unknown", spec[key], allowed)
            for key, allowed in words.items()
            if key in spec and spec[key] not in allowed
        ]
        if faults:
            raise PolicyError(faults)
        model = Model(spec.get("generalize", "none"), spec.get("suppress", "none"))
    elif isinstance(spec, str) and spec in MODELS:
        return MODELS[spec]
    else:
        raise PolicyError(unknown_word("model", "unknown model", spec, MODELS))
    if model not in MODELS.values():
        problem = f"generalize = {model.generalize!r} with suppress = {model.suppress!r} is unknown"
        raise PolicyError(Fault("model", problem, f"use one of: {', '.join(MODELS)}"))
    return model
