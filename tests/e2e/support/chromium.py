"""Runs Chromium as the browser of a payer, and performs the payer's actions."""

import contextlib

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

WAIT_S = 20
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server"]


@contextlib.contextmanager
def started(profile):
    """Runs Chromium with its own profile in the directory `profile` until the block ends. Yields the driver."""
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in [*ARGUMENTS, f"--user-data-dir={profile}"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_page_load_timeout(WAIT_S)
    try:
        yield driver
    finally:
        driver.quit()


def when(browser, condition):
    """Waits until `condition(browser)` returns a true value, and returns it. Retries on every driver error, because the
    page may be replaced during the call."""
    return WebDriverWait(browser, WAIT_S, ignored_exceptions=[WebDriverException]).until(condition)


def press_in_wallet(browser, button):
    """Presses a button of the sandbox's payer page. REQUIRES: the browser shows the page. Returns the state that the
    page then shows."""
    when(browser, lambda page: page.find_element(By.ID, "state").text == "waiting")
    browser.find_element(By.ID, button).click()
    state = when(browser, lambda page: (text := page.find_element(By.ID, "state").text) != "waiting" and text)
    assert browser.find_elements(By.ID, "pay") == []
    return state
