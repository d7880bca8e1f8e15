"""Client of the sandbox: reads its ledger, which is independent of Finality's ledger, and uses its payer pages."""

import urllib.parse

import requests


class SandboxClient:
    """Client of one sandbox. Thread-safe."""

    def __init__(self, url: str):
        self.url = url

    def all_trades(self):
        """Returns all trades of the sandbox, oldest first."""
        return self._call("GET", "/ledger").json()["trades"]

    def all_authorizations(self):
        """Returns all authorizations of the sandbox, oldest first."""
        return self._call("GET", "/ledger").json()["authorizations"]

    def holds_of(self, authorization):
        """Returns the sandbox's holds of the authorization, oldest first. A payer can authorize a second one."""
        return [hold for hold in self.all_authorizations() if (hold["channel"], hold["out_order_no"])
                == (authorization["channel"], authorization["out_trade_no"])]

    def act_in_console(self, auth_no, action, **parameters):
        """Performs `lapse`, `release` or `capture` (with `amount`) as an employee in the channel's console would."""
        query = urllib.parse.urlencode(parameters)
        return self._call("POST", f"/console/{auth_no}/{action}?{query}").json()["authorization"]

    def is_quiet(self):
        """Returns whether the sandbox has no scheduled event or notification."""
        return self._call("GET", "/ledger").json()["to_come"] == 0

    def ledger(self):
        """Returns {out_trade_no: trade} of all trades."""
        return {trade["out_trade_no"]: trade for trade in self.all_trades()}

    def trades_of(self, payment):
        """Returns all trades of the payment, oldest first. A payment that was paid twice has two trades."""
        return [trade for trade in self.all_trades() if (trade["channel"], trade["out_trade_no"])
                == (payment["channel"], payment["out_trade_no"])]

    def set_fault(self, channel, date, fault):
        """Sets a fault of the channel's statements of a day that is not over (sandbox/README.md, Statements)."""
        self.act_on_statements(channel, "faults", date=date, fault=fault)

    def act_on_statements(self, channel, action, **parameters):
        """Performs an action such as `withdraw`, `penalty` or `top_up` (sandbox/README.md, Statements)."""
        query = urllib.parse.urlencode(parameters)
        return self._call("POST", f"/statements/{urllib.parse.quote(channel, safe='')}/{action}?{query}").json()

    def statements_of(self, channel):
        """Returns the balances, movements and faults of the channel account (sandbox/README.md, Statements)."""
        return self._call("GET", f"/statements/{urllib.parse.quote(channel, safe='')}").json()

    def trade_of(self, payment):
        return self.ledger()[payment["out_trade_no"]]

    def pay(self, payment):
        """Presses Pay on the payer page of the payment's action."""
        return self._act(payment, "pay")

    def decline(self, payment):
        return self._act(payment, "decline")

    def press(self, payment, button):
        """Presses a button like pay() and decline(), but also returns error responses instead of failing."""
        return self._call("POST", urllib.parse.urlsplit(payment["action"]["url"]).path + f"/{button}", check=False)

    def is_up(self):
        try:
            return self._call("GET", "/healthz").status_code == 200
        except requests.RequestException:
            return False

    def _act(self, payment, button):
        assert payment["action"]["type"] == "redirect", payment
        response = self.press(payment, button)
        assert response.status_code == 200, response.text
        return response.json()

    def _call(self, method, path, check=True):
        response = requests.request(method, self.url + path, headers={"Accept": "application/json"}, timeout=10,
                                    proxies={"http": None})
        if check:
            response.raise_for_status()
        return response


def net_paid(trade):
    """Returns the payer's net debit for the trade: paid less refunded, plus refunds that came back."""
    return trade["paid"] - trade["refunded"] + trade["returned"]
