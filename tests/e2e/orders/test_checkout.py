"""The checkout page (GET /checkout/{token}) in a real browser, served by a running server."""

import concurrent.futures
import contextlib
import subprocess

import pytest
from selenium.webdriver.common.by import By

from api import Api
from chromium import press_in_wallet, started, when

BACK = "https://shop.example/thanks"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started(tmp_path_factory.mktemp("chromium")) as driver:
        look(driver, "light", 1280)
        yield driver


@pytest.fixture(scope="module")
def visitor(contract, shop):
    """API client without a key, as a payer's browser has none."""
    return Api(contract, shop.api.base_url)


@contextlib.contextmanager
def another_tab(browser):
    """Opens a second tab until the block ends. The first tab continues in the background."""
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    try:
        yield
    finally:
        browser.close()
        browser.switch_to.window(first)


def text_of(browser, name):
    return when(browser, lambda page: page.find_element(By.ID, name).text)


def link_of(browser, name):
    return when(browser, lambda page: page.find_element(By.ID, name).get_attribute("href"))


def text_of_time(browser):
    """Returns the time of payment that the page shows. The page formats it in the time zone and language of the
    browser."""
    return when(browser, lambda page: page.find_element(By.TAG_NAME, "time").text)


def is_there(browser, name):
    return browser.find_elements(By.ID, name) != []


def state_becomes(browser, state):
    return when(browser, lambda page: page.find_element(By.CLASS_NAME, f"status-{state}").text)


def scanned(browser, file):
    """Returns the text that a scanner decodes from a screenshot of the page's QR code."""

    def scan(page):
        page.find_element(By.ID, "code").screenshot(str(file))
        done = subprocess.run(["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file],
                              capture_output=True, text=True)
        return done.stdout.removesuffix("\n")

    return when(browser, scan)


def look(browser, scheme, width):
    """Sets the color scheme (`light` or `dark`) and the width of the tab in pixels. Below 600 pixels the tab emulates a
    phone."""
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})


def test_the_page_shows_the_payment_of_a_scanned_code(shop, browser, tmp_path):
    order = shop.order(payment={"channel": "wechatpay"}, subject="<b>Tea</b> 茶", return_url=BACK)
    browser.get(order["checkout_url"])
    assert state_becomes(browser, "waiting") == "Waiting for your payment"
    assert text_of(browser, "subject") == "<b>Tea</b> 茶"
    assert text_of(browser, "amount") == "¥19.99"
    code = order["payments"][0]["action"]["code"]
    assert scanned(browser, tmp_path / "code.png") == code
    assert not is_there(browser, "return")
    link = link_of(browser, "open")
    with another_tab(browser):
        browser.get(link)
        assert press_in_wallet(browser, "pay") == "paid"
    assert state_becomes(browser, "paid") == "Paid"
    assert not is_there(browser, "code")
    shown = browser.find_element(By.TAG_NAME, "dl").text
    assert "WeChat Pay" in shown and "Transaction number" in shown and "T" not in text_of_time(browser)
    assert link_of(browser, "return") == f"{BACK}?order={order['id']}&state=succeeded"
    shop.check_end(order, "succeeded")


def test_the_link_under_the_code_opens_beside_the_page(shop, browser):
    order = shop.order(payment={"channel": "wechatpay"})
    browser.get(order["checkout_url"])
    first = browser.current_window_handle
    when(browser, lambda page: page.find_element(By.ID, "open").click() or True)
    other = when(browser, lambda page: set(page.window_handles) - {first}).pop()
    browser.switch_to.window(other)
    assert press_in_wallet(browser, "pay") == "paid"
    browser.close()
    browser.switch_to.window(first)
    assert state_becomes(browser, "paid")
    shop.check_end(order, "succeeded")


def test_the_button_opens_alipays_page_and_the_page_shows_the_payment(shop, browser):
    order = shop.order(payment={"channel": "alipay"})
    browser.get(order["checkout_url"])
    assert text_of(browser, "pay") == "Pay with Alipay"
    with another_tab(browser):
        browser.get(order["checkout_url"])
        when(browser, lambda page: page.find_element(By.ID, "pay").click() or True)
        assert press_in_wallet(browser, "pay") == "paid"
    assert state_becomes(browser, "paid")
    assert not is_there(browser, "pay") and not is_there(browser, "return")
    shop.check_end(order, "succeeded")


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 1280), ("light", 320), ("dark", 320)])
def test_the_code_can_be_scanned_on_every_screen(shop, browser, tmp_path, scheme, width):
    order = shop.order(payment={"channel": "alipay", "method": "qr"})
    look(browser, scheme, width)
    browser.get(order["checkout_url"])
    assert scanned(browser, tmp_path / "code.png") == order["payments"][0]["action"]["code"]
    sizes = when(browser, lambda page: page.execute_script(
        "const main = document.querySelector('main');"
        "return [getComputedStyle(main).maxWidth, document.documentElement.scrollWidth - innerWidth]"))
    assert sizes[0] == "420px", "the Content-Security-Policy allows the page's style"
    assert sizes[1] <= 0, "no element is wider than the screen"


