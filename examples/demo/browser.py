"""The operator of the demo, in a real browser: opens the page, sets another media, and is done.

    browser.py ADDRESS MEDIA
"""

import shutil
import sys

from playwright.sync_api import sync_playwright


def main() -> None:
  address, media = sys.argv[1:]
  with sync_playwright() as started:
    browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page()
    page.goto(address)
    page.get_by_role("link", name="Home Screen").click()
    page.get_by_role("link", name="Media Settings").click()
    page.get_by_label("Media URL", exact=False).first.fill(media)
    page.get_by_role("button", name="Save").click()
    page.wait_for_selector("#notice.good")
    print(f"  the page, in Chromium {browser.version}, says: {page.locator('#notice').inner_text()}")
    page.get_by_role("button", name="Done").click()
    page.wait_for_load_state()
    browser.close()


main()
