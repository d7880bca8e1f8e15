"""Tables of invalid fields: each value is refused with 400, and the response names the field and its allowed values."""

import pytest

TEXTS = ["", 5, None, True, [], {}, "a\u0000b", "a\nb"]  # none is a valid text
INTEGERS = ["1", 1.5, None, True, [], {}]                # none is an integer
AMOUNTS = [0, -1, 10**15 + 1, 2**63, 10**30, *INTEGERS]
CURRENCIES = ["", "cny", "CNYX", "ZZZ", 156, None]
NO_ACCOUNTS = ["", "x", "acc_", "ord_0000000000001", 5, None, {}]


def cases_of(table):
    """Parametrizes a test with pairs of a field and an invalid value."""
    return [pytest.param(field, value, id=f"{field}-{index}") for field, values in table.items()
            for index, value in enumerate(values)]


def check_wrong(response, field):
    """The response refuses that field and no other."""
    assert response.status_code == 400, response.text
    problem = response.json()
    assert problem["code"] == "invalid_request" and problem["param"] == field, problem
    assert problem["detail"].startswith(field) and len(problem["detail"]) > len(field) + 5, problem
    return problem["detail"]
