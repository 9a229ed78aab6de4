"""Pictures of the studio and of the report, for the docs: light, dark and on a narrow screen.

    uv run python benchmarks/screenshots.py [--out docs/pictures] [--tall 1400]

Starts a server in a temporary folder and drives Chromium through the whole job on the invented
hospital. Long pages are cut after ``--tall`` pixels.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from lookalike.demo_data.patients import ETHNICITIES
from studio_server import Server, begin, decide, looked, serving, until

OUT = Path(__file__).parents[1] / "docs" / "pictures"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run"]  # fmt: skip
ROLES = ["identifiers"] * 2 + ["quasi_identifiers"] * 4 + ["insensitive", "sensitive"]
WIDE, NARROW = {"width": 1200, "height": 900}, {"width": 390, "height": 844}
LOOKS: tuple[tuple[str, Any, Any], ...] = (
    ("light", "light", WIDE),
    ("dark", "dark", WIDE),
    ("narrow", "light", NARROW),
)
SMALLER = shutil.which("pngquant")
PATIENCE = 600_000  # milliseconds for all candidates
ROWS = 900  # pixels of rows that are all alike


@dataclass(frozen=True, slots=True)
class Camera:
    """Takes what a page shows now, in every look."""

    out: Path
    tall: int

    def take(self, page: Page, name: str, start: str = "", most: int = 10**6) -> None:
        """From the part ``start`` on, or from the top, ``most`` pixels of it."""
        for look, scheme, size in LOOKS:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.set_viewport_size(size)
            page.wait_for_timeout(150)  # a part that is polled may be on its way
            height = int(page.evaluate("document.documentElement.scrollHeight"))
            top = 0
            if start:
                place = "e => e.getBoundingClientRect().top + window.scrollY"
                top = max(0, int(page.locator(start).first.evaluate(place)) - 12)
            tall = min(height - top, self.tall, most)
            cut = {"x": 0, "y": top, "width": size["width"], "height": tall}
            path = self.out / f"{name}-{look}.png"
            page.screenshot(path=path, full_page=True, clip=cut)  # type: ignore[arg-type]
            if SMALLER is not None:  # a third of the size, and nobody sees it
                subprocess.run([SMALLER, "--force", "--output", path, "--", path], check=True)
        page.emulate_media(color_scheme="light")
        page.set_viewport_size(WIDE)  # type: ignore[arg-type]


def decisions(page: Page, camera: Camera) -> None:
    """From the first page to what is to be promised."""
    camera.take(page, "home")
    page.get_by_role("button", name="Open the demo").click()
    page.wait_for_selector("select[name=role_0]")
    page.get_by_label("ward").select_option("insensitive")
    camera.take(page, "columns")
    page.get_by_role("link", name="Table", exact=True).click()
    page.wait_for_selector("table.data")
    camera.take(page, "table", most=ROWS)
    page.get_by_role("link", name="Columns", exact=True).click()
    page.get_by_label("ward").select_option("insensitive")
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_selector(".ladder")
    page.get_by_role("link", name="Change ethnicity").click()
    page.get_by_label("A tree of groups").check()
    lines = [f"{leaf};{group}" for group, leaves in ETHNICITIES.items() for leaf in leaves]
    page.get_by_label("One line for each value").fill("\n".join(lines))
    page.wait_for_selector("#preview >> text=4 groups of the tree")
    camera.take(page, "hierarchy-tree")
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector(".ladder >> text=4 groups")
    camera.take(page, "hierarchies")
    page.get_by_role("link", name="Change birth_date").click()
    page.get_by_label("with quarters").check()
    page.wait_for_selector("#preview >> text=quarter")
    camera.take(page, "hierarchy-dates")
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("link", name="Continue to the requirements").click()
    page.get_by_role("button", name="Estimate the search").click()
    page.wait_for_selector("#size dl")
    camera.take(page, "requirements")


def candidates(page: Page, camera: Camera, folder: Path) -> list[Path]:
    """All of them, and one; its reports are returned."""
    page.get_by_text("Compare several candidates").click()
    page.get_by_label("Also try k").fill("3, 10, 20")
    for one in ("datafly", "mondrian"):
        page.get_by_label(one, exact=True).check()
    camera.take(page, "several", "fieldset:has(#by)")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_selector("#all")
    page.wait_for_selector("td .good", timeout=PATIENCE)
    camera.take(page, "candidates-going")
    expect(page.locator("td .good")).to_have_count(12, timeout=PATIENCE)
    page.wait_for_selector(".picture svg a")
    camera.take(page, "candidates")
    page.get_by_role("link", name="k = 5, auto", exact=True).click()
    page.wait_for_selector("#download")
    page.get_by_role("button", name="Verify again").click()
    page.wait_for_selector("text=checks passed")
    camera.take(page, "candidate")
    camera.take(page, "candidate-pictures", "#charts")
    camera.take(page, "before-after", "#comparison", most=ROWS)
    reports = []
    for edition in ("internal", "public"):
        with page.expect_download() as download:
            page.get_by_role("link", name=f"{edition.capitalize()} report", exact=True).click()
        reports.append(folder / f"report-{edition}.html")
        download.value.save_as(reports[-1])
    return reports


def running(page: Page, camera: Camera, server: Server) -> None:
    """A search that takes long, in a project that is removed again."""
    with server.client() as client:
        project = begin(client, **{"from": "hospital"})
        until(lambda: looked(client, project))
        decide(client, project, ROLES)
        page.goto(f"{server.address}/projects/{project}/requirements")
        page.get_by_label("Algorithm", exact=True).select_option("cell-optimal")
        page.get_by_label("Time limit").fill("")
        page.get_by_role("button", name="Search", exact=True).click()
        page.wait_for_selector("dt:has-text('Best so far')", timeout=PATIENCE)
        page.wait_for_selector(".progress svg", timeout=PATIENCE)
        page.wait_for_timeout(15_000)  # until there is something to see
        camera.take(page, "running")
        page.goto(server.address)
        client.post(f"/projects/{project}/remove")


def report(browser: Browser, camera: Camera, path: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(path.as_uri())
    camera.take(page, path.stem)
    context.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, metavar="DIR")
    parser.add_argument("--tall", type=int, default=1400, help="pixels after which a page is cut")
    asked = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("there is no Chromium here to drive")
    asked.out.mkdir(parents=True, exist_ok=True)
    camera = Camera(asked.out, asked.tall)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        with serving(folder) as server:
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            page = browser.new_context().new_page()
            page.set_default_timeout(60_000)
            page.goto(server.link)
            page.wait_for_selector("h1")
            try:
                decisions(page, camera)
                for one in candidates(page, camera, folder):
                    report(browser, camera, one)
                running(page, camera, server)
            except Exception:
                print(page.url, page.inner_text("main"), sep="\n\n", file=sys.stderr)
                raise
            browser.close()
    found = sorted(asked.out.glob("*.png"))
    print(f"{len(found)} pictures, {sum(one.stat().st_size for one in found) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
