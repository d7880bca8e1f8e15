"""The merchant's requests in the crash rounds of crash_rounds.py about an order with manual capture."""

from authorizations import OVER

REFUNDED_BY = {"sandbox": "capture", "sandbox2": "authorization"}


def ask_about_hold(client, played, hold_id):
    """Makes the requests of the played HoldStory about the order's authorization."""
    story, path = played.story, f"/v1/authorizations/{hold_id}"
    if story.closes:
        hold_when(client, path, "pending")
        client.post(f"/v1/orders/{played.order_id}/close", expect=200)
    if not story.acts_on_hold:
        return
    hold_when(client, path, "authorized")
    if story.awaits:
        client.get_when(path, story.awaits, "was changed in the channel's console")
    captures = [capture(client, played, path, place) for place in range(len(story.captures))]
    if story.releases:
        client.post(f"{path}/release", {}, expect=200)
    if story.closes_held:
        client.post(f"/v1/orders/{played.order_id}/close", expect=200)
    for place, (part, _) in enumerate(story.refunds):
        refunded = {"capture": captures[0]["id"], "authorization": hold_id}
        by = REFUNDED_BY[played.channels[0]]
        body = {by: refunded[by], "merchant_refund_no": f"{played.merchant_order_no}-{place}",
                "amount": int(captures[0]["amount"] * part)}
        played.refund_ids.append(client.post("/v1/refunds", body)["id"])


def hold_when(client, path, state):
    """Waits until the authorization has this state."""
    def reached(hold):
        assert hold["state"] == state or hold["state"] not in OVER, hold
        return hold["state"] == state

    return client.get_when(path, reached, f"is {state}")


def capture(client, played, path, place):
    """Requests the capture at this place of the story, waits until it is final, and returns it."""
    amount, final = played.story.captures[place]
    body = {"merchant_capture_no": f"{played.merchant_order_no}-{place}", "final": final}
    made = client.post(f"{path}/captures", body | ({} if amount is None else {"amount": amount}))
    return client.get_when(f"/v1/captures/{made['id']}", lambda now: now["state"] in {"succeeded", "failed"},
                           "is final")
