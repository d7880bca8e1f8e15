"""Throughput of transfers and holds: one hot account compared with a thousand accounts."""


def measure(run):
    count = run.choose(60_000, 10_000)
    for store_name, new_store in (("SQLite", lambda spread: run.new_sqlite(f"accounts-{spread}")),
                                  ("PostgreSQL", lambda spread: run.new_database())):
        rates = {}
        for spread in (1000, 1):
            run.progress(f"transfers and holds on {store_name}, {spread:,} account{'s' if spread > 1 else ''}")
            store = new_store(spread)
            result = run.finality("bench", "accounts", "--store", store, "--operations", count, "--accounts", spread,
                                  "--json")
            if result["refused"]:
                raise SystemExit(f"{result['refused']} operations were refused")
            run.verify(store)
            rates[spread] = result["operations_per_second"]
        run.table.add(f"transfers and holds on {store_name}, one hot account", rates[1], "1/s", "1,000 accounts",
                      rates[1000])
