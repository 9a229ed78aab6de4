"""OpenSSH's own program, as a judge of signatures and keys."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

NAMESPACE = "lookalike-certificate"
needs_ssh_keygen = pytest.mark.skipif(
    shutil.which("ssh-keygen") is None,
    reason="ssh-keygen is not installed; apt-get install openssh-client",
)


def ssh_keygen(*typed: object, message: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["ssh-keygen", *map(str, typed)], input=message, capture_output=True, check=False
    )


def ssh_key(path: Path, kind: str = "ed25519", passphrase: str = "", *more: object) -> Path:
    """A new key of OpenSSH."""
    made = ssh_keygen("-q", "-t", kind, "-N", passphrase, "-C", "steward@clinic", "-f", path, *more)
    assert made.returncode == 0, made.stderr
    return path


def ssh_signed(key: Path, file: Path, namespace: str = NAMESPACE, *more: object) -> Path:
    """A signature by OpenSSH, beside the file."""
    made = ssh_keygen("-Y", "sign", "-f", key, "-n", namespace, *more, file)
    assert made.returncode == 0, made.stderr
    return file.with_name(file.name + ".sig")


def ssh_accepts(allowed: Path, signature: Path, message: bytes, who: str = "steward") -> bool:
    """What ``ssh-keygen -Y verify`` says."""
    return (
        ssh_keygen(
            "-Y", "verify", "-f", allowed, "-I", who, "-n", NAMESPACE, "-s", signature,
            message=message,
        ).returncode
        == 0
    )  # fmt: skip
