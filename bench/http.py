"""Over the network, everything on this machine: orders against a constant answer of the same server, whole payments with
the sandbox as the channel and a merchant's server that is notified, and the latency of orders at half load."""

import os
import pathlib
import re
import subprocess

from bench.server import demo

ORDERS = pathlib.Path(__file__).with_name("orders.lua")
CONNECTIONS = 64


def measure(run):
    seconds = run.choose(10, 3)
    with demo(run, "http") as server:
        url, key = server["base_url"], server["secret_key"]
        run.progress("a constant answer over HTTP")
        constant = wrk(f"{url}/healthz", seconds)
        run.progress("orders over HTTP")
        orders = wrk(url, seconds, key)
        run.table.add(f"orders over HTTP, {CONNECTIONS} connections", orders, "1/s", "a constant answer", constant)

        run.progress("the latency of orders at half load")
        measured = run.finality("bench", "http", "--url", url, "--key", key, "--rate", orders / 2, "--seconds", seconds)
        for name, field in (("p50", "p50"), ("p99", "p99"), ("p99.9", "p999")):
            run.table.add(f"latency of orders over HTTP at half load, open loop, {name}", measured["latency_ms"][field], "ms")
    run.verify(f"sqlite:{run.data / 'http/finality.db'}")

    with demo(run, "payments") as server:
        run.progress("whole payments over HTTP")
        result = run.finality("bench", "http", "--url", server["base_url"], "--key", server["secret_key"], "--payments",
                              run.choose(10_000, 2_000))
        run.table.add("whole payments over HTTP, sandbox and merchant on the same machine", result["payments_per_second"],
                      "1/s")
    run.verify(f"sqlite:{run.data / 'payments/finality.db'}")


def wrk(url, seconds, key=None):
    """Requests a second that were answered with success. With a key: POST /v1/orders."""
    script = ["-s", ORDERS] if key else []
    done = subprocess.run(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", *script, url],
                          env={**os.environ, "FINALITY_KEY": key or ""}, capture_output=True, text=True, check=True)
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise SystemExit(f"some requests failed:\n{done.stdout}")
    return float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1])
