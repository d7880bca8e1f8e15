"""The payer's return from the channel (GET /return/{token}): the server queries the payment at the channel and
redirects the browser."""

import html
import re
import urllib.parse

import pytest
import requests

from api import Api
from wait import until

BACK = "https://shop.example/thanks?cart=7"


@pytest.fixture(scope="module")
def browser(contract, shop):
    """API client without a key, as a payer's browser has none."""
    return Api(contract, shop.api.base_url)


def link_of(shop, order):
    """Returns the path of the return link on the payer's page at the channel."""
    payment = shop.api.payment_when(order["payments"][0]["id"], "pending")
    page = requests.get(payment["action"]["url"], timeout=10, proxies={"http": None}).text
    link = re.search(r'<a id="return" [^>]*href="([^"]*)"', page)
    return urllib.parse.urlsplit(html.unescape(link[1])).path if link else None


def follow(browser, path):
    """Requests the path, checks that the response is a redirect (303), and returns its parsed URL."""
    response = browser.request("GET", path)
    assert response.status_code == 303, response.text
    return urllib.parse.urlsplit(response.headers["Location"])


def check_place(place, order, state):
    assert (place.scheme, place.netloc, place.path) == ("https", "shop.example", "/thanks")
    assert urllib.parse.parse_qs(place.query) == {"cart": ["7"], "order": [order["id"]], "state": [state]}


def test_a_returning_payer_finds_the_order_paid(shop, browser):
    order = shop.order_paid_by("sandbox", "manual", return_url=BACK)
    link = link_of(shop, order)
    shop.sandbox.pay(shop.api.payment(order["payments"][0]["id"]))
    check_place(follow(browser, link + "?trade_no=T1&total_amount=0.01"), order, "succeeded")
    shop.check_end(order, "succeeded")


def test_a_return_is_no_evidence_of_a_payment(shop, browser):
    order = shop.order_paid_by("sandbox2", "manual", return_url=BACK)
    link = link_of(shop, order)
    for lie in ["", "?trade_status=TRADE_SUCCESS", "?state=succeeded"]:
        check_place(follow(browser, link + lie), order, "pending")
    assert shop.api.order(order["id"])["state"] == "pending"
    shop.api.close(order["id"])
    shop.api.order_when_final(order["id"])
    check_place(follow(browser, link), order, "closed")


def test_without_a_return_url_there_is_no_return_link(shop):
    order = shop.order_paid_by("sandbox", "manual")
    assert link_of(shop, order) is None


@pytest.mark.parametrize("token", ["x", "0" * 45, "0" * 4000, "%00", "..%2f..", "%E2%82%AC"])
def test_a_forged_link_is_not_found(browser, token):
    response = browser.request("GET", f"/return/{token}")
    assert response.status_code == 404 and response.json()["code"] == "not_found"


def test_the_link_of_one_payment_is_not_that_of_another(shop, browser):
    orders = [shop.order_paid_by("sandbox", "manual", return_url=BACK) for _ in range(2)]
    first, second = (link_of(shop, order).removeprefix("/return/") for order in orders)
    assert first[13:] != second[13:]
    assert browser.request("GET", f"/return/{first[:13]}{second[13:]}").status_code == 404