def test_a_phone_opens_the_app_instead_of_showing_a_code(shop, browser):
    order = shop.order(payment={"channel": "alipay", "method": "qr"})
    look(browser, "light", 390)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        browser.get(order["checkout_url"])
        assert link_of(browser, "app") == order["payments"][0]["action"]["code"]
        assert browser.find_element(By.ID, "app").is_displayed()
        assert not browser.find_element(By.ID, "code").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    browser.get(order["checkout_url"])
    assert when(browser, lambda page: page.find_element(By.ID, "code").is_displayed())
    assert not browser.find_element(By.ID, "app").is_displayed()


def test_a_refund_is_shown_to_the_payer(shop, browser):
    order = shop.order_paid_by("sandbox", "pays")
    browser.get(order["checkout_url"])
    state_becomes(browser, "paid")
    refund = shop.api.create_refund(order["payments"][0]["id"], amount=1999, merchant_refund_no="all-of-it")
    assert shop.api.refund_when_final(refund["id"])["state"] == "succeeded"
    browser.get(order["checkout_url"])
    assert state_becomes(browser, "refunded") == "Refunded"


def test_the_page_shows_a_failed_payment_and_then_the_next_one(shop, browser):
    order = shop.order_paid_by("sandbox", "manual")
    browser.get(order["checkout_url"])
    assert text_of(browser, "pay") == "Pay"
    shop.sandbox.decline(order["payments"][0])
    state_becomes(browser, "declined")
    assert not is_there(browser, "pay")
    again = shop.api.create_payment(order["id"], channel="sandbox", scenario="manual")
    state_becomes(browser, "waiting")
    assert link_of(browser, "pay") == again["action"]["url"]
    shop.sandbox.pay(again)
    state_becomes(browser, "paid")
    shop.check_end(order, "succeeded")


def test_the_code_disappears_when_the_order_expires(shop, browser):
    order = shop.order(payment={"channel": "wechatpay"}, expires_in=4)
    browser.get(order["checkout_url"])
    assert when(browser, lambda page: page.find_element(By.ID, "code"))
    assert state_becomes(browser, "expired") == "Expired"
    assert not is_there(browser, "code") and not is_there(browser, "open")
    shop.check_end(order, "closed", "expired")


def choose(browser, method):
    """Presses the button of a method in the page's form."""
    when(browser, lambda page: page.find_element(By.CSS_SELECTOR, f'#methods [value="{method}"]').click() or True)


def methods_on(browser):
    state_becomes(browser, "unstarted")
    return [button.get_attribute("value") for button in browser.find_elements(By.CSS_SELECTOR, "#methods button")]


def test_the_payer_chooses_a_method_and_pays(shop, browser):
    order = shop.order(methods=[{"channel": "wechatpay", "method": "native"}, {"channel": "alipay", "method": "qr"}])
    browser.get(order["checkout_url"])
    assert methods_on(browser) == ["wechatpay/native", "alipay/qr"]
    choose(browser, "wechatpay/native")
    state_becomes(browser, "waiting")
    link = link_of(browser, "open")
    with another_tab(browser):
        browser.get(link)
        assert press_in_wallet(browser, "pay") == "paid"
    state_becomes(browser, "paid")
    assert "You can close this page." in text_of(browser, "close")
    order = shop.check_end(order, "succeeded")
    assert [(each["channel"], each["method"]) for each in order["payments"]] == [("wechatpay", "native")]
    started = [event for event in shop.api.all("/v1/events", object=order["payments"][0]["id"])
               if event["event"] == "created"]
    assert [event["cause"]["asked_by"] for event in started] == ["payer_choice"]


def test_the_page_offers_what_works_on_the_device(shop, browser):
    order = shop.order()
    browser.get(order["checkout_url"])
    computer = methods_on(browser)
    assert {"alipay/page", "alipay/qr", "wechatpay/native"} <= set(computer) and "wechatpay/h5" not in computer
    assert all("wallet" not in each and "jsapi" not in each for each in computer)
    agent = browser.execute_script("return navigator.userAgent")
    phone = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36"
    browser.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": phone})
    try:
        browser.get(order["checkout_url"])
        on_phone = methods_on(browser)
        assert {"alipay/wap", "wechatpay/h5"} <= set(on_phone) and "alipay/qr" not in on_phone
        choose(browser, "wechatpay/h5")
        assert link_of(browser, "pay")
    finally:
        browser.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent})


