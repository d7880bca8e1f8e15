"""Captures and their refunds: what the API accepts, how often, and what the sandbox's ledger then contains."""

import concurrent.futures
import uuid

import pytest

from authorizations import (AMOUNT, HALF, capture, capture_when_final, check_hold_money, hold_of, manual_order,
                            release, wait_until_held, wait_until_over)
from conftest import FAST
from scenarios import cases_of
from shop import Shop
from wait import until


@pytest.fixture(scope="module")
def module_server(start_server):
    """A server for this module only, because the last test stops it and audits its store."""
    return start_server("captures", FAST)


@pytest.fixture(scope="module")
def shop(contract, module_server, merchant_server):
    return Shop.of_demo(contract, module_server, merchant_server)


@pytest.fixture
def held(shop):
    """Returns a function that creates an order with a held amount. It returns the order and its authorization."""
    def make(scenario="authorizes", channel="sandbox", **fields):
        order = manual_order(shop, scenario, channel, **fields)
        return order, wait_until_held(shop, order)
    return make


def test_a_repeated_number_captures_once(shop, held):
    order, hold = held()
    fields = {"merchant_capture_no": f"once-{hold['id']}", "final": False}
    made = capture(shop, hold, HALF, **fields)
    assert capture(shop, hold, HALF, expect=200, **fields)["id"] == made["id"]
    refused = capture(shop, hold, HALF + 1, expect=409, **fields)
    assert refused["code"] == "merchant_capture_no_conflict"
    assert capture_when_final(shop, made)["state"] == "succeeded"
    assert capture(shop, hold, HALF, expect=200, **fields)["state"] == "succeeded"
    _, other = held()
    assert capture(shop, other, HALF, expect=409, **fields)["code"] == "merchant_capture_no_conflict"
    release(shop, other)
    release(shop, hold)
    order = wait_until_over(shop, order)
    assert order["paid_amount"] == HALF and len(hold_of(shop, order)["captures"]) == 1
    check_hold_money(shop, order)


def test_no_more_is_captured_than_is_held(shop, held):
    order, hold = held()
    assert capture(shop, hold, AMOUNT + 1, expect=409)["code"] == "capture_exceeds_authorized"
    capture_when_final(shop, capture(shop, hold, HALF, final=False))
    rest = AMOUNT - HALF
    assert capture(shop, hold_of(shop, order), rest + 1, expect=409)["code"] == "capture_exceeds_authorized"
    last = capture_when_final(shop, capture(shop, hold_of(shop, order)))
    assert last["amount"] == rest and last["final"] is True
    order = wait_until_over(shop, order)
    assert order["paid_amount"] == AMOUNT
    check_hold_money(shop, order)


def test_two_captures_at_once_do_not_exceed_the_hold(shop, held):
    order, hold = held("capture_unknown")

    def ask(number):
        return shop.api.request("POST", f"/v1/authorizations/{hold['id']}/captures", json={
            "merchant_capture_no": f"{number}-{uuid.uuid4().hex}", "amount": AMOUNT}).json()

    with concurrent.futures.ThreadPoolExecutor(4) as clients:
        answers = list(clients.map(ask, range(4)))
    made = [one for one in answers if one.get("object") == "capture"]
    assert len(made) == 1, answers
    refusals = {one["code"] for one in answers if "code" in one}
    assert refusals <= {"capture_in_progress", "authorization_not_capturable"}, answers
    capture_when_final(shop, made[0], 30.0)
    order = wait_until_over(shop, order)
    assert order["paid_amount"] == AMOUNT
    check_hold_money(shop, order)


def test_no_release_beside_an_open_capture(shop, held):
    order, hold = held("capture_not_now")
    with concurrent.futures.ThreadPoolExecutor(1) as client:
        made = client.submit(capture, shop, hold, HALF, final=False)  # the response waits for the result
        until(lambda: hold_of(shop, order)["captures"], "the capture is requested", every=0.005)
        assert release(shop, hold, expect=409)["code"] == "capture_in_progress"
        refused = capture(shop, hold, 1, expect=409, merchant_capture_no=f"beside-{hold['id']}")
        assert refused["code"] == "capture_in_progress"
    assert capture_when_final(shop, made.result(), 40.0)["state"] == "succeeded"
    release(shop, hold)
    order = wait_until_over(shop, order)
    assert order["paid_amount"] == HALF
    check_hold_money(shop, order)


def test_a_refused_capture_leaves_the_amount_held(shop, held):
    order, hold = held("capture_refused")
    failed = capture_when_final(shop, capture(shop, hold))
    assert failed["state"] == "failed" and failed["failure"]["code"] == "capture_refused", failed
    assert shop.api.order(order["id"])["state"] == "authorized"
    release(shop, hold)
    order = wait_until_over(shop, order)
    assert order["state"] == "closed"


