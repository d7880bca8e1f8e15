"""Payment lifecycles per second on SQLite, compared with SQLite alone. For the comparison, `finality bench lifecycle
--floor` replays the recorded transactions of the run on an empty file, without the engine. Lifecycles with manual
capture are compared with those of payments."""

import statistics

from bench.charts import line_chart

PEER = "its own statements and commits, bare"


def lifecycle(run, store, *options):
    return run.finality("bench", "lifecycle", "--store", store, *options, "--json")


def measure(run):
    rates = {}
    for merchants in (1000, 1):
        name = f"lifecycles on SQLite, {f'{merchants:,} merchants' if merchants > 1 else 'one hot merchant'}"
        runs = []
        for turn in range(run.choose(3, 1)):
            run.progress(name)
            runs.append(lifecycle(run, run.new_sqlite(f"floor-{merchants}-{turn}"), "--payments",
                                  run.choose(20_000, 5_000), "--merchants", merchants, "--floor"))
        run.verify(run.new_sqlite(f"floor-{merchants}-0"))
        middle = sorted(runs, key=lambda one: one["ratio_to_floor"])[len(runs) // 2]
        rates[merchants] = statistics.median(one["payments_per_second"] for one in runs)
        run.table.add(name, middle["payments_per_second"], "1/s", PEER, middle["floor_per_second"])
    run.table.add("lifecycles on SQLite, one hot merchant compared with many", rates[1], "1/s", "1,000 merchants", rates[1000])
    measure_captures(run)
    draw_batches(run)


def measure_captures(run):
    """Runs both lifecycles alternately, so that both meet the same load of the machine, and reports the median pair."""
    name = "lifecycles with authorization and capture on SQLite, 1,000 merchants"
    pairs = []
    for turn in range(run.choose(3, 1)):
        run.progress(name)
        payments = ("--payments", run.choose(20_000, 5_000), "--merchants", 1000)
        plain = lifecycle(run, run.new_sqlite(f"automatic-{turn}"), *payments)
        captured = lifecycle(run, run.new_sqlite(f"manual-{turn}"), *payments, "--capture", "manual")
        pairs.append((captured["payments_per_second"], plain["payments_per_second"]))
    run.verify(run.new_sqlite("manual-0"))
    captured, plain = sorted(pairs, key=lambda pair: pair[0] / pair[1])[len(pairs) // 2]
    run.table.add(name, captured, "1/s", "lifecycles of payments", plain)


def draw_batches(run):
    """Draws the rate as a function of the mean batch size, which grows with the number of clients."""
    points = []
    for clients in run.choose((1, 4, 16, 64, 256, 1024, 4096), (1, 16, 256)):
        run.progress(f"lifecycles on SQLite, {clients:,} client{'s' if clients > 1 else ''}")
        payments = min(run.choose(20_000, 4_000), 200 * clients + 500)
        result = lifecycle(run, run.new_sqlite(f"batch-{clients}"), "--payments", payments, "--merchants", 1000,
                           "--clients", clients)
        points.append((result["batch_mean"], result["payments_per_second"]))
    run.save("batch.svg", line_chart("Lifecycles on SQLite", "commands a batch", "lifecycles a second", {"SQLite": points}))
