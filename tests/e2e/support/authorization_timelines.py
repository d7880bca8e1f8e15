"""The scenarios of docs/guide/authorization-timelines.md. scenario_timelines.py runs them."""

from authorizations import (HALF, capture, capture_when_final, held_of, hold_of, release, wait_until_held)
from finality_server import ROOT
from scenario_timelines import CASE, ONE_ATTEMPT, REVERSED, Story
from wait import until

PAGE = ROOT / "docs/guide/authorization-timelines.md"
WITHIN_S = 3  # deadline of captures in the stories about it
GIVEN_BACK = "authorization.hold_ended"  # a hold of an authorization that had ended before


# Steps of the merchant or the payer. The page shows the docstring as the step's text.

def waiting_hold(shop, order):
    until(lambda: hold_of(shop, order)["state"] == "pending", f"the payer of {order['id']} is asked")
    return hold_of(shop, order)


def close(shop, order):
    """then close the order: `post orders/$ORDER/close '{}'`"""
    waiting_hold(shop, order)
    shop.api.close(order["id"])


def close_when_held(shop, order):
    """then close the order: `post orders/$ORDER/close '{}'`"""
    wait_until_held(shop, order)
    shop.api.close(order["id"])


def press_authorize(shop, order):
    """then open the authorization's `action.url` and press Pay"""
    shop.sandbox.pay(waiting_hold(shop, order))


def authorize_over_sandbox2(shop, order):
    """then start a second one: `post orders/$ORDER/authorizations '{"channel":"sandbox2","scenario":"authorizes"}'`"""
    waiting_hold(shop, order)
    body = {"channel": "sandbox2", "scenario": "authorizes"}
    shop.api.post(f"/v1/orders/{order['id']}/authorizations", body, expect=201)
    until(lambda: shop.api.order(order["id"])["authorizations"][0]["state"] == "released", "the other hold is released")


def capture_all(shop, order):
    """then capture: `post authorizations/$HOLD/captures '{"merchant_capture_no":"last-'$HOLD'"}'`"""
    wait_until_held(shop, order)
    capture_when_final(shop, capture(shop, hold_of(shop, order)), 40.0)


def capture_half(shop, order):
    """then capture a part:
    `post authorizations/$HOLD/captures '{"merchant_capture_no":"first-'$HOLD'","amount":999,"final":false}'`"""
    hold = wait_until_held(shop, order)
    capture_when_final(shop, capture(shop, hold, HALF, final=False), 40.0)


def capture_half_only(shop, order):
    """then capture a part, and no more:
    `post authorizations/$HOLD/captures '{"merchant_capture_no":"last-'$HOLD'","amount":999}'`"""
    hold = wait_until_held(shop, order)
    capture_when_final(shop, capture(shop, hold, HALF), 40.0)


def capture_too_much(shop, order):
    """then try to capture more than is held:
    `post authorizations/$HOLD/captures '{"merchant_capture_no":"more-'$HOLD'","amount":2999}'`"""
    refused = capture(shop, hold_of(shop, order), 2999, expect=409)
    return f"The API rejects this capture with 409 `{refused['code']}`: “{refused['detail']}”"


def give_up(shop, order):
    """then release the hold: `post authorizations/$HOLD/release '{}'`"""
    wait_until_held(shop, order)
    release(shop, hold_of(shop, order))


def refund_capture(shop, order):
    """then refund a part of the capture:
    `post refunds '{"capture":"'$CAPTURE'","amount":500,"merchant_refund_no":"r-'$CAPTURE'"}'`"""
    [made] = hold_of(shop, order)["captures"]
    body = {"capture": made["id"], "amount": 500, "merchant_refund_no": f"r-{made['id']}"}
    refund = shop.api.post("/v1/refunds", body, expect=201)
    shop.api.refund_when_final(refund["id"])


def wait_for_the_console(shop, order):
    """then wait until an employee has acted in the channel's console"""
    wait_until_held(shop, order)

    def acted():
        hold = hold_of(shop, order)
        return hold["captured_amount"] > 0 or hold["released_amount"] > 0

    until(acted, "the channel's console has acted")


def wait_for_the_lapse(shop, order):
    """then wait until the hold has lapsed at the channel"""
    hold = wait_until_held(shop, order)
    until(lambda: all(held_of(each) == 0 for each in shop.sandbox.holds_of(hold)), "the hold has lapsed")


