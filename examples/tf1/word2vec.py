"""Skip-gram word vectors with noise-contrastive estimation, after the first word2vec tutorial."""

import collections
import math

import numpy as np
import tensorflow as tf

text = "the king rules the land and the queen rules the land the dog eats the bone and the cat eats the fish "
words = (text * 30).split()
count = collections.Counter(words).most_common()
dictionary = {word: index for index, (word, _) in enumerate(count)}
data = [dictionary[word] for word in words]
vocabulary_size, embedding_size, num_sampled = len(dictionary), 8, 4
random = np.random.RandomState(4)


def generate_batch(size, start):
    """Pairs of a word and one beside it."""
    places = [(start + i // 2) % (len(data) - 2) + 1 for i in range(size)]
    batch = np.array([data[p] for p in places], dtype=np.int32)
    labels = np.array([[data[p + (1 if i % 2 else -1)]] for i, p in enumerate(places)], dtype=np.int32)
    return batch, labels


graph = tf.Graph()
with graph.as_default():
    train_inputs = tf.placeholder(tf.int32, shape=[None])
    train_labels = tf.placeholder(tf.int32, shape=[None, 1])
    sampled = tf.placeholder(tf.int64, shape=[num_sampled])
    with tf.device("/cpu:0"):
        embeddings = tf.Variable(random.uniform(-1, 1, [vocabulary_size, embedding_size]).astype(np.float32))
        embed = tf.nn.embedding_lookup(embeddings, train_inputs)
        nce_weights = tf.Variable(
            (random.randn(vocabulary_size, embedding_size) / math.sqrt(embedding_size)).astype(np.float32)
        )
        nce_biases = tf.Variable(tf.zeros([vocabulary_size]))
    chance = tf.constant(num_sampled / vocabulary_size)
    noise = (sampled, tf.fill([tf.shape(train_inputs)[0], 1], chance), tf.fill([num_sampled], chance))
    loss = tf.reduce_mean(
        tf.nn.nce_loss(weights=nce_weights, biases=nce_biases, labels=train_labels, inputs=embed,
                       num_sampled=num_sampled, num_classes=vocabulary_size, sampled_values=noise)
    )
    optimizer = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keepdims=True))
    similarity = tf.matmul(embeddings / norm, embeddings / norm, transpose_b=True)
    init = tf.global_variables_initializer()

with tf.Session(graph=graph) as session:
    init.run()
    average_loss = 0
    for step in range(200):
        batch_inputs, batch_labels = generate_batch(16, step * 8)
        noise_words = random.permutation(vocabulary_size)[:num_sampled]
        feed_dict = {train_inputs: batch_inputs, train_labels: batch_labels, sampled: noise_words}
        _, loss_val = session.run([optimizer, loss], feed_dict=feed_dict)
        average_loss += loss_val
        if step % 50 == 49:
            print("Average loss at step %d: %.4f" % (step, average_loss / 50))
            average_loss = 0
    sim = similarity.eval()
    print("a word is nearest to itself:", bool((sim.argmax(1) == np.arange(vocabulary_size)).all()))
