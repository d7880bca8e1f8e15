"""Over the network, everything on this machine: orders against a constant answer of the same server, whole payments with
the sandbox as the channel and a merchant's server that is notified, and the latency of orders at half load."""

import json
import os
import pathlib
import re
import subprocess
import urllib.request

from bench.server import demo, stop

ORDERS = pathlib.Path(__file__).with_name("orders.lua")
CONNECTIONS = 64
PEER = "the same requests and as long answers, constant, of the same HTTP server"


def measure(run):
    seconds = run.choose(10, 3)
    with demo(run, "http") as server:
        url, key = server["base_url"], server["secret_key"]
        run.progress("orders over HTTP")
        orders = wrk(url, seconds, key)
        run.progress("the same requests, answered with a constant")
        fastest = constant(run, seconds, key, answer_bytes(url, key))
        run.table.add(f"orders over HTTP, {CONNECTIONS} connections", orders, "1/s", PEER, fastest)

        run.progress("the latency of orders at half load")
        os.sync()  # what full load has left in memory is not to be waited for now
        measured = run.finality("bench", "http", "--url", url, "--key", key, "--rate", orders / 2, "--seconds", seconds)
        for name, field in (("p50", "p50"), ("p99", "p99"), ("p99.9", "p999")):
            run.table.add(f"latency of orders over HTTP at half load, open loop, {name}", measured["latency_ms"][field], "ms")

        run.progress("orders over HTTP, random Idempotency-Keys")
        run.table.add(f"orders over HTTP, {CONNECTIONS} connections, random Idempotency-Keys",
                      wrk(url, seconds, key, random_keys=True), "1/s", PEER, fastest)
    run.verify(f"sqlite:{run.data / 'http/finality.db'}")

    with demo(run, "payments") as server:
        run.progress("whole payments over HTTP")
        # Its payer takes 100 ms: with fewer under way it would be the payer who is measured.
        result = run.finality("bench", "http", "--url", server["base_url"], "--key", server["secret_key"], "--clients", 1024,
                              "--payments", run.choose(20_000, 4_000))
        run.table.add("whole payments over HTTP, 1,024 under way, sandbox and merchant on the same machine",
                      result["payments_per_second"], "1/s")
    run.verify(f"sqlite:{run.data / 'payments/finality.db'}")


def answer_bytes(url, key):
    """How long the answer to one of these requests is."""
    order = {"merchant_order_no": "measured", "amount": 100, "currency": "CNY", "subject": "Two coffees"}
    request = urllib.request.Request(url + "/v1/orders", json.dumps(order).encode(), method="POST", headers={
        "Authorization": f"Bearer {key}", "Content-Type": "application/json", "Idempotency-Key": "measured"})
    with urllib.request.urlopen(request) as answer:
        return len(answer.read())


def constant(run, seconds, key, length):
    """The server alone: it reads the same requests and writes as much, and nothing happens in between."""
    server = subprocess.Popen([run.binary, "bench", "constant", "--bytes", str(length)], stdout=subprocess.PIPE, text=True)
    try:
        return wrk(f"http://127.0.0.1:{server.stdout.readline().strip()}", seconds, key)
    finally:
        stop(server)


def wrk(url, seconds, key, random_keys=False):
    """Orders a second that were answered with success."""
    environment = {"FINALITY_KEY": key, "FINALITY_RANDOM_KEYS": "1" if random_keys else "0"}
    done = subprocess.run(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "-s", ORDERS, url],
                          env=os.environ | environment, capture_output=True, text=True, check=True)
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise SystemExit(f"some requests failed:\n{done.stdout}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1])
