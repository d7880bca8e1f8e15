"""Tests of tools/size: which lines count, and that moved lines are not saved."""

import pathlib
import re
import subprocess

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[1] / "tools/size"

CODE = '''// A comment.
#pragma once

#include <string>

namespace shop {

/* two
   lines */
inline const std::string kUrl = "http://shop";  // the URL is no comment
inline const char* kText = R"(
// not a comment, but part of a text
)";

}  // namespace shop
'''


@pytest.fixture
def repository(tmp_path):
    """An empty repository. Returns a function that replaces its files and commits them."""
    def git(*arguments):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments], cwd=tmp_path, check=True,
                       capture_output=True)
    git("init", "--quiet")

    def commit(files):
        for path in tmp_path.iterdir():
            if path.name != ".git":
                subprocess.run(["rm", "-r", path], check=True)
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        git("add", "--all")
        git("commit", "--quiet", "--allow-empty", "-m", "files")
    commit.root = tmp_path
    return commit


def size(repository, *options):
    done = subprocess.run([TOOL, "--root", repository.root, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def row(text, name):
    return [int(number.replace(",", "")) for number in re.search(rf"^{name} +(.*)$", text, re.M)[1].split()]


def test_comments_blank_lines_and_frames_of_files_do_not_count(repository):
    repository({"src/model/url.h": CODE, "docs/page.md": "text\n", "src/model/data.json": "{}\n"})
    assert row(size(repository), "src/model") == [4, 0]


def test_tests_are_counted_apart(repository):
    repository({"src/model/url.cpp": "int a;\n", "src/model/url_test.cpp": "int b;\nint c;\n", "sandbox/testing/fake.h": "int d;\n"})
    text = size(repository)
    assert row(text, "src/model") == [1, 2]
    assert row(text, "sandbox") == [0, 1]
    assert row(text, "together") == [1, 3]


def test_lines_of_another_revision_are_compared_by_folder(repository):
    repository({"src/model/a.cpp": "int first_number;\nint second_number;\n"})
    repository({"src/model/a.cpp": "int first_number;\n", "console/main.ts": 'import x from "y";\nconst one_number = 1;\n'})
    text = size(repository, "--against", "HEAD~1")
    assert row(text, "src/model") == [1, 0, 2, 0, -1, 0]
    assert row(text, "console") == [1, 0, 0, 0, 1, 0]
    assert "saved in the program: 0 lines" in text


def test_merged_headers_save_nothing(repository):
    frame = "#pragma once\n#include <string>\nnamespace shop {{\n{}\n}}  // namespace shop\n"
    repository({"src/model/a.h": frame.format("int first_number;"), "src/model/b.h": frame.format("int second_number;")})
    repository({"src/model/a.h": frame.format("int first_number;\nint second_number;")})
    assert "saved in the program: 0 lines" in size(repository, "--against", "HEAD~1")


@pytest.mark.parametrize("place", ["src/model/a_test.cpp", "tools/generated.txt"])
def test_lines_that_moved_out_of_the_program_are_not_saved(repository, place):
    line = "int a_line_that_is_long_enough;\n"
    repository({"src/model/a.cpp": line + "int another_line_that_goes_away;\n"})
    repository({"src/model/a.cpp": "", place: line})
    text = size(repository, "--against", "HEAD~1")
    assert "moved out of the program: 1 lines" in text
    assert "saved in the program: 1 lines" in text


def test_an_unknown_revision_is_an_error(repository):
    repository({"src/a.cpp": "int a;\n"})
    for revision in ("none", "", "HEAD:src"):
        done = subprocess.run([TOOL, "--root", repository.root, f"--against={revision}"], capture_output=True, text=True)
        assert done.returncode == 1 and done.stderr.startswith("tools/size: "), revision


def test_a_folder_of_the_repository_names_the_repository(repository):
    repository({"src/a.cpp": "int a;\n"})
    done = subprocess.run([TOOL, "--root", repository.root / "src"], capture_output=True, text=True)
    assert row(done.stdout, "together") == [1, 0]
