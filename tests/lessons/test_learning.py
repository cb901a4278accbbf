"""`penstock learn` lists, shows, writes, checks and gives hints; progress that cannot be kept disturbs nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from penstock import cli
from penstock.lessons.kept_progress import VARIABLE, data_folder
from penstock.lessons.lesson_folders import course, find_lesson
from penstock.lessons.lesson_proof import complaints

ROOT = Path(__file__).resolve().parents[2]
Capture = pytest.CaptureFixture[str]
RIGHT = find_lesson(1).solutions[0]

pytestmark = pytest.mark.usefixtures("forked_children")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data" / "lessons.json"


def learn(capsys: Capture, *words: str) -> tuple[int, str, str]:
    code = cli.main(["learn", *words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_it_lists_the_lessons_and_shows_one_with_its_program(capsys: Capture) -> None:
    code, out, _ = learn(capsys)
    assert code == 0 and all(lesson.title in out for lesson in course())
    assert "Begin with: penstock learn 1" in out
    code, out, _ = learn(capsys, "1")
    assert code == 0 and "Building is not running\n=====" in out and "# your turn: the largest" in out


def test_it_writes_the_program_and_never_replaces_a_file_unasked(tmp_path: Path, capsys: Capture) -> None:
    mine = tmp_path / "mine.py"
    assert learn(capsys, "1", "--start", "mine.py")[0] == 0
    assert mine.read_text() == find_lesson(1).start
    mine.write_text("my work")
    code, _, err = learn(capsys, "1", "--start", "mine.py")
    assert code == 2 and "--force" in err and mine.read_text() == "my work"
    assert learn(capsys, "1", "--start", "mine.py", "--force")[0] == 0
    assert "fahrenheit" in mine.read_text()


def test_a_program_that_passes_counts_and_one_that_does_not_is_told_why(
    tmp_path: Path, capsys: Capture, data: Path
) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(find_lesson(1).start)
    code, out, _ = learn(capsys, "1", "--check", "mine.py")
    assert code == 1 and "3 gaps are still open" in out and not data.exists()
    mine.write_text(RIGHT.read_text())
    code, out, _ = learn(capsys, "1", "--check", "mine.py")
    assert code == 0 and out.startswith("Lesson 1: passed.")
    assert json.loads(data.read_text())["lessons"][find_lesson(1).key]["passed"]
    assert "passed on" in learn(capsys)[1]
    assert "import penstock" in learn(capsys, "1", "--solution")[1]


def test_hints_come_one_by_one_and_the_solution_on_the_second_question(capsys: Capture) -> None:
    assert [learn(capsys, "1", "--hint")[1][:6] for _ in range(4)] == ["Hint 1", "Hint 2", "Hint 3", "Hint 3"]
    assert learn(capsys, "1", "--hint", "1")[1].startswith("Hint 1")
    assert "3 hints seen" in learn(capsys)[1]
    assert "ask once more" in learn(capsys, "1", "--solution")[1]
    assert "session.run" in learn(capsys, "1", "--solution")[1]


def test_a_damaged_file_of_progress_counts_as_empty(capsys: Capture, data: Path) -> None:
    data.parent.mkdir()
    for content in ("", "{", "[]", '{"lessons": [1]}', '{"lessons": {"x": 3}}', "[" * 100_000, '{"lessons": null}'):
        data.write_text(content)
        code, out, err = learn(capsys)
        assert code == 0 and "Begin with" in out and "damaged" in err
    data.write_bytes(b"\xff\xfe")
    assert "damaged" in learn(capsys)[2]
    assert learn(capsys, "1", "--hint")[0] == 0
    assert learn(capsys)[2] == ""


def test_a_folder_that_cannot_be_written_is_told_and_the_solution_is_shown(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "data"))
    code, out, err = learn(capsys, "1", "--hint")
    assert code == 0 and out.startswith("Hint 1") and "progress" in err
    assert "session.run" in learn(capsys, "1", "--solution")[1]


def test_the_folder_for_data_is_that_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    monkeypatch.setenv("APPDATA", "/roaming")
    for platform, end in (("linux", "somewhere/penstock"), ("win32", "roaming/penstock"),
                          ("darwin", "Library/Application Support/penstock")):  # fmt: skip
        monkeypatch.setattr("sys.platform", platform)
        assert data_folder().as_posix().endswith(end)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["99"], "there is no lesson 99"),
        (["nofolder"], "nofolder: it is not a folder"),
        (["."], "the folder is no lesson, it has no text.md"),
        (["--hint"], "--hint needs the number of a lesson"),
        (["1", "--hint", "7"], "there is no hint 7"),
        (["1", "--hint", "0"], "there is no hint 0"),
        (["1", "--check", "none.py"], "none.py: there is no such file"),
        (["1", "--check", "."], "it is a folder"),
        (["1", "--check", str(RIGHT), "--limit", "0"], "--limit 0"),
        (["1", "--page", "page.pdf"], "ends with .html"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words: list[str], told: str, capsys: Capture) -> None:
    code, _, err = learn(capsys, *words)
    assert code == 2 and told in err and err.count("\n") == 1


def test_it_writes_notebook_page_and_play_page(tmp_path: Path, capsys: Capture) -> None:
    for form, name in (("notebook", "lesson1.ipynb"), ("page", "lesson1.html"), ("play", "lesson1-play.html")):
        assert learn(capsys, "1", f"--{form}")[:2] == (0, f"{name}\n")
        assert (tmp_path / name).stat().st_size > 1000
        assert "--force" in learn(capsys, "1", f"--{form}")[2]


def test_the_lesson_in_the_teachers_page_is_proved_and_can_be_learned(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "myfolder"
    (folder / "solutions").mkdir(parents=True)
    (folder / "mistakes").mkdir()
    page = (ROOT / "docs" / "teaching.md").read_text("utf-8")
    (shown,) = re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    head = "import penstock as tf\n\nprices = tf.placeholder(tf.float32, ['items'])\n"
    (folder / "check.py").write_text(shown)
    (folder / "text.md").write_text("# Sums\n\nOne sum.\n\n```python\nprint(1)\n```\n")
    (folder / "start.py").write_text(f"{head}total = ...  # your turn: the sum of prices\n")
    (folder / "hints.md").write_text("## 1\n\nLook.\n\n## 2\n\nLook again.\n\n## 3\n\nLook at reduce_sum.\n")
    (folder / "solutions" / "a.py").write_text(f"{head}total = tf.reduce_sum(prices)\n")
    (folder / "solutions" / "b.py").write_text(f"{head}total = tf.reduce_sum(prices, 0)\n")
    wrong = f"# python-adds\n{head}total = prices[0] + prices[1] + prices[2]\n"
    (folder / "mistakes" / "chain.py").write_text(wrong)
    assert complaints(find_lesson(str(folder))) == []
    assert learn(capsys, str(folder), "--prove")[1].startswith("Sums: 2 solutions pass, 1 mistakes are named")
    code, out, _ = learn(capsys, str(folder), "--check", str(folder / "mistakes" / "chain.py"))
    assert code == 1 and "Your graph has 2 Add nodes" in out and "The idea behind it may be: Python has" in out
    (folder / "mistakes" / "chain.py").write_text(f"# no-such-key\n{head}total = tf.reduce_sum(prices)\n")
    (folder / "hints.md").write_text("## 1\n\nLook.\n")
    told = "\n".join(complaints(find_lesson(str(folder))))
    assert "chain.py passes" in told and "hints.md has 1 sections" in told and "shows the misconception" in told
