"""A real browser: Debian's Chromium, driven by Playwright.

Tests that want it are skipped where there is no Playwright (``pip install playwright``) or no Chromium
(``apt install chromium``).
"""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A browser without a window."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if BROWSER is None:
        pytest.skip("there is no chromium")
    with playwright.sync_playwright() as running:
        found = running.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield found
        found.close()
