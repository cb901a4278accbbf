"""What programs use around their graphs: tf.logging, tf.app and tf.flags."""

import subprocess
import sys
from typing import Any

import pytest

import penstock as tf


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"import penstock as tf\n{program}", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_messages_go_to_the_standard_error_from_the_level_that_is_set() -> None:
    done = run(
        "tf.logging.info('hidden')\n"
        "tf.logging.warn('%d rows', 3)\n"
        "tf.logging.set_verbosity(tf.logging.INFO)\n"
        "tf.logging.info('shown')\n"
        "for i in range(5):\n"
        "    tf.logging.log_first_n(tf.logging.ERROR, 'first %d', 2, i)\n"
        "    tf.logging.log_every_n(tf.logging.ERROR, 'every %d', 3, i)\n"
        "tf.logging.log_if(tf.logging.FATAL, 'never', False)\n"
    )
    lines = ["WARNING:penstock:3 rows", "INFO:penstock:shown", "ERROR:penstock:first 0", "ERROR:penstock:every 0",
             "ERROR:penstock:first 1", "ERROR:penstock:every 3"]  # fmt: skip
    assert done.stderr.splitlines() == lines


def test_a_program_with_handlers_of_its_own_sees_each_message_once() -> None:
    done = run("import logging\nlogging.basicConfig(format='own %(message)s')\ntf.logging.warn('once')\n")
    assert done.stderr.splitlines() == ["own once"]


def test_messages_name_the_line_of_the_program(caplog: pytest.LogCaptureFixture) -> None:
    tf.logging.warning("here")
    assert caplog.records[0].filename == "test_programs.py"


PROGRAM = """
flags = tf.app.flags
flags.DEFINE_string("data", "a.csv", "the file")
flags.DEFINE_integer("steps", 100, "how many, 100%")
flags.DEFINE_float("rate", 0.1, "the rate")
flags.DEFINE_boolean("quiet", False, "says less")
FLAGS = flags.FLAGS
def main(argv):
    print(argv[1:], FLAGS.data, FLAGS.steps, FLAGS.rate, FLAGS.quiet)
    return 3
if __name__ == "__main__":
    tf.app.run()
"""


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ([], "[] a.csv 100 0.1 False"), (["--data=b", "x", "--steps", "7", "y"], "['x', 'y'] b 7 0.1 False"),
        (["-rate=2", "--quiet"], "[] a.csv 100 2.0 True"), (["--quiet=true"], "[] a.csv 100 0.1 True"),
        (["--quiet", "--noquiet"], "[] a.csv 100 0.1 False"),
    ],
)  # fmt: skip
def test_options_are_read_from_the_command_line(arguments: list[str], printed: str) -> None:
    done = run(PROGRAM, *arguments)
    assert (done.stdout.strip(), done.returncode) == (printed, 3), done.stderr


def test_wrong_options_and_help_end_the_program() -> None:
    assert "invalid int value: 'many'" in run(PROGRAM, "--steps=many").stderr
    assert "how many, 100%" in run(PROGRAM, "--help").stdout


def test_options_are_attributes_that_can_be_set_and_listed() -> None:
    options = tf.flags.FlagValues()
    tf.flags.DEFINE_integer("steps", 1, "how many", options)
    options.steps = 5
    options(["program"])
    assert options.steps == 5 and "steps" in options and list(options) == ["steps"]
    flags: Any = getattr(options, "__flags")  # a name with two underscores is another one in a class
    assert flags == {"steps": 5}
    with pytest.raises(AttributeError, match="there is no option 'step'"):
        _ = options.step
    with pytest.raises(ValueError, match="defined twice"):
        tf.flags.DEFINE_integer("steps", 1, "", options)


def test_a_required_option_must_be_given(capsys: pytest.CaptureFixture[str]) -> None:
    options = tf.flags.FlagValues()
    tf.flags.DEFINE_string("data", None, "the file", options)
    tf.flags.mark_flag_as_required("data", options)
    with pytest.raises(SystemExit):
        options(["program"])
    assert "--data must be given" in capsys.readouterr().err
    with pytest.raises(AttributeError):
        tf.flags.mark_flags_as_required(["none"], options)
