"""Table of results. A row is {name, value, unit, peer, peer_value, ratio}."""


class Table:
    def __init__(self):
        self.rows = []
        self.missed = []  # texts about the targets that rows miss

    def add(self, name, value, unit, peer="", peer_value=None):
        """Adds a row and returns it. `peer` names the baseline, `peer_value` is its value; the ratio is `value /
        peer_value`, or None without a baseline."""
        ratio = value / peer_value if peer_value else None
        row = {"name": name, "value": value, "unit": unit, "peer": peer, "peer_value": peer_value, "ratio": ratio}
        self.rows.append(row)
        return row

    def require(self, row, field, at_least=None, at_most=None):
        """Sets a target of a row: `field` is "value" or "ratio". A missed target is in `missed`."""
        number = row[field]
        text = f"{row['name']}: {field} {figure(number)}"
        if at_least is not None and number < at_least:
            self.missed.append(f"{text}, target at least {figure(at_least)}")
        if at_most is not None and number > at_most:
            self.missed.append(f"{text}, target at most {figure(at_most)}")

    def value(self, name):
        return next(row["value"] for row in self.rows if row["name"] == name)

    def markdown(self):
        lines = ["| what | value | unit | against | its value | ratio |", "|---|---:|---|---|---:|---:|"]
        for row in self.rows:
            cells = [row["name"], figure(row["value"]), row["unit"], row["peer"], figure(row["peer_value"]),
                     figure(row["ratio"])]
            lines.append("| " + " | ".join(cells) + " |")
        return "\n".join(lines) + "\n"


def figure(number):
    """Formats a number: integers with thousands separators from 100, two or three significant digits below."""
    if number is None:
        return ""
    if abs(number) >= 100 or number == 0:
        return f"{number:,.0f}"
    return f"{number:.1f}" if abs(number) >= 10 else f"{number:.2f}" if abs(number) >= 0.1 else f"{number:.2g}"
