"""HTTP benchmarks with all processes on this machine. Measures the rate of orders, compared with constant responses of
the same HTTP server, and the latency of orders at half that rate. Also measures complete payments with the sandbox and
a merchant's webhook server."""

import json
import os
import pathlib
import re
import statistics
import subprocess
import urllib.request

from bench.disk import DiskWatch
from bench.server import demo, stop

ORDERS = pathlib.Path(__file__).with_name("orders.lua")
CONNECTIONS = 64
PEER = "the same requests, constant responses of the same length from the same HTTP server"


def measure(run):
    seconds = run.choose(10, 3)
    with demo(run, "http") as server:
        url, key = server["base_url"], server["secret_key"]
        run.progress("orders over HTTP")
        orders = wrk(url, seconds, key)
        run.progress("the same requests with constant responses")
        fastest = constant(run, seconds, key, answer_bytes(url, key))
        run.table.add(f"orders over HTTP, {CONNECTIONS} connections", orders, "1/s", PEER, fastest)

        latency(run, url, key, orders / 2)

        run.progress("orders over HTTP, random Idempotency-Keys")
        run.table.add(f"orders over HTTP, {CONNECTIONS} connections, random Idempotency-Keys",
                      wrk(url, seconds, key, random_keys=True), "1/s", PEER, fastest)
    run.verify(f"sqlite:{run.data / 'http/finality.db'}")

    with demo(run, "payments") as server:
        run.progress("whole payments over HTTP")
        run.table.add("whole payments over HTTP, 1,024 under way, sandbox and merchant on the same machine",
                      whole_payments(run, server), "1/s")
    run.verify(f"sqlite:{run.data / 'payments/finality.db'}")


def whole_payments(run, server):
    """Returns the payments per second. The simulated payer waits 100 ms: with fewer concurrent payments this delay would
    limit the rate."""
    result = run.finality("bench", "http", "--url", server["base_url"], "--key", server["secret_key"], "--clients", 1024,
                          "--payments", run.choose(20_000, 4_000))
    return result["payments_per_second"]


def latency(run, url, key, rate):
    """Measures the latency at `rate` orders per second. Each reported percentile is the median over the rounds, because
    other users of a shared disk may delay a round. A further row reports the longest stall of the disk."""
    rounds, still = [], []
    for number in range(1, run.choose(3, 1) + 1):
        run.progress(f"the latency of orders at half load, round {number}")
        os.sync()  # writes back dirty pages of the earlier load, which would delay this round
        with DiskWatch(run.data) as disk:
            measured = run.finality("bench", "http", "--url", url, "--key", key, "--rate", rate, "--seconds", run.choose(8, 3))
        rounds.append(measured["latency_ms"])
        if disk.longest_ms is not None:
            still.append(disk.longest_ms)
    what = "latency of orders over HTTP at half load, open loop"
    for name, field in (("p50", "p50"), ("p99", "p99"), ("p99.9", "p999")):
        run.table.add(f"{what}, {name}", statistics.median(one[field] for one in rounds), "ms")
    run.table.add(f"{what}, p99 of the worst round", max(one["p99"] for one in rounds), "ms")
    if still:
        run.table.add("longest stall of the disk meanwhile, sampled every 5 ms", max(still), "ms")


def answer_bytes(url, key):
    """Creates an order and returns the length of the response body in bytes."""
    order = {"merchant_order_no": "measured", "amount": 100, "currency": "CNY", "subject": "Two coffees"}
    request = urllib.request.Request(url + "/v1/orders", json.dumps(order).encode(), method="POST", headers={
        "Authorization": f"Bearer {key}", "Content-Type": "application/json", "Idempotency-Key": "measured"})
    with urllib.request.urlopen(request) as answer:
        return len(answer.read())


def constant(run, seconds, key, length):
    """Returns the requests per second of the HTTP server without an engine: it returns a constant body of `length`
    bytes."""
    server = subprocess.Popen([run.binary, "bench", "constant", "--bytes", str(length)], stdout=subprocess.PIPE, text=True)
    try:
        return wrk(f"http://127.0.0.1:{server.stdout.readline().strip()}", seconds, key)
    finally:
        stop(server)


def wrk(url, seconds, key, random_keys=False):
    """Runs wrk and returns the requests per second. Exits if a request fails."""
    environment = {"FINALITY_KEY": key, "FINALITY_RANDOM_KEYS": "1" if random_keys else "0"}
    done = subprocess.run(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "-s", ORDERS, url],
                          env=os.environ | environment, capture_output=True, text=True, check=True)
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise SystemExit(f"some requests failed:\n{done.stdout}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1])
