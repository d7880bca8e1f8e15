"""The payer's pages of Alipay and WeChat Pay: the URL in a payment's action, and the buttons on the page."""

import urllib.parse

import requests

WAYS = [("alipay", "page"), ("alipay", "wap"), ("alipay", "qr"), ("wechatpay", "native"), ("wechatpay", "h5")]


def address_of(payment):
    """Returns the URL that the payer opens or scans."""
    action = payment["action"]
    assert action["type"] in ("redirect", "qr_code"), payment
    return action["url"] if action["type"] == "redirect" else action["code"]


def open_page(payment):
    """Opens the page as a browser does. Returns the URL of the page after redirects."""
    response = requests.get(address_of(payment), timeout=10, proxies={"http": None})
    assert response.status_code == 200 and "id=\"pay\"" in response.text, response.text
    return response.url


def press(payment, button):
    """Opens the page and presses a button. Returns the response to the button."""
    page = urllib.parse.urlsplit(open_page(payment))
    response = requests.post(f"{page.scheme}://{page.netloc}{page.path}/{button}", timeout=10, proxies={"http": None},
                             headers={"Accept": "application/json"})
    assert response.status_code == 200, response.text
    return response.json()
