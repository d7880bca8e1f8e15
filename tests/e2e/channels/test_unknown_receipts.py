"""A payment of an unknown number is booked in the books of the platform. Two operators assign it to a merchant, keep it
or cancel it."""

import json
import uuid

import pytest

from api import Api
from archives import instant
from sandbox_signature import secret_of, signed
from wrong_input import check_wrong

PLATFORM = "mer_0000000000001"
AMOUNT = 4200


@pytest.fixture(scope="module")
def operators(contract, server):
    """Returns {role: API client}. Each client has an operator's key of this role and acts for the platform."""
    demo = server.demo
    return {role: Api(contract, demo["base_url"], key, PLATFORM) for role, key in demo["operators"].items()}


def notify(server, shop, trade_no, amount=AMOUNT, **fields):
    """Sends a validly signed notification about a paid trade whose number is not of Finality. `fields`: further fields
    of the trade. Returns the response."""
    trade = {"trade_no": trade_no, "out_trade_no": f"till-{trade_no}", "channel": "sandbox", "state": "paid",
             "amount": amount, "currency": "CNY", "paid": amount, "refunded": 0, "paid_at": instant()} | fields
    body = json.dumps({"id": "ntf_unknown", "type": "trade.changed", "created_at": instant(), "trade": trade})
    return shop.api.request("POST", "/notify/sandbox", data=body.encode(), headers=signed(secret_of(server), body))


def receive(server, shop, operator, amount=AMOUNT):
    """Reports a payment of an unknown number. Returns its unknown receipt and its case."""
    trade_no = f"U{uuid.uuid4().hex}"
    response = notify(server, shop, trade_no, amount)
    assert response.status_code == 200 and response.content == b"success", response.text
    [receipt] = [row for row in operator.all("/v1/unknown_receipts") if row["channel_trade_no"] == trade_no]
    [case] = [row for row in operator.all("/v1/cases", state="open") if row["object_id"] == receipt["id"]]
    return receipt, case


def available(api):
    """Returns the balance of the merchant at the platform in CNY."""
    return sum(row["available"] for row in api.get("/v1/balance")["data"] if row["currency"] == "CNY")


def test_an_unknown_payment_is_acknowledged_and_has_a_case(server, shop, operators):
    operator = operators["operator"]
    receipt, case = receive(server, shop, operator)
    assert receipt["state"] == "unassigned" and receipt["amount"] == AMOUNT and receipt["currency"] == "CNY"
    assert receipt["out_trade_no"] == f"till-{receipt['channel_trade_no']}" and "merchant" not in receipt
    assert operator.get(f"/v1/unknown_receipts/{receipt['id']}") == receipt
    assert case["kind"] == "unknown_receipt" and case["resolutions"] == ["assign", "keep", "cancel"]
    assert case["evidence"][0]["channel_trade_no"] == receipt["channel_trade_no"]
    events = [row["event"] for row in operator.all("/v1/events", object=receipt["id"])]
    assert events == ["booked", "created"]
    events = [row["event"] for row in operator.all("/v1/events", object=case["id"])]
    assert events == ["created"]

    assert notify(server, shop, receipt["channel_trade_no"]).status_code == 200
    assert operator.get(f"/v1/unknown_receipts/{receipt['id']}") == receipt
    shown = operator.get(f"/v1/cases/{case['id']}")
    previews = {item["resolution"]: item for item in shown.pop("previews")}
    assert shown == case
    assert {name: len(item["postings"]) for name, item in previews.items()} == {"assign": 0, "keep": 0, "cancel": 2}
    assert {name for name, item in previews.items() if "refusal" in item} == {"assign"}, "no merchant is proposed"