def test_a_payer_chooses_again_after_a_decline(shop, browser):
    order = shop.order(methods=[{"channel": "alipay", "method": "qr"}, {"channel": "alipay", "method": "page"}])
    browser.get(order["checkout_url"])
    for method, action in [("alipay/qr", "open"), ("alipay/page", "pay")]:
        choose(browser, method)
        link = link_of(browser, action)
        with another_tab(browser):
            browser.get(link)
            assert press_in_wallet(browser, "decline" if method == "alipay/qr" else "pay")
        state_becomes(browser, "declined" if method == "alipay/qr" else "paid")
    order = shop.check_end(order, "succeeded")
    assert [each["state"] for each in order["payments"]] == ["closed", "succeeded"]  # Alipay closes a declined trade


def test_clicks_at_the_same_time_start_one_payment(shop, visitor):
    order = shop.order()
    path = order["checkout_url"].removeprefix(shop.api.base_url)
    page = {"Origin": shop.api.base_url, "Sec-Fetch-Site": "same-origin"}

    def click(method):
        return visitor.request("POST", path, headers=page, data={"attempts": 0, "method": method}).status_code

    with concurrent.futures.ThreadPoolExecutor(6) as clicks:
        assert set(clicks.map(click, ["alipay/qr", "wechatpay/native"] * 3)) == {303}
    assert len(shop.api.order(order["id"])["payments"]) == 1


@pytest.mark.parametrize("headers", [{}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
def test_another_site_starts_no_payment(shop, visitor, headers):
    order = shop.order()
    path = order["checkout_url"].removeprefix(shop.api.base_url)
    response = visitor.request("POST", path, headers=headers, data={"attempts": 0, "method": "alipay/qr"})
    assert response.status_code == 403 and "status-rejected" in response.text
    assert shop.api.order(order["id"])["payments"] == []


@pytest.mark.parametrize("methods, param", [
    ([], "methods"), ([{"channel": "alipay", "method": "qr"}] * 21, "methods"),
    ([{"channel": "alipay", "method": "qr"}] * 2, "methods[1].method"),
    ([{"channel": "nowhere", "method": "qr"}], "methods[0].channel"),
    ([{"channel": "wallet", "method": "balance"}], "methods[0].channel"),
    ([{"channel": "alipay", "method": "qr"}, {"channel": "wechatpay", "method": "jsapi"}], "methods[1].method"),
    ([{"channel": "alipay"}], "methods[0].method"), ([{"channel": "alipay", "method": "qr", "x": 1}], "methods[0].x"),
])
def test_methods_that_the_page_cannot_offer_are_refused(shop, methods, param):
    assert shop.order(methods=methods, expect=400)["param"] == param


def test_methods_are_those_of_the_order(shop):
    methods = [{"channel": "wechatpay", "method": "native"}]
    assert shop.order(methods=methods)["methods"] == methods
    assert "methods" not in shop.order()
    assert shop.order(methods=methods, currency="USD", expect=400)["param"] == "methods[0].channel"
    fields = {"merchant_order_no": "with-methods", "methods": methods}
    first = shop.order(**fields)
    assert shop.order(**fields, expect=200)["id"] == first["id"]
    assert shop.order(**fields | {"methods": methods + [{"channel": "alipay", "method": "qr"}]},
                      expect=409)["code"] == "merchant_order_no_conflict"


def test_the_time_left_counts_down(shop, browser):
    order = shop.order(expires_in=3000)
    browser.get(order["checkout_url"])
    first = when(browser, lambda page: ":" in (text := page.find_element(By.ID, "left").text) and text)
    assert when(browser, lambda page: page.find_element(By.ID, "left").text != first)


def test_the_page_is_chinese_when_the_browser_prefers_it(shop, visitor):
    order = shop.order_paid_by("sandbox", "manual")
    path = order["checkout_url"].removeprefix(shop.api.base_url)
    pages = [visitor.request("GET", path, headers={"Accept-Language": language}) for language in ["zh-CN", "de"]]
    assert [page.status_code for page in pages] == [200, 200]
    assert "等待付款" in pages[0].text and "Waiting for your payment" in pages[1].text
    assert order["id"] not in pages[0].text


@pytest.mark.parametrize("token", ["x", "0" * 45, "0" * 4000, "%00", "..%2f..", "%E2%82%AC"])
def test_a_forged_link_shows_an_error_page(visitor, token):
    response = visitor.request("GET", f"/checkout/{token}")
    assert response.status_code == 404 and "status-missing" in response.text


def test_the_link_of_one_order_is_not_that_of_another(shop, visitor):
    tokens = [shop.order_paid_by("sandbox", "manual")["checkout_url"].split("/checkout/")[1] for _ in range(2)]
    mixed = tokens[0][:13] + tokens[1][13:]
    assert visitor.request("GET", f"/checkout/{tokens[0]}").status_code == 200
    assert visitor.request("GET", f"/checkout/{mixed}").status_code == 404
