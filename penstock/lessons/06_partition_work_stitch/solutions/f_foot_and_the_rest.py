import penstock as tf

KM = [3.0, 240.0, 4000.0, 600.0, 10.0, 60.0]
KIND = [0, 1, 2, 1, 0, 1]

km = tf.placeholder(tf.float32, ["trips"], name="km")
kind = tf.placeholder(tf.int32, ["trips"], name="kind")


def on_foot(km):
    return tf.divide(km, 5.0, name="foot")


def by_train(km):
    return tf.add(km / 120.0, 0.25, name="train")


def by_plane(km):
    return tf.add(km / 800.0, 2.0, name="plane")


def split(values, chosen):
    return tf.dynamic_partition(values, tf.cast(chosen, tf.int32), 2)


rides, walks = split(km, tf.equal(kind, 0))
ride_places, walk_places = split(tf.range(tf.size(kind)), tf.equal(kind, 0))
trains, planes = split(rides, tf.equal(tf.gather(kind, ride_places), 2))
train_places, plane_places = split(ride_places, tf.equal(tf.gather(kind, ride_places), 2))
hours = tf.dynamic_stitch(
    [plane_places, walk_places, train_places], [by_plane(planes), on_foot(walks), by_train(trains)]
)

session = tf.Session()
print(session.run(hours, {km: KM, kind: KIND}))
