"""The address of a table in Spark: ``spark:catalog.schema.table``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lookalike.errors import Fault, TableError

SCHEMES = ("spark:",)
_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")


@dataclass(frozen=True, slots=True)
class SparkAddress:
    """A table of the catalog."""

    name: str  # as it was typed

    @property
    def sql(self) -> str:
        """The table's name in SQL: each part in backticks. TableError if it is not a name."""
        parts: list[str] = []
        at = 0
        while True:
            part = _PART.match(self.name, at)
            if part is None:
                fix = "write it as spark:catalog.schema.table"
                raise TableError(Fault("spark", "this is not a valid table name", fix))
            plain = part[2] if part[1] is None else part[1].replace("``", "`")
            parts.append(quoted(plain))
            at = part.end()
            if at == len(self.name):
                return ".".join(parts)
            at += 1 if self.name[at] == "." else len(self.name)


def is_address(text: str) -> bool:
    return text.lower().startswith(SCHEMES)


def parse(address: str) -> SparkAddress:
    return SparkAddress(address[len(SCHEMES[0]) :])


def quoted(name: str) -> str:
    """A name as an identifier of Spark SQL."""
    return "`" + name.replace("`", "``") + "`"