def test_two_operators_assign_it_to_a_merchant(server, shop, new_shop, operators):
    fresh = new_shop()
    receipt, case = receive(server, shop, operators["operator"])
    path = f"/v1/cases/{case['id']}"
    before = available(fresh.api)
    proposal = {"resolution": "assign", "merchant": fresh.id, "note": "its till requested the trade"}
    proposed = operators["approver"].post(f"{path}/propose", proposal)
    assert proposed["state"] == "proposed" and proposed["merchant"] == fresh.id
    shown = operators["admin"].get(path)
    assert shown["note"] == proposal["note"]
    [preview] = [item for item in shown["previews"] if item["resolution"] == "assign"]
    assert [(row["merchant"], row["account"], row["direction"], row["amount"]) for row in preview["postings"]] == [
        (PLATFORM, "suspense", "debit", AMOUNT), (PLATFORM, "clearing", "credit", AMOUNT),
        (fresh.id, "clearing", "debit", AMOUNT), (fresh.id, "merchant_payable", "credit", AMOUNT)]
    approval = {"resolution": "assign", "merchant": fresh.id}
    operators["approver"].approve(path, approval, expect=403)  # the approver must not be the proposer
    for incomplete in [None, {}, approval]:
        missing = operators["admin"].post(f"{path}/approve", incomplete, expect=400)
        assert missing["code"] == "invalid_request" and missing["param"] == "version"
    for incomplete in [None, {"resolution": "assign"}]:
        missing = operators["admin"].approve(path, incomplete, expect=400)
        assert missing["code"] == "invalid_request" and missing["param"] == "merchant"
    other = operators["admin"].approve(path, {"resolution": "assign", "merchant": shop.id}, expect=409)
    assert other["code"] == "illegal_transition"
    assert available(fresh.api) == before
    assert operators["admin"].approve(path, approval)["state"] == "resolved"
    assert operators["admin"].approve(path, approval)["state"] == "resolved"
    assert available(fresh.api) == before + AMOUNT
    assigned = operators["operator"].get(f"/v1/unknown_receipts/{receipt['id']}")
    assert assigned["state"] == "assigned" and assigned["merchant"] == fresh.id
    unassigned = operators["operator"].all("/v1/unknown_receipts", state="unassigned")
    assert receipt["id"] not in [row["id"] for row in unassigned]


def test_money_of_another_system_is_kept(server, shop, operators):
    receipt, case = receive(server, shop, operators["operator"], amount=1)
    path = f"/v1/cases/{case['id']}"
    operators["operator"].post(f"{path}/propose", {"resolution": "keep", "note": "the old till"})
    resolved = operators["approver"].approve(path, {"resolution": "keep"})
    assert resolved["state"] == "resolved" and "merchant" not in resolved
    assert operators["operator"].get(f"/v1/unknown_receipts/{receipt['id']}")["state"] == "unassigned"


def test_two_operators_cancel_a_payment_that_is_booked_elsewhere(server, shop, operators):
    receipt, case = receive(server, shop, operators["operator"])
    path = f"/v1/cases/{case['id']}"
    operators["approver"].post(f"{path}/propose", {"resolution": "cancel", "note": "its order was restored"})
    operators["approver"].approve(path, expect=403)  # the approver must not be the proposer
    for _ in range(2):
        resolved = operators["admin"].approve(path, {"resolution": "cancel"})
        assert resolved["state"] == "resolved" and "merchant" not in resolved
    cancelled = operators["operator"].get(f"/v1/unknown_receipts/{receipt['id']}")
    assert cancelled == receipt | {"state": "cancelled"}
    assert cancelled in operators["operator"].all("/v1/unknown_receipts", state="cancelled")
    events = operators["operator"].all("/v1/events", object=receipt["id"])
    [decided] = [row for row in events if row["event"] == "cancel"]
    assert decided["from"] == "unassigned" and decided["to"] == "cancelled"

    response = notify(server, shop, receipt["channel_trade_no"])
    assert response.status_code == 200 and response.content == b"success"
    assert operators["operator"].get(f"/v1/unknown_receipts/{receipt['id']}") == cancelled
    late = operators["approver"].post(f"{path}/propose", {"resolution": "keep", "note": "?"}, expect=409)
    assert late["code"] == "illegal_transition"


def cases_of(operator, receipt):
    """Returns the cases of the receipt, newest first."""
    return [row for row in operator.all("/v1/cases") if row["object_id"] == receipt["id"]]


