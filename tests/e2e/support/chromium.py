"""A payer's browser: Chromium, and the actions of a person in it."""

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
    """Starts a browser with its own profile, in that directory."""
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in [*ARGUMENTS, f"--user-data-dir={profile}"]:
        options.add_argument(argument)
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_page_load_timeout(WAIT_S)
    try:
        yield driver
    finally:
        driver.quit()


def when(browser, condition):
    """Returns the value of `condition(browser)` once it is true. The page may be replaced while it is read; the driver
    reports this by different errors, so all of them are retried."""
    return WebDriverWait(browser, WAIT_S, ignored_exceptions=[WebDriverException]).until(condition)


def press_in_wallet(browser, button):
    """Presses a button of the sandbox's payer page, which is open. Returns the state that the page shows afterwards."""
    when(browser, lambda page: page.find_element(By.ID, "state").text == "waiting")
    browser.find_element(By.ID, button).click()
    state = when(browser, lambda page: (text := page.find_element(By.ID, "state").text) != "waiting" and text)
    assert browser.find_elements(By.ID, "pay") == []
    return state
