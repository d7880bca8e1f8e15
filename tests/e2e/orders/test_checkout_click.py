"""A payer opens the URL of the payment's action in a browser and presses a button of the sandbox's page."""

import pytest
from selenium.webdriver.common.by import By

from chromium import press_in_wallet, started
from payers_page import address_of


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


def press(browser, order, button):
    """Opens the page of the order's payment and presses the button. Returns the state that the page then shows."""
    [payment] = order["payments"]
    browser.get(address_of(payment))
    return press_in_wallet(browser, button)


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
