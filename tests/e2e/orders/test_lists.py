"""Pagination and filters of the list of orders (GET /v1/orders), and pagination of the timeline of an order."""

import datetime

import pytest

COUNT = 25


@pytest.fixture(scope="module")
def orders(shop):
    """Creates all orders of the shop and returns them newest first."""
    made = [shop.api.create_order(merchant_order_no=f"list-{number}") for number in range(COUNT)]
    return list(reversed(made))


def ids(page):
    return [order["id"] for order in page["data"]]


def page_of(shop, **query):
    return shop.api.get("/v1/orders", params=query)


def test_ten_are_listed_newest_first(shop, orders):
    page = page_of(shop)
    assert page["object"] == "list" and page["url"].startswith("/v1/orders") and page["has_more"]
    assert page["data"] == orders[:10]


def test_pages_forward(shop, orders):
    expected = [order["id"] for order in orders]
    first = page_of(shop, limit=10)
    second = page_of(shop, limit=10, starting_after=first["data"][-1]["id"])
    third = page_of(shop, limit=10, starting_after=second["data"][-1]["id"])
    assert ids(first) + ids(second) + ids(third) == expected
    assert [first["has_more"], second["has_more"], third["has_more"]] == [True, True, False]
    beyond = page_of(shop, limit=10, starting_after=third["data"][-1]["id"])
    assert beyond["data"] == [] and not beyond["has_more"]


def test_pages_back(shop, orders):
    expected = [order["id"] for order in orders]
    second = page_of(shop, limit=10, ending_before=expected[20])
    assert ids(second) == expected[10:20] and second["has_more"]
    first = page_of(shop, limit=10, ending_before=second["data"][0]["id"])
    assert ids(first) == expected[:10] and not first["has_more"]
    assert ids(page_of(shop, ending_before=expected[3])) == expected[:3]


@pytest.mark.parametrize("limit", [1, COUNT - 1, COUNT, COUNT + 1, 100])
def test_has_more_is_correct(shop, orders, limit):
    page = page_of(shop, limit=limit)
    assert ids(page) == [order["id"] for order in orders][:limit]
    assert page["has_more"] == (limit < COUNT)


def test_a_new_order_does_not_shift_the_pages(new_shop):
    shop = new_shop()
    before = [shop.api.create_order()["id"] for _ in range(4)][::-1]
    first = page_of(shop, limit=2)
    shop.api.create_order()
    second = page_of(shop, limit=2, starting_after=first["data"][-1]["id"])
    assert ids(first) + ids(second) == before


def test_filter_by_number(shop, orders):
    page = page_of(shop, merchant_order_no="list-7")
    assert ids(page) == [orders[COUNT - 1 - 7]["id"]] and not page["has_more"]
    assert page_of(shop, merchant_order_no="list-none")["data"] == []


def test_filter_by_state(new_shop):
    shop = new_shop()
    made = [shop.api.create_order()["id"] for _ in range(6)]
    closed = [made[1], made[4]]
    for order_id in closed:
        shop.api.close(order_id)
    assert ids(page_of(shop, state="closed")) == closed[::-1]
    assert ids(page_of(shop, state="pending")) == [each for each in made[::-1] if each not in closed]
    assert page_of(shop, state="succeeded")["data"] == []
    page = page_of(shop, state="pending", limit=2)
    assert ids(page) == [made[5], made[3]] and page["has_more"]
    page = page_of(shop, state="pending", limit=2, starting_after=made[3])
    assert ids(page) == [made[2], made[0]] and not page["has_more"]


def test_filter_by_time(shop, orders):
    first, last = orders[18]["created_at"], orders[6]["created_at"]
    expected = [order["id"] for order in orders if first <= order["created_at"] < last]
    assert ids(page_of(shop, created_from=first, created_to=last, limit=100)) == expected
    from_only = [order["id"] for order in orders if order["created_at"] >= last]
    assert ids(page_of(shop, created_from=last, limit=100)) == from_only
    to_only = [order["id"] for order in orders if order["created_at"] < first]
    assert ids(page_of(shop, created_to=first, limit=100)) == to_only
    assert page_of(shop, created_from=last, created_to=last)["data"] == []
    refused = shop.api.request("GET", "/v1/orders", params={"created_from": last, "created_to": first})
    assert refused.status_code == 400 and refused.json()["param"] == "created_from", refused.text


def test_a_time_may_have_an_offset(shop, orders):
    newest = datetime.datetime.fromisoformat(orders[0]["created_at"].replace("Z", "+00:00"))
    elsewhere = newest.astimezone(datetime.timezone(datetime.timedelta(hours=8))).isoformat(timespec="milliseconds")
    found = ids(page_of(shop, created_from=elsewhere, limit=100))
    assert found == [order["id"] for order in orders if order["created_at"] >= orders[0]["created_at"]]


def test_a_merchant_sees_only_its_own_orders(new_shop, orders):
    assert page_of(new_shop())["data"] == []


@pytest.fixture(scope="module")
def paid(new_shop):
    """The shop of a paid order whose timeline has ended, and the order's id."""
    shop = new_shop()
    order = shop.order_paid_by("sandbox", "pays")
    shop.check_end(order, "succeeded")
    return shop, order["id"]


def timeline_page(paid, **query):
    shop, order_id = paid
    return shop.api.get(f"/v1/orders/{order_id}/timeline", params=query)


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_a_timeline_is_paged_forward(paid, limit):
    shop, order_id = paid
    whole = timeline_page(paid)
    assert not whole["has_more"] and len(whole["data"]) > 7
    assert shop.api.timeline(order_id, limit) == whole["data"]


def test_a_timeline_is_paged_back(paid):
    items = timeline_page(paid)["data"]
    page = timeline_page(paid, limit=3, ending_before=items[5]["id"])
    assert page["data"] == items[2:5] and page["has_more"]
    page = timeline_page(paid, limit=3, ending_before=items[2]["id"])
    assert page["data"] == items[:2] and not page["has_more"]
    beyond = timeline_page(paid, starting_after=items[-1]["id"])
    assert beyond["data"] == [] and not beyond["has_more"]
