"""Every snippet of the README and of the docs runs, and shows what it says it shows."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from effort import THOROUGH

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs" / "requirements").glob("[!R]*.md"))[:: 1 if THOROUGH else 3],
    ROOT / "docs" / "how-to" / "ledger.md",
    ROOT / "docs" / "how-to" / "duckdb.md",
    ROOT / "docs" / "how-to" / "report.md",
]
if THOROUGH:  # many commands, each a program of its own
    PAGES += [
        ROOT / "docs" / "how-to" / name
        for name in ("measure-risk.md", "pseudonyms.md", "sign-a-release.md")
    ]
    PAGES += [ROOT / "docs" / "explanation" / "the-papers.md"]
    PAGES += sorted((ROOT / "docs" / "tutorials").glob("*.md"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)  # and what it prints
NOT_HERE = ("pip install", "uv run")  # what a fresh machine does, and .ci/run
ENVIRONMENT = {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8"}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """A folder with the demo's table and policy."""
    folder = tmp_path_factory.mktemp("clinic")
    assert run("lookalike demo -o .", folder).returncode == 0
    return folder


def run(command, folder):
    """A command line as printed, with the lookalike of this environment."""
    target = None
    if ">" in command:
        command, target = command.split(">")
    words = shlex.split(command, comments=True)
    assert words[0] == "lookalike"
    done = subprocess.run(
        [sys.executable, "-m", "lookalike", *words[1:]],
        cwd=folder,
        env={**os.environ, **ENVIRONMENT},
        stdout=subprocess.PIPE,
        stderr=None if target else subprocess.STDOUT,
        text=True,
        check=False,
    )
    if target:
        (folder / target.split("#")[0].strip()).write_text(done.stdout)
    return done


def shows(printed, expected):
    """Is every expected line printed, in order? A line ``…`` stands for any lines."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()) + r"\n"
        for line in expected.splitlines()
    )
    lines = "".join(line.rstrip() + "\n" for line in printed.splitlines())
    return not expected.strip() or re.fullmatch(r"(?:\n)*" + pattern + r"(?:\n)*", lines)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_snippet_of_the_page_runs(page, tmp_path, clinic, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("patients.csv", "policy.toml"):
        (tmp_path / name).write_bytes((clinic / name).read_bytes())
    names = {"__name__": "snippet"}
    ran = 0
    for kind, body in FENCE.findall(page.read_text(encoding="utf-8")):
        if kind == "python":
            exec(compile(body, page.name, "exec"), names)
            ran += 1
        elif kind == "console":
            for command, expected in COMMAND.findall(body):
                if command.startswith(NOT_HERE):
                    continue
                if "demo -o ." in command:
                    for old in tmp_path.iterdir():
                        old.unlink()
                done = run(command, tmp_path)
                assert done.returncode == 0, (command, done.stdout)
                if ">" not in command:
                    assert shows(done.stdout, expected), f"{command} prints\n{done.stdout}"
                ran += 1
    assert ran


def test_the_error_in_the_readme_is_the_error_one_gets():
    import pyarrow as pa

    import lookalike as la

    table = pa.table({name: ["a", "a"] for name in ("age", "zip", "sex", "name", "sick")})
    policy = la.Policy(
        quasi_identifiers={name: la.flat() for name in ("age", "zip", "sex")},
        identifiers=["name"],
        sensitive=["ill"],
        require=la.KAnonymity(2),
    )
    with pytest.raises(la.PolicyError) as caught:
        la.prepare(table, policy)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert str(caught.value) in readme


@pytest.mark.parametrize("page", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]), ids=str)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
