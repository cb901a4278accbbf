"""decode_csv: columns and errors that TensorFlow 2.21 was recorded giving."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import penstock as tf

D: list[Any] = [[1], [""], [0.5]]


def columns(records: Any, defaults: Any, **options: Any) -> Any:
    with tf.Graph().as_default() as graph:
        made = [each() if callable(each) else each for each in defaults]
        tensors = tf.decode_csv(records, made, **options)
        found = tf.Session(graph=graph).run(tensors)
    assert [t.shape.as_list() for t in tensors] == [list(np.shape(each)) for each in found]
    return [each.tolist() if isinstance(each, np.ndarray) else each for each in found]


def i64() -> Any:
    return tf.constant([1], tf.int64)


def f64() -> Any:
    return tf.constant([1.0], tf.float64)


@pytest.mark.parametrize(
    ("records", "defaults", "options", "want"),
    [
        (["1,a,2.5", "2,b,3"], D, {}, [[1, 2], [b"a", b"b"], [2.5, 3.0]]),
        ([["1,a,2.5"]], D, {}, [[[1]], [[b"a"]], [[2.5]]]),
        ("1,a,2.5", D, {}, [1, b"a", 2.5]),
        ([",,"], D, {}, [[1], [b""], [0.5]]),
        (['1,"a,""b""",2'], D, {}, [[1], [b'a,"b"'], [2.0]]),
        (['1,"a\nb",2'], D, {}, [[1], [b"a\nb"], [2.0]]),
        (['1,"a",2'], D, {"use_quote_delim": False}, [[1], [b'"a"'], [2.0]]),
        (['1,a"b,2'], D, {"use_quote_delim": False}, [[1], [b'a"b'], [2.0]]),
        (["1\ta\t2"], D, {"field_delim": "\t"}, [[1], [b"a"], [2.0]]),
        (['1"2'], [[1], [2]], {"field_delim": '"'}, [[1], [2]]),
        (["1\n2"], [[1], [2]], {"field_delim": "\n"}, [[1], [2]]),
        (["NA,NA,NA"], D, {"na_value": "NA"}, [[1], [b""], [0.5]]),
        ([",,", '1,"NA",2'], D, {"na_value": "NA"}, [[1, 1], [b"", b""], [0.5, 2.0]]),
        (['"","","1"'], [[7], ["dflt"], [1.0]], {}, [[7], [b"dflt"], [1.0]]),
        (["1,2,3,4"], [[1], [1.0]], {"select_cols": [1, 3]}, [[2], [4.0]]),
        (["1,2", "3"], [[1]], {"select_cols": [0]}, [[1, 3]]),
        (['1,a"b'], [[1]], {"select_cols": [0]}, [[1]]),
        ([" 1 ,a , 2.5 "], D, {}, [[1], [b"a "], [2.5]]),
        (["inf,-1e400,0x10"], [[1.0], [1.0], [1.0]], {}, [[np.inf], [-np.inf], [16.0]]),
        (["+1,-1,010"], [[1], [1], [1]], {}, [[1], [-1], [10]]),
        (["2147483648,0.1"], [i64, f64], {}, [[2147483648], [0.1]]),
        ([",2"], [7, 8], {}, [[7], [2]]),
        (['"a",'], [["x"], ["y"]], {}, [[b"a"], [b"y"]]),
        (['""""'], [["x"]], {}, [[b'"']]),
        (["1,2"], [[1], []], {}, [[1], [2.0]]),
        (["é,ñ"], [["x"], ["y"]], {}, [["é".encode()], ["ñ".encode()]]),
        (np.zeros((0, 2), object), D, {}, [[], [], []]),
    ],
)
def test_lines_become_columns(records: Any, defaults: Any, options: Any, want: Any) -> None:
    assert columns(records, defaults, **options) == want


