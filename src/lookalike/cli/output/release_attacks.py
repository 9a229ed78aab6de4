"""What attacks learn that use only the release."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from lookalike import api
from lookalike.cli.output import layout as show
from lookalike.cli.terminal.safe_text import clean


def release_attack_report(findings: Sequence[api.AttackResult]) -> list[RenderableType]:
    """A section for each attack: what the attacker knows, and what is learned."""
    parts: list[RenderableType] = []
    for result in findings:
        assumed = show.dim(" ".join(result.assumed))
        lines = [Text(clean(sentence)) for sentence in result.sentences]
        title = result.attack.replace("-", " ").capitalize()
        parts += show.section(title, *(lines or [Text("Nothing to attack.")]), assumed)
    return parts


def attack_summary(findings: Sequence[api.AttackResult]) -> list[RenderableType]:
    """One line for each sentence of an attack, in the summary of a release."""
    lines = [
        Text(clean(f"{result.attack}: {sentence}"))
        for result in findings
        for sentence in result.sentences
    ]
    return show.section("Attacks on the release itself", *lines) if lines else []
