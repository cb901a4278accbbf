"""The other calls of `compat.v1` whose results have names, by the form of their arguments; see `result_name_calls`.

A form is a call in which F stands for a function, then the functions that are called so. Y is a matrix that is fed, I
one of ints, C of complex numbers, T a vector of texts, K one image of four rows and columns, Q a sparse matrix.
"""

from __future__ import annotations

FORMS = {
    "F(X, name=N)": """
        acos acosh asin asinh atan atanh ceil cos cosh digamma erf erfc expm1 is_finite is_inf is_nan lgamma log1p rint
        sin sinh tan to_bfloat16 to_complex128 to_complex64 to_double to_int64 lbeta reduce_min diag_part
        serialize_tensor
        guarantee_const convert_to_tensor self_adjoint_eigvals is_non_decreasing is_strictly_increasing
        math.erfcinv math.erfinv math.ndtri math.reduce_euclidean_norm math.reduce_std math.reduce_variance
        nn.selu nn.softsign linalg.adjoint linalg.logdet signal.rfft signal.rfft2d cholesky matrix_inverse
        matrix_determinant
    """,
    "F(C, name=N)": "angle conj imag real fft fft2d ifft ifft2d signal.irfft signal.irfft2d abs",
    "F(tf.complex(K, K), name=N)": "fft3d ifft3d",
    "F(K, name=N)": "signal.rfft3d image.rgb_to_hsv image.hsv_to_rgb image.rgb_to_grayscale",
    "F(X > 0., name=N)": "reduce_any",
    "F(X, name=N)[0]": "qr svd self_adjoint_eig linalg.slogdet",
    "F(X, name=N)[1]": "qr svd self_adjoint_eig linalg.slogdet",
    "F([1, 2, 1], name=N)[1]": "unique_with_counts unique",
    "F([X, X], name=N)[1]": "identity_n shape_n",
    "F(X, 1, name=N)": "arg_min argmin reduce_min random.categorical",
    "F(X, 1, 0, name=N)": "roll",
    "F(X, X, name=N)": """
        atan2 complex div_no_nan greater greater_equal igamma igammac less_equal not_equal polygamma realdiv zeta
        math.nextafter math.xdivy math.xlog1py math.xlogy math.multiply_no_nan searchsorted cholesky_solve
        matrix_solve matrix_solve_ls matrix_triangular_solve
    """,
    "F(Y, Y, name=N)": """
        assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assert_near assert_none_equal
    """,
    "F(Y, name=N)": "assert_negative assert_non_negative assert_non_positive assert_positive",
    "F(P, P, name=N)": "logical_or",
    "F(I, I, name=N)": """
        bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift batch_gather
        truncatediv truncatemod
    """,
    "F(I, name=N)": "bitwise.invert to_float",
    "F(X, X, X / 5., name=N)": "betainc",
    "F(X, X[0], name=N)": "matrix_set_diag linalg.matvec",
    "F(X, [2, 2], name=N)": "ensure_shape random_crop",
    "F([3], X, name=N)": "random_gamma",
    "F([3], 1., name=N)": "random_gamma",
    "F([2.], [3], name=N)": "random_poisson",
    "F([3], [1, 2], name=N)": "random.stateless_uniform random.stateless_normal random.stateless_truncated_normal",
    "F([3], [1, 2], 0, 9, tf.int32, name=N)": "random.stateless_uniform",
    "F(X, 3, [1, 2], name=N)": "random.stateless_categorical random.stateless_multinomial",
    "F(X, 2, name=N)": "repeat",
    "F(X, [1, 2], axis=1, name=N)": "repeat",
    "F([1., 2., 3.], [1., 2., 3.], name=N)": "cross",
    "F([0, 1], [2, 2], name=N)": "unravel_index",
    "F(X, [0, 1], name=N)": "segment_max segment_mean segment_min segment_prod",
    "F(X, [0, 1], 2, name=N)": """
        unsorted_segment_max unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n
    """,
    "F(X, [0, 1], [0, 0], name=N)": "sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum",
    "F(X, [[0]], [[1., 1.]], name=N)": """
        tensor_scatter_add tensor_scatter_sub tensor_scatter_nd_max tensor_scatter_nd_min
    """,
    "F(W, [0], [[1., 1.]], name=N)": "scatter_div scatter_max scatter_min scatter_mul scatter_sub scatter_update",
    "F(W, [[0]], [[1., 1.]], name=N)": "scatter_nd_add scatter_nd_sub scatter_nd_update",
    "F(V, 1., name=N)": "assign_sub",
    "F(T, name=N)": """
        decode_base64 encode_base64 strings.length strings.lower strings.upper string_strip matching_files
    """,
    "F(T, tf.float32, name=N)": "string_to_number decode_raw",
    "F(T, 3, name=N)": "string_to_hash_bucket_fast string_to_hash_bucket",
    "F(T, 0, 1, name=N)": "substr",
    "F(T, 'a', name=N)": "strings.regex_full_match",
    "F(T, 'a', 'b', name=N)": "regex_replace",
    "F(T, 0, name=N)": "reduce_join",
    "F(T, [[0.], [0]], name=N)[1]": "decode_csv",
    "F(T[0], tf.float32, name=N)": "parse_tensor",
    "F(Q, name=N)": """
        sparse_reorder sparse_softmax sparse_tensor_to_dense sparse_transpose
    """,
    "F(Q)": "sparse_reduce_sum sparse_reduce_max sparse_reduce_sum_sparse sparse_reduce_max_sparse sparse_reset_shape",
    "F(Q, 0., name=N)[1]": "sparse_fill_empty_rows",
    "F(Q, [4], name=N)": "sparse_reshape",
    "F(Q, Q, name=N)": "sparse_maximum sparse_minimum",
    "F(Q, X, name=N)": "sparse_tensor_dense_matmul",
    "F(Q, [0, 0], [1, 1], name=N)": "sparse_slice",
    "F(0, [Q, Q], name=N)": "sparse_concat",
    "F(K, [[1, 1], [1, 1]], 2, name=N)": "space_to_batch",
    "F(K, 2, name=N)": "space_to_depth",
    "F(K, [2, 2], [[0, 0], [0, 0]], name=N)": "space_to_batch_nd",
    "F(tf.ones([4, 2, 2, 3]), [2, 2], [[0, 0], [0, 0]], name=N)": "batch_to_space_nd",
    "F(tf.ones([4, 2, 2, 3]), [[0, 0], [0, 0]], 2, name=N)": "batch_to_space",
    "F(tf.ones([1, 2, 2, 4]), 2, name=N)": "depth_to_space",
    "F([4], [2], name=N)[0]": "required_space_to_batch_paddings",
    "F(K, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'SAME', name=N)": "extract_image_patches",
    "F(tf.zeros([1, 2, 2, 2, 1]), [1, 1, 2, 2, 1], [1, 1, 1, 1, 1], 'SAME', name=N)": "extract_volume_patches",
    "F([0.5, 7.0], name=N)": "fake_quant_with_min_max_args",
    "F([1.0], [0.5], name=N)": "fake_quant_with_min_max_args_gradient",
    "F(K, [1, 2, 2, 1], [1, 1, 1, 1], 'SAME', name=N)": "nn.avg_pool nn.max_pool nn.max_pool2d",
    "F(K, [1, 2, 2, 1], [1, 1, 1, 1], 'SAME', name=N)[1]": "nn.max_pool_with_argmax",
    "F(K[0], 2, 1, 'SAME', name=N)": "nn.avg_pool1d nn.max_pool1d",
    "F(tf.ones([1, 2, 2, 2, 1]), 2, 1, 'SAME', name=N)": "nn.avg_pool3d nn.max_pool3d",
    "F(K, [2, 2], 'MAX', 'SAME', name=N)": "nn.pool",
    "F(K, tf.ones([2, 2, 3, 1]), [1, 1, 1, 1], 'SAME', name=N)": """
        nn.conv2d nn.depthwise_conv2d nn.depthwise_conv2d_native
    """,
    "F(K, tf.ones([2, 2, 3, 1]), 'SAME', name=N)": "nn.convolution",
    "F(K, tf.ones([2, 2, 3, 1]), 2, 'SAME', name=N)": "nn.atrous_conv2d",
    "F(K[0], tf.ones([2, 3, 1]), 1, 'SAME', name=N)": "nn.conv1d",
    "F(tf.ones([1, 2, 2, 2, 1]), tf.ones([1, 1, 1, 1, 1]), [1, 1, 1, 1, 1], 'SAME', name=N)": "nn.conv3d",
    "F(K, tf.ones([2, 2, 1, 3]), [1, 4, 4, 1], [1, 1, 1, 1], name=N)": "nn.conv2d_transpose",
    "F(K, tf.ones([2, 2, 1, 3]), [1, 4, 4, 1], 2, 'SAME', name=N)": "nn.atrous_conv2d_transpose",
    "F(K[0], tf.ones([2, 1, 3]), [4, 4, 1], 1, name=N)": "nn.conv1d_transpose",
    "F(tf.ones([1, 2, 2, 2, 1]), tf.ones([1, 1, 1, 1, 1]), [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], name=N)":
        "nn.conv3d_transpose",
    "F(K, tf.ones([2, 2, 3, 1]), tf.ones([1, 1, 3, 2]), [1, 1, 1, 1], 'SAME', name=N)": "nn.separable_conv2d",
    "F([1, 4, 4, 3], tf.ones([2, 2, 3, 1]), tf.ones([1, 4, 4, 1]), [1, 1, 1, 1], 'SAME', name=N)":
        "nn.conv2d_backprop_input",
    "F(K, [2, 2, 3, 1], tf.ones([1, 4, 4, 1]), [1, 1, 1, 1], 'SAME', name=N)": "nn.conv2d_backprop_filter",
    "F([1, 4, 4, 3], tf.ones([2, 2, 3, 1]), K, [1, 1, 1, 1], 'SAME', name=N)":
        "nn.depthwise_conv2d_native_backprop_input nn.depthwise_conv2d_backprop_input",
    "F(K, [2, 2, 3, 1], K, [1, 1, 1, 1], 'SAME', name=N)":
        "nn.depthwise_conv2d_native_backprop_filter nn.depthwise_conv2d_backprop_filter",
    "F(K, tf.ones([3]), tf.ones([3]), name=N)[0]": "nn.fused_batch_norm",
    "F(K, tf.ones([3]), tf.ones([3]), tf.ones([3]), tf.ones([3]), .1, True, name=N)":
        "nn.batch_norm_with_global_normalization",
    "F(K, name=N) ": "nn.local_response_normalization nn.lrn",
    "F(K, K, 1., name=N)": "image.psnr",
    "F(K, name=N)  ": "image.total_variation",
    "F(K[0], 50, name=N)": "image.adjust_jpeg_quality",
    "F(T[0], [0, 0, 1, 1], name=N)": "image.decode_and_crop_jpeg",
    "F(tf.ones([1, 2, 1, 4]), tf.ones([1, 2, 1]), 1, 1, name=N)[0]": "image.combined_non_max_suppression",
    "F(K, [2, 2], [[0., 0.]], name=N)": "image.extract_glimpse",
    "F(Q, name=N) ": "serialize_sparse serialize_many_sparse",
    "F(tf.serialize_many_sparse(Q), tf.float32, name=N)": "deserialize_many_sparse",
    "F(K, .1, name=N)": "image.adjust_hue image.adjust_saturation",
    "F(K, [2, 2], name=N)": """
        image.resize_bicubic image.resize_bilinear image.resize_nearest_neighbor image.resize_area image.resize
        image.resize_images
    """,
    "F(K[..., :1], name=N)": "image.grayscale_to_rgb",
    "F(K, tf.uint8, name=N)": "image.convert_image_dtype",
    "F(K[0], name=N)": "image.rot90 image.transpose_image image.transpose",
    "F(K[0], [2, 2, 3], name=N)": "image.random_crop",
    "F(tf.cast(K[0], tf.uint8), name=N)": "image.encode_png image.encode_jpeg",
    "F(T[0], name=N)": """
        image.decode_png image.decode_jpeg image.decode_bmp image.decode_gif image.decode_image image.is_jpeg
        image.extract_jpeg_shape
    """,
    "F([4, 4, 3], [[[0., 0., 1., 1.]]], name=N)[0]": "image.sample_distorted_bounding_box",
    "F(X, X, scope=N)": """
        losses.absolute_difference losses.huber_loss losses.log_loss losses.mean_squared_error
        losses.mean_pairwise_squared_error losses.hinge_loss losses.sigmoid_cross_entropy losses.softmax_cross_entropy
    """,
    "F(X, scope=N)": "losses.compute_weighted_loss",
    "F(X, X, axis=1, scope=N)": "losses.cosine_distance",
    "F([0, 1], X, scope=N)": "losses.sparse_softmax_cross_entropy",
    "(tf.losses.mean_squared_error(X, X), F(name=N))[1]": "losses.get_total_loss",
    "F(.1, tf.constant(1), 10, .9, name=N)": "train.inverse_time_decay train.natural_exp_decay",
    "F(.1, tf.constant(1), 10, name=N)": "train.polynomial_decay train.cosine_decay train.cosine_decay_restarts "
                                         "train.linear_cosine_decay train.noisy_linear_cosine_decay",
    "F(tf.constant(1), [3], [.1, .2], name=N)": "train.piecewise_constant",
    "F([X, X], 2, name=N)": "train.batch",
    "F([X, X], 2, name=N)[1]": "train.batch",
    "F([X], 2, 8, 2, name=N)": "train.shuffle_batch",
    "F([X], name=N)[0]": "train.slice_input_producer",
    "F(X, 3, name=N) ": "train.limit_epochs",
    "F(X, X, name=N)[0]": """
        metrics.accuracy metrics.mean_absolute_error metrics.mean_squared_error metrics.root_mean_squared_error
        metrics.precision metrics.recall metrics.true_positives metrics.true_negatives
        metrics.false_positives metrics.false_negatives
    """,
    "F(X, X, name=N)[1]": """
        metrics.accuracy metrics.mean_absolute_error metrics.mean_squared_error metrics.root_mean_squared_error
        metrics.precision metrics.recall metrics.true_positives metrics.true_negatives
        metrics.false_positives metrics.false_negatives
    """,
    "F(X, name=N)[0] ": "metrics.mean metrics.mean_tensor",
    "F(X, name=N)[1] ": "metrics.mean metrics.mean_tensor",
    "F(X, 2., name=N)[1]": "metrics.percentage_below",
    "F(X, X, 1, name=N)[0]": "metrics.mean_cosine_distance",
    "F(X, X, X, name=N)[0]": "metrics.mean_relative_error",
    "F(X / 5., X / 5., name=N)[0]": "metrics.auc",
    "F(X / 5., X / 5., name=N)[1]": "metrics.auc",
    "F(I, I, 2, name=N)[1]": "metrics.mean_iou metrics.mean_per_class_accuracy",
    "F(I, I, 2, name=N)[0]": "metrics.mean_iou metrics.mean_per_class_accuracy",
    "F(X / 5., X / 5., [.5], name=N)[1]": """
        metrics.precision_at_thresholds metrics.recall_at_thresholds metrics.true_positives_at_thresholds
        metrics.true_negatives_at_thresholds metrics.false_positives_at_thresholds metrics.false_negatives_at_thresholds
    """,
    "F(X / 5., X / 5., [.5], name=N)[0]": """
        metrics.precision_at_thresholds metrics.recall_at_thresholds metrics.true_positives_at_thresholds
        metrics.true_negatives_at_thresholds metrics.false_positives_at_thresholds metrics.false_negatives_at_thresholds
    """,
    "F([X], name=N)": "add_n accumulate_n tuple",
    "F(X / 5., X / 5., .5, name=N)[1]": "metrics.sensitivity_at_specificity metrics.specificity_at_sensitivity",
    "F(X / 5., X / 5., .5, name=N)[0]": "metrics.sensitivity_at_specificity metrics.specificity_at_sensitivity",
    "F(tf.constant([[0], [1]], tf.int64), X, 1, name=N)[1]": """
        metrics.precision_at_k metrics.recall_at_k metrics.average_precision_at_k metrics.sparse_precision_at_k
        metrics.sparse_average_precision_at_k
    """,
    "F(tf.constant([[0], [1]], tf.int64), X, 1, name=N)[0]": """
        metrics.precision_at_k metrics.recall_at_k metrics.average_precision_at_k metrics.sparse_precision_at_k
        metrics.sparse_average_precision_at_k
    """,
    "F(tf.constant([[0], [1]], tf.int64), tf.constant([[0], [1]], tf.int64), name=N)[0]":
        "metrics.precision_at_top_k metrics.recall_at_top_k",
    "F('s', 1.)": "summary.scalar",
    "F('s', X)": "summary.histogram summary.tensor_summary",
    "F('s', K)": "summary.image",
    "F('s', T)": "summary.text",
    "F([tf.summary.scalar('s', 1.)], name=N)": "summary.merge",
    "(tf.summary.scalar('s', 1.), F(name=N))[1]": "summary.merge_all",
    "F(lambda x: x, [X], tf.float32, name=N)": "numpy_function",
    "F(P, [X], name=N)": "Assert",
    "F(tf.constant(0), [lambda: X, lambda: X + 1.], name=N)": "switch_case",
    "F([V], name=N)": "variables_initializer report_uninitialized_variables",
    "F(name=N)": "tables_initializer report_uninitialized_variables",
    "F('a', T[0], name=N)": "write_file",
    "F(P, X, X, name=N)": "where_v2",
    "F(T, {'a': tf.FixedLenFeature([], tf.float32)}, name=N)['a']": "parse_example io.parse_example",
    "F(T[0], {'a': tf.FixedLenFeature([], tf.float32)}, name=N)['a']": "parse_single_example io.parse_single_example",
    "F(T, 'GZIP', name=N)": "decode_compressed",
    "F(Q, Q, name=N) ": "edit_distance",
    "F([T, T], name=N)": "string_join",
    "F(tf.float32, name=N)": "sparse_placeholder",
    "F(Y, 2, name=N)": "assert_rank assert_rank_at_least",
    "F(Y, [1, 2], name=N)": "assert_rank_in",
    "F(tf.placeholder(tf.int32, []), name=N)": "assert_scalar assert_integer",
    "F(Y, tf.float32, name=N)": "assert_type",
    "F(X, tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [1, 1]), None, name=N)": "nn.embedding_lookup_sparse",
    "F(T[0], name=N) ": "read_file",
    "F(tf.zeros([3, 1], tf.int64), 1, 2, True, 5, name=N)[1]": """
        nn.uniform_candidate_sampler nn.log_uniform_candidate_sampler nn.learned_unigram_candidate_sampler
    """,
    "F(tf.zeros([3, 1], tf.int64), 1, 2, True, name=N)[1]": "nn.all_candidate_sampler",
    "F(tf.ones([5, 2]), tf.zeros([5]), tf.zeros([2, 1], tf.int64), X, 2, 5, name=N)": """
        nn.nce_loss nn.sampled_softmax_loss
    """,
    "F(Q, [True, False])": "sparse_retain",
    "F(Q, Q)": "sparse_add",
    "F(tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [1, 1]), 3, name=N)": "sparse_to_indicator",
    "F(sp_input=Q, num_split=2, axis=1, name=N)[1]": "sparse_split",
    "F(tf.IndexedSlices(X, tf.constant([0, 1])), [1], name=N)": "sparse_mask",
    "F(T, ',')": "string_split",
    "F(X, name=N)  ": "math.reciprocal_no_nan",
    "F([2, 1], [1, 2])": "broadcast_dynamic_shape",
    "F('v', [2])": "get_variable get_local_variable",
    "F(tf.reduce_sum(Y * Y), Y, name=N)[0]": "gradients",
    "F(tf.reduce_sum(V * V), V, name=N)[0]": "hessians",
    "F(X, name=N).dequeue()": "train.input_producer",
    "F(5, name=N).dequeue()": "train.range_input_producer",
    "F(T, name=N).dequeue()": "train.string_input_producer",
    "F([[X]], 2, name=N)": "train.batch_join",
    "F([[X]], 2, 8, 2, name=N)": "train.shuffle_batch_join",
    "F([X], P, 2, name=N)": "train.maybe_batch",
    "F([[X]], P, 2, name=N)": "train.maybe_batch_join",
    "F([X], 2, 8, 2, P, name=N)": "train.maybe_shuffle_batch",
    "F([[X]], 2, 8, 2, P, name=N)": "train.maybe_shuffle_batch_join",
    "F('*.txt', name=N)": "train.match_filenames_once",
    "F(tf.complex(K, K), name=N) ": "signal.irfft3d",
    "F(X, [[0, 0]], name=N)": "manip.gather_nd",
    "F(T, [[0.], [0]], name=N)[1] ": "io.decode_csv",
    "F(T, tf.float32, name=N) ": "io.decode_raw",
    "F(X, 'm', name=N)": "debugging.assert_all_finite",
    "F({Y: ('n', 2)}, name=N)": "debugging.assert_shapes",
    "F(tf.zeros([3, 1], tf.int64), tf.zeros([2], tf.int64), 1)[0]": "nn.compute_accidental_hits",
    "F(tf.zeros([3, 1], tf.int64), 1, 2, True, 5, unigrams=[1., 1., 1., 1., 1.], name=N)[1]":
        "nn.fixed_unigram_candidate_sampler",
    "F(T[0], {'a': tf.FixedLenFeature([], tf.float32)}, name=N)[0]['a']": "parse_single_sequence_example",
    "F(K, [[0., 0., 1., 1.]], [0], [2, 2], name=N)": "image.crop_and_resize",
    "F(K, [[[0., 0., 1., 1.]]], name=N)": "image.draw_bounding_boxes",
    "F([[0., 0., 1., 1.]], [.5], 1, name=N)": "image.non_max_suppression",
    "F(tf.constant([[0., 0., 1., 1.]]), tf.constant([.5]), 1, name=N)[0]":
        "image.non_max_suppression_with_scores image.non_max_suppression_padded",
    "F([[1.]], [.5], 1, name=N)": "image.non_max_suppression_overlaps",
    "F(K, [1., 1.5, 1.5, 1.], seed=1, name=N)[1]": "nn.fractional_max_pool nn.fractional_avg_pool",
    "F(T, sequence_features={'a': tf.FixedLenSequenceFeature([], tf.float32)}, name=N)[1]['a']":
        "io.parse_sequence_example",
}  # fmt: skip
"""Form -> the functions that are called so."""


def more_calls() -> list[str]:
    """The calls."""
    return [form.strip().replace("F(", f"tf.{function}(", 1) for form, functions in FORMS.items()
            for function in functions.split()]  # fmt: skip
