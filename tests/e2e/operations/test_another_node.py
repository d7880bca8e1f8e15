"""What one of two nodes knows about requests to the other one: revoked keys, and repeated requests. Starts its own
PostgreSQL server."""

import concurrent.futures
import threading
import time
import uuid

import pytest

from api import Api, order_body
from two_nodes import TwoNodes
from wait import until

ROUNDS = 6
CLIENTS = 4                # per round, which send one request after the other
REVOKED_KEY_MAX_S = 1.0    # limits::kRevokedKeyMax
OBSERVED_AFTER_S = 2.0     # requests are sent for that long after the first refusal


@pytest.fixture(scope="module")
def nodes(tmp_path_factory, contract, merchant_server):
    nodes = TwoNodes(tmp_path_factory.mktemp("revoked"), contract, merchant_server)
    yield nodes
    nodes.clean_up()


def order_request(scenario):
    """Returns a function that sends the same order request over an API client each time."""
    body = order_body(payment={"channel": "sandbox", "scenario": scenario})
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    return lambda api: api.request("POST", "/v1/orders", json=body, headers=headers)


@pytest.mark.parametrize("scenario", ["manual", "pays", "declines"])
def test_a_repeated_request_is_answered_by_the_other_node_at_once(nodes, scenario):
    here, there = nodes.new_shop(f"repeats {scenario}").api.nodes
    send = order_request(scenario)
    first, again = send(here), send(there)
    assert (first.status_code, again.status_code) == (201, 201), again.text
    assert again.headers["Idempotent-Replayed"] == "true" and again.json()["id"] == first.json()["id"]


def test_a_repeated_request_is_refused_while_the_other_node_waits_for_the_channel(nodes):
    here, there = nodes.new_shop("repeats early").api.nodes
    send, refused = order_request("slow"), []

    def repeat():
        response = send(there)
        if response.status_code == 409:
            refused.append(response)
        return response if response.status_code == 201 else None

    with concurrent.futures.ThreadPoolExecutor(1) as client:
        first = client.submit(send, here)
        until(lambda: here.get("/v1/orders")["data"], "the first request is stored")
        again = until(repeat, "the other node answers")
    assert refused and {response.json()["code"] for response in refused} == {"idempotency_key_in_use"}
    assert first.result().status_code == 201 and again.json()["id"] == first.result().json()["id"]


# The last test: its refused keys use up the failed authentications that an address may have.

class Clients:
    """Clients that send requests with one key until stop(). Records the times at which requests were sent."""

    def __init__(self, api):
        self.accepted, self.refused = [], []
        self._api = api
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._work) for _ in range(CLIENTS)]
        for thread in self._threads:
            thread.start()

    def _work(self):
        while not self._stopped.is_set():
            sent_at = time.monotonic()
            status = self._api.request("GET", "/v1/orders").status_code
            assert status in (200, 401, 429), status  # 429: many refusals exceed the limit of failed authentications
            (self.accepted if status == 200 else self.refused).append(sent_at)

    def stop(self):
        self._stopped.set()
        for thread in self._threads:
            thread.join()


def test_a_key_revoked_on_one_node_is_refused_by_the_other_within_a_second(nodes, contract):
    """Although the other node has just accepted it."""
    here, there = (Api(contract, server.base_url, nodes.servers[0].admin_key) for server in nodes.servers)
    merchant = here.post("/v1/merchants", {"name": "revoked"}, expect=201)["id"]
    delays = []
    for number in range(ROUNDS):
        key = here.post("/v1/api_keys", {"merchant": merchant, "name": f"till {number}"}, expect=201)
        api = Api(contract, nodes.servers[1].base_url, key["key"])
        clients = Clients(api)
        try:
            until(lambda: len(clients.accepted) > number * CLIENTS, "the other node accepts the key")
            here.delete(f"/v1/api_keys/{key['id']}")
            revoked_at = time.monotonic()
            until(lambda: clients.refused, "the other node refuses the key")
            until(lambda: time.monotonic() > clients.refused[0] + OBSERVED_AFTER_S, "no request is accepted any more")
        finally:
            clients.stop()
        delays.append(max(clients.accepted) - revoked_at)
        assert api.request("POST", "/v1/orders", json={}).status_code in (401, 429)
    print("last request accepted after the reply to the revocation (s):", [f"{delay:.3f}" for delay in delays])
    assert max(delays) < REVOKED_KEY_MAX_S
