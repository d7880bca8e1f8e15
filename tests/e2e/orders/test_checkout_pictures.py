"""Pictures of the checkout page in each state, with and without branding, on a computer and a phone, in light and dark
mode, in both languages. The pictures are files in build/checkout/, for people to look at. Each picture is checked:
nothing is wider than the screen, all texts have enough contrast, and the browser reports no error."""

import base64
import io
import pathlib
import struct
import zlib

import pytest
from selenium.webdriver.common.by import By

from chromium import started, when

PICTURES = pathlib.Path(__file__).resolve().parents[3] / "build" / "checkout"
CONTRAST_MIN = 4.5  # WCAG 2.2, level AA

COMPUTER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36"
PHONE = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36"
DEVICES = {"computer": (COMPUTER, 1280, 800), "phone": (PHONE, 360, 740)}
LANGUAGES = {"en": "en-US,en", "zh": "zh-CN,zh"}

# Texts whose contrast with the background behind them is below the minimum. A disabled element needs none.
LOW_CONTRAST = """
const channels = color => color.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => [r, g, b].map(c => c / 255)
  .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
function background(element) {
  for (; element; element = element.parentElement) {
    const color = channels(getComputedStyle(element).backgroundColor);
    if (color.length < 4 || color[3] > 0) return color;
  }
  return [255, 255, 255];
}
const low = [];
for (const element of document.querySelectorAll('main *')) {
  const text = [...element.childNodes].filter(node => node.nodeType === 3).map(node => node.textContent.trim()).join('');
  if (!text || !element.checkVisibility()) continue;
  const [dark, light] = [luminance(channels(getComputedStyle(element).color)), luminance(background(element))].sort();
  const contrast = (Math.max(dark, light) + 0.05) / (Math.min(dark, light) + 0.05);
  if (contrast < arguments[0]) low.push(`${text}: ${contrast.toFixed(2)}`);
}
return low;
"""


def logo():
    """Returns a PNG of 96 x 96 pixels, as base64: a square with a lighter square in it."""
    rows = b"".join(b"\0" + b"".join(bytes((240, 253, 250) if 30 < x < 66 and 30 < y < 66 else (15, 118, 110))
                                     for x in range(96)) for y in range(96))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    file = io.BytesIO(b"\x89PNG\r\n\x1a\n")
    file.seek(0, io.SEEK_END)
    file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", 96, 96, 8, 2, 0, 0, 0)))
    file.write(chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))
    return base64.b64encode(file.getvalue()).decode()


@pytest.fixture(scope="module")
def shops(new_shop, admin):
    plain, branded = new_shop("Corner Tea"), new_shop("Corner Tea Trading Ltd")
    merchant = admin.request("PATCH", f"/v1/merchants/{branded.id}", json={"branding": {
        "name": "Corner Tea 街角茶铺", "support": "+86 21 5555 0100", "color": "#ffb300", "logo": logo()}})
    assert merchant.status_code == 200, merchant.text
    assert merchant.json()["branding"]["logo"]["media_type"] == "image/png"
    return {"plain": plain, "branded": branded}


def chooser(shop):
    return shop.order(subject="Oolong tea, 250 g 乌龙茶"), "unstarted"


def waiting(shop):
    return shop.order(payment={"channel": "alipay", "method": "qr"}, subject="Oolong tea, 250 g 乌龙茶"), "waiting"


def declined(shop):
    order = shop.order_paid_by("sandbox", "manual", subject="Oolong tea, 250 g 乌龙茶")
    shop.sandbox.decline(order["payments"][0])
    return order, "declined"


def paid(shop):
    return shop.order_paid_by("sandbox", "pays", subject="Oolong tea, 250 g 乌龙茶"), "paid"


def expired(shop):
    return shop.order(expires_in=1, subject="Oolong tea, 250 g 乌龙茶"), "expired"


def long_amount(shop):
    return shop.order(amount=987_654_321_012_345, currency="CHF", subject="茶" * 60), "unstarted"


STATES = [chooser, waiting, declined, paid, expired, long_amount]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    PICTURES.mkdir(parents=True, exist_ok=True)
    with started(tmp_path_factory.mktemp("chromium")) as driver:
        yield driver


def look_like(browser, device, language, scheme):
    agent, width, height = DEVICES[device]
    is_phone = device == "phone"
    browser.execute_cdp_cmd("Emulation.setUserAgentOverride",
                            {"userAgent": agent, "acceptLanguage": LANGUAGES[language]})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone})
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": is_phone})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})


def check(browser, name):
    """Checks the page that the browser shows, and stores its picture."""
    (PICTURES / f"{name}.png").write_bytes(browser.get_screenshot_as_png())
    assert browser.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0, name
    assert browser.execute_script(LOW_CONTRAST, CONTRAST_MIN) == [], name
    assert browser.get_log("browser") == [], name


@pytest.mark.parametrize("brand", ["plain", "branded"])
@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_the_page_is_readable_on_every_device(shops, browser, state, brand):
    order, status = state(shops[brand])
    for device in DEVICES:
        for language in LANGUAGES:
            for scheme in ["light", "dark"]:
                look_like(browser, device, language, scheme)
                browser.get(order["checkout_url"])
                when(browser, lambda page: page.find_element(By.CLASS_NAME, f"status-{status}"))
                assert browser.find_element(By.TAG_NAME, "html").get_attribute("lang")[:2] == language
                assert (browser.find_elements(By.ID, "logo") != []) == (brand == "branded")
                check(browser, f"{state.__name__}-{brand}-{device}-{language}-{scheme}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_reference_fits_a_phone(shops, browser, scheme):
    look_like(browser, "phone", "en", scheme)
    browser.get(shops["plain"].api.base_url + "/docs")
    (PICTURES / f"docs-phone-{scheme}.png").write_bytes(browser.get_screenshot_as_png())
    assert browser.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0


def test_large_documents_are_compressed(shops):
    api = shops["plain"].api
    for path in ["/docs", "/openapi.json"]:
        plain = api.request("GET", path, headers={"Accept-Encoding": "identity"})
        packed = api.request("GET", path, headers={"Accept-Encoding": "gzip"})
        assert "Content-Encoding" not in plain.headers and packed.headers["Content-Encoding"] == "gzip"
        assert packed.text == plain.text
        assert int(packed.headers["Content-Length"]) * 4 < int(plain.headers["Content-Length"])
