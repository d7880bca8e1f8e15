"""Payment lifecycles per second on one PostgreSQL database with one or two nodes (processes) and one, two or four lanes
each."""

import concurrent.futures


def measure(run):
    payments = run.choose(20_000, 4_000)
    lanes_alone = {}
    for lanes in (1, 2, 4):
        run.progress(f"PostgreSQL, {lanes} lane{'s' if lanes > 1 else ''}")
        lanes_alone[lanes] = together(run, payments, nodes=1, lanes=lanes)
    for lanes in (2, 4):
        run.table.add(f"lifecycles on PostgreSQL, {lanes} lanes", lanes_alone[lanes], "1/s", "one lane", lanes_alone[1])
    run.progress("PostgreSQL, two nodes")
    run.table.add("lifecycles on PostgreSQL, two nodes", together(run, payments, nodes=2, lanes=2), "1/s",
                  "one node, as many lanes in all", lanes_alone[4])


def together(run, payments, nodes, lanes):
    """Returns the total lifecycles per second of all nodes, measured until the slowest node ends. The payments,
    merchants and clients are divided equally between the nodes."""
    store = run.new_database()
    run.finality("migrate", "--store", store)
    command = ("bench", "lifecycle", "--store", f"{store}&finality_lanes={lanes}", "--payments", payments // nodes,
               "--merchants", 1000 // nodes, "--clients", 256 // nodes, "--json")
    with concurrent.futures.ThreadPoolExecutor(nodes) as pool:
        results = list(pool.map(lambda _: run.finality(*command), range(nodes)))
    run.verify(store)
    return sum(result["payments"] for result in results) / max(result["seconds"] for result in results)
