"""Random calls of losses, metrics, distributions, schedules, functions of nn and of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from .call_operands import Operands
from .elementwise_calls import function, with_gradients

LOSSES = (
    "absolute_difference", "cosine_distance", "hinge_loss", "huber_loss", "log_loss", "mean_pairwise_squared_error",
    "mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy", "sparse_softmax_cross_entropy",
)  # fmt: skip


def losses(o: Operands) -> list[Any]:
    """Every loss with weights of every shape, in every reduction; the totals of what was collected."""
    tf, rng = o.tf, o.rng
    name = o.pick(*LOSSES)
    batch, classes = int(rng.randint(0 if o.chance(0.1) else 1, 5)), int(rng.randint(1, 4))
    scores = o.draw([batch, classes], o.pick("float32", "float32", "float16"), -4, 4)
    labels: Any = o.draw([batch, classes], "float32", 0, 1)
    if name in ("sigmoid_cross_entropy", "hinge_loss"):
        labels = o.draw([batch, classes], "int32", 0, 1)
    elif name == "softmax_cross_entropy":
        labels = o.operand(np.eye(classes, dtype="f4")[rng.randint(0, classes, batch)])
    elif name == "sparse_softmax_cross_entropy":
        labels = o.operand(rng.randint(0, classes, [batch, 1] if o.chance(0.2) else batch))
    elif name == "log_loss":
        scores = o.operand(np.asarray(rng.uniform(0.02, 0.98, [batch, classes]), "f4"))
    shape = o.pick([], [batch, 1], [batch, classes], [1, 1], [batch], [7])
    weights: Any = (
        1.0
        if o.chance(0.4)
        else o.operand(np.asarray((rng.rand(*shape) > 0.3) * rng.rand()).astype("f4").reshape(shape))
    )
    keywords: dict[str, Any] = {"weights": weights}
    if name != "mean_pairwise_squared_error":
        keywords["reduction"] = o.pick(
            "none", "weighted_sum", "weighted_mean", "weighted_sum_over_batch_size", "weighted_sum_by_nonzero_weights"
        )
    if name == "cosine_distance":
        keywords["axis"] = o.pick(1, -1, 0)
    if "cross_entropy" in name and "sparse" not in name and o.chance(0.4):
        keywords["label_smoothing"] = 0.2
    loss = getattr(tf.losses, name)(labels, scores, **keywords)
    return [*with_gradients(o, loss, [scores]), tf.losses.get_total_loss()] if loss.shape.rank == 0 else [loss]


def metrics(o: Operands) -> list[Any]:
    """Three updates of a metric, with weights or without; what the metric is at last."""
    tf, rng = o.tf, o.rng
    m = tf.metrics
    o.direct = False
    count = int(rng.randint(0 if o.chance(0.1) else 1, 6))
    kind = rng.randint(9)
    truth, guess = rng.randint(0, 2, count), rng.randint(0, 2, count)
    real = rng.rand(count).astype("f4")
    weights = None if o.chance(0.5) else o.operand(rng.rand(count).astype("f4"))
    labels, guesses, numbers = o.operand(truth), o.operand(guess), o.operand(real)
    if kind == 0:
        name = o.pick("mean_absolute_error", "mean_squared_error", "root_mean_squared_error")
        value, update = getattr(m, name)(o.operand(rng.rand(count).astype("f4")), numbers, weights)
    elif kind == 1:
        name = o.pick(
            "precision", "recall", "true_positives", "false_positives", "true_negatives", "false_negatives", "accuracy"
        )
        value, update = getattr(m, name)(labels, guesses, weights)
    elif kind == 2:
        value, update = m.auc(
            o.operand(truth.astype(bool)),
            numbers,
            weights,
            o.pick(3, 10, 200),
            curve=o.pick("ROC", "PR"),
            summation_method=o.pick("trapezoidal", "minoring", "majoring"),
        )
    elif kind == 3:
        name = o.pick(
            "precision_at_thresholds",
            "recall_at_thresholds",
            "true_positives_at_thresholds",
            "false_negatives_at_thresholds",
            "false_positives_at_thresholds",
            "true_negatives_at_thresholds",
        )
        value, update = getattr(m, name)(o.operand(truth.astype(bool)), numbers, [0.1, 0.5, 0.9], weights)
    elif kind == 4:
        name = o.pick("mean_iou", "mean_per_class_accuracy")
        value, update = getattr(m, name)(
            o.operand(rng.randint(0, 3, count)), o.operand(rng.randint(0, 3, count)), 3, weights
        )
    elif kind == 5:
        name = o.pick("sensitivity_at_specificity", "specificity_at_sensitivity")
        value, update = getattr(m, name)(
            o.operand(truth.astype(bool)), numbers, o.pick(0.3, 0.7), weights, o.pick(3, 20)
        )
    elif kind == 6:
        name = o.pick("recall_at_k", "precision_at_k", "average_precision_at_k")
        wanted = rng.randint(0, 4, [count, 2]).astype("i8")
        keywords = {"class_id": 1} if name != "average_precision_at_k" and o.chance(0.3) else {}
        value, update = getattr(m, name)(
            o.operand(wanted), o.operand(rng.rand(count, 4).astype("f4")), int(rng.randint(1, 4)), **keywords
        )
    elif kind == 7:
        name = o.pick("mean", "mean_tensor", "percentage_below")
        value, update = (
            m.percentage_below(numbers, 0.4, weights)
            if name == "percentage_below"
            else getattr(m, name)(numbers, weights)
        )
    else:
        one = rng.rand(count, 3).astype("f4")
        value, update = (
            m.mean_cosine_distance(o.operand(one), o.operand(one[::-1].copy()), o.pick(1, -1))
            if o.chance(0.5)
            else m.mean_relative_error(
                numbers, o.operand(rng.rand(count).astype("f4")), o.operand(rng.rand(count).astype("f4"))
            )
        )
    o.before = [tf.local_variables_initializer(), update, update, update]
    return [value]


def distributions_of_all_kinds(o: Operands) -> list[Any]:
    """Densities, entropies, modes, quantiles and divergences, of parameters that are broadcast."""
    tf, rng = o.tf, o.rng
    d = tf.distributions
    name = o.pick(
        "Bernoulli",
        "Categorical",
        "Exponential",
        "Gamma",
        "Laplace",
        "Normal",
        "Uniform",
        "DirichletMultinomial",
        "Beta",
        "StudentT",
        "Dirichlet",
        "Multinomial",
    )
    dtype = o.pick("float32", "float64")
    batch = o.sizes(0, 2)
    rates = o.draw(batch, dtype, 0.2, 4)
    place = o.draw(o.pick(batch, []), dtype)
    classes = int(rng.randint(1, 4))
    x: Any = o.draw(o.pick(batch, [2, *batch]), dtype, *o.pick((-3.0, 3.0), (-30.0, 30.0)))
    if name == "Bernoulli":
        one = d.Bernoulli(logits=place) if o.chance(0.5) else d.Bernoulli(probs=o.draw(batch, dtype, 0.1, 0.9))
        x = o.draw(batch, "int32", 0, 1)
    elif name == "Categorical":
        one = d.Categorical(logits=o.draw([*batch, classes], dtype))
        x = o.draw(batch, "int32", 0, classes - 1)
    elif name in ("Exponential", "StudentT"):
        x = o.draw(batch, dtype, 0.1, 30) if name == "Exponential" else x
        one = d.Exponential(rates) if name == "Exponential" else d.StudentT(rates, place, rates)
    elif name in ("Gamma", "Beta"):
        one = getattr(d, name)(rates, o.draw(batch, dtype, 0.2, 4))
        x = o.draw(batch, dtype, 0.1, 0.9)
    elif name in ("Laplace", "Normal"):
        one = getattr(d, name)(place, rates)
    elif name == "Uniform":
        one = d.Uniform(o.draw(batch, dtype, -1, 0), rates)
    else:
        k = o.draw([*batch, classes], dtype, 0.2, 3)
        if name == "Dirichlet":
            one, x = d.Dirichlet(k), np.full([classes], 1 / classes, dtype)
        elif name == "Multinomial":
            one, x = d.Multinomial(np.array(2, dtype), logits=k), np.eye(classes, dtype=dtype)[0] * 2
        else:
            one, x = d.DirichletMultinomial(np.array(2, dtype), k), np.eye(classes, dtype=dtype)[0] * 2
    facts = ("mean", "mode", "variance", "stddev", "entropy", "covariance", "batch_shape_tensor", "event_shape_tensor")
    of_values = ("log_prob", "prob", "cdf", "log_cdf", "survival_function", "log_survival_function")
    results = []
    for fact in o.rng.permutation([*facts, *of_values])[:3]:
        try:
            results.append(getattr(one, fact)() if fact in facts else getattr(one, fact)(x))
        except (NotImplementedError, AttributeError, tf.errors.UnimplementedError):
            results.append(tf.constant(f"no {fact}"))
    if o.chance(0.3) and name not in ("Laplace", "StudentT", "Uniform", "Multinomial", "DirichletMultinomial"):
        results.append(d.kl_divergence(one, one))
    if name in ("Normal", "Laplace", "Uniform", "Exponential"):
        results.append(one.sample(3, seed=int(rng.randint(999))))
    sources = [] if name == "Uniform" else [each for each in (rates, place) if hasattr(each, "op")]
    return with_gradients(o, results, sources)


def functions_of_nn(o: Operands) -> list[Any]:
    """Normalizations, moments, cross entropies, dropout by a seed, connectionist losses, clips."""
    tf, rng = o.tf, o.rng
    dtype = o.pick("float32", "float64")
    sizes = o.sizes(1)
    x = o.draw(sizes, dtype)
    kind = rng.randint(14)
    axes = [o.axis(len(sizes))]
    if kind == 0:
        return with_gradients(o, tf.nn.l2_normalize(x, o.pick(None, axes)), [x])
    if kind == 1:
        return with_gradients(o, tf.nn.moments(x, axes, keep_dims=o.chance(0.5)), [x])
    if kind == 2:
        counts, mean, variance, shift = tf.nn.sufficient_statistics(
            x, axes, o.pick(None, np.array(0.5, dtype)), o.chance(0.5)
        )
        return [counts, mean, variance, *tf.nn.normalize_moments(counts, mean, variance, shift)]
    if kind == 3:
        return with_gradients(o, tf.nn.weighted_moments(x, axes, o.draw(sizes, dtype, 0.1, 1)), [x])
    if kind == 4:
        labels = o.draw(sizes, dtype, 0, 1)
        call = o.pick(
            lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x),
            lambda: tf.nn.weighted_cross_entropy_with_logits(labels, x, o.pick(0.3, 2.0)),
            lambda: tf.nn.softmax_cross_entropy_with_logits_v2(labels, x),
        )
        return with_gradients(o, call(), [x, labels])
    if kind == 5:
        return with_gradients(o, tf.nn.dropout(x, keep_prob=o.pick(0.5, 0.9, 1.0), seed=int(rng.randint(99))), [x])
    if kind == 6:
        call = o.pick(tf.nn.softmax, tf.nn.log_softmax)
        return with_gradients(o, call(x, axis=axes[0]), [x])
    if kind == 7:
        steps, batch, classes = int(rng.randint(2, 7)), int(rng.randint(1, 3)), int(rng.randint(2, 5))
        logits = o.draw([steps, batch, classes], "float32")
        lengths = rng.randint(1, steps + 1, batch).astype("i4")
        decoded, score = tf.nn.ctc_greedy_decoder(logits, o.operand(lengths), o.chance(0.5))
        many = rng.randint(0, classes - 1, [batch, 2]).astype("i4")
        labels = tf.SparseTensor(
            [[row, place] for row in range(batch) for place in range(2)], tf.constant(many.reshape(-1)), [batch, 2]
        )
        loss = tf.nn.ctc_loss(
            labels,
            logits,
            lengths,
            preprocess_collapse_repeated=o.chance(0.3),
            ctc_merge_repeated=o.chance(0.7),
            ignore_longer_outputs_than_inputs=o.chance(0.7),
        )
        return [
            *with_gradients(o, loss, [logits]),
            decoded[0].indices,
            decoded[0].values,
            decoded[0].dense_shape,
            score,
        ]
    if kind == 8:
        images = o.draw([2, *rng.randint(1, 4, 3)], "float32")
        depth = int(rng.randint(0, 4))
        return with_gradients(o, tf.nn.local_response_normalization(images, depth, 1.0, 0.7, 0.5), [images])
    if kind == 9:
        call = o.pick(
            lambda: tf.clip_by_value(x, np.array(-1, dtype), np.array(0.5, dtype)),
            lambda: tf.clip_by_norm(x, 1.5, o.pick(None, axes)),
            lambda: tf.clip_by_average_norm(x, 0.2),
            lambda: tf.clip_by_global_norm([x, x], np.array(2.0, dtype)),
        )
        return with_gradients(o, call(), [x])
    if kind == 10:
        width = int(rng.randint(1, 4))
        matrix, w, b = o.draw([3, width], dtype), o.draw([width, 2], dtype), o.draw([2], dtype)
        return with_gradients(o, o.pick(tf.nn.xw_plus_b, tf.nn.relu_layer)(matrix, w, b), [matrix, w, b])
    if kind == 11:
        images, channels = o.draw([2, 2, 3, 2], "float32"), o.draw([2], "float32", 0.5, 1)
        if o.chance(0.5):
            return with_gradients(
                o,
                tf.nn.batch_normalization(images, channels, channels, o.pick(None, channels), channels, 1e-3),
                [images, channels],
            )
        return with_gradients(o, tf.nn.fused_batch_norm(images, channels, channels, epsilon=0.01), [images, channels])
    if kind == 12:
        return with_gradients(o, tf.nn.bias_add(o.draw([2, 3, 2], dtype), o.draw([2], dtype)), [])
    step = o.operand(np.asarray(rng.randint(0, 30), o.pick("i4", "i8")), False, True)
    t = tf.train
    return [
        t.exponential_decay(0.5, step, 7, 0.8, o.chance(0.5)),
        t.natural_exp_decay(0.5, step, 7, 0.8, o.chance(0.5)),
        t.inverse_time_decay(0.5, step, 7, 0.8, o.chance(0.5)),
        t.polynomial_decay(0.5, step, 9, 0.01, o.pick(1.0, 2.0), o.chance(0.5)),
        t.cosine_decay(0.5, step, 9, 0.1),
        t.cosine_decay_restarts(0.5, step, 5, 1.5, 0.9, 0.1),
        t.linear_cosine_decay(0.5, step, 9, 0.5, 0.1),
        t.piecewise_constant(
            step, [np.array(3, step.dtype.as_numpy_dtype), np.array(9, step.dtype.as_numpy_dtype)], [1.0, 0.5, 0.1]
        ),
    ]


def images(o: Operands) -> list[Any]:
    """Colours, contrasts, qualities, gradients of pixels, turns, crops, PNG written and read."""
    tf, rng = o.tf, o.rng
    i, o.direct = tf.image, False
    batch = o.pick([], [2], [0] if o.chance(0.2) else [1])
    height, width = (int(size) for size in rng.randint(1, 7, 2))
    dtype = o.pick("float32", "float32", "uint8")
    x = o.draw([*batch, height, width, 3], dtype, 0, 255 if dtype == "uint8" else 1, known=True)
    kind = rng.randint(14)
    if kind == 0:
        x = o.draw([*batch, height, width, 3], "float32", 0, 1)
        name = o.pick("rgb_to_hsv", "hsv_to_rgb", "rgb_to_yiq", "yiq_to_rgb", "rgb_to_yuv", "yuv_to_rgb")
        return with_gradients(o, function(i, name)(x), [x] if "hsv" not in name else [])
    if kind == 1:
        call = o.pick(
            lambda: i.adjust_brightness(x, float(rng.uniform(-0.5, 0.5))),
            lambda: i.adjust_contrast(x, float(rng.uniform(0, 2))),
            lambda: i.adjust_gamma(x, float(rng.uniform(0.2, 2)), 1.2),
            lambda: i.adjust_hue(x, float(rng.uniform(-0.9, 0.9))),
            lambda: i.adjust_saturation(x, float(rng.uniform(0, 2))),
            lambda: i.per_image_standardization(x),
        )
        return [call()]
    if kind == 2:
        one, two = (o.draw([2, 12, 13, 2], "float32", 0, 1) for _ in range(2))
        size = o.pick(11, 5)
        return with_gradients(o, [i.ssim(one, two, 1.0, size), i.psnr(one, two, 1.0)], [one])
    if kind in (3, 4):
        y = o.draw([2, height + 1, width + 1, 2], "float32")
        return [*with_gradients(o, i.total_variation(y), [y]), *i.image_gradients(y), i.sobel_edges(y)]
    if kind == 5:
        name = o.pick("rot90", "flip_left_right", "flip_up_down", "transpose")
        y = o.draw([*batch, height, width, 3], o.pick("float32", "uint8", "int32"), 0, 9, known=True)
        return with_gradients(o, i.rot90(y, int(rng.randint(-5, 6))) if name == "rot90" else function(i, name)(y), [y])
    if kind == 6:
        target = rng.randint(1, 8, 2).tolist()
        return [i.resize_image_with_crop_or_pad(x, *target)]
    if kind == 7:
        return [i.resize_image_with_pad(x, *rng.randint(1, 8, 2).tolist(), method=o.pick(0, 1))]
    if kind == 8:
        low = [int(rng.randint(0, 3)) for _ in range(2)]
        return [
            i.pad_to_bounding_box(x, *low, height + 3, width + int(rng.randint(0, 4))),
            i.central_crop(x, o.pick(0.3, 0.5, 1.0)),
        ]
    if kind == 9:
        method = int(rng.randint(0, 4))
        return [i.resize_images(x, rng.randint(1, 9, 2).tolist(), method, o.chance(0.3), o.chance(0.3))]
    if kind == 10:
        kind_ = o.pick("uint8", "uint16")
        depth = int(rng.randint(1, 5)) if kind_ == "uint8" else 1
        coded = i.encode_png(o.operand(o.array([height, width, depth], kind_, 0, 255)))
        return (
            [i.decode_png(coded, o.pick(0, 1, 3, 4), getattr(tf, kind_))]
            if kind_ == "uint8"
            else [i.decode_png(coded, 1, tf.uint16)]
        )
    if kind == 11:
        return [
            i.convert_image_dtype(
                o.draw([height, width, 3], o.pick("float32", "uint8", "int16", "float16"), 0, 1),
                o.pick(tf.uint8, tf.float32, tf.int16, tf.int32, tf.float64),
                o.chance(0.5),
            )
        ]
    if kind == 12:
        y = o.draw([2, 6, 7, 2], o.pick("float32", "int32"))
        return [
            tf.extract_image_patches(
                y, [1, 2, 3, 1], [1, int(rng.randint(1, 3)), 1, 1], [1, 1, 2, 1], o.pick("VALID", "SAME")
            )
        ]
    return [i.grayscale_to_rgb(i.rgb_to_grayscale(x)), i.is_jpeg(tf.constant(b"\xff\xd8\xffq"))]
