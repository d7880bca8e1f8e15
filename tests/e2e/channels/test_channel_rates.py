"""Channel rates: what a channel charges the platform, from one day on. Only operators can use them."""

import pytest

from wrong_input import CURRENCIES, INTEGERS, TEXTS, cases_of, check_wrong

NO_DATES = [*TEXTS, "2026-7-1", "2026-02-30", "2026-13-01", "20260701", "2026-07-01T00:00:00Z", "01.07.2026"]
WRONG_FIELDS = {
    "channel_account": ["", "x", "cha_", "acc_0000000000001", 5, None, {}],
    "method": ["", 5, None, True, [], {}, "qr code", "x" * 65, "nothing"],
    "currency": CURRENCIES,
    "basis_points": [*INTEGERS, -1, 10_001, 10**30],
    "fixed": [*INTEGERS, -1, 10**15 + 1],
    "minimum": [*INTEGERS, -1, 10**15 + 1],
    "maximum": [*INTEGERS, -1, 10**15 + 1],
    "from": NO_DATES,
    "refundable": [True],
}


def account_of(admin, channel):
    """Returns the id of the channel's account."""
    return {row["channel"]: row["id"] for row in admin.all("/v1/channel_accounts")}[channel]


@pytest.fixture(scope="module")
def account(admin):
    """The channel account whose rates no other test changes."""
    return account_of(admin, "sandbox")


@pytest.fixture(scope="module")
def other_account(admin):
    return account_of(admin, "sandbox2")


def body_of(account, **fields):
    return {"channel_account": account, "basis_points": 60, "from": "2026-07-01"} | fields


def set_rate(admin, account, **fields):
    return admin.put("/v1/channel_rates", body_of(account, **fields))


def rates_on(admin, account, date):
    return admin.get("/v1/channel_rates", params={"channel_account": account, "date": date})["data"]


def test_a_rate_is_set_replaced_and_read(admin, other_account):
    rate = set_rate(admin, other_account, method="web", currency="CNY", fixed=3, minimum=5, maximum=500)
    assert rate["object"] == "channel_rate" and rate["version"] == 1
    assert {name: rate[name] for name in body_of("")} == body_of(other_account)
    assert (rate["method"], rate["currency"], rate["fixed"], rate["minimum"], rate["maximum"]) == (
        "web", "CNY", 3, 5, 500)
    assert admin.get(f"/v1/channel_rates/{rate['id']}") == rate
    replaced = set_rate(admin, other_account, method="web", currency="CNY", basis_points=10_000)
    assert replaced["id"] == rate["id"] and replaced["version"] == 2 and replaced["created_at"] == rate["created_at"]
    assert replaced["fixed"] == 0 and not {"minimum", "maximum"} & set(replaced)
    assert admin.get(f"/v1/channel_rates/{rate['id']}") == replaced
    others = [set_rate(admin, other_account), set_rate(admin, other_account, method="web"),
              set_rate(admin, other_account, currency="CNY")]
    assert len({rate["id"], *(row["id"] for row in others)}) == 4
    rows = admin.all("/v1/channel_rates", channel_account=other_account)
    assert rows == [*reversed(others), replaced]
    first = admin.get("/v1/channel_rates", params={"limit": 1})
    assert first["has_more"] and first["data"] == [others[-1]]


def test_a_rate_applies_until_the_next_date(admin, account):
    july = set_rate(admin, account)
    january = set_rate(admin, account, basis_points=55, **{"from": "2026-01-01"})
    dollars = set_rate(admin, account, basis_points=290, currency="USD", **{"from": "2026-03-01"})
    expected = {"2025-12-31": [], "2026-01-01": [january], "2026-02-28": [january], "2026-03-01": [dollars, january],
                "2026-06-30": [dollars, january], "2026-07-01": [dollars, july], "2030-01-01": [dollars, july]}
    for date, rates in expected.items():
        assert rates_on(admin, account, date) == rates, date
    assert admin.all("/v1/channel_rates", channel_account=account) == [dollars, january, july]


@pytest.mark.parametrize("field, value", cases_of(WRONG_FIELDS))
def test_a_wrong_field(admin, account, field, value):
    body = body_of(account, **{"from": "2020-01-01", field: value})
    check_wrong(admin.request("PUT", "/v1/channel_rates", json=body), field)
    assert rates_on(admin, account, "2020-01-01") == []


@pytest.mark.parametrize("field", body_of(""))
def test_a_missing_field(admin, account, field):
    body = body_of(account)
    del body[field]
    check_wrong(admin.request("PUT", "/v1/channel_rates", json=body), field)


def test_a_minimum_above_the_maximum(admin, account):
    response = admin.request("PUT", "/v1/channel_rates", json=body_of(account, minimum=2, maximum=1))
    check_wrong(response, "minimum")


def test_a_wrong_parameter(admin):
    for name, value in [("date", "2026-02-30"), ("date", "today"), ("channel_account", "sandbox"), ("state", "any")]:
        check_wrong(admin.request("GET", "/v1/channel_rates", params={name: value}), name)


def test_the_methods_of_the_channel_are_named(admin, account):
    assert "web" in check_wrong(admin.request("PUT", "/v1/channel_rates", json=body_of(account, method="qr")), "method")


def test_a_channel_account_that_does_not_exist(admin):
    problem = admin.put("/v1/channel_rates", body_of("cha_0000000000009"), expect=404)
    assert problem["code"] == "not_found" and problem["param"] == "channel_account"


def test_merchants_cannot_use_channel_rates(shop, admin, other_account):
    rate = set_rate(admin, other_account, **{"from": "2026-12-01"})
    paths = ["/v1/channel_rates", f"/v1/channel_rates/{rate['id']}"]
    for headers in [{}, {"Finality-Merchant": shop.id}]:  # the requests use the merchant's key
        assert shop.api.put(paths[0], body_of(other_account), expect=403, headers=headers)["code"] == "forbidden"
        for path in paths:
            assert shop.api.get(path, expect=403, headers=headers)["code"] == "forbidden"
    assert admin.get(paths[1]) == rate


def test_an_unknown_rate_is_not_found(admin):
    for wrong in ["crt_0000000000000", "pay_0000000000001", "sandbox"]:
        assert admin.get(f"/v1/channel_rates/{wrong}", expect=404)["code"] == "not_found"
