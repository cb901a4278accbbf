"""PageRank: a page is important if important pages link to it. One graph holds five steps."""

import numpy as np

import penstock as tf

LINKS = {
    "home": ["news", "shop", "about"],
    "news": ["home", "shop"],
    "shop": ["home"],
    "about": ["home", "contact"],
    "contact": [],
    "blog": ["news", "about"],
}
DAMPING, STEPS = 0.85, 5

names = list(LINKS)
pairs = [(names.index(page), names.index(target)) for page, targets in LINKS.items() for target in targets]


with tf.Graph().as_default() as graph:
    sources = tf.placeholder(tf.int32, ["links"], name="sources")
    targets = tf.placeholder(tf.int32, ["links"], name="targets")
    start = tf.placeholder(tf.float32, ["pages"], name="start")
    with tf.name_scope("count"):
        pages = tf.shape(start)[0]
        ones = tf.ones_like(sources, tf.float32, name="ones")
        links_out = tf.unsorted_segment_sum(ones, sources, pages, name="links_out")


def step(ranks: tf.Tensor) -> tf.Tensor:
    """The ranks after every page has passed its rank on to the pages that it links to."""
    sent = tf.gather(ranks / tf.maximum(links_out, 1.0), sources, name="sent")
    received = DAMPING * tf.unsorted_segment_sum(sent, targets, pages, name="received")
    rest = 1.0 - tf.reduce_sum(received)
    return tf.add(received, rest / tf.cast(pages, tf.float32), name="ranks")


with graph.as_default():
    ranks = start
    for number in range(STEPS):
        with tf.name_scope(f"step_{number}"):
            ranks = step(ranks)
    with tf.name_scope("compare"):
        change = tf.reduce_sum(tf.abs(ranks - start), name="change")

print(ranks)

current = np.full(len(names), 1 / len(names), np.float32)
source_numbers, target_numbers = np.array(pairs, np.int32).T
with tf.Session(graph=graph) as session:
    changed, runs = 1.0, 0
    while changed > 1e-6:
        feeds = {sources: source_numbers, targets: target_numbers, start: current}
        current, changed = session.run([ranks, change], feeds)
        runs += 1

print(f"{runs * STEPS} steps in {runs} runs")
for place in np.argsort(-current):
    print(f"{names[place]:8} {current[place]:.3f}")
