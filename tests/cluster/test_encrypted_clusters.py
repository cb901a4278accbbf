"""A cluster whose connections are encrypted, with certificates that OpenSSL makes for the test."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import dask
import numpy as np
import pytest

import penstock as tf
from penstock.cluster.access.dask_import import distributed

SUBJECT = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a scheduler with two workers; Dask's configuration here has the certificates."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, which makes the certificates")
    key, certificate, port = tmp_path / "key.pem", tmp_path / "certificate.pem", tmp_path / "scheduler.json"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", str(key),
            "-out", str(certificate), *SUBJECT]  # fmt: skip
    subprocess.run(made, check=True, capture_output=True)
    files = ["--tls-ca-file", str(certificate), "--tls-cert", str(certificate), "--tls-key", str(key)]
    common = ["--host", "tls://127.0.0.1", "--scheduler-file", str(port), "--no-dashboard", *files]
    worker = ["dask_worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path)]
    with ExitStack() as stack:
        for program in (["dask_scheduler", "--port", "0"], worker, worker):
            command = [sys.executable, "-m", f"distributed.cli.{program[0]}", *program[1:], *common]
            process = stack.enter_context(subprocess.Popen(command, stderr=subprocess.DEVNULL))
            stack.callback(process.terminate)
        config = {f"distributed.comm.tls.{name}": str(certificate) for name in ("ca-file", "client.cert")}
        stack.enter_context(dask.config.set(config | {"distributed.comm.tls.client.key": str(key)}))
        with distributed().Client(scheduler_file=str(port), timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            found = str(client.scheduler.address)
        yield found


@pytest.mark.slow
def test_a_session_trains_over_encrypted_connections(address: str) -> None:
    assert address.startswith("tls://")
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, ["batch", 30], name="x")
        w = tf.get_variable("w", [30, 40], initializer=tf.ones_initializer())
        loss = tf.reduce_sum(tf.matmul(x, w))
        step = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
        init = tf.global_variables_initializer()
    config = tf.SessionConfig(shard={"batch": 2})
    with tf.Session("dask+" + address, graph=graph, config=config) as session:
        session.run(init)
        losses = [session.run([loss, step], {x: np.ones([10, 30])})[0] for _ in range(2)]
    assert losses == [12_000.0, 10 * 30 * 40 * -9.0]
    with pytest.raises(tf.errors.UnavailableError):
        tf.Session(address.replace("tls", "dask"), graph=graph, config=tf.SessionConfig(worker_timeout=3.0))
