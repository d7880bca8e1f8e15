"""Opens and funds accounts of one merchant, and checks their invariants."""

import uuid

from api import Api

FAR_BELOW_ZERO = 10**12


class Bank:
    """Accounts of one merchant. Methods take accounts as JSON objects of the API. Thread-safe after till() was called
    once per currency."""

    def __init__(self, api, operator=None):
        """`operator` is an API client that acts for the merchant with an operator's key. Only operators may open
        accounts with an overdraft, so till() requires it."""
        self.api = api
        self.operator = operator
        self._tills = {}

    @staticmethod
    def of_demo(contract, demo):
        """Returns the Bank of the demo's merchant. `demo` is the content of demo.json."""
        api = Api(contract, demo["base_url"], demo["secret_key"])
        return Bank(api, api.as_operator(demo["operators"]["admin"], demo["merchant_id"]))

    def till(self, currency="CNY"):
        """Returns the account with a very large overdraft from which open() funds other accounts. The first call opens
        it."""
        if currency not in self._tills:
            self._tills[currency] = self.open(name="Till", kind="till", currency=currency, overdraft=FAR_BELOW_ZERO)
        return self._tills[currency]

    def open(self, balance=0, expect=201, **fields):
        """Opens an account, transfers `balance` to it from the till, and returns it. `fields` are fields of the
        request."""
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
        """Changes the state of the account. `verb` is freeze, unfreeze or close."""
        return self.api.post(f"/v1/accounts/{account['id']}/{verb}", expect=expect)

    def lock(self, account, owner="worker-1", ttl=60, expect=200, **fields):
        return self.api.post(f"/v1/accounts/{account['id']}/lock", {"owner": owner, "ttl": ttl} | fields, expect=expect)

    def unlock(self, account, token, expect=200):
        return self.api.post(f"/v1/accounts/{account['id']}/unlock", {"token": token}, expect=expect)

    def entries(self, account, **query):
        """Returns all entries of the account that match `query`, newest first."""
        return self.api.all(f"/v1/accounts/{account['id']}/entries", **query)

    # Requests for transfers and holds.

    def transfer(self, debit, credit, amount=100, expect=201, **fields):
        return self.api.post("/v1/transfers", transfer_body(debit, credit, amount, **fields), expect=expect)

    def reverse(self, reference, expect=200, **fields):
        return self.api.post("/v1/transfers/reverse", {"reference": reference} | fields, expect=expect)

    def transfers_named(self, reference, source="api"):
        """Returns a list with the transfer that has this reference, or an empty list."""
        return self.api.get("/v1/transfers", params={"source": source, "reference": reference})["data"]

    def hold(self, account, credit, amount=100, expect=201, **fields):
        return self.api.post("/v1/holds", hold_body(account, credit, amount, **fields), expect=expect)

    def post_hold(self, hold, expect=200, **fields):
        return self.api.post(f"/v1/holds/{hold['id']}/post", fields or None, expect=expect)

    def void_hold(self, hold, expect=200):
        return self.api.post(f"/v1/holds/{hold['id']}/void", expect=expect)

    def get_hold(self, hold):
        return self.api.get(f"/v1/holds/{hold['id']}")

    # Checks of invariants.

    def check(self, account, balance=None, held=None):
        """Checks that the account's entries form a chain from zero to its balance within the overdraft, and that `held`
        is the sum of its open holds. Compares balance and holds with the arguments if they are set."""
        now, entries = self.account(account), self.entries(account)
        check_chain(now, entries)
        held_now = sum(hold["amount"] for hold in self.api.all("/v1/holds", account=now["id"], state="held"))
        assert now["held"] == held_now
        assert balance is None or now["balance"] == balance, now
        assert held is None or now["held"] == held, now
        return entries


def check_chain(account, entries):
    """Checks that each entry starts at the balance that the previous entry ended with. `entries` are newest first."""
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
    """Returns the body of a transfer request with a unique reference."""
    body = {"debit_account": debit["id"], "credit_account": credit["id"], "amount": amount, "currency": "CNY",
            "reference": f"e2e-{uuid.uuid4().hex}"}
    return body | fields


def hold_body(account, credit, amount=100, **fields):
    body = {"account": account["id"], "credit_account": credit["id"], "amount": amount, "currency": "CNY",
            "reference": f"e2e-{uuid.uuid4().hex}", "expires_in": 3600}
    return body | fields
