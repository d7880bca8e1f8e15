"""Changes files of the simple channel (docs/reference/simple-statement.md) on their way to the server."""

import csv
import decimal
import hashlib
import hmac
import io

from recording_proxy import CapturedResponse, RecordingProxy


class SimpleStatement:
    """A file of the simple channel. `lines` are dictionaries; write() computes the totals from them.
    REQUIRES: all lines are in one currency."""

    def __init__(self, file: bytes):
        names, values, columns, *rows, total_columns, totals = csv.reader(io.StringIO(file.decode("utf-8")))
        self.head = dict(zip(names, values))
        self._columns, self._total_columns = columns, total_columns
        self.lines = [dict(zip(columns, row)) for row in rows]
        self._totals = dict(zip(total_columns, totals))

    @property
    def kind(self):
        return self.head["kind"]

    def amounts(self, *types):
        """Returns the amounts of the lines of these types, in minor units."""
        return [int(decimal.Decimal(line["amount"]) * 100) for line in self.lines if line["type"] in types]

    def write(self) -> bytes:
        totals = self._totals | {"lines": len(self.lines)} | (
            self._trade_totals() if self.kind == "trades" else self._funds_totals())
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerows([self.head.keys(), self.head.values(), self._columns])
        writer.writerows([line[name] for name in self._columns] for line in self.lines)
        writer.writerows([self._total_columns, [totals[name] for name in self._total_columns]])
        return out.getvalue().encode("utf-8")

    def _trade_totals(self):
        payments, refunds = self.amounts("payment"), self.amounts("refund")
        return {"payments": len(payments), "paid": yuan(sum(payments)), "refunds": len(refunds),
                "refunded": yuan(sum(refunds)), "fees": sum(decimal.Decimal(line["fee"]) for line in self.lines)}

    def _funds_totals(self):
        changes = [decimal.Decimal(line["amount"]) for line in self.lines]
        opening = decimal.Decimal(self._totals["opening_balance"])
        return {"credits": sum(one for one in changes if one > 0), "debits": -sum(one for one in changes if one < 0),
                "closing_balance": opening + sum(changes)}


class StatementProxy(RecordingProxy):
    """Proxy of a simple channel. `change(statement)` may change each statement, which the proxy signs again; None: the
    statements stay as they are. `served`: the last changed file of each (kind, date)."""

    def __init__(self, url: str, secret: bytes, change=None):
        super().__init__(url)
        self.change = change
        self.served = {}
        self.alter = self._alter
        self._secret = secret

    def _alter(self, sent):
        if self.change is None or not sent.body.startswith(b"statement,"):
            return sent
        statement = SimpleStatement(sent.body)
        self.change(statement)
        body = statement.write()
        self.served[statement.kind, statement.head["date"]] = statement
        stamp = dict(sent.headers)["Sandbox-Timestamp"]
        signature = hmac.new(self._secret, f"{stamp}\n".encode() + body, hashlib.sha256).hexdigest()
        headers = dict(sent.headers) | {"Sandbox-Signature": signature}
        return CapturedResponse(sent.status, tuple(headers.items()), body)


def yuan(fen):
    return f"{fen // 100}.{fen % 100:02}"
