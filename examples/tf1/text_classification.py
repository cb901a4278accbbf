"""Text classification: a vocabulary, embeddings, a convolution over words, tf.data, tf.metrics."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
GOOD, BAD = "great fine lovely good bright".split(), "awful poor dull bad grim".split()
OTHER = "the film was a story of two people in town".split()
LENGTH, SIZE = 8, 6
random = np.random.RandomState(11)
vocabulary = {word: i + 1 for i, word in enumerate(GOOD + BAD + OTHER)}


def sentence(label):
    words = [OTHER[i] for i in random.randint(0, len(OTHER), random.randint(4, LENGTH))]
    words[random.randint(len(words))] = (GOOD if label else BAD)[random.randint(5)]
    ids = [vocabulary[word] for word in words]
    return ids + [0] * (LENGTH - len(ids))


labels = random.randint(0, 2, 320)
texts = np.array([sentence(label) for label in labels])

dataset = tf.data.Dataset.from_tensor_slices((texts.astype(np.int32), labels.astype(np.int32)))
dataset = dataset.repeat(3).batch(32)
features, wanted = dataset.make_one_shot_iterator().get_next()

start = (0.5 * random.randn(len(vocabulary) + 1, SIZE)).astype(np.float32)
embeddings = tf.get_variable("embeddings", initializer=tf.constant(start))
words = tf.nn.embedding_lookup(embeddings, features)
kernel = tf.get_variable("kernel", initializer=tf.constant((0.5 * random.randn(2, SIZE, 8)).astype(np.float32)))
convolved = tf.nn.relu(tf.nn.conv1d(words, kernel, stride=1, padding="VALID"))
pooled = tf.reduce_max(convolved, axis=1)
W = tf.get_variable("W", initializer=tf.constant((0.5 * random.randn(8, 2)).astype(np.float32)))
logits = tf.matmul(pooled, W)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=wanted, logits=logits))
train_op = tf.train.AdagradOptimizer(0.3).minimize(loss)
accuracy, update = tf.metrics.accuracy(wanted, tf.argmax(logits, 1, output_type=tf.int32))

with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    step = 0
    try:
        while True:
            value, _, _ = sess.run([loss, train_op, update])
            if step % 6 == 0:
                print("step %d loss %.4f" % (step, value))
            step += 1
    except tf.errors.OutOfRangeError:
        print("%d steps, accuracy over all of them %.4f" % (step, sess.run(accuracy)))
