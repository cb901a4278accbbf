"""Programs that name devices and clusters; `record_devices.py` records what TensorFlow answers.

Each kind has a function from a namespace (`tensorflow.compat.v1`, `penstock.compat.v1` or `penstock`) and one case to
an answer. A case is plain JSON. Names of devices are compared in their one form (`form`), because TensorFlow keeps the
text that a device function gives as it is.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import ExitStack
from itertools import product
from typing import Any

Answer = Callable[[Any, Any], Any]

NAMES = [
    "", "/", "/job:worker", "/replica:1/task:2", "/gpu", "/GPU:0", "/gpu:*", "/device:gpu:1", "/device:XPU:3",
    "/device:xpu:3", "/job:worker/replica:0/task:3/device:CPU:0", "job:a/task:1", "/cpu0", "/cpu:0/gpu:1", "/task:x",
    "/task", "/job:a:b", "/device:GPU:*", "/tpu:0", "/xpu:0", "/cpu:1:2", "/CPU", "/device", "/job:worker//task:1",
    "/job:ps/job:worker", "/task:1/task:2", "/cpu:", "/device:GPU:x", "/job:worker/cpu:0", " /cpu:0", "/job:1a",
    "/job:a-b", "/job:localhost/replica:0/task:0/device:GPU:0", "gpu:1", "/task:0/job:b", "/cpu:0/job:b/task:4",
]  # fmt: skip
NO_NAMES = [
    "/cpu0", "/cpu:0/gpu:1", "/task:x", "/task", "/job:a:b", "/xpu:0", "/cpu:1:2", "/device", "/cpu:", "/device:GPU:x",
    " /cpu:0",
]  # fmt: skip
GOOD = [name for name in NAMES if name not in NO_NAMES]
CLUSTER = {"ps": ["a:1", "b:1", "c:1"], "worker": ["d:1", "e:1"]}


def form(tf: Any, device: str) -> str:
    """The one form of a name."""
    return str(tf.DeviceSpec.from_string(device or "").to_string())


def parsed(tf: Any, name: str) -> list[Any] | None:
    """The parts of a name, its form and the object as text; None if it is not the name of a device."""
    try:
        d = tf.DeviceSpec.from_string(name)
    except ValueError:
        return None
    return [d.job, d.replica, d.task, d.device_type, d.device_index, d.to_string(), repr(d)]


def merged(tf: Any, case: list[str]) -> list[str]:
    """The second name over the first."""
    first, second = map(tf.DeviceSpec.from_string, case)
    made = first.make_merged_spec(second).to_string()
    first.merge_from(second)
    return [made, first.to_string()]


def functions(tf: Any) -> dict[str, Callable[[Any], Any]]:
    """Functions that blocks name."""
    return {
        "f:cpu": lambda op: "/cpu:0",
        "f:job": lambda op: "/job:f/task:5",
        "f:device": lambda op: op.device,
        "f:plus": lambda op: op.device + "/task:9",
        "f:empty": lambda op: "",
        "f:spec": lambda op: tf.DeviceSpec(job="g"),
    }


def in_blocks(tf: Any, blocks: list[str | None]) -> str:
    """The device of a node in blocks, the innermost last."""
    known = functions(tf)
    with tf.Graph().as_default(), ExitStack() as stack:
        for each in blocks:
            stack.enter_context(tf.device(known.get(each or "", each)))
        return form(tf, tf.constant(1).op.device)


def colocated(tf: Any, case: list[str | None]) -> str:
    """The device of a node in a block of colocate_with inside one block and around another."""
    outer, where, *inner = case
    with tf.Graph().as_default():
        with tf.device(where):
            other = tf.constant(1)
        with tf.device(outer), tf.colocate_with(other), ExitStack() as stack:
            for each in inner:
                stack.enter_context(tf.device(each))
            return form(tf, tf.constant(1).op.device)


class Greedy:
    """The task with the least elements so far."""

    def __init__(self, tasks: int) -> None:
        self.loads = [0] * tasks

    def __call__(self, op: Any) -> int:
        task = self.loads.index(min(self.loads))
        self.loads[task] += int(op.outputs[0].shape.num_elements())
        return task


def trained(tf: Any, case: list[Any]) -> list[str]:
    """The devices of nodes of a training inside a device setter."""
    options, around, inside = case
    options = dict(options)
    if options.get("ps_strategy") == "greedy":
        options["ps_strategy"] = Greedy(3)
    if isinstance(options.get("cluster"), dict) and "sparse" in options["cluster"]:
        options["cluster"] = {"ps": {0: "a:1", 4: "b:1"}}
    with tf.Graph().as_default(), tf.device(around), tf.device(tf.train.replica_device_setter(**options)):
        return [form(tf, each.device) for each in _training(tf, inside)]


def _training(tf: Any, inside: str) -> list[Any]:
    with tf.device(inside):
        x = tf.placeholder(tf.float32, [3], name="x")
        a = tf.Variable(tf.zeros([3]), name="a")
        b = tf.get_variable("b", [7], initializer=tf.zeros_initializer())
    c = tf.Variable([1.0, 2.0, 3.0], name="c")
    y = tf.multiply(x, x)
    with tf.device(inside):
        z = tf.matmul([[1.0]], [[2.0]])
        written = tf.assign(a, [1.0, 2.0, 3.0])
        added = tf.assign_add(c, [1.0, 2.0, 3.0])
        rows = tf.scatter_update(c, [0], [1.0])
    d = tf.get_variable("d", [2])
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_sum(tf.square(a) + c)
    momentum, adam = tf.train.MomentumOptimizer(0.1, 0.9), tf.train.AdamOptimizer()
    train = momentum.minimize(loss, global_step=step)
    adam.minimize(loss)
    slots = [momentum.get_slot(a, "momentum"), momentum.get_slot(c, "momentum")]
    kept = sorted(adam.variables(), key=lambda each: str(each.name))
    return [x, a, a.initializer, b, b.initializer, c, y, z, written, added, rows, d, step, loss, train,
            *slots, slots[1].initializer, *kept]  # fmt: skip


def spec_facts(tf: Any, jobs: list[list[Any]]) -> dict[str, Any]:
    """What a ClusterSpec says; jobs are pairs of a name and a list of addresses or of pairs."""
    c = tf.train.ClusterSpec({job: dict(map(tuple, tasks)) if kind == "dict" else tasks for job, kind, tasks in jobs})
    asked = [*c.jobs, "nope"]
    return {
        "repr": repr(c),
        "bool": bool(c),
        "jobs": c.jobs,
        "num_tasks": [_tried(c.num_tasks, job) for job in asked],
        "task_indices": [_tried(c.task_indices, job) for job in asked],
        "job_tasks": [_tried(c.job_tasks, job) for job in asked if job == "nope" or c.num_tasks(job)],
        "task_address": [_tried(c.task_address, job, i) for job in asked for i in (0, 1, 3, -1)],
        "def": [[job.name, sorted([i, t] for i, t in job.tasks.items())] for job in c.as_cluster_def().job],
        "copies": [repr(tf.train.ClusterSpec(c)), repr(tf.train.ClusterSpec(c.as_cluster_def()))],
    }


def no_spec(tf: Any, case: Any) -> str:
    """The class of the error that something which is no cluster causes."""
    return str(_tried(tf.train.ClusterSpec, case))


def _tried(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except (TypeError, ValueError) as error:
        return type(error).__name__


SETTERS: list[dict[str, Any]] = [
    {"ps_tasks": 2},
    {"cluster": CLUSTER},
    {"cluster": CLUSTER, "worker_device": "/job:worker/task:1"},
    {"cluster": CLUSTER, "worker_device": "/job:worker/task:0/gpu:0"},
    {"cluster": CLUSTER, "ps_device": "/job:ps/cpu:0", "worker_device": "/job:worker/task:1/cpu:0"},
    {"cluster": CLUSTER, "merge_devices": False, "worker_device": "/job:worker/task:1"},
    {"ps_tasks": 2, "ps_device": "/job:par"},
    {"ps_tasks": 3, "ps_device": ""},
    {"ps_tasks": 2, "worker_device": ""},
    {"cluster": CLUSTER, "ps_ops": ["VariableV2", "Mul", "MatMul"]},
    {"cluster": CLUSTER, "ps_ops": []},
    {},
    {"cluster": {"worker": ["a:1"]}},
    {"cluster": CLUSTER, "ps_strategy": "greedy"},
    {"cluster": {"sparse": []}},
    {"ps_tasks": 1, "ps_device": "/cpu:0"},
    {"ps_tasks": 2, "ps_device": "/job:ps/task:7"},
    {"cluster": CLUSTER, "worker_device": "/task:3"},
]


def _cases() -> dict[str, list[Any]]:
    r = random.Random(3)
    parts = [None, "", "/job:ps", "/job:worker/task:1", "/gpu:1", "/cpu:0", "/task:2", "/job:ps/task:1/gpu:0",
             "/replica:0", *functions(None)]  # fmt: skip
    blocks = [[r.choice(parts) for _ in range(r.randint(1, 4))] for _ in range(200)]
    around = [None, "/job:worker/task:7", "/gpu:0", "/job:ps"]
    inside = ["", "/job:ps", "/cpu:0", "/job:worker/task:5", "/task:1", "/job:ps/task:2/gpu:3"]
    mixes = [[setter, *r.choice(list(product(around, inside)))] for setter in SETTERS * 4]
    return {
        "parsed": NAMES,
        "merged": r.sample([list(pair) for pair in product(GOOD, GOOD)], 150),
        "in_blocks": blocks,
        "colocated": [
            [outer, where, *inner]
            for outer, where, inner in product(
                [None, "/job:worker", "/cpu:0"], [None, "/job:ps/task:0", "/gpu:1"], [[], ["/job:x/task:3"], ["/cpu:2"]]
            )
        ],
        "trained": [[setter, None, ""] for setter in SETTERS] + mixes,
        "spec_facts": [
            [["worker", "list", ["a:1", "b:1"]], ["ps", "list", ["c:1"]]],
            [["worker", "dict", [[1, "a:1"], [3, "b:1"]]]],
            [["worker", "dict", [["0", "a:1"]]]],
            [],
            [["a", "list", []]],
            [["a", "dict", []]],
            [["b", "dict", [[1, "y"], [0, "x"]]], ["a", "dict", [[2, "z"]]]],
        ],
        "no_spec": [3, None, "a:1", ["a:1"], {"w": "a:1"}, {"w": 3}, {"w": [3]}, {"w": {"x": "a"}}, {"w": None}],
    }


CASES = _cases()
ANSWERS: dict[str, Answer] = {
    "parsed": parsed, "merged": merged, "in_blocks": in_blocks, "colocated": colocated, "trained": trained,
    "spec_facts": spec_facts, "no_spec": no_spec,
}  # fmt: skip
