"""Opens the sandbox's payer pages of Alipay and WeChat Pay and presses their buttons."""

import urllib.parse

import requests

WAYS = [("alipay", "page"), ("alipay", "wap"), ("alipay", "qr"), ("wechatpay", "native"), ("wechatpay", "h5")]


def address_of(payment):
    """Returns the URL in the payment's action, which the payer opens or scans."""
    action = payment["action"]
    assert action["type"] in ("redirect", "qr_code"), payment
    return action["url"] if action["type"] == "redirect" else action["code"]


def open_page(payment):
    """Opens the payer page of the payment. Returns its URL after redirects."""
    response = requests.get(address_of(payment), timeout=10, proxies={"http": None})
    assert response.status_code == 200 and "id=\"pay\"" in response.text, response.text
    return response.url


def press(payment, button):
    """Opens the payer page of the payment and presses a button. Returns the JSON body of the response."""
    page = urllib.parse.urlsplit(open_page(payment))
    response = requests.post(f"{page.scheme}://{page.netloc}{page.path}/{button}", timeout=10, proxies={"http": None},
                             headers={"Accept": "application/json"})
    assert response.status_code == 200, response.text
    return response.json()
