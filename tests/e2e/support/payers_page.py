"""The payer's side of Alipay and WeChat Pay: where a payment's action leads a person to, and the buttons there."""

import urllib.parse

import requests

WAYS = [("alipay", "page"), ("alipay", "wap"), ("alipay", "qr"), ("wechatpay", "native"), ("wechatpay", "h5")]


def address_of(payment):
    """What the person opens, or scans."""
    action = payment["action"]
    assert action["type"] in ("redirect", "qr_code"), payment
    return action["url"] if action["type"] == "redirect" else action["code"]


def open_page(payment):
    """Opens it as a browser does; the address of the page that it ends at."""
    response = requests.get(address_of(payment), timeout=10, proxies={"http": None})
    assert response.status_code == 200 and "id=\"pay\"" in response.text, response.text
    return response.url


def press(payment, button):
    """Opens the page and presses a button; what the page is told."""
    page = urllib.parse.urlsplit(open_page(payment))
    response = requests.post(f"{page.scheme}://{page.netloc}{page.path}/{button}", timeout=10, proxies={"http": None},
                             headers={"Accept": "application/json"})
    assert response.status_code == 200, response.text
    return response.json()
