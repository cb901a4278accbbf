"""Which pixels matter: gradients of relu replaced by guided ones, a function with its own gradient, averages by hand."""
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function, ops
from tensorflow.python.ops import gen_nn_ops
from tensorflow.python.training import moving_averages


@ops.RegisterGradient("GuidedRelu")
def _guided(op, grad):
    return tf.where(0.0 < grad, gen_nn_ops._relu_grad(grad, op.outputs[0]), tf.zeros(tf.shape(grad)))


@function.Defun(tf.float32, tf.float32)
def rounding_grad(x, dy):
    return dy * tf.cast(tf.abs(x) < 1.0, tf.float32)


@function.Defun(tf.float32, grad_func=rounding_grad)
def rounded(x):
    return tf.round(x * 4.0) / 4.0


def batch_norm(x, is_training, name):
    with tf.variable_scope(name):
        mean_var = tf.get_variable("mean", [x.shape[-1]], initializer=tf.zeros_initializer(), trainable=False)
        variance_var = tf.get_variable("variance", [x.shape[-1]], initializer=tf.ones_initializer(), trainable=False)
        mean, variance = tf.nn.moments(x, [0])
        for old, new in ((mean_var, mean), (variance_var, variance)):
            tf.add_to_collection("updates", moving_averages.assign_moving_average(old, new, 0.9))
        used = tf.cond(is_training, lambda: (mean, variance), lambda: (mean_var.read_value(), variance_var.read_value()))
        return tf.nn.batch_normalization(x, used[0], used[1], None, None, 1e-3)


x = tf.placeholder(tf.float32, [None, 4])
is_training = tf.placeholder_with_default(False, [])
kernel = tf.get_variable("kernel", initializer=tf.constant(np.cos(np.arange(12.0)).reshape(4, 3), tf.float32))
with tf.get_default_graph().gradient_override_map({"Relu": "GuidedRelu"}):
    hidden = tf.nn.relu(batch_norm(tf.matmul(x, kernel), is_training, "norm"))
score = tf.reduce_sum(rounded(hidden * 0.6), 1)
saliency = tf.gradients(score, x)[0]
data = np.sin(np.arange(20.0)).reshape(5, 4)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(tf.get_collection("updates"), {x: data, is_training: True})
    for flag in (True, False):
        print(flag, np.round(session.run(saliency, {x: data, is_training: flag})[:2], 3).tolist())
    print([each.op.name for each in tf.global_variables() if "norm/" in each.op.name])
    print("score", np.round(session.run(score, {x: data}), 3).tolist())