def test_a_receipt_with_refunds_cannot_be_assigned(server, shop, operators):
    operator = operators["operator"]
    receipt, case = receive(server, shop, operator)
    for _ in range(2):
        response = notify(server, shop, receipt["channel_trade_no"], refunded=100)
        assert response.status_code == 200 and response.content == b"success", response.text
    assert operator.get(f"/v1/unknown_receipts/{receipt['id']}") == receipt | {"contradicted": True}
    [extended] = cases_of(operator, receipt)
    assert extended["id"] == case["id"] and len(extended["evidence"]) == 2

    path = f"/v1/cases/{case['id']}"
    operator.post(f"{path}/propose", {"resolution": "assign", "merchant": shop.id, "note": "its till"})
    approval = {"resolution": "assign", "merchant": shop.id}
    refused = operators["approver"].approve(path, approval, expect=409)
    assert refused["code"] == "illegal_transition" and "refunds" in refused["detail"]
    operator.post(f"{path}/propose", {"resolution": "keep", "note": "the old till"})
    operators["approver"].approve(path, {"resolution": "keep"})


def test_a_refund_after_the_assignment_opens_another_case(server, shop, new_shop, operators):
    operator, approver = operators["operator"], operators["approver"]
    fresh = new_shop()
    receipt, case = receive(server, shop, operator)
    operator.post(f"/v1/cases/{case['id']}/propose", {"resolution": "assign", "merchant": fresh.id, "note": "its till"})
    approver.approve(f"/v1/cases/{case['id']}", {"resolution": "assign", "merchant": fresh.id})
    before = available(fresh.api)
    assert notify(server, shop, receipt["channel_trade_no"], refunded=AMOUNT).status_code == 200
    second, first = cases_of(operator, receipt)
    assert first["id"] == case["id"] and first["state"] == "resolved" and second["state"] == "open"
    path = f"/v1/cases/{second['id']}"
    operator.post(f"{path}/propose", {"resolution": "cancel", "note": "?"})
    assert approver.approve(path, {"resolution": "cancel"}, expect=409)["code"] == "illegal_transition"
    operator.post(f"{path}/propose", {"resolution": "keep", "note": "settled with the merchant"})
    assert approver.approve(path, {"resolution": "keep"})["state"] == "resolved"
    assert available(fresh.api) == before


def test_wrong_proposals_name_the_field(server, shop, operators):
    _, case = receive(server, shop, operators["operator"])
    path = f"/v1/cases/{case['id']}"

    def propose(**fields):
        return operators["operator"].request("POST", f"{path}/propose", json={"note": "?"} | fields)

    for merchant in ["", "x", "ord_0000000000001", 5, None, {}, PLATFORM, "mer_0000000000002"]:
        check_wrong(propose(resolution="assign", merchant=merchant), "merchant")
    check_wrong(propose(resolution="assign"), "merchant")
    check_wrong(propose(resolution="keep", merchant=shop.id), "merchant")
    check_wrong(propose(resolution="cancel", merchant=shop.id), "merchant")
    check_wrong(propose(resolution="give_up"), "resolution")
    assert operators["operator"].get(path)["state"] == "open"


def test_a_case_of_an_order_names_no_merchant(shop, operators, contract, server):
    order = shop.api.create_order(attempts=1, payment={"channel": "sandbox", "scenario": "wrong_amount"})
    assert shop.api.order_when_at_rest(order["id"])["state"] == "processing"
    operator = Api(contract, server.demo["base_url"], server.demo["operators"]["operator"], shop.id)
    [case] = [row for row in operator.all("/v1/cases", state="open") if row["object_id"] == order["payments"][0]["id"]]
    response = operator.request("POST", f"/v1/cases/{case['id']}/propose",
                                json={"resolution": "refund", "note": "?", "merchant": shop.id})
    check_wrong(response, "merchant")


def test_unknown_receipts_are_not_for_merchants(server, shop, operators):
    receipt, _ = receive(server, shop, operators["operator"])
    shop.api.get("/v1/unknown_receipts", expect=403)
    shop.api.get(f"/v1/unknown_receipts/{receipt['id']}", expect=403)
    operators["operator"].get("/v1/unknown_receipts/urc_0000000000002", expect=404)


def test_the_platform_has_no_orders_and_no_secret_keys(operators):
    admin = operators["admin"]
    assert admin.get(f"/v1/merchants/{PLATFORM}")["name"] == "platform"
    assert admin.post("/v1/api_keys", {"merchant": PLATFORM, "name": "till"}, expect=400)["param"] == "merchant"
    admin.create_order(expect=403)
