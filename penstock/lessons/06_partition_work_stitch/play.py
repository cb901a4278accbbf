"""The graph of the play page: trips of three kinds, and how long they take."""

import penstock as tf

km = tf.placeholder(tf.float32, ["trips"], name="km")
kind = tf.placeholder(tf.int32, ["trips"], name="kind")
parts = tf.dynamic_partition(km, kind, 3, name="parts")
places = tf.dynamic_partition(tf.range(tf.size(km)), kind, 3, name="places")
foot = tf.divide(parts[0], 5.0, name="foot")
train = tf.add(parts[1] / 120.0, 0.25, name="train")
plane = tf.add(parts[2] / 800.0, 2.0, name="plane")
hours = tf.dynamic_stitch(places, [foot, train, plane], name="hours")

fetches = [hours]
feeds = {km: [3.0, 240.0, 4000.0, 600.0, 10.0, 60.0], kind: [0, 1, 2, 1, 0, 1]}
