"""A convolutional network for sentences."""
import numpy as np
import tensorflow as tf

tf.flags.DEFINE_integer("embedding_dim", 8, "Dimensionality of character embedding")
tf.flags.DEFINE_string("filter_sizes", "2,3", "Comma-separated filter sizes")
FLAGS = tf.flags.FLAGS
texts = ["good film", "a good good plot", "bad film", "bad bad acting", "good acting", "a bad plot"] * 4
labels = np.array([[0, 1], [0, 1], [1, 0], [1, 0], [0, 1], [1, 0]] * 4, np.float32)
vocab = tf.contrib.learn.preprocessing.VocabularyProcessor(4)
x = np.array(list(vocab.fit_transform(texts)))


class TextCNN(object):
    def __init__(self, length, classes, vocab_size, embedding, sizes, filters, l2=0.0):
        self.input_x = tf.placeholder(tf.int32, [None, length], name="input_x")
        self.input_y = tf.placeholder(tf.float32, [None, classes], name="input_y")
        self.dropout_keep_prob = tf.placeholder(tf.float32, name="dropout_keep_prob")
        with tf.device("/cpu:0"), tf.name_scope("embedding"):
            self.W = tf.Variable(tf.random_uniform([vocab_size, embedding], -1.0, 1.0, seed=1), name="W")
            chars = tf.expand_dims(tf.nn.embedding_lookup(self.W, self.input_x), -1)
        pooled = []
        for size in sizes:
            with tf.name_scope("conv-maxpool-%s" % size):
                W = tf.Variable(tf.truncated_normal([size, embedding, 1, filters], stddev=0.1, seed=2), name="W")
                b = tf.Variable(tf.constant(0.1, shape=[filters]), name="b")
                conv = tf.nn.conv2d(chars, W, strides=[1, 1, 1, 1], padding="VALID", name="conv")
                h = tf.nn.relu(tf.nn.bias_add(conv, b), name="relu")
                pooled.append(tf.nn.max_pool(h, ksize=[1, length - size + 1, 1, 1], strides=[1, 1, 1, 1],
                                             padding="VALID", name="pool"))
        total = filters * len(sizes)
        flat = tf.reshape(tf.concat(pooled, 3), [-1, total])
        with tf.name_scope("dropout"):
            drop = tf.nn.dropout(flat, self.dropout_keep_prob)
        with tf.name_scope("output"):
            W = tf.get_variable("W", shape=[total, classes], initializer=tf.contrib.layers.xavier_initializer(seed=3))
            b = tf.Variable(tf.constant(0.1, shape=[classes]), name="b")
            l2_loss = tf.nn.l2_loss(W) + tf.nn.l2_loss(b)
            self.scores = tf.nn.xw_plus_b(drop, W, b, name="scores")
            self.predictions = tf.argmax(self.scores, 1, name="predictions")
        with tf.name_scope("loss"):
            losses = tf.nn.softmax_cross_entropy_with_logits(logits=self.scores, labels=self.input_y)
            self.loss = tf.reduce_mean(losses) + l2 * l2_loss
        with tf.name_scope("accuracy"):
            correct = tf.equal(self.predictions, tf.argmax(self.input_y, 1))
            self.accuracy = tf.reduce_mean(tf.cast(correct, "float"), name="accuracy")


def main(_):
    with tf.Graph().as_default():
        session_conf = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
        sess = tf.Session(config=session_conf)
        with sess.as_default():
            cnn = TextCNN(4, 2, len(vocab.vocabulary_), FLAGS.embedding_dim,
                          list(map(int, FLAGS.filter_sizes.split(","))), 4, 0.01)
            global_step = tf.Variable(0, name="global_step", trainable=False)
            optimizer = tf.train.AdamOptimizer(1e-2)
            grads_and_vars = optimizer.compute_gradients(cnn.loss)
            train_op = optimizer.apply_gradients(grads_and_vars, global_step=global_step)
            for g, v in grads_and_vars:
                if g is not None:
                    tf.summary.histogram("%s/grad/hist" % v.name, g)
                    tf.summary.scalar("%s/grad/sparsity" % v.name, tf.nn.zero_fraction(g))
            merged = tf.summary.merge_all()
            sess.run(tf.global_variables_initializer())
            for _ in range(60):
                _, _, step, loss = sess.run([train_op, merged, global_step, cnn.loss], {
                    cnn.input_x: x, cnn.input_y: labels, cnn.dropout_keep_prob: 1.0})
                if step % 20 == 0:
                    accuracy = cnn.accuracy.eval({cnn.input_x: x, cnn.input_y: labels, cnn.dropout_keep_prob: 1.0})
                    print("step %d loss %.4f accuracy %.2f" % (step, loss, accuracy))


if __name__ == "__main__":
    tf.app.run()