def test_a_capture_that_succeeds_after_its_refusal_is_returned(shop, held):
    order, hold = held("capture_refused_then_captured")
    failed = capture_when_final(shop, capture(shop, hold))
    assert failed["state"] == "failed"
    [reversal] = until(lambda: shop.api.all("/v1/refunds", order=order["id"], kind="reversal"), "a reversal exists")
    ended = shop.api.refund_when_final(reversal["id"])
    assert ended["state"] == "succeeded" and ended["capture"] == failed["id"] and "payment" not in ended
    assert ended["authorization"] == hold["id"]
    for collected in {"capture": failed["id"]}, {"authorization": hold["id"]}:
        assert shop.api.all("/v1/refunds", kind="reversal", **collected) == [ended]
    assert len(until(lambda: cases_of(shop, order), "there is a case")) == 1


def test_a_console_capture_above_the_hold_is_accepted_with_a_case(shop, held):
    order, _ = held("capture_above_hold")
    order = shop.api.order_when_final(order["id"], 30.0)
    assert order["paid_amount"] > AMOUNT and order["state"] == "succeeded"
    [case] = until(lambda: cases_of(shop, order), "there is a case")
    assert shop.operator.get(f"/v1/cases/{case}")["kind"] == "over_captured"
    check_hold_money(shop, shop.api.order(order["id"]))


def test_a_capture_is_refunded_while_the_rest_is_held(shop, held):
    order, hold = held()
    made = capture_when_final(shop, capture(shop, hold, HALF, final=False))
    refund = shop.api.post("/v1/refunds", {"capture": made["id"], "amount": 100,
                                           "merchant_refund_no": uuid.uuid4().hex}, expect=201)
    refund = shop.api.refund_when_final(refund["id"])
    assert refund["state"] == "succeeded" and refund["capture"] == made["id"]
    assert refund["authorization"] == hold["id"] and refund["receipt"]
    for collected in {"capture": made["id"]}, {"authorization": hold["id"]}:
        assert shop.api.all("/v1/refunds", **collected) == [refund]
    refused = shop.api.post("/v1/refunds", {"capture": made["id"], "amount": HALF,
                                            "merchant_refund_no": uuid.uuid4().hex}, expect=409)
    assert refused["code"] == "refund_exceeds_paid"
    rest = capture_when_final(shop, capture(shop, hold_of(shop, order)))
    order = wait_until_over(shop, order)
    assert order["refunded_amount"] == 100 and order["paid_amount"] == AMOUNT
    assert shop.api.get(f"/v1/captures/{made['id']}")["refunded_amount"] == 100
    assert shop.api.get(f"/v1/captures/{rest['id']}")["refunded_amount"] == 0
    check_hold_money(shop, order)


def test_a_refund_names_exactly_one_collector(shop, held):
    order, hold = held()
    made = capture_when_final(shop, capture(shop, hold))
    number = {"merchant_refund_no": uuid.uuid4().hex}
    assert shop.api.post("/v1/refunds", number, expect=400)["param"] == "payment"
    both = number | {"capture": made["id"], "authorization": hold["id"]}
    assert shop.api.post("/v1/refunds", both, expect=400)["param"] == "authorization"
    refused = shop.api.post("/v1/refunds", number | {"authorization": hold["id"]}, expect=409)
    assert refused["code"] == "payment_not_refundable", "the channel sandbox refunds captures"
    wait_until_over(shop, order)
    both = f"capture={made['id']}&authorization={hold['id']}"
    assert shop.api.get(f"/v1/refunds?{both}", expect=400)["param"] == "authorization"


def test_a_channel_with_one_trade_refunds_the_authorization(shop, held):
    order, hold = held(channel="sandbox2")
    capture_when_final(shop, capture(shop, hold, HALF, final=False))
    made = capture_when_final(shop, capture(shop, hold_of(shop, order)))
    order = wait_until_over(shop, order)
    number = {"merchant_refund_no": uuid.uuid4().hex}
    refused = shop.api.post("/v1/refunds", number | {"capture": made["id"]}, expect=409)
    assert refused["code"] == "payment_not_refundable"
    refund = shop.api.post("/v1/refunds", {"authorization": hold["id"], "amount": HALF + 10,
                                           "merchant_refund_no": uuid.uuid4().hex}, expect=201)
    refund = shop.api.refund_when_final(refund["id"])
    assert refund["state"] == "succeeded" and "capture" not in refund
    order = shop.api.order(order["id"])
    assert order["refunded_amount"] == HALF + 10
    captures = hold_of(shop, order)["captures"]
    assert [one["refunded_amount"] for one in captures] == [HALF, 10], "oldest first"
    for collected in {"authorization": hold["id"]}, *({"capture": one["id"]} for one in captures):
        assert shop.api.all("/v1/refunds", **collected) == [refund]


def test_the_store_keeps_every_invariant(shop, module_server):
    """Must be the last test of the module: stops the server gracefully and audits its store."""
    module_server.stop()
    assert module_server.verify()["checked"]
