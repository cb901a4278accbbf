"""What programs use around their graphs: tf.logging, tf.app and tf.flags."""

import subprocess
from typing import Any

import pytest

import penstock as tf

from .warm_python import run_warm


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_warm(["-c", f"import penstock as tf\n{program}", *arguments])


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


def call(function: Any, *args: Any) -> Any:
    """A call of a function without annotations."""
    return function(*args)


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


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["--quiet", "input.csv"], "['input.csv'] a.csv 100 0.1 True"),  # the option takes no file
        (["--unknown=3", "x"], "['--unknown=3', 'x'] a.csv 100 0.1 False"),  # left for the program
        (["--undefok=other", "--other=3"], "[] a.csv 100 0.1 False"),
        (["--steps=7", "--", "--quiet", "x"], "['--', '--quiet', 'x'] a.csv 7 0.1 False"),
        (["--data", "b", "-quiet", "-noquiet"], "[] b 100 0.1 False"),
        (["--steps=1", "--steps=2"], "[] a.csv 2 0.1 False"),
    ],
)  # fmt: skip
def test_the_rest_of_the_command_line_is_the_programs(arguments: list[str], printed: str) -> None:
    done = run(PROGRAM, *arguments)
    assert (done.stdout.strip(), done.returncode) == (printed, 3), done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--steps=many"], "flag --steps=many: invalid literal for int() with base 10: 'many'"),
        (["--quiet=perhaps"], "Non-boolean argument to boolean flag"),
        (["--steps"], "Missing value for flag --steps"), (["--noquiet=1"], "noquiet"),
    ],
)  # fmt: skip
def test_a_wrong_option_ends_the_program_with_its_error(arguments: list[str], said: str) -> None:
    done = run(PROGRAM, *arguments)
    assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr and not done.stdout


def test_help_lists_the_options() -> None:
    done = run(PROGRAM, "--helpfull")
    assert "how many, 100%" in done.stdout and done.returncode == 1  # the status that TensorFlow 1.15 ends with


def test_options_are_read_when_a_value_is_asked_for_before_the_program_starts() -> None:
    program = "tf.flags.DEFINE_integer('steps', 1, '')\nprint(tf.flags.FLAGS.steps)"
    assert run(program, "--steps=4").stdout == "4\n"
    done = run(program, "--stepps=4")
    assert done.returncode == 1 and "Unknown command line flag 'stepps'. Did you mean: steps" in done.stderr


def test_messages_of_a_started_program_follow_its_verbosity() -> None:
    program = "def main(argv): tf.logging.info('told'); tf.logging.debug('more')\ntf.app.run(main)"
    assert [run(program, f"--verbosity={level}").stderr.count("] ") for level in (-1, 0, 1)] == [0, 1, 2]
    assert run(program).stderr.endswith("] told\n")


def test_a_program_may_have_a_log_dir_and_reads_its_options_as_tensorflow_1_0_did() -> None:
    program = (
        "tf.flags.DEFINE_string('log_dir', 'logs', 'where')\n"
        "tf.flags.DEFINE_integer(flag_name='n', default_value=2, docstring='how many')\n"
        "F = tf.flags.FLAGS\nprint(F._parse_flags(), F.log_dir, F.n, F['n'].value, 'n' in F, 'm' in F)\n"
    )
    assert run(program, "--log_dir=a", "b").stdout == "['b'] a 2 2 True False\n"


def test_options_are_attributes_that_can_be_set_and_listed() -> None:
    options: Any = call(tf.flags.FlagValues)
    tf.flags.DEFINE_integer("steps", 1, "how many", flag_values=options)
    tf.flags.DEFINE_multi_float("rate", [0.1], "rates", flag_values=options)
    tf.flags.DEFINE_enum("mode", "train", ["train", "test"], "what to do", flag_values=options)
    assert options(["program", "--rate=1", "--rate=2", "--mode=test"]) == ["program"]
    options.steps = 5
    assert options.flag_values_dict() == {"steps": 5, "rate": [1.0, 2.0], "mode": "test"}
    with pytest.raises(tf.flags.DuplicateFlagError, match="'steps' is defined twice"):
        tf.flags.DEFINE_integer("steps", 1, "", flag_values=options)
    with pytest.raises(tf.flags.IllegalFlagValueError, match=r"should be one of <train\|test>"):
        options(["program", "--mode=run"])


def test_an_option_that_there_is_not_is_named() -> None:
    with pytest.raises(AttributeError, match=r"there is no option 'log_dirr'; did you mean 'log_dir'\?"):
        _ = tf.flags.FLAGS.log_dirr


def test_a_required_option_must_be_given() -> None:
    options: Any = call(tf.flags.FlagValues)
    tf.flags.DEFINE_string("data", None, "the file", flag_values=options)
    call(tf.flags.mark_flag_as_required, "data", options)
    with pytest.raises(tf.flags.IllegalFlagValueError, match="--data must have a value other than None"):
        options(["program"])
    done = run("tf.flags.DEFINE_string('data', None, '', required=True)\ntf.app.run(print)")
    assert done.returncode == 1 and "Flag --data must have a value other than None" in done.stderr
