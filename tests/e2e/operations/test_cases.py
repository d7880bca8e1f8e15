"""The exception queue: cases are opened, and an operator approves the resolution that another operator proposed."""

import pytest

from api import Api
from wait import until


@pytest.fixture(scope="module")
def operators(contract, server, shop):
    """Returns {role: API client}. Each client has an operator's key of this role and acts for the shop."""
    demo = server.demo
    return {role: Api(contract, demo["base_url"], key, shop.id) for role, key in demo["operators"].items()}


@pytest.fixture(scope="module")
def case(shop, operators):
    """Pays an order with the wrong amount and returns its open case. The money is in suspense until operators resolve
    the case."""
    order = shop.api.create_order(attempts=1, payment={"channel": "sandbox", "scenario": "wrong_amount"})
    [found] = until(lambda: operators["operator"].get("/v1/cases?state=open")["data"], "a case is opened")
    assert found["kind"] == "amount_mismatch" and found["resolutions"] == ["accept", "refund"]
    assert shop.api.order_when_at_rest(order["id"])["state"] == "processing"
    return found | {"order": order["id"]}


def posted(shop, order, kind):
    """Returns the entries of that type of the order, as a preview shows them."""
    entries = [item["detail"] for item in shop.api.timeline(order) if item["kind"] == "entry"]
    return [{"merchant": shop.id, "type": row["type"], "account": row["account_kind"],
             "direction": "credit" if row["amount"] > 0 else "debit", "amount": abs(row["amount"]),
             "currency": row["currency"]} | ({"channel": row["channel"]} if "channel" in row else {})
            for row in entries if row["type"] == kind]


def test_merchants_do_not_decide_cases(shop, case):
    shop.api.post(f"/v1/cases/{case['id']}/propose", {"resolution": "refund", "note": "mine"}, expect=403)


def test_bad_proposals_change_nothing(operators, case):
    path = f"/v1/cases/{case['id']}"
    operator = operators["operator"]
    assert operator.post(f"{path}/propose", {"resolution": "keep_it", "note": "?"}, expect=400)["param"] == "resolution"
    assert operator.post(f"{path}/propose", {"resolution": "refund"}, expect=400)["param"] == "note"
    assert operator.post(f"{path}/propose", {"note": "?"}, expect=400)["param"] == "resolution"
    operator.post("/v1/cases/cas_0000000000001/propose", {"resolution": "refund", "note": "?"}, expect=404)
    operator.approve(path, expect=403)
    approver = operators["approver"]
    for body in [None, {}, {"version": None}, {"version": 0}, {"version": "1"}, {"resolution": "refund"}]:
        missing = approver.post(f"{path}/approve", body, expect=400)
        assert missing["code"] == "invalid_request" and missing["param"] == "version"
    assert approver.approve(path, expect=409)["code"] == "illegal_transition"
    assert operator.get(path)["state"] == "open"


def test_operators_write_off_a_receipt_with_conflicting_results(shop, operators):
    order = shop.api.create_order(payment={"channel": "sandbox2", "scenario": "success_then_failure"})
    operator, approver = operators["operator"], operators["approver"]

    def conflicting():
        found = [one for one in operator.get("/v1/cases?state=open")["data"] if one["kind"] == "conflicting_result"]
        return found[0] if found else None

    case = until(conflicting, "a case is opened")
    assert case["object_id"] == order["payments"][0]["id"] and case["resolutions"] == ["keep", "write_off"]
    path = f"/v1/cases/{case['id']}"
    operator.post(f"{path}/propose", {"resolution": "keep", "note": "the channel reports a mistake"})
    reviewed = approver.get(path)
    operator.post(f"{path}/propose", {"resolution": "write_off", "note": "the channel will not pay"})
    for seen in [{}, {"resolution": "keep"}, {"resolution": "write_off"}]:
        changed = approver.post(f"{path}/approve", {"version": reviewed["version"]} | seen, expect=409)
        assert (changed["code"], changed["param"]) == ("preview_changed", "version")
        assert changed["version"] == reviewed["version"] + 1 == approver.get(path)["version"]
    stale = approver.approve(path, {"resolution": "keep"}, expect=409)
    assert stale["code"] == "illegal_transition" and "write_off" in stale["detail"]
    assert approver.approve(path, {"nonsense": 1}, expect=400)["param"] == "nonsense"
    previews = {item["resolution"]: item["postings"] for item in approver.get(path)["previews"]}
    assert previews["keep"] == [] and {row["merchant"] for row in previews["write_off"]} == {shop.id}
    assert approver.approve(path, {"resolution": "write_off"})["state"] == "resolved"
    assert operator.post(f"{path}/propose", {"resolution": "keep", "note": "?"}, expect=409)["state"] == "resolved"

    [receipt] = shop.api.payment(case["object_id"])["receipts"]
    assert receipt["state"] == "accepted" and receipt["written_off"] == order["amount"]
    order = shop.api.order(order["id"])
    assert order["state"] == "succeeded" and order["paid_amount"] == order["amount"], "the merchant must keep the money"
    booked = posted(shop, order["id"], "receipt_written_off")
    assert booked == previews["write_off"], "the preview has the entries of the approval"
    assert {row["account"]: row["amount"] for row in booked} == {"loss": order["amount"],
                                                                 "channel_receivable": order["amount"]}


def test_two_people_refund_a_wrong_amount(shop, operators, case):
    path = f"/v1/cases/{case['id']}"
    proposed = operators["approver"].post(f"{path}/propose", {"resolution": "refund", "note": "the payer asked"})
    assert proposed["state"] == "proposed" and proposed["resolution"] == "refund"
    [preview] = [item for item in operators["admin"].get(path)["previews"] if item["resolution"] == "refund"]
    operators["approver"].approve(path, expect=403)  # the approver must not be the proposer
    resolved = operators["admin"].approve(path)
    assert resolved["state"] == "resolved" and resolved["approved_by"] != resolved["proposed_by"]
    assert operators["admin"].approve(path)["state"] == "resolved"

    def returned():
        [payment] = shop.api.order(case["order"])["payments"]
        return payment["paid_amount"] > 0 and payment["reversed_amount"] == payment["paid_amount"]

    until(returned, "the money is returned")
    ledger = shop.sandbox.ledger()
    [payment] = shop.api.order(case["order"])["payments"]
    trade = ledger[payment["out_trade_no"]]
    assert trade["paid"] == trade["refunded"] > 0
    currency = shop.api.order(case["order"])["currency"]
    assert preview["requests"] == [
        {"channel": "sandbox", "kind": "refund", "amount": trade["refunded"], "currency": currency}]
    returned_entries = posted(shop, case["order"], "reversal_succeeded")
    assert preview["postings"] == [entry | {"after_result": True} for entry in returned_entries] != []
    kinds = [item["kind"] for item in shop.api.get(f"/v1/orders/{case['order']}/timeline")["data"]]
    assert "case" in kinds and "operator" in kinds
    assert operators["operator"].get("/v1/cases?state=open")["data"] == []
