"""What recorded runs, profiles and pictures show of variables."""

import numpy as np

import penstock as tf
from penstock.show import picture_of
from penstock.show.content.from_plan import picture_of_plan
from penstock.show.content.picture import BoxKind


def training() -> tuple[tf.Graph, list[tf.Operation | tf.Tensor], tf.Tensor]:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.Variable(np.zeros((3, 1), "f4"), name="w")
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0), name="loss")
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
        init = tf.global_variables_initializer()
        value = tf.identity(w)
    return graph, [train, loss, init, value], x


def test_a_recorded_run_says_which_step_writes_which_variable() -> None:
    graph, (train, loss, init, _), x = training()
    metadata = tf.RunMetadata()
    with tf.Session(graph=graph) as session:
        session.run(init)
        session.run([train, loss], {x: np.ones((2, 3))}, run_metadata=metadata)
    record = metadata.record
    assert record is not None
    written = [name for step in record.steps for name in step.writes]
    assert sorted(written) == sorted(record.plan.written) and "w" in written
    assert "writes" in record.table().splitlines()[0] and "writes" in str(record).splitlines()[1]
    assert not any(step.writes for step in record.steps if step.node == "loss")


def test_a_run_without_variables_has_no_column_for_them() -> None:
    metadata = tf.RunMetadata()
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        session.run(tf.cumsum(x), {x: [1.0, 2.0]}, run_metadata=metadata)
    assert metadata.record is not None and "writes" not in metadata.record.table()


def test_a_profile_leaves_variables_as_they_were() -> None:
    graph, (train, _, init, value), x = training()
    with tf.Session(graph=graph) as session:
        session.run(init)
        session.profile(train, {x: np.ones((2, 3))}, runs=3)
        assert (session.run(value) == 0).all()


def test_a_profile_says_which_step_writes_which_variable() -> None:
    graph, (train, loss, init, value), x = training()
    with tf.Session(graph=graph) as session:
        session.run(init)
        profile = session.profile([train, loss], {x: np.ones((2, 3))}, runs=2)
        written = [name for row in profile.steps for name in row.writes]
        assert sorted(written) == sorted(session.plan([train, loss], [x]).written)
        head, *rows = str(profile).splitlines()[1:]
        assert head.split()[-2:] == ["bytes", "writes"]
        assert any("w/Adam" in row for row in rows)
        assert ">writes<" in (profile._repr_html_() or "")
        assert "writes" not in str(session.profile(value, runs=2))


def test_pictures_draw_variables_and_fold_what_belongs_to_them() -> None:
    graph, _, _ = training()
    picture = picture_of(graph)
    kinds = {box.id: box.kind for box in picture.boxes}
    assert kinds["w"] is BoxKind.VARIABLE and kinds["w/Adam"] is BoxKind.VARIABLE
    folded = {group.path for group in picture.groups if group.folded}
    assert ("w",) in folded and ("loss",) not in folded


def test_pictures_of_plans_draw_variables_too() -> None:
    graph, (train, *_), x = training()
    with tf.Session(graph=graph) as session:
        picture = picture_of_plan(session.plan(train, [x]))
    kinds = {box.id: box.kind for box in picture.boxes}
    assert BoxKind.VARIABLE in kinds.values() and kinds["x:0" if "x:0" in kinds else "x"] is BoxKind.FED
