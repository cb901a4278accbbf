"""A transformer block that predicts the next symbol: a mask from a linear operator, layers written as classes."""
import numpy as np
import tensorflow as tf

VOCAB, LENGTH, UNITS, HEADS = 11, 6, 16, 2


class Normalized(tf.layers.Layer):
    def __init__(self, hidden_size):
        super(Normalized, self).__init__()
        self.hidden_size = hidden_size

    def build(self, _):
        self.scale = tf.get_variable("scale", [self.hidden_size], initializer=tf.ones_initializer())
        self.bias = tf.get_variable("bias", [self.hidden_size], initializer=tf.zeros_initializer())
        self.built = True

    def call(self, x, epsilon=1e-6):
        mean, variance = tf.nn.moments(x, [-1], keep_dims=True)
        return (x - mean) * tf.rsqrt(variance + epsilon) * self.scale + self.bias


def weights(name, shape):
    count = int(np.prod(shape))
    start = np.sin(np.arange(count) * 1.7 + len(name)).reshape(shape) / np.sqrt(shape[0])
    return tf.get_variable(name, initializer=tf.constant(start, tf.float32))


def attention(x):
    q, k, v = [tf.tensordot(x, weights(name, [UNITS, UNITS]), 1) for name in ("q", "k", "v")]
    q, k, v = [tf.concat(tf.split(each, HEADS, axis=2), axis=0) for each in (q, k, v)]
    scores = tf.matmul(q, tf.transpose(k, [0, 2, 1])) / (UNITS // HEADS) ** 0.5
    lower = tf.linalg.LinearOperatorLowerTriangular(tf.ones_like(scores[0, :, :])).to_dense()
    masks = tf.tile(tf.expand_dims(lower, 0), [tf.shape(scores)[0], 1, 1])
    scores = tf.where(tf.equal(masks, 0), tf.ones_like(masks) * (-2 ** 32 + 1), scores)
    out = tf.matmul(tf.nn.softmax(scores), v)
    return tf.concat(tf.split(out, HEADS, axis=0), axis=2)


symbols = tf.placeholder(tf.int32, [None, LENGTH + 1])
source, target = symbols[:, :-1], symbols[:, 1:]
x = tf.nn.embedding_lookup(weights("embedding", [VOCAB, UNITS]), source) * UNITS ** 0.5
x = Normalized(UNITS)(x + attention(x))
x = Normalized(UNITS)(x + tf.tensordot(tf.nn.relu(tf.tensordot(x, weights("ff1", [UNITS, 32]), 1)),
                                       weights("ff2", [32, UNITS]), 1))
logits = tf.tensordot(x, weights("out", [UNITS, VOCAB]), 1)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logits))
step = tf.train.get_or_create_global_step()
rate = 0.02 * tf.minimum(1.0, (tf.cast(step, tf.float32) + 1.0) / 10.0)
train = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)
rows = [[(start + stride * place) % VOCAB for place in range(LENGTH + 1)] for start in range(VOCAB) for stride in (1, 3)]
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number in range(61):
        _, value = session.run([train, loss], {symbols: rows})
        if number % 20 == 0:
            print("step %d loss %.4f" % (number, value))
    print(sorted(each.op.name for each in tf.trainable_variables())[-6:])
