"""What is kept of a value: true numbers about it, a histogram, a small image, and a short text."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import penstock as tf
from penstock.runtime.observe.value_summary import BAD, BINS, SAMPLED, SIDE, summary_of

FLOATS = hnp.arrays(
    st.sampled_from([np.float32, np.float64]), hnp.array_shapes(max_dims=3, max_side=6), elements=st.floats(width=32)
)


@given(FLOATS)
def test_the_numbers_are_those_of_the_finite_elements(array: np.ndarray) -> None:
    found = summary_of(array)
    finite = array[np.isfinite(array)].astype(np.float64)
    assert (found.nans, found.infs) == (np.isnan(array).sum(), np.isinf(array).sum())
    assert found.zeros == (array == 0).sum() and found.size == array.size
    assert found.is_healthy == bool(np.isfinite(array).all())
    if not finite.size:
        assert found.minimum is found.mean is None
        return
    assert (found.minimum, found.maximum) == (finite.min(), finite.max())
    assert found.mean == pytest.approx(finite.mean(), rel=1e-9, abs=1e-30)
    assert found.std == pytest.approx(finite.std(), rel=1e-6, abs=1e-30)


@given(FLOATS)
def test_the_first_bad_index_points_at_it(array: np.ndarray) -> None:
    found = summary_of(array)
    if found.first_bad is None:
        assert np.isfinite(array).all()
        return
    assert not np.isfinite(array[found.first_bad])
    assert np.isfinite(array.reshape(-1)[: np.ravel_multi_index(found.first_bad, array.shape)]).all()


def test_a_histogram_counts_every_finite_element() -> None:
    rng = np.random.default_rng(3)
    array = np.append(rng.normal(size=1000), [math.nan, math.inf])
    histogram = summary_of(array).histogram
    assert histogram is not None and len(histogram.counts) == BINS and sum(histogram.counts) == 1000
    assert (histogram.low, histogram.high) == (array[:1000].min(), array[:1000].max())


def test_a_large_array_is_sampled_for_its_histogram_and_not_for_its_range() -> None:
    array = np.zeros(3 * SAMPLED, np.float32)
    array[SAMPLED + 1] = 7.0
    found = summary_of(array)
    assert found.maximum == 7.0 and found.zeros == array.size - 1
    assert found.histogram is not None and found.histogram.stride == 3
    assert sum(found.histogram.counts) == SAMPLED


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int8", "int64", "uint64", "bool", "complex64", "float64"])
def test_every_dtype_has_a_summary(dtype: str) -> None:
    array = np.array([[0, 1], [1, 1]]).astype(tf.as_dtype(dtype).np)
    found = summary_of(array)
    assert (found.size, found.zeros, found.nans) == (4, 1, 0)
    if dtype != "complex64":
        assert (found.minimum, found.maximum, found.mean) == (0, 1, 0.75)


def test_large_integers_stay_exact() -> None:
    found = summary_of(np.array([2**63 - 1, 5], np.uint64))
    assert (found.minimum, found.maximum) == (5, 2**63 - 1)


def test_booleans_are_counted_and_equal_numbers_are_told_once() -> None:
    assert str(summary_of(np.arange(8) < 3)) == "3 of 8 are true"
    assert str(summary_of(np.zeros(8))) == "all 0" and str(summary_of(np.arange(8))) == "0 to 7, mean 3.5"
    assert str(summary_of(np.array([1.0, 1.0, np.nan]))) == "1 to 1, mean 1, 1 NaN"


def test_texts_have_a_preview_and_no_numbers() -> None:
    found = summary_of(np.array([b"a", b"x" * 10_000], object))
    assert "b'a'" in found.preview and len(found.preview) < 1000
    assert found.minimum is None and found.zeros is None and found.is_healthy


def test_an_empty_array_says_so() -> None:
    assert str(summary_of(np.zeros((0, 3)))) == "empty"


def test_a_preview_shows_all_of_a_small_array_and_the_ends_of_a_large_one() -> None:
    assert summary_of(np.arange(4).reshape(2, 2)).preview == "[[0 1]\n [2 3]]"
    large = summary_of(np.arange(10_000)).preview
    assert large.startswith("[   0    1") and large.endswith("9999]") and "..." in large


@pytest.mark.parametrize(
    ("shape", "channels"), [((60, 90), 1), ((9, 9, 3), 3), ((9, 9, 4), 3), ((2, 12, 9, 1), 1), ((480, 640, 3), 3)]
)
def test_what_has_the_shape_of_an_image_gets_a_small_one(shape: tuple[int, ...], channels: int) -> None:
    array = np.random.default_rng(0).random(shape, np.float32)
    image = summary_of(array).image
    assert image is not None and image.channels == channels
    assert max(image.height, image.width) <= SIDE
    assert len(image.pixels) == image.height * image.width * channels


@pytest.mark.parametrize("shape", [(), (100,), (3, 90), (20, 20, 2), (1000, 10), (2, 2, 2, 2, 2)])
def test_other_shapes_get_no_image(shape: tuple[int, ...]) -> None:
    assert summary_of(np.zeros(shape)).image is None


def test_an_image_keeps_light_and_dark_in_place_and_marks_what_is_no_number() -> None:
    array = np.zeros((10, 16))
    array[0, 0], array[9, 15], array[5, 5] = 1.0, 0.5, math.nan
    image = summary_of(array).image
    assert image is not None
    pixels = np.frombuffer(image.pixels, np.uint8).reshape(10, 16)
    assert (pixels[0, 0], pixels[9, 15], pixels[5, 5], pixels[1, 1]) == (BAD - 1, 127, BAD, 0)


def test_a_colour_image_in_bytes_keeps_its_colours() -> None:
    array = np.zeros((8, 8, 3), np.uint8)
    array[0, 0] = [255, 0, 127]
    image = summary_of(array).image
    assert image is not None and (image.low, image.high) == (0.0, 255.0)
    assert list(image.pixels[:3]) == [254, 0, 127]


def test_nothing_of_the_array_is_kept() -> None:
    array = np.ones((16, 16))
    found = summary_of(array)
    before = found.image
    array[:] = 5.0
    assert found.mean == 1.0 and found.image is before and str(found) == "all 1"
