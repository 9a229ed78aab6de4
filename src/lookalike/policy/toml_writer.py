"""Write TOML: the parts of it that a policy file needs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def toml_key(name: str) -> str:
    """A key, quoted if necessary: ``age``, ``"zip code"``."""
    return name if _BARE.fullmatch(name) else toml_string(name)


def toml_string(text: str) -> str:
    """A basic string; quotes, backslashes and control characters are escaped."""
    return '"' + "".join(_SHORT.get(sign) or _escape(sign) for sign in text) + '"'


def toml_value(value: object) -> str:
    """A text, boolean, number, list, or table on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{toml_key(str(key))} = {toml_value(v)}" for key, v in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(toml_value, value))}]"
    raise TypeError(f"{type(value).__name__} cannot be written to a policy file")


def toml_section(name: str, pairs: Mapping[str, object]) -> str:
    """``[name]`` and its lines; with ``name`` "" the lines alone, for the top of a file."""
    lines = [f"[{toml_key(name)}]"] if name else []
    lines.extend(f"{toml_key(key)} = {toml_value(value)}" for key, value in pairs.items())
    return "\n".join(lines)


def _escape(sign: str) -> str:
    control = ord(sign) < 0x20 or ord(sign) == 0x7F
    return f"\\u{ord(sign):04x}" if control else sign
