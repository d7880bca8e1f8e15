"""The statement endpoint of the simple channel (docs/reference/simple-statement.md), and a file of a given list of
payments."""

import contextlib
import datetime
import gzip
import hashlib
import hmac
import http.server
import json
import threading
import urllib.parse

CHINA = datetime.timezone(datetime.timedelta(hours=8))
BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"
DAY_S = 24 * 3600


def base32(number):
    """Returns the 13 characters of an id in out_trade_no (src/base/crypto/encoding.h)."""
    return "".join(BASE32[number >> 5 * i & 31] for i in reversed(range(13)))


def date_of(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, CHINA).date().isoformat()


def begin_of(date):
    return datetime.datetime.fromisoformat(f"{date}T00:00:00+08:00")


def statement(date, payments):
    """Returns the packed file of a day. `payments` is a list of (merchant_id, payment_id, trade_no, amount in fen). The
    times of the lines are spread over the day, because the copies of bench/clones.py have the times of their
    originals. Only the day of a time is compared with the books."""
    midnight = begin_of(date)
    lines = ["statement,version,channel,kind,date,time_zone", f"statement,1,sandbox,trades,{date},+08:00",
             "columns,type,time,trade_no,out_trade_no,refund_no,out_refund_no,currency,amount,discount,fee,status"]
    for number, (merchant, payment, trade_no, amount) in enumerate(payments):
        at = midnight + datetime.timedelta(seconds=number * DAY_S // len(payments))
        lines.append(f"line,payment,{at.isoformat()},{trade_no},{base32(merchant)}{base32(payment)},,,CNY,"
                     f"{yuan(amount)},0,0,success")
    paid = sum(amount for *_, amount in payments)
    lines += ["totals_columns,currency,lines,payments,paid,refunds,refunded,fees",
              f"totals,CNY,{len(payments)},{len(payments)},{yuan(paid)},0,0,0"]
    return gzip.compress(("\n".join(lines) + "\n").encode(), compresslevel=6)


def yuan(fen):
    return f"{fen // 100}.{fen % 100:02}"


class StatementChannel:
    """Serves the statement of trades of one day when released. Its statement of funds is not ready, and other days have
    none. The signed time is that of the request, so the channel needs no clock."""

    def __init__(self, secret, date, file):
        self.asked = threading.Event()     # the server has asked for the file
        self.released = threading.Event()  # the file may be sent
        channel = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
                if query.get("date") != [date]:
                    self.refuse("no_statement", "Nothing happened on that day.")
                elif query.get("kind") != ["trades"]:
                    self.refuse("statement_not_ready", "The statement is late.")
                else:
                    channel.asked.set()
                    channel.released.wait()
                    self.answer(200, file)

            def refuse(self, code, message):
                self.answer(404, json.dumps({"code": code, "message": message}).encode())

            def answer(self, status, body):
                stamp = self.headers["Sandbox-Timestamp"]
                signature = hmac.new(secret.encode(), f"{stamp}\n".encode() + body, hashlib.sha256).hexdigest()
                self.send_response(status)
                for name, value in (("Sandbox-Timestamp", stamp), ("Sandbox-Signature", signature),
                                    ("Content-Length", str(len(body)))):
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @contextlib.contextmanager
    def running(self):
        thread = threading.Thread(target=self._server.serve_forever)
        thread.start()
        try:
            yield self
        finally:
            self.released.set()
            self._server.shutdown()
            thread.join()
            self._server.server_close()
