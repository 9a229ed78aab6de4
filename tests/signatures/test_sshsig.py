"""The envelope of an SSH signature: what is written is read, and nothing else is."""

import base64
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.signatures.sshsig import HASHES, SshSignature, unwire, wire

PARTS = st.binary(max_size=40)
SIGNATURES = st.builds(SshSignature, PARTS, PARTS, PARTS, st.sampled_from(sorted(HASHES)), PARTS)


@given(st.lists(PARTS, max_size=6))
def test_strings_come_back_from_the_wire(parts):
    assert unwire(wire(*parts), len(parts)) == parts


@given(st.lists(PARTS, min_size=1, max_size=4), st.data())
def test_a_wire_that_is_cut_or_too_long_is_refused(parts, data):
    content = wire(*parts)
    cut = data.draw(st.integers(0, len(content) - 1))
    for wrong in (content[:cut], content + b"\0"):
        with pytest.raises(ValueError, match=r"cut off|follows"):
            unwire(wrong, len(parts))


@given(SIGNATURES)
def test_a_signature_comes_back_from_its_text(signature):
    text = signature.text().encode()
    assert SshSignature.read(text) == signature
    assert SshSignature.read(text.rstrip(b"\n")) == signature
    assert max(len(line) for line in text.splitlines()) <= 70


@pytest.mark.parametrize("part", ["namespace", "reserved", "hash_name"])
@given(SIGNATURES, SIGNATURES, PARTS, PARTS)
def test_what_is_signed_depends_on_every_part_and_the_message(part, one, other, message, another):
    changed = replace(one, **{part: getattr(other, part)})
    assert (one.signed_bytes(message) == changed.signed_bytes(message)) == (one == changed)
    assert (one.signed_bytes(message) == one.signed_bytes(another)) == (message == another)


def armored(content: bytes) -> bytes:
    encoded = base64.b64encode(content)
    return b"-----BEGIN SSH SIGNATURE-----\n%s\n-----END SSH SIGNATURE-----\n" % encoded


GOOD = wire(b"key", b"purpose", b"", b"sha512", wire(b"ssh-ed25519", b"x" * 64))
HEAD = b"SSHSIG\0\0\0\1"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "not the text"),
        (b"\n" + armored(HEAD + GOOD), "not the text"),
        (armored(HEAD + GOOD) + b"\n", "not the text"),
        (armored(HEAD + GOOD).replace(b"\n", b"\r"), "not the text"),
        (armored(HEAD + GOOD).replace(b"\n", b"\r\n"), "not the text"),
        (armored(HEAD + GOOD).replace(b"\n-----END", b"=\n-----END"), "base64"),
        (armored(b"SSHSIG\0\0\0\2" + GOOD), "version 1"),
        (armored(b"sshsig\0\0\0\1" + GOOD), "version 1"),
        (armored(HEAD + GOOD + b"\0"), "follows"),
        (armored(HEAD + GOOD[:-1]), "cut off"),
        (armored(HEAD + wire(b"key", b"", b"", b"sha1", wire(b"ssh-ed25519", b""))), "its hash"),
    ],
)
def test_another_text_is_refused(text, problem):
    SshSignature.read(armored(HEAD + GOOD))
    with pytest.raises(ValueError, match=problem):
        SshSignature.read(text)
