"""The accounts of one merchant: opens and funds them, and checks their invariants."""

import uuid

from api import Api

FAR_BELOW_ZERO = 10**12


class Bank:
    """Methods take accounts as the API returned them. Thread-safe once its tills are open."""

    def __init__(self, api, operator=None):
        """`operator` is a client that acts for the merchant with an operator's key, and opens accounts with an
        overdraft. Without it the bank has no till."""
        self.api = api
        self.operator = operator
        self._tills = {}

    @staticmethod
    def of_demo(contract, demo):
        """Returns the bank of the demo's merchant; `demo` is the content of demo.json."""
        api = Api(contract, demo["base_url"], demo["secret_key"])
        return Bank(api, api.as_operator(demo["operators"]["admin"], demo["merchant_id"]))

    def till(self, currency="CNY"):
        """Returns the account that funds the others. It has a very large overdraft."""
        if currency not in self._tills:
            self._tills[currency] = self.open(name="Till", kind="till", currency=currency, overdraft=FAR_BELOW_ZERO)
        return self._tills[currency]

    def open(self, balance=0, expect=201, **fields):
        """Opens an account, transfers `balance` to it and returns it."""
        api = self.operator if fields.get("overdraft") else self.api
        made = api.post("/v1/accounts", account_body(**fields), expect=expect)
        if not balance:
            return made
        self.transfer(self.till(made["currency"]), made, balance, currency=made["currency"])
        return self.account(made)

    def account(self, account):
        return self.api.get(f"/v1/accounts/{account['id']}")

    def balance(self, account):
        return self.account(account)["balance"]

    def change(self, account, verb, expect=200):
        """`verb` is freeze, unfreeze or close."""
        return self.api.post(f"/v1/accounts/{account['id']}/{verb}", expect=expect)

    def lock(self, account, owner="worker-1", ttl=60, expect=200, **fields):
        return self.api.post(f"/v1/accounts/{account['id']}/lock", {"owner": owner, "ttl": ttl} | fields, expect=expect)

    def unlock(self, account, token, expect=200):
        return self.api.post(f"/v1/accounts/{account['id']}/unlock", {"token": token}, expect=expect)

    def entries(self, account, **query):
        """Returns the whole statement, newest entry first."""
        return self.api.all(f"/v1/accounts/{account['id']}/entries", **query)

    # Transfers and holds.

    def transfer(self, debit, credit, amount=100, expect=201, **fields):
        return self.api.post("/v1/transfers", transfer_body(debit, credit, amount, **fields), expect=expect)

    def reverse(self, reference, expect=200, **fields):
        return self.api.post("/v1/transfers/reverse", {"reference": reference} | fields, expect=expect)

    def transfers_named(self, reference, source="api"):
        """Returns a list with the transfer, or an empty list."""
        return self.api.get("/v1/transfers", params={"source": source, "reference": reference})["data"]

    def hold(self, account, credit, amount=100, expect=201, **fields):
        return self.api.post("/v1/holds", hold_body(account, credit, amount, **fields), expect=expect)

    def post_hold(self, hold, expect=200, **fields):
        return self.api.post(f"/v1/holds/{hold['id']}/post", fields or None, expect=expect)

    def void_hold(self, hold, expect=200):
        return self.api.post(f"/v1/holds/{hold['id']}/void", expect=expect)

    def get_hold(self, hold):
        return self.api.get(f"/v1/holds/{hold['id']}")

    # Invariants.

    def check(self, account, balance=None, held=None):
        """The statement is a chain that starts at zero, never exceeds the limit, and ends at the balance."""
        now, entries = self.account(account), self.entries(account)
        check_chain(now, entries)
        held_now = sum(hold["amount"] for hold in self.api.all("/v1/holds", account=now["id"], state="held"))
        assert now["held"] == held_now
        assert balance is None or now["balance"] == balance, now
        assert held is None or now["held"] == held, now
        return entries


def check_chain(account, entries):
    """Checks the chain of the account's entries, which are newest first."""
    after = 0
    for entry in reversed(entries):
        assert entry["account"] == account["id"] and entry["balance_before"] == after and entry["amount"] != 0, entry
        after = entry["balance_after"]
        assert after == entry["balance_before"] + entry["amount"] and after >= -account["overdraft"], entry
    assert after == account["balance"]
    assert account["available"] == account["balance"] - account["held"] + account["overdraft"] >= 0, account


def account_body(**fields):
    return {"name": "Alice", "kind": "customer", "currency": "CNY"} | fields


def transfer_body(debit, credit, amount=100, **fields):
    """Returns a transfer body with a unique reference."""
    body = {"debit_account": debit["id"], "credit_account": credit["id"], "amount": amount, "currency": "CNY",
            "reference": f"e2e-{uuid.uuid4().hex}"}
    return body | fields


def hold_body(account, credit, amount=100, **fields):
    body = {"account": account["id"], "credit_account": credit["id"], "amount": amount, "currency": "CNY",
            "reference": f"e2e-{uuid.uuid4().hex}", "expires_in": 3600}
    return body | fields
