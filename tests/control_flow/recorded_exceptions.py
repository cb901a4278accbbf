"""Programs in which Penstock differs from TensorFlow on purpose, by reason."""

EXCEPTIONS: dict[str, tuple[str, ...]] = {
    # ---- what is taken where TensorFlow refuses it ------------------------------------------------
    "A list and a tuple are one structure; the result has the kind of the first.": ("cond_a_list_and_a_tuple",),
    "Branches may give nothing: the node is there for its effects.": (
        "cond_empty_lists[strict=True]", "cond_empty_lists[strict=False]",
    ),
    "A case without pairs is its default.": ("case_of_no_pairs",),
    "Numbers of branches may have gaps: what is between is the default, or the last branch.": (
        "switch_case_keys_with_gaps_and_a_default", "switch_case_keys_with_gaps",
    ),
    "A Python int is an index like any other.": ("switch_case_of_a_python_index",),
    "An int64 is a number of iterations too.": ("loop_maximum_iterations_of_a_tensor[dtype=int64]",),
    "A list of sizes is a shape.": ("loop_invariants_that_are_no_shapes",),
    "One tensor is a structure of one.": ("loop_variables_that_are_no_sequence",),
    # ---- what is refused where TensorFlow takes it ------------------------------------------------
    "The numbers of rows must agree; TensorFlow takes those of the first and leaves out the rest of the others.": (
        "map_of_different_numbers_of_rows",
    ),
    "A placeholder inside a branch could not be fed: it is refused while building.": ("a_placeholder_made_inside",),
    "Condition and body are two graphs, and the body is built first.": ("a_tensor_of_the_condition_used_in_the_body",),
    # ---- static shapes ----------------------------------------------------------------------------
    "How many columns a dense tensor has is what dense_shape says in the run.": ("cond_gives_indexed_slices",),
    # ---- other classes ----------------------------------------------------------------------------
    "What should be a tensor and is None has the wrong type.": (
        "cond_a_branch_gives_nothing", "cond_both_branches_give_nothing", "cond_with_none_in_structures",
        "a_body_that_gives_none", "a_variable_of_the_loop_is_none",
    ),
    "No list of functions at all: a wrong type.": ("switch_case_of_none",),
    "A conversion to another dtype is refused with a ValueError everywhere.": (
        "switch_case_index_of_another_dtype[dtype=int64]", "switch_case_index_of_another_dtype[dtype=float32]",
        "switch_case_index_of_another_dtype[dtype=uint8]", "array_size_that_is_a_float",
    ),
    "TensorFlow trips over what is no function, and over rows of a scalar.": (
        "map_with_something_that_is_no_function", "scan_of_a_scalar",
    ),
}  # fmt: skip
