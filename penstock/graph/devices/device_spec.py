"""`tf.DeviceSpec`: the name of a device in parts, which may be open."""

from __future__ import annotations

from typing import Any

from ..common.tracebacks import hides_frames, hides_frames_of_init
from .device_names import KNOWN, DeviceParts, check_device, device_parts


@hides_frames_of_init
class DeviceSpec:
    """The name of a device in parts: a job, a replica and a task, and a kind and number of device.

    A part that is None is open. `tf.device` takes a DeviceSpec as it takes a name, and reads it when it is called.

    Args:
        job: the name of a group of workers, such as "ps".
        replica: an int; TensorFlow's clusters have the replica 0 only.
        task: the number of a worker in its job.
        device_type: the kind of device, such as "CPU" or "GPU".
        device_index: the number of the device.

    Raises:
        TypeError: a part has another type.
        ValueError: a number is none.

    >>> import penstock as tf
    >>> spec = tf.DeviceSpec(job="ps", device_type="CPU", device_index=0)
    >>> spec.to_string()
    '/job:ps/device:CPU:0'
    >>> spec.task = 1
    >>> with tf.Graph().as_default(), tf.device(spec):
    ...     print(tf.constant(1).device)
    /job:ps/task:1/device:CPU:0

    Source: TensorFlow 1.x, `tf.DeviceSpec`.
    """

    __slots__ = ("_parts",)

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self._parts = DeviceParts(
            _text("job", job),
            _number("replica", replica),
            _number("task", task),
            _kind(device_type),
            _number("device_index", device_index),
        )

    @property
    def job(self) -> str | None:
        """The job, None if it is open."""
        return self._parts.job

    @job.setter
    def job(self, job: str | None) -> None:
        self._change(job=job)

    @property
    def replica(self) -> int | None:
        """The replica, None if it is open."""
        return self._parts.replica

    @replica.setter
    def replica(self, replica: int | None) -> None:
        self._change(replica=replica)

    @property
    def task(self) -> int | None:
        """The task, None if it is open."""
        return self._parts.task

    @task.setter
    def task(self, task: int | None) -> None:
        self._change(task=task)

    @property
    def device_type(self) -> str | None:
        """The kind of device, None if it is open."""
        return self._parts.kind or None

    @device_type.setter
    def device_type(self, device_type: str | None) -> None:
        self._change(device_type=device_type)

    @property
    def device_index(self) -> int | None:
        """The number of the device, None if it is open."""
        return self._parts.number

    @device_index.setter
    def device_index(self, device_index: int | None) -> None:
        self._change(device_index=device_index)

    def to_string(self) -> str:
        """The name.

        Returns:
            A text such as "/job:ps/task:1/device:CPU:0", without the parts that are open.

        >>> import penstock as tf
        >>> tf.DeviceSpec(job="ps", task=1).to_string(), tf.DeviceSpec(device_type="gpu").to_string()
        ('/job:ps/task:1', '/device:GPU:*')
        """
        return str(self._parts)

    @classmethod
    @hides_frames
    def from_string(cls, spec: str | None) -> DeviceSpec:
        """The parts of a name.

        Args:
            spec: a name as `tf.device` takes it; None is the name that leaves all open.

        Returns:
            A DeviceSpec.

        Raises:
            TypeError: it is no text.
            ValueError: it is not the name of a device.

        >>> import penstock as tf
        >>> tf.DeviceSpec.from_string("/job:worker/gpu:1")
        <DeviceSpec(job=worker, replica=None, task=None, device_type=GPU, device_index=1)>
        """
        found = cls()
        found._parts = _parsed(spec)
        return found

    @hides_frames
    def parse_from_string(self, spec: str | None) -> DeviceSpec:
        """Gives this object the parts of a name.

        Args:
            spec: as for `from_string`.

        Returns:
            This object.

        Raises:
            TypeError: it is no text.
            ValueError: it is not the name of a device.

        >>> import penstock as tf
        >>> tf.DeviceSpec(job="ps").parse_from_string("/task:3").to_string()
        '/task:3'
        """
        self._parts = _parsed(spec)
        return self

    @hides_frames
    def merge_from(self, dev: DeviceSpec) -> None:
        """Takes over the parts of another DeviceSpec that are not open there.

        Args:
            dev: the other one.

        Raises:
            TypeError: it is no DeviceSpec.

        >>> import penstock as tf
        >>> spec = tf.DeviceSpec.from_string("/job:ps/gpu:1")
        >>> spec.merge_from(tf.DeviceSpec(job="worker", task=2))
        >>> spec.to_string()
        '/job:worker/task:2/device:GPU:1'
        """
        self._parts = _checked(dev, "merge_from")._parts.over(self._parts)

    @hides_frames
    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """This one with the parts of another one that are not open there, as a new object.

        Args:
            dev: the other one, whose parts take precedence.

        Returns:
            A DeviceSpec.

        Raises:
            TypeError: `dev` is no DeviceSpec.

        >>> import penstock as tf
        >>> tf.DeviceSpec(job="ps", task=1).make_merged_spec(tf.DeviceSpec(task=2)).to_string()
        '/job:ps/task:2'
        """
        found = type(self)()
        found._parts = _checked(dev, "make_merged_spec")._parts.over(self._parts)
        return found

    @hides_frames
    def replace(self, **parts: Any) -> DeviceSpec:
        """A copy with other parts.

        Args:
            parts: arguments of `DeviceSpec`; None opens a part.

        Returns:
            A DeviceSpec.

        Raises:
            TypeError: there is no such argument, or a part has another type.

        >>> import penstock as tf
        >>> tf.DeviceSpec(job="ps", task=1).replace(task=None).to_string()
        '/job:ps'
        """
        return type(self)(**{**self._arguments(), **parts})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        return f"<DeviceSpec({', '.join(f'{name}={value}' for name, value in self._arguments().items())})>"

    def _arguments(self) -> dict[str, Any]:
        return {
            "job": self.job, "replica": self.replica, "task": self.task, "device_type": self.device_type,
            "device_index": self.device_index,
        }  # fmt: skip

    def _change(self, **parts: Any) -> None:
        self._parts = self.replace(**parts)._parts


def _parsed(spec: str | None) -> DeviceParts:
    if spec is None:
        return DeviceParts()
    if not isinstance(spec, str):
        raise TypeError(f"DeviceSpec: a name is a text such as '/job:ps/cpu:0', not {spec!r}")
    check_device(spec)
    return device_parts(spec)


def _checked(dev: Any, function: str) -> DeviceSpec:
    if not isinstance(dev, DeviceSpec):
        raise TypeError(f"DeviceSpec.{function}({dev!r}): give a DeviceSpec, as DeviceSpec.from_string(name) does")
    return dev


def _text(name: str, value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"DeviceSpec({name}={value!r}): give a text, or None to leave it open")


def _kind(value: Any) -> str:
    kind = _text("device_type", value) or ""
    return kind.upper() if kind.lower() in KNOWN else kind


def _number(name: str, value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool | float) or (not hasattr(value, "__int__") and not isinstance(value, str)):
        raise TypeError(f"DeviceSpec({name}={value!r}): give an int, or None to leave it open")
    try:
        found = int(value)
    except ValueError:
        raise ValueError(f"DeviceSpec({name}={value!r}): give an int, or None to leave it open") from None
    if found < 0:
        raise ValueError(f"DeviceSpec({name}={found}): a number counts from 0; None leaves it open")
    return found
