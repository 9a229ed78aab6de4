"""The whole job in a real browser: from the invented hospital to a release that verifies."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from effort import thorough
from playwright.sync_api import expect
from web_client import TABLE, decided, hospital
from web_parts import needs_browser

from lookalike.demo_data.patients import ETHNICITIES

pytestmark = [needs_browser, pytest.mark.xdist_group("browser")]
AXE = (Path(__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def lookalike(folder: Path, *given: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lookalike", *given]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def looks_right(page) -> None:
    """No serious finding of axe, in light and in dark; nothing wider than a narrow screen."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.evaluate(AXE)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        serious = [one for one in found if one["impact"] in ("serious", "critical")]
        told = [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in serious]
        assert told == [], (page.url, scheme)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 390, "height": 844})
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390, (page.url, wide)
    page.set_viewport_size({"width": 1200, "height": 900})


def saved(page, name: str, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("link", name=name, exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_from_the_hospital_to_a_verified_release(page, server, tmp_path):
    looks_right(page)
    page.get_by_role("button", name="Open the demo").click()
    page.wait_for_selector("select[name=role_0]")
    looks_right(page)
    page.get_by_label("ward").select_option("insensitive")
    page.get_by_role("link", name="Table", exact=True).click()
    page.wait_for_selector("table.data")
    page.get_by_role("link", name="Next", exact=True).click()
    page.wait_for_selector("text=Rows 51 to 100")
    looks_right(page)
    page.get_by_role("link", name="Columns", exact=True).click()
    page.get_by_label("ward").select_option("insensitive")
    page.get_by_role("button", name="Confirm").click()

    page.wait_for_selector(".ladder")
    looks_right(page)
    page.get_by_role("link", name="Change birth_date").click()
    page.wait_for_selector("#preview table")
    assert "quarter" not in page.inner_text("#preview")
    page.get_by_label("with quarters").check()
    page.wait_for_selector("#preview >> text=quarter")
    page.get_by_label("Bands of numbers").check()
    page.wait_for_selector("#preview .bad")  # dates are not numbers, and this is reported at once
    looks_right(page)
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector(".faults")
    page.get_by_label("Dates", exact=False).first.check()
    page.get_by_label("with quarters").check()
    page.wait_for_selector("#preview >> text=quarter")
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector(".ladder >> text=quarter")
    page.get_by_role("link", name="Change ethnicity").click()
    page.get_by_label("A tree of groups").check()
    lines = [f"{leaf};{group}" for group, leaves in ETHNICITIES.items() for leaf in leaves]
    page.get_by_label("One line for each value").fill("\n".join(lines))
    page.wait_for_selector("#preview >> text=4 groups of the tree")
    page.get_by_role("button", name="Save").click()

    page.get_by_role("link", name="Continue to the requirements").click()
    page.get_by_label("k, the smallest group").fill("1")
    page.get_by_role("button", name="Estimate the search").click()  # the browser itself refuses
    page.get_by_label("k, the smallest group").fill("5")
    page.get_by_label("Rows that may be suppressed").fill("nobody")
    page.get_by_role("button", name="Estimate the search").click()
    page.wait_for_selector(".faults")
    page.get_by_label("Rows that may be suppressed").fill("2%")
    page.get_by_role("button", name="Estimate the search").click()
    page.wait_for_selector("#size dl")
    looks_right(page)
    page.get_by_text("Compare several candidates").click()
    page.get_by_label("Also try k").fill("10")
    page.get_by_role("button", name="Search", exact=True).click()

    page.wait_for_selector("#all")
    expect(page.locator("td .good")).to_have_count(2, timeout=1_200_000)
    page.wait_for_selector(".picture svg a")
    looks_right(page)
    assert page.locator(".picture svg a").count() == 2
    page.locator(".picture svg a").first.click()  # a point leads to its candidate
    page.wait_for_selector("#download")
    looks_right(page)
    text = page.inner_text("main")
    assert re.search(r"\d-anonymity", text)
    page.get_by_role("button", name="Verify again").click()
    page.wait_for_selector("text=checks passed")

    release = saved(page, "Release", tmp_path)
    certificate = saved(page, "Certificate", tmp_path)
    policy, solution = saved(page, "Policy", tmp_path), saved(page, "Solution", tmp_path)
    reports = [saved(page, f"{one} report", tmp_path) for one in ("Public", "Internal")]
    assert certificate.name == f"{release.name}.certificate.json"
    assert lookalike(tmp_path, "verify", release.name).returncode == 0
    [original] = server.folder.glob("me/*/table/patients.csv")
    (tmp_path / "patients.csv").write_bytes(original.read_bytes())
    inside = ("--original", "patients.csv", "--policy", policy.name, "--solution", solution.name)
    assert lookalike(tmp_path, "verify", release.name, *inside).returncode == 0
    again = page.input_value("#command").split()[1:]
    again = [one.strip("'").replace(release.name, "again.csv") for one in again]
    ended = lookalike(tmp_path, *again, "--force")
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "again.csv").read_bytes() == release.read_bytes()
    opens_alone(page.context.browser, reports)


def opens_alone(browser, reports: list[Path]) -> None:
    """From disk, with no request to anywhere, and legible."""
    for report in reports:
        context = browser.new_context()
        page, asked = context.new_page(), []
        context.on("request", lambda one, asked=asked: asked.append(one.url))
        page.goto(report.as_uri())
        looks_right(page)
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
        context.close()


def test_stopped_the_best_is_kept_and_cancelled_nothing_is(page, server):
    with server.client() as client:
        project = hospital(client)
        roles = ["identifiers"] * 2 + ["quasi_identifiers"] * 4 + ["insensitive", "sensitive"]
        said = {f"role_{at}": role for at, role in enumerate(roles)}
        client.post(f"/projects/{project}/columns", data=said)
    for _ in range(2):
        page.goto(f"{server.address}/projects/{project}/requirements")
        page.get_by_label("Algorithm", exact=True).select_option("cell-optimal")
        page.get_by_label("Time limit").fill("")
        page.get_by_role("button", name="Search", exact=True).click()
        page.wait_for_selector("#main")
    page.goto(f"{server.address}/projects/{project}/runs/run-2")
    page.wait_for_selector("text=1 ahead")
    page.goto(f"{server.address}/projects/{project}/runs/run-1")
    page.wait_for_selector("dt:has-text('Best so far')")
    page.wait_for_selector(".progress svg")
    looks_right(page)
    page.get_by_role("button", name="Stop and keep the best result").click()
    page.wait_for_selector("#download", timeout=1_200_000)
    assert "could be saved" in page.inner_text(".promise") or "not known" in page.inner_text(
        ".promise"
    )
    page.goto(f"{server.address}/projects/{project}/runs/run-2")
    # the page loads again when the search begins, which would undo a click just before; when it is
    # cancelled, the page loads again too, and may be the one that is shown
    page.get_by_role("button", name="Stop and keep the best result").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("text=cancelled")
    kept = server.folder / "me" / project / "jobs" / "run-2"
    page.goto(f"{server.address}/projects/{project}/runs/run-2")
    page.wait_for_selector("text=No result was kept")
    assert not list(kept.glob("release*"))


def test_with_the_keyboard_alone(page, server):
    """Tab, arrows, space and enter, from the first page to a download."""

    def tab_to(what: str) -> None:
        for _ in range(120):
            page.keyboard.press("Tab")
            if page.evaluate("what => document.activeElement.matches(what)", what):
                return
        raise AssertionError(f"Tab does not reach {what} on {page.url}")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    tab_to("form:has(input[value=hospital]) button")
    page.keyboard.press("Enter")
    page.wait_for_selector("select[name=role_6]")
    tab_to("select[name=role_6]")
    page.keyboard.type("kept")
    assert page.input_value("select[name=role_6]") == "insensitive"
    tab_to("button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector(".ladder")
    tab_to(".ladder .button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#preview table")
    tab_to("#quarters")
    page.keyboard.press("Space")
    page.wait_for_selector("#preview >> text=quarter")
    tab_to("button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector(".ladder >> text=quarter")
    tab_to(".button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector("#k")
    tab_to(".word summary")
    page.keyboard.press("Enter")  # what is k?
    page.wait_for_selector("text=finds five or more matching rows")
    tab_to("button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector("#download", timeout=1_200_000)
    tab_to(".downloads .button")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "release.csv"


def test_html_in_a_table_is_text(page, server):
    cells = b'"<script>alert(%d)</script>",%d,"<i>2140%d</i>"\n'
    rows = (cells % (at, 20 + at % 5, at % 2) for at in range(60))
    evil = b"<img src=x onerror=alert(1)>,<b>age</b>,zip\n" + b"".join(rows)
    page.set_input_files("#file", {"name": "<b>evil.csv", "mimeType": "text/csv", "buffer": evil})
    page.get_by_role("button", name="Upload").click()
    page.wait_for_selector("select[name=role_0]")
    assert "<img src=x onerror=alert(1)>" in page.inner_text("main")
    assert page.locator("main img, main script, main b, main i").count() == 0
    page.get_by_role("link", name="Table", exact=True).click()
    page.wait_for_selector("table.data")
    assert "<script>alert(0)</script>" in page.inner_text("main")
    assert page.locator("main script, main i").count() == 0
    page.get_by_role("link", name="Columns", exact=True).click()
    page.locator("select[name=role_0]").select_option("sensitive")
    for at in (1, 2):
        page.locator(f"select[name=role_{at}]").select_option("quasi_identifiers")
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_selector(".ladder")
    page.get_by_role("link", name="Continue to the requirements").click()
    page.get_by_text("Accept what kept columns reveal").click()
    page.get_by_label("Reason to accept").fill("<b>invented</b> cells")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_selector("#download", timeout=1_200_000)
    assert page.locator("main script, main i, main img").count() == 0
    assert "<i>2140" in page.inner_text("main")


@thorough
def test_a_part_that_is_polled_stops_when_it_is_over(page, server):
    with server.client() as client:
        project = decided(client, TABLE)
    page.goto(f"{server.address}/projects/{project}/requirements")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_selector("#download", timeout=1_200_000)
    asked = []
    page.on("request", lambda one: asked.append(one.url))
    page.wait_for_timeout(2500)
    assert asked == []
    result = json.loads((server.folder / "me" / project / "jobs/run-1/result.json").read_text())
    assert result["status"] == "optimal"
