"""word2vec: vectors of words by skip-grams and noise-contrastive estimation.

The text is a few hundred sentences about animals, towns and instruments. Each word shall predict its neighbours: of its
vector and a neighbour's, against a few words drawn from all (`tf.nn.nce_loss`). A step changes only the rows of words
in its batch, because the gradients are IndexedSlices. Words of one kind end up near each other, although nothing says
what kinds there are. The numbers are those of TensorFlow: with `import tensorflow.compat.v1 as tf` the program prints
the same lines.
"""

import numpy as np

import penstock.compat.v1 as tf

KINDS = {
    "animals": ("cat dog horse goat", "eats drinks sleeps"),
    "towns": ("paris rome oslo cairo", "lies grows shines"),
    "instruments": ("flute drum harp cello", "sounds plays rings"),
}
WIDTH, NOISE, BATCH, STEPS = 8, 6, 64, 400


def sentences(rng: np.random.RandomState, count: int) -> list[list[str]]:
    """Sentences of four words: "the cat often sleeps"."""
    chosen = []
    for _ in range(count):
        nouns, verbs = (words.split() for words in list(KINDS.values())[rng.randint(len(KINDS))])
        adverb = ("often", "now", "here")[rng.randint(3)]
        chosen.append(["the", nouns[rng.randint(len(nouns))], adverb, verbs[rng.randint(len(verbs))]])
    return chosen


rng = np.random.RandomState(3)
text = sentences(rng, 600)
counts: dict[str, int] = {}
for sentence in text:
    for word in sentence:
        counts[word] = counts.get(word, 0) + 1
words = sorted(counts, key=lambda word: (-counts[word], word))  # the sampler expects the most frequent ones first
number = {word: i for i, word in enumerate(words)}
pairs = np.array(
    [(number[a], number[b]) for s in text for i, a in enumerate(s) for j, b in enumerate(s) if 0 < abs(i - j) <= 2]
)

graph = tf.Graph()
with graph.as_default():
    tf.set_random_seed(1)
    centres = tf.placeholder(tf.int64, [None], name="centres")
    contexts = tf.placeholder(tf.int64, [None, 1], name="contexts")
    halves = tf.fixed_size_partitioner(2)
    draw = tf.random_uniform_initializer(-0.5, 0.5, seed=2)
    vectors = tf.get_variable("vectors", [len(words), WIDTH], initializer=draw, partitioner=halves)
    with tf.variable_scope("noise"):
        weights = tf.get_variable("weights", [len(words), WIDTH], initializer=draw)
        biases = tf.get_variable("biases", [len(words)], initializer=tf.zeros_initializer())
    rows = tf.nn.embedding_lookup(vectors, centres, partition_strategy="div", name="lookup")
    losses = tf.nn.nce_loss(weights, biases, contexts, rows, NOISE, len(words), name="nce")
    loss = tf.reduce_mean(losses, name="loss")
    update = tf.train.AdagradOptimizer(0.5).minimize(loss)
    directions = tf.nn.l2_normalize(vectors, 1)
    likeness = tf.matmul(directions, directions, transpose_b=True, name="likeness")
    start = tf.global_variables_initializer()

if __name__ == "__main__":
    print(f"{len(words)} words, {len(pairs)} pairs, parts of {[part.shape.as_list() for part in vectors]}")
    print("gradients", [type(g).__name__ for g in tf.gradients(loss, [*vectors, weights, biases])])
    with tf.Session(graph=graph) as session:
        session.run(start)
        total = 0.0
        for step in range(1, STEPS + 1):
            batch = pairs[rng.randint(len(pairs), size=BATCH)]
            total += session.run([loss, update], {centres: batch[:, 0], contexts: batch[:, 1:]})[0]
            if step % 100 == 0:
                print(f"steps to {step}: mean loss {total / 100:.2f}")
                total = 0.0
        near = session.run(likeness)
    nouns = {noun: kind for kind, (listed, _) in KINDS.items() for noun in listed.split()}
    right = 0
    for noun, kind in nouns.items():
        other = max((each for each in nouns if each != noun), key=lambda each: near[number[noun], number[each]])
        right += nouns[other] == kind
        if noun == next(iter(listed for listed in nouns if nouns[listed] == kind)):
            print(f"nearest to {noun}: {other}")
    print(f"{right} of {len(nouns)} nouns are nearest to one of their kind")
