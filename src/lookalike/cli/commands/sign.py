"""``lookalike sign``: sign the certificate of a release, or create a key for it."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import Annotated

import typer

from lookalike import api
from lookalike.cli import options
from lookalike.cli.input.table_address import Address, Location, parse_location
from lookalike.cli.options import argument, option
from lookalike.cli.terminal.terminal import Terminal

Released = Annotated[
    Location | None,
    argument(
        "[RELEASE]",
        "The released file or folder, with its certificate beside it; or a certificate (.json).",
        parser=parse_location,
    ),
]
SigningKey = Annotated[
    Path | None, option("--key FILE", "Your private key: an Ed25519 key of OpenSSH.")
]
NewKey = Annotated[
    Path | None,
    option(
        "--new-key FILE",
        "Create a key: FILE is private, FILE.pub is for others. Files are never replaced.",
    ),
]
PassphraseFile = Annotated[
    Path | None,
    option(
        "--passphrase-file FILE",
        "A private file whose first line is the passphrase of the key. Default: you are asked.",
    ),
]


def sign(
    terminal: Terminal,
    release: Released = None,
    key: SigningKey = None,
    new_key: NewKey = None,
    passphrase_file: PassphraseFile = None,
    force: options.Force = False,
) -> None:
    """Sign a release: verify it, and sign its certificate. ssh-keygen can check it too."""
    if (key is None) == (new_key is None):
        raise typer.BadParameter("give either --key or --new-key")
    if release is None and new_key is None:
        raise typer.BadParameter("name the release to sign")
    passphrase = None if passphrase_file is None else api.read_passphrase(passphrase_file)
    if new_key is not None:
        signing = api.write_signing_key(new_key, passphrase)
        terminal.document["public_key_file"] = Path(f"{new_key}.pub")
        terminal.note(f"{new_key} has a new key that only its owner can read. Keep it private.")
        terminal.note(f"{new_key}.pub is the public key. Give it to those who get your releases.")
    else:
        ask = (lambda: _ask(terminal)) if is_terminal() else None
        signing = api.read_signing_key(key, passphrase or ask)
    terminal.document |= {"public_key": signing.public_line, "fingerprint": signing.fingerprint}
    if release is None:
        return
    address = release.text if isinstance(release, Address) else release
    with terminal.step("Verifying the release", writing=True):
        written = api.sign(address, signing, force=force)
    terminal.document |= {"release": release, "signature_file": written}
    _answer(terminal, written, signing.fingerprint)


def is_terminal() -> bool:
    """Can the user be asked?"""
    return sys.stdin.isatty()


def _ask(terminal: Terminal) -> str:
    with terminal.interrupt.at_prompt():
        try:
            return getpass.getpass("Passphrase of the key: ", stream=sys.stderr)
        except EOFError:  # Ctrl-D
            return ""


def _answer(terminal: Terminal, written: Path, fingerprint: str) -> None:
    from rich.text import Text

    from lookalike.cli.output import layout as show
    from lookalike.cli.terminal.safe_text import clean

    terminal.answer(
        *show.section(
            "Signed",
            Text(clean(str(written))),
            show.dim(f"with the key {fingerprint}; share this file with the release"),
        )
    )
