"""Which sources are tests; used by tools/size and tests/test_tree.py."""

import pathlib


def is_test(path):
    path = pathlib.PurePath(path)
    return (path.stem.endswith(("_test", ".test")) or path.name.startswith("test_")
            or path.parent.name in ("testing", "contract", "tests"))