@pytest.mark.parametrize(
    ("records", "defaults", "options", "message"),
    [
        (["1,a"], D, {}, "Expect 3 fields but have 2 in record 0"),
        (["1,a,2,3"], D, {}, "Expect 3 fields but have 4 in record 0"),
        (["1,2", "1"], [[5], [6]], {}, "Expect 2 fields but have 1 in record 1"),
        (["1,2,3", "1"], [[5], [6]], {}, "Expect 2 fields but have 3 in record 0"),
        ([""], [[5]], {}, "Expect 1 fields but have 0 in record 0"),
        (["\n"], [["x"]], {}, "Expect 1 fields but have 0 in record 0"),
        (["a,"], [["x"]], {}, "Expect 1 fields but have 2 in record 0"),
        (["1,2,3,4"], [[1], [1.0]], {"select_cols": [1, 9]}, "Expect 2 fields but have 1 in record 0"),
        (["1,a\nb,2"], D, {}, "Unquoted fields cannot have quotes/CRLFs inside"),
        (["1,a,2\r\n"], D, {}, "Unquoted fields cannot have quotes/CRLFs inside"),
        (['1,a"b,2'], D, {}, "Unquoted fields cannot have quotes/CRLFs inside"),
        (['1, "a"'], [["x"], ["y"]], {}, "Unquoted fields cannot have quotes/CRLFs inside"),
        (['1,"a"b,2'], D, {}, "Quote inside a string has to be escaped by another quote"),
        (['1,"ab,2'], D, {}, "Quoted field has to end with quote followed by delim or end"),
        (["1,"], [[1], []], {}, "Field 1 is required but missing in record 0!"),
        (["1", "x", "y"], [[1]], {}, "Field 0 in record 1 is not a valid int32: x"),
        (["1.5"], [[1]], {}, "Field 0 in record 0 is not a valid int32: 1.5"),
        (["1,0x10"], [[1], [1]], {}, "Field 1 in record 0 is not a valid int32: 0x10"),
        (["1_0"], [[1]], {}, "Field 0 in record 0 is not a valid int32: 1_0"),
        (["2147483648"], [[1]], {}, "Field 0 in record 0 is not a valid int32: 2147483648"),
        (["9223372036854775808"], [i64], {}, "Field 0 in record 0 is not a valid int64: 9223372036854775808"),
        (["x"], [[1.0]], {}, "Field 0 in record 0 is not a valid float: x"),
        (["x"], [f64], {}, "Field 0 in record 0 is not a valid double: x"),
        (["1,x", "1"], [[1], [1]], {}, "Field 1 in record 0 is not a valid int32: x"),
    ],
)
def test_the_first_field_at_fault_is_told(records: Any, defaults: Any, options: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message.replace("!", "")):
        columns(records, defaults, **options)


@pytest.mark.parametrize("quoted", [False, True])
def test_more_lines_than_a_block_are_all_read(quoted: bool) -> None:
    middle = '"b"' if quoted else "b"
    found = columns([f"{i},{middle},{i}.5" for i in range(9_000)], [[0], [""], [0.0]])
    assert found == [list(range(9_000)), [b"b"] * 9_000, [i + 0.5 for i in range(9_000)]]


@pytest.mark.parametrize("seed", range(40))
def test_many_lines_are_read_as_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    fields = ["a", "", '"a,b"', '"a"', '"x\n"', '"q""q"', "\0", '"\0,"', " z", '""', "1", "NA"]
    ends = ["", "", "", "", ",", '"', "\n", 'x"']  # most lines are right
    lines = [",".join(rng.choice(fields[: 4 + seed // 4], 3)) for _ in range(5)]
    lines[-1] += str(rng.choice(ends[: 1 + seed // 5]))
    defaults = [["d"], ["e"], ["f"]]

    def outcome(records: list[str]) -> Any:
        try:
            return columns(records, defaults, na_value="NA")
        except tf.errors.InvalidArgumentError as error:
            return error.message

    alone = [outcome([line]) for line in lines]
    wrong = [found for found in alone if isinstance(found, str)]
    want = wrong[0] if wrong else [[found[c][0] for found in alone] for c in range(3)]
    found = outcome(lines)
    assert found == want or (wrong and found.replace("record 4", "record 0") == want)


def test_defaults_may_be_fed() -> None:
    with tf.Graph().as_default() as graph:
        default = tf.placeholder(tf.int32)
        (tensor,) = tf.decode_csv(["NA"], [default], na_value="NA")
        session = tf.Session(graph=graph)
        assert session.run(tensor, {default: [5]}).tolist() == [5]
        with pytest.raises(tf.errors.InvalidArgumentError, match="only be 1 default per field but field 0 has 2"):
            session.run(tensor, {default: [5, 6]})


def test_columns_keep_the_names_of_sizes() -> None:
    with tf.Graph().as_default():
        assert [str(t.shape) for t in tf.decode_csv(tf.placeholder(tf.string, ["n"]), [[1], [""]])] == ["(n,)"] * 2


@pytest.mark.parametrize(
    ("defaults", "options", "message"),
    [
        ([], {}, "record_defaults is empty"),
        ([[[1]]], {}, "Shape must be at most rank 1 but is rank 2"),
        ([[1, 2]], {}, "Shape of a default must be a length-0 or length-1 vector, or a scalar"),
        ([[1]], {"field_delim": "ab"}, "field_delim should be only 1 char"),
        ([[1]], {"field_delim": ""}, "field_delim should be only 1 char"),
        ([[1], [1]], {"select_cols": [3, 1]}, "select_cols is not strictly increasing"),
        ([[1], [1]], {"select_cols": [-1, 1]}, "select_cols contains negative values"),
        ([[1], [1]], {"select_cols": [1]}, "Length of select_cols and record_defaults do not match"),
    ],
)
def test_wrong_descriptions_of_columns_are_refused(defaults: Any, options: Any, message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        tf.decode_csv(["1,2"], defaults, **options)


@pytest.mark.parametrize("default", [[True], np.array([1], "i1"), tf.int32])
def test_columns_have_the_dtypes_of_tensorflow(default: Any) -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError):
        tf.decode_csv(["1"], [default])
