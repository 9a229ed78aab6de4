"""The base class of the three kinds of l-diversity: how a policy file writes them.

Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from lookalike.counts.classes import Classes
from lookalike.errors import Fault, PolicyError
from lookalike.name_suggestions import unknown_word
from lookalike.privacy.requirement import ROUNDING, ColumnRequirement, Flags, Requirement

KINDS = {"distinct": "Distinct", "entropy": "Entropy", "recursive": "Recursive"}


class LDiversity(ColumnRequirement):
    """Every class holds l well-represented values of ``column``, by one of three measures."""

    key = "l_diversity"
    required_keys = ("column", "l")
    optional_keys = ("kind", "c")
    example = 'l_diversity = [{ column = "diagnosis", l = 3, kind = "distinct" }]'
    kind: ClassVar[str]
    l: float  # noqa: E741 - the field's own name for it

    @property
    def smallest(self) -> int:
        return math.ceil(self.l - ROUNDING)

    def hopeless(self, classes: Classes) -> Flags:
        """By all three measures, fewer than l distinct values are too few, in every part too."""
        return classes.spreads[self.column].distinct(len(classes)) < self.smallest

    @classmethod
    def from_policy(cls, spec: Any, base: Path) -> Requirement:
        kind = spec.get("kind", "distinct")
        if kind not in KINDS:
            raise PolicyError(unknown_word("kind", "no such kind of l-diversity", kind, KINDS))
        if "c" in spec and kind != "recursive":
            raise ValueError('c is only for kind = "recursive"')
        if "c" not in spec and kind == "recursive":
            fix = 'add it, for example { column = "diagnosis", l = 3, kind = "recursive", c = 3.0 }'
            raise PolicyError(Fault("c", 'missing, and kind = "recursive" needs it', fix))
        module = importlib.import_module(f"lookalike.privacy.{kind}_diversity")
        made: type[Requirement] = getattr(module, f"{KINDS[kind]}Diversity")
        return made(**{key: value for key, value in spec.items() if key != "kind"})

    def to_policy(self, *, whole: bool = False) -> Mapping[str, Any]:
        values = {**super().to_policy(), "kind": self.kind}
        keys = (*self.required_keys, *self.optional_keys)
        return {key: values[key] for key in keys if key in values}
