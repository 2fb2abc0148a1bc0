"""Real database servers for tests: a MariaDB 10.11 and a MySQL 9 on free loopback ports.

`python -m deploy.databases -- COMMAND…` starts one of each, names them in LEADLINE_TEST_MARIADB,
LEADLINE_TEST_MYSQL and their _ROOT variants as data source names, runs COMMAND, stops them and
exits with its code.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import override

from deploy import mariadb, mysql
from deploy.account import AccountError, account_for
from deploy.archive import ArchiveError
from deploy.part import Part, PartError
from deploy.place import Place, PlaceError
from deploy.processes import Process
from deploy.stack import free_port
from deploy.unpack import UnpackError, ensure

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

ROOT_PASSWORD = "root-pw"  # noqa: S105 - a server for tests that only loopback reaches
MONITOR = "leadline"
MONITOR_PASSWORD = "leadline-pw"  # noqa: S105 - as above
# The longest path a Unix socket can have, less the zero at its end.
SOCKET_PATH_LIMIT = 107


def _say(line: str) -> None:
    # Standard output belongs to the command that runs between the servers.
    sys.stderr.write(f"{line}\n")


class Database(ABC):
    """One database server in a folder of its own; after `kill`, `start` brings its data back."""

    group: str
    server: str
    client: str

    def __init__(self, data_dir: Path) -> None:
        """Choose a port and a socket; nothing is started yet."""
        self.data = Path(data_dir).resolve()
        self.port = free_port()
        self._short: str | None = None
        self.home = self.data / "server"
        self.socket = self.home / "server.sock"
        if len(str(self.socket)) > SOCKET_PATH_LIMIT:
            self._short = tempfile.mkdtemp(prefix="leadline-")
            self.socket = Path(self._short) / "server.sock"
        self._part: Part | None = None

    @abstractmethod
    def _prepare(self, place: Place) -> None:
        """Make the data folder the first time."""

    def start(self) -> None:
        """Start the server and wait until it answers.

        Raises PartError, PlaceError or UnpackError with one sentence.
        """
        ensure([self.group], say=_say)
        for folder in (self.data, self.data / "run", self.data / "log"):
            folder.mkdir(parents=True, exist_ok=True)
        account = account_for([self.data], say=lambda _: None)
        place = Place(self.data, account)
        place.folder("server")
        if self._short:
            account.give(Path(self._short))
        self._prepare(place)
        place.write(
            self.home / "root.cnf",
            mariadb.client_file("root", ROOT_PASSWORD, socket=str(self.socket)),
        )
        row = Process(
            name=self.server,
            description="a database server for tests",
            program=self.group,
            command=(self.server, f"--defaults-file={self.home}/my.cnf"),
            ready={
                "command": [self.client, f"--defaults-file={self.home}/root.cnf", "-e", "SELECT 1"]
            },
        )
        self._part = Part(row, {}, place)
        self._part.start()
        try:
            self._part.wait_ready(threading.Event())
        except PartError:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server as an operator would."""
        if self._part:
            self._part.stop()

    def kill(self) -> None:
        """End the server at once, as a crash would; `start` brings it back."""
        if self._part:
            self._part.signal(signal.SIGKILL)
            self._part.stop()

    def root_sql(self, sql: str) -> str:
        """Run statements as root and give the rows, tab-separated; raises PlaceError."""
        if self._part is None:
            raise PlaceError(f"{self.server} is not started")
        how = self._part.program(
            [self.client, f"--defaults-file={self.home}/root.cnf", "--batch", "--skip-column-names"]
        )
        return self._part.place.step(how.argv, how.env, given=sql)

    def dsn(self, user: str, password: str) -> str:
        """Give the data source name for this user over loopback TCP."""
        return f"{user}:{password}@tcp(127.0.0.1:{self.port})/"

    def __enter__(self) -> Self:
        """Start the server."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the server and remove what was made outside its folder."""
        self.stop()
        if self._short:
            shutil.rmtree(self._short, ignore_errors=True)


class MariaDB(Database):
    """MariaDB 10.11 with the users root and leadline."""

    group, server, client = "mariadb", "mariadbd", "mariadb"

    @override
    def _prepare(self, place: Place) -> None:
        users = mariadb.account(
            MONITOR, MONITOR_PASSWORD, ("PROCESS, REPLICATION CLIENT, SLAVE MONITOR ON *.*",)
        )
        mariadb.prepare(
            place,
            self.home,
            port=self.port,
            root_password=ROOT_PASSWORD,
            accounts=users,
            socket=str(self.socket),
        )


class MySQL(Database):
    """MySQL 9 with the users root and leadline."""

    group, server, client = "mysql9", "mysqld", "mysql"

    @override
    def _prepare(self, place: Place) -> None:
        users = (
            mariadb.account("root", ROOT_PASSWORD, ())
            + f"ALTER USER 'root'@'localhost' IDENTIFIED BY '{ROOT_PASSWORD}';\n"
            + "GRANT ALL PRIVILEGES ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;\n"
            + mariadb.account(MONITOR, MONITOR_PASSWORD, ("PROCESS, REPLICATION CLIENT ON *.*",))
        )
        mysql.prepare(place, self.home, self.port, users, str(self.socket))


def run_with_both(command: list[str]) -> int:
    """Run the command between both servers, named in its environment, and give its exit code."""
    with tempfile.TemporaryDirectory(prefix="leadline-databases-") as folder:
        Path(folder).chmod(0o755)
        servers: dict[str, Database] = {
            "MARIADB": MariaDB(Path(folder) / "mariadb"),
            "MYSQL": MySQL(Path(folder) / "mysql"),
        }
        try:
            for server in servers.values():
                server.start()
            names = {
                key: value
                for name, server in servers.items()
                for key, value in (
                    (f"LEADLINE_TEST_{name}", server.dsn(MONITOR, MONITOR_PASSWORD)),
                    (f"LEADLINE_TEST_{name}_ROOT", server.dsn("root", ROOT_PASSWORD)),
                )
            }
            return subprocess.run(  # noqa: S603 - what the caller asked for
                command, env={**os.environ, **names}, check=False
            ).returncode
        finally:
            for server in servers.values():
                server.__exit__(None, None, None)


def main(arguments: list[str]) -> int:
    """Run the command after `--` between a started MariaDB and a started MySQL."""
    if len(arguments) < 2 or arguments[0] != "--":  # noqa: PLR2004 - the dashes and one word
        sys.stderr.write("usage: python -m deploy.databases -- COMMAND…\n")
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return run_with_both(arguments[1:])
    except (PartError, PlaceError, UnpackError, ArchiveError, AccountError) as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
