"""Invalid values of request fields. The server must refuse each with 400 and name the field and its allowed values."""

import pytest

TEXTS = ["", 5, None, True, [], {}, "a\u0000b", "a\nb"]  # invalid values of a text field
INTEGERS = ["1", 1.5, None, True, [], {}]                # invalid values of an integer field
AMOUNTS = [0, -1, 10**15 + 1, 2**63, 10**30, *INTEGERS]
CURRENCIES = ["", "cny", "CNYX", "ZZZ", 156, None]
NO_ACCOUNTS = ["", "x", "acc_", "ord_0000000000001", 5, None, {}]


def cases_of(table):
    """Returns the pytest parameters (field, invalid value) of a table {field: invalid values}."""
    return [pytest.param(field, value, id=f"{field}-{index}") for field, values in table.items()
            for index, value in enumerate(values)]


def check_wrong(response, field):
    """Checks that the response is the refusal `invalid_request` of this field, with an explanation."""
    assert response.status_code == 400, response.text
    problem = response.json()
    assert problem["code"] == "invalid_request" and problem["param"] == field, problem
    assert problem["detail"].startswith(field) and len(problem["detail"]) > len(field) + 5, problem
    return problem["detail"]
