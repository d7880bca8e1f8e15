"""A person in a browser: opens the page that the payment's action names, and presses a button."""

import pytest
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from payers_page import address_of

WAIT_S = 20
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in [*ARGUMENTS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"]:
        options.add_argument(argument)
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_page_load_timeout(WAIT_S)
    yield driver
    driver.quit()


def press(browser, order, button):
    """Opens the payer's page of the order's payment and presses the button; returns the state the page then shows."""
    [payment] = order["payments"]
    browser.get(address_of(payment))
    assert browser.find_element(By.ID, "state").text == "waiting"
    browser.find_element(By.ID, button).click()
    # The click leads to another page: what was found on the one before may go away while it is read.
    wait = WebDriverWait(browser, WAIT_S, ignored_exceptions=[NoSuchElementException, StaleElementReferenceException])
    wait.until(lambda page: page.find_element(By.ID, "state").text != "waiting")
    assert browser.find_elements(By.ID, "pay") == []
    return browser.find_element(By.ID, "state").text


def test_a_click_on_pay_pays_the_order(shop, browser):
    order = shop.order_paid_by("sandbox", "manual", subject="<b>Tea</b> & 茶")
    assert press(browser, order, "pay") == "paid"
    assert browser.find_element(By.ID, "subject").text == "<b>Tea</b> & 茶"
    shop.check_end(order, "succeeded")


@pytest.mark.parametrize("channel", ["alipay", "wechatpay"])
def test_a_click_on_pay_pays_over_the_channels_own_page(shop, browser, channel):
    order = shop.order(payment={"channel": channel}, subject="<b>Tea</b> 茶")
    assert press(browser, order, "pay") == "paid"
    shop.check_end(order, "succeeded")


def test_a_click_on_decline_fails_the_payment(shop, browser):
    order = shop.order_paid_by("sandbox2", "manual", attempts=1)
    assert press(browser, order, "decline") == "failed"
    shop.check_end(order, "failed")
