"""No answer and no webhook contains an operator's note or key for a merchant (docs/adr/0058-one-table-of-audiences.md)."""

import json
import re

import pytest

from api import Api
from wait import until

NOTE = "a private note about the payer"
CASE_OF_A_MERCHANT = {"id", "object", "kind", "object_id", "order", "state", "created_at", "version"}
ID = re.compile(r'"((?!tli_|req_)[a-z]{3,4}_[0-9a-z]{13})"')


@pytest.fixture(scope="module")
def operators(contract, server, shop):
    demo = server.demo
    return {role: Api(contract, demo["base_url"], key, shop.id) for role, key in demo["operators"].items()}


@pytest.fixture(scope="module")
def endpoint(shop, merchant_server):
    path = f"/{shop.id}/everything"
    made = shop.api.post("/v1/webhook_endpoints", {"url": merchant_server.address(path)}, expect=201)
    merchant_server.set_secret(path, made["secret"])
    return path


@pytest.fixture(scope="module")
def history(shop, operators, endpoint):
    """What two operators did with notes: a case that they resolved, one that they left proposed, an adjustment, and an
    order that an operator closed. Returns the ids of the operators' keys."""
    operator, approver = operators["operator"], operators["approver"]
    orders = [shop.api.create_order(attempts=1, payment={"channel": "sandbox", "scenario": "wrong_amount"})
              for _ in range(2)]
    cases = until(lambda: len(found := operator.get("/v1/cases?state=open")["data"]) == 2 and found, "cases are opened")
    for case in cases:
        operator.post(f"/v1/cases/{case['id']}/propose", {"resolution": "refund", "note": NOTE})
    resolved = approver.approve(f"/v1/cases/{cases[0]['id']}")
    assert resolved["note"] == NOTE and {order["id"] for order in orders} == {case["order"] for case in cases}
    adjustment = operator.post("/v1/adjustments", {"type": "opening_balance", "account": "merchant_payable",
                                                   "currency": "CNY", "amount": 500, "note": NOTE}, expect=201)
    posted = approver.approve(f"/v1/adjustments/{adjustment['id']}")
    closed = shop.api.create_order()
    operator.post(f"/v1/orders/{closed['id']}/close")
    for order in orders:
        shop.api.order_when_at_rest(order["id"])
    keys = {resolved["proposed_by"], resolved["approved_by"], posted["proposed_by"], posted["decided_by"]}
    assert len(keys) == 2
    return keys


def paths_of(contract):
    """The paths of all GET endpoints of the API, and of the lists that need the id of an object."""
    paths = [path for path, item in contract.document["paths"].items() if "get" in item and path.startswith("/v1/")]
    return paths + ["/v1/events?object={id}", "/v1/refunds?order={id}", "/v1/refunds?payment={id}",
                    "/v1/holds?account={id}", "/v1/webhook_deliveries?order={id}"]


def read_all(api, contract):
    """Reads every GET endpoint with every id that a response contains. Returns {path: text} of the successes."""
    paths, read, known, refused = paths_of(contract), {}, set(), set()

    def fetch(path):
        response = api.request("GET", path)
        if response.status_code == 200:
            read[path] = response.text
        return response.status_code == 200

    for path in paths:
        if "{" not in path:
            fetch(path)
    while new := {found for text in read.values() for found in ID.findall(text)} - known:
        known |= new
        for one in sorted(new):
            for path in paths:
                # An endpoint that does not have one id of this type has none of them.
                if "{id}" in path and (path, one[:3]) not in refused and not fetch(path.replace("{id}", one)):
                    refused.add((path, one[:3]))
    return read


def test_an_answer_to_a_merchant_has_no_note_and_no_key_of_an_operator(shop, contract, operators, history):
    read = read_all(shop.api, contract)
    for path, text in read.items():
        assert NOTE not in text, path
        for key in history:
            assert key not in text, path
    for part in ("/v1/cases", "/v1/cases/cas_", "/v1/adjustments/adj_", "/v1/events?object=cas_",
                 "/v1/events?object=adj_", "/v1/orders/ord_", "/timeline", "/v1/webhook_deliveries/msg_"):
        assert any(part in path for path in read), f"the merchant reads {part}"
    to_operators = read_all(operators["operator"], contract)
    for part in ("/v1/cases/cas_", "/v1/adjustments/adj_", "/v1/events?object=cas_", "/timeline"):
        assert any(NOTE in text for path, text in to_operators.items() if part in path), f"operators read {part}"


def test_a_merchant_reads_the_cases_that_it_is_notified_of(shop, merchant_server, endpoint, history):
    def opened():
        found = [one for one in merchant_server.deliveries(endpoint) if one.json["type"] == "case.opened"]
        return found if len(found) == 2 else None

    for delivery in until(opened, "both cases are reported"):
        shop.check_body(delivery)
        assert set(delivery.json["data"]) == CASE_OF_A_MERCHANT
        case = shop.api.get(f"/v1/cases/{delivery.object_id}")
        assert set(case) == CASE_OF_A_MERCHANT
        assert case | {"state": "open", "version": 1} == delivery.json["data"]
    listed = shop.api.get("/v1/cases")["data"]
    assert sorted(case["state"] for case in listed) == ["proposed", "resolved"]
    assert all(set(case) == CASE_OF_A_MERCHANT for case in listed)
    assert len(shop.api.get("/v1/cases?state=proposed")["data"]) == 1


def test_a_webhook_has_no_note_and_no_key_of_an_operator(merchant_server, endpoint, history):
    expected = {"case.opened", "order.closed", "order.failed"}
    until(lambda: expected <= {one.json["type"] for one in merchant_server.deliveries(endpoint)}, "all have arrived")
    for delivery in merchant_server.deliveries(endpoint):
        text = json.dumps(delivery.json, ensure_ascii=False)
        assert NOTE not in text and not any(key in text for key in history), text


def test_a_merchant_does_not_read_the_cases_of_another(new_shop, shop, history):
    other = new_shop()
    for case in shop.api.get("/v1/cases")["data"]:
        other.api.get(f"/v1/cases/{case['id']}", expect=404)
    assert other.api.get("/v1/cases")["data"] == []


def test_only_operators_decide_cases(shop, history):
    [case] = shop.api.get("/v1/cases?state=proposed")["data"]
    shop.api.post(f"/v1/cases/{case['id']}/propose", {"resolution": "refund", "note": "mine"}, expect=403)
    shop.api.post(f"/v1/cases/{case['id']}/approve", {"resolution": "refund"}, expect=403)
