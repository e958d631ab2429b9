"""Sessions of Spark: the one that is given, or one of our own, which ends with its
processes when nobody needs it any more.
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from phverify.errors import InputError, refusal
from phverify.words import plural

if TYPE_CHECKING:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

REACHED = 20.0
"""Seconds within which a cluster's master has to answer."""
ANSWERED = 60.0
"""Seconds within which there has to be a session."""
EXECUTORS = 60.0
"""Seconds within which a cluster has to give a first executor."""
ENDED = 10.0
"""Seconds within which a process ends that is told to."""
INSTALL = "pip install 'phverify[spark]'"
JAVA = (
    "install Java 17 or newer (apt install openjdk-17-jre-headless), or set JAVA_HOME"
)
MASTERS = ("spark://", "local", "yarn", "k8s://")
"""How the addresses of clusters begin."""
SETTINGS = {
    # Columns that differ in capital letters alone are two.
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
}
"""What a session has to have; a session that is given keeps its own settings."""
QUIET = {
    "spark.app.name": "phverify",
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""What writes of queries that fail, with what they quote of the data."""


def is_spark_session(given: object) -> bool:
    """Whether this is a session of Spark, which is not imported to find out."""
    return _is_of_spark(given, "SparkSession")


def is_spark_frame(given: object) -> bool:
    """Whether this is a DataFrame of Spark, which is not imported to find out."""
    return _is_of_spark(given, "DataFrame")


def _is_of_spark(given: object, name: str) -> bool:
    for kind in type(given).__mro__:
        # pyspark.pandas has a DataFrame, too, and says how to make one of Spark's.
        if kind.__module__.startswith("pyspark.sql.") and kind.__name__ == name:
            return True
    return False


def require_classic(given: object, where: str) -> None:
    """Raises InputError for a session or DataFrame of Spark Connect."""
    if type(given).__module__.startswith("pyspark.sql.connect."):
        what = "is of Spark Connect, and rows are counted in a session of this process"
        raise refusal(where, what, "give the cluster's address, spark://host:7077")


def named_master(spark: object) -> str:
    """The address of a cluster.  Raises InputError for anything else."""
    if isinstance(spark, str) and spark.startswith(MASTERS):
        return spark
    what = f"is the address of a cluster or a SparkSession, not {spark!r}"
    raise refusal("spark", what, "for example spark://host:7077, or local[4]")


@contextmanager
def spark_session(given: Any = None) -> Iterator[SparkSession]:
    """A session to ask: in a session that is given, at the address of a cluster, or in
    the session of this process; else on this machine.

    What was started for it ends with it.  Raises InputError where there is no Spark or
    no Java, or where a cluster does not answer.
    """
    with _quiet():
        if is_spark_session(given):
            require_classic(given, "spark")
            yield _beside(given)
            return
        master = None if given is None else named_master(given)
        running = _running(master)
        if running is not None:
            yield _beside(running)
            return
        with _started(master) as session:
            yield session


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing is written of queries that fail or are interrupted, nor of versions of
    other libraries.
    """
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [logger.disabled for logger in loggers]
    root = logging.getLogger()
    root.addFilter(_is_ours)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.filterwarnings("ignore", "Unable to cleanly shutdown Spark")
        for logger in loggers:
            logger.disabled = True
        try:
            yield
        finally:
            root.removeFilter(_is_ours)
            for logger, disabled in zip(loggers, before, strict=True):
                logger.disabled = disabled


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether a line of a log is not what is written where Ctrl-C ends a query."""
    return not record.getMessage().startswith("KeyboardInterrupt while sending")


def _beside(session: Any) -> SparkSession:
    """A session in the same processes, with settings of its own."""
    other: SparkSession = session.newSession()
    for name, value in SETTINGS.items():
        other.conf.set(name, value)
    return other


def _running(master: str | None) -> Any:
    """The session that this process has; None where it has none.

    Raises InputError where it is one of another cluster.
    """
    try:
        from pyspark import SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        raise refusal("spark", "pyspark is not installed", INSTALL) from None
    # A process has one context at most, and no other way to ask for it.
    context = SparkContext._active_spark_context
    if context is None:
        return None
    if master not in (None, context.master):
        what = f"this process has a session of {context.master}, and can have no other"
        raise refusal("spark", what, "stop it, or give it as spark=")
    return SparkSession.builder.getOrCreate()


@contextmanager
def _started(master: str | None) -> Iterator[SparkSession]:
    """A session in processes of its own.  Raises InputError."""
    from pyspark import SparkConf

    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise refusal("spark", "Spark needs Java, and there is none", JAVA)
    if master is not None:
        _require_reachable(master)
    settings = SparkConf()
    settings.setAll([*SETTINGS.items(), *QUIET.items()])
    # Without one, what Spark's own settings say holds: without them, this machine.
    if master is not None:
        settings.setMaster(master)
    with _process(settings) as gateway:
        session = _session(settings, gateway)
        try:
            _wait_for_executors(session)
            yield session
        finally:
            _end(session)


@contextmanager
def _process(settings: SparkConf) -> Iterator[Any]:
    """The process of a session, by what it is spoken to; it ends here.

    None where there is one already, which goes on.
    """
    from pyspark import SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:
        yield None
        return
    with tempfile.TemporaryFile() as log:
        try:
            gateway = launch_gateway(settings, {"stdout": log, "stderr": log})
        except (PySparkException, OSError) as error:
            raise _no_process(error, log) from None
    try:
        yield gateway
    finally:
        _shut_down(gateway)
        SparkContext._gateway = None
        SparkContext._jvm = None


def _no_process(error: Exception, log: BinaryIO) -> InputError:
    """Why no process was started, as far as it tells."""
    log.seek(0)
    said = log.read().decode("utf-8", "replace")
    if "UnsupportedClassVersionError" in said:
        return refusal("spark", "this Java is too old for Spark", JAVA)
    told = [line.strip() for line in said.splitlines() if line.strip()]
    reason = told[-1] if told else str(error)
    return refusal("spark", f"Java does not start Spark: {reason}", JAVA)


def _session(settings: SparkConf, gateway: Any) -> SparkSession:
    """A new session.  Raises InputError."""
    from py4j.protocol import Py4JError
    from pyspark import SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    interrupt = signal.getsignal(signal.SIGINT)
    where = str(settings.get("spark.master", "this machine"))
    patience = threading.Timer(ANSWERED, _give_up, [gateway])
    patience.daemon = True
    # What listens there may be no master, and Spark asks for minutes.
    if where.startswith("spark://"):
        patience.start()
    try:
        context = SparkContext(conf=settings, gateway=gateway)
        return SparkSession(context)
    except (PySparkException, Py4JError, OSError) as error:
        what = f"there is no session on {where}: {reason(error)}"
        if patience.finished.is_set():
            what = f"{where} gave no session within {ANSWERED:g} seconds"
        hint = "is its master running, in the same version of Spark as here?"
        raise refusal("spark", what, hint) from None
    finally:
        patience.cancel()
        # Spark sets a handler of its own, which would outlive it.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, interrupt)


def _give_up(gateway: Any) -> None:
    """End a process of ours that gets no further; whoever waits for it is told."""
    if gateway is not None:
        gateway.proc.kill()


def reason(error: BaseException) -> str:
    """Why Spark failed, in one line: the cause of all causes."""
    cause = getattr(error, "java_exception", None)
    if cause is None:
        return str(error).strip().splitlines()[0]
    while cause.getCause() is not None:
        cause = cause.getCause()
    lines = str(cause.getMessage() or cause.toString()).strip().splitlines()
    return lines[0]


def _require_reachable(master: str) -> None:
    """Raises InputError where no master of a standalone cluster answers."""
    if not master.startswith("spark://"):
        return
    until = time.monotonic() + REACHED
    reasons = []
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        if not port.isdecimal():
            what = f"{master!r} does not say at which port the master is"
            raise refusal("spark", what, "for example spark://host:7077")
        left = max(until - time.monotonic(), 0.1)
        try:
            socket.create_connection((host.strip("[]"), int(port)), left).close()
            return
        except (OSError, OverflowError) as error:
            reasons.append(str(error))
    what = f"the cluster at {master} does not answer: {'; '.join(reasons)}"
    hint = "is its master running, and can it be reached from this machine?"
    raise refusal("spark", what, hint)


def _wait_for_executors(session: SparkSession) -> None:
    """Raises InputError where a cluster gives none: its queries would wait for ever."""
    master = session.sparkContext.master
    if not master.startswith("spark://"):
        return
    settings = session.sparkContext.getConf()
    if settings.get("spark.dynamicAllocation.enabled", "false") == "true":
        return
    until = time.monotonic() + EXECUTORS
    # The driver is counted as one of them.
    context = session.sparkContext._jsc.sc()
    while context.getExecutorMemoryStatus().size() < 2:
        if time.monotonic() > until:
            seconds = plural(int(EXECUTORS), "second")
            what = f"the cluster at {master} gave no executor within {seconds}"
            hint = "has it a worker with a free core and enough memory?"
            raise refusal("spark", what, hint)
        time.sleep(0.1)


def _end(session: SparkSession) -> None:
    """Stop a session, whether or not its process is there."""
    from py4j.protocol import Py4JError
    from pyspark import SparkContext

    try:
        session.stop()
    except (Py4JError, OSError):
        SparkContext._active_spark_context = None


def _shut_down(gateway: Any) -> None:
    """End the process behind a gateway: it does when nobody writes to it any more."""
    gateway.shutdown()
    process = gateway.proc
    process.stdin.close()
    try:
        process.wait(ENDED)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
