"""Options that follow an algorithm's name: ``samarati:every:preference=suppression``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Arguments = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its name, what it takes, and how its text becomes arguments of the class."""

    name: str
    takes: str  # in messages, after "takes"
    read: Callable[[str], Arguments]  # of the text after "="; ValueError if it does not fit


def flag(name: str, argument: str = "", value: bool = True) -> Option:
    """``every``: sets an argument to ``value``."""

    def read(text: str) -> Arguments:
        if text:
            raise ValueError
        return {argument or name: value}

    return Option(name, "no value", read)


def word(name: str, takes: str = "", convert: Callable[[str], Arguments] | None = None) -> Option:
    """``cut=median``: any text but none at all."""

    def read(text: str) -> Arguments:
        if not text:
            raise ValueError
        return convert(text) if convert else {name: text}

    return Option(name, takes or f"a value: {name}=…", read)


def whole_number(name: str) -> Option:
    """``starts=20``"""

    def read(text: str) -> Arguments:
        if not text.isdecimal():
            raise ValueError
        return {name: int(text)}

    return Option(name, "a whole number, for example 100", read)


def number(name: str) -> Option:
    """``below=5000``"""
    return Option(name, "a number, for example 5000", lambda text: {name: float(text)})
