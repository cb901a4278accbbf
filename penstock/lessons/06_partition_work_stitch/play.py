"""The graph of the play page: the one of the text, even numbers are halved and odd ones tripled."""

import penstock as tf

n = tf.placeholder(tf.int32, ["numbers"], name="n")
label = tf.mod(n, 2, name="label")
even, odd = tf.dynamic_partition(n, label, 2, name="parts")
places = tf.range(tf.size(n), name="places")
even_places, odd_places = tf.dynamic_partition(places, label, 2, name="place_parts")
halves = tf.div(even, 2, name="halves")
triples = tf.add(odd * 3, 1, name="triples")
following = tf.dynamic_stitch([even_places, odd_places], [halves, triples], name="following")

fetches = [following]
feeds = {n: [7, 4, 10, 5, 1]}