def wait_for_the_second_hold(shop, order):
    """then wait until the payer has authorized twice"""
    wait_until_held(shop, order)

    def reported():
        return {item["detail"].get("channel_trade_no") for item in shop.api.timeline(order["id"])
                if item["detail"].get("evidence") == "authorized"}

    until(lambda: len(reported()) == 2, "the payer has authorized twice")


DEADLINE = {"capture_within": WITHIN_S}


def authorized(scenario, about, fields=None, **more):
    """Returns the story of an order with manual capture."""
    return Story(scenario, about, fields={"capture_method": "manual"} | (fields or {}), **more)


STORIES = [
    authorized("authorizes", "The normal case. Deliver after `order.authorized`; the capture collects the amount, and "
               "the order succeeds.", acts=(capture_all,)),
    authorized("authorizes", "Each capture is one receipt with its own webhook. `final` is true unless the request "
               "says otherwise, so the second capture ends the authorization. The order succeeds once.",
               title="Two captures", what="The payer authorizes; the merchant captures in two parts.",
               acts=(capture_half, capture_all)),
    authorized("authorizes", "A final capture of a part ends the authorization. The channel returns the rest to the "
               "payer without another request.", title="A capture of a part",
               what="The payer authorizes; the merchant captures a part and needs no more.", acts=(capture_half_only,)),
    authorized("authorizes", "A capture never exceeds what is held. A rejected request changes nothing.",
               title="A capture above the held amount", acts=(capture_half, capture_too_much, capture_all),
               what="The payer authorizes; after a part was captured, the merchant requests more than the rest."),
    authorized("authorizes", "A capture is refunded like a payment, here while the rest is still held.",
               title="A refund of a capture",
               what="The payer authorizes; a captured part is refunded, then the rest is captured.",
               acts=(capture_half, refund_capture, capture_all)),
    authorized("authorizes", "Nothing was captured, so the order is closed.", title="A release",
               what="The payer authorizes; the merchant does not need the amount.", acts=(give_up,)),
    authorized("authorizes", "What was captured stays captured: the order succeeds with it.",
               title="A release after a capture",
               what="The payer authorizes; the merchant captures a part and releases the rest.",
               acts=(capture_half, give_up)),
    authorized("authorizes", "Closing the order releases what the channel holds.",
               title="A close while an amount is held", what="The payer authorizes; the merchant closes the order.",
               acts=(close_when_held,)),
    authorized("authorizes", "By default, Finality releases at the deadline what is still held. "
               "`authorization.expiring` is sent before.", title="The deadline releases", fields=DEADLINE,
               delays_s=WITHIN_S, what="The payer authorizes; the merchant does nothing until `capture_before`."),
    authorized("authorizes", "With `on_capture_deadline: capture`, Finality captures what is still held at the "
               "deadline. The capture has `origin: deadline`.", title="The deadline captures",
               fields=DEADLINE | {"on_capture_deadline": "capture"}, delays_s=WITHIN_S,
               what="The payer authorizes; the merchant does nothing until `capture_before`."),
    authorized("authorizes_late", "The order waits for the payer until it expires.", acts=(capture_all,), delays_s=2.5),
    authorized("manual", "A person authorizes. An authorization uses the same page of the sandbox.",
               title="manual, authorized", acts=(press_authorize, capture_all)),
    authorized("declines", "A failed authorization is final. The order accepts another one until its `attempts` are "
               "used up, as they are here.", title="declines the authorization", fields=ONE_ATTEMPT),
    authorized("never_pays", "Nothing is held, so nothing is released. No action is needed.",
               title="never_pays, nothing is authorized", acts=(close,)),
    authorized("authorization_unknown", "A missing response is not a failure: the payer may have authorized. Finality "
               "queries the authorization, and no other attempt can start meanwhile.", acts=(capture_all,),
               delays_s=1.0),
    authorized("authorizes_less", "`authorized_amount` is what the channel approved. Captures are limited by it; a "
               "capture without an amount collects it all. Decide whether it is enough before you deliver.",
               acts=(capture_all,)),
    authorized("authorizes_more", "The channel holds more than was asked for. A capture without an amount would "
               "collect all of it, so name the amount.", acts=(capture_half_only,)),
    authorized("authorizes_credit", "The authorization has `unfunded: true`: the payer promised to pay, and no money "
               "is set aside. Every capture is refused here. Ask for another way to pay before you deliver.",
               acts=(capture_all, give_up)),
    authorized("authorizes_in_other_currency", "The order does not accept an amount in another currency: the "
               "authorization fails, and a case opens. Finality releases the hold until the channel holds nothing any "
               "more. Do not deliver.", fields=ONE_ATTEMPT, last=GIVEN_BACK),
    authorized("authorizes_on_close", "A payment would win over the close, a hold does not: giving it back costs the "
               "payer nothing. The authorization ends with `end_reason: late`. No action is needed.", acts=(close,)),
    authorized("authorizes_after_close", "A closed order stays closed. Finality releases the hold until the channel "
               "holds nothing any more. No action is needed.", acts=(close,), last=GIVEN_BACK),
    authorized("authorizes_on_close", "The first authorization that a channel reports holds for the order. Finality "
               "closes the other one; if the payer confirmed that one too, it is released as `late`.",
               title="Two authorizations, both confirmed",
               what="The payer authorizes over one channel, and at the same moment over another.",
               acts=(authorize_over_sandbox2, capture_all)),
    authorized("authorizes_twice", "The channel reports two holds under one number. The order needs only one of them; "
               "the other one ends at the channel.", acts=(wait_for_the_second_hold, capture_all)),
    authorized("authorization_declined_then_held", "The order stays `failed`, because the payer may have paid in "
               "another way by now. Finality releases the hold, and a case reports that the channel changed its "
               "result.", fields=ONE_ATTEMPT, last=GIVEN_BACK),
    authorized("lapses", "The hold is over before its time, and nothing was captured: the order is closed with "
               "`closed_reason: expired`. Ask the payer again with a new order.", delays_s=1.5),
    authorized("lapses_unnotified", "The channel refuses the capture, so Finality queries the authorization and finds "
               "out that nothing is held any more. Without a capture, it finds out when it next looks, at most six "
               "hours later.", acts=(wait_for_the_lapse, capture_all), delays_s=1.5),
    authorized("lapses_after_capture", "The order succeeds with what was captured, and `end_reason` is `expired`.",
               acts=(capture_half,), delays_s=1.5),
    authorized("capture_unknown", "While the result is unknown, the capture stays `processing`, and neither another "
               "capture nor a release can start. Finality queries until the channel answers.", acts=(capture_all,)),
    authorized("capture_lost", "Finality accepts “trade not found” only when the request can no longer arrive (8 s). "
               "It then sends the capture again under the same number, so the payer cannot be charged twice.",
               acts=(capture_all,), delays_s=8.5),
    authorized("capture_not_now", "The capture stays `pending`, and Finality sends it again under the same number "
               "after a pause.", acts=(capture_all,)),
    authorized("capture_refused", "A failed capture leaves the amount held: capture again with a new "
               "`merchant_capture_no`, or release.", acts=(capture_all, give_up)),
    authorized("capture_refused_then_captured", "The capture stays `failed`, because the merchant may have acted on "
               "it. The money is refunded automatically, and a case reports that the channel changed its result.",
               acts=(capture_all,), last=REVERSED),
    authorized("captured_by_channel", "Finality books the capture with `origin: channel`. The order succeeds as if the "
               "merchant had requested it.", delays_s=1.5),
    authorized("capture_partially_elsewhere", "The rest is still held, and the merchant can capture or release it.",
               acts=(wait_for_the_console, capture_all), delays_s=1.5),
    authorized("capture_above_hold", "The channel is right about what it collected. Finality books the whole amount, "
               "and a case asks two operators to look at it.", delays_s=1.5, last=CASE),
    authorized("capture_after_end", "The capture is `failed`, because the authorization was over. The money is "
               "refunded automatically.", acts=(give_up,), last=REVERSED, delays_s=1.5),
    authorized("release_unknown", "The authorization stays `releasing`. Finality queries until the channel says that "
               "nothing is held.", acts=(give_up,)),
    authorized("release_lost", "The channel still holds the amount when the request can no longer arrive (8 s). "
               "Finality then sends the release again under the same number.", acts=(give_up,), delays_s=8.5),
    authorized("release_refused", "Finality repeats the request every hour. A case opens, and the authorization stays "
               "`releasing` until the channel holds nothing. Ask the channel.", acts=(give_up,), last=CASE, ends=False),
    authorized("release_refused_for_now", "The channel does not accept a refused number again, so each attempt has its "
               "own. No action is needed.", acts=(give_up,), delays_s=5.0),
    authorized("released_by_channel", "The order is closed, as if the merchant had released the hold.", delays_s=1.5),
    authorized("partly_released_by_channel", "`released_amount` shows the returned part. The merchant captures what is "
               "left.", acts=(wait_for_the_console, capture_all), delays_s=1.5),
]
