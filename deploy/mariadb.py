"""A MariaDB server of our own: its configuration, its first accounts, its client's files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deploy.unpack import binary, tree

if TYPE_CHECKING:
    from pathlib import Path

    from deploy.place import Place

# Small, because it shares a machine with everything else; the performance schema is on because
# agents read it.
_SERVER = """[mysqld]
basedir={tree}/usr
lc_messages_dir={tree}/usr/share/mysql
plugin_dir={tree}/usr/lib/mysql/plugin
datadir={home}/data
socket={socket}
pid_file={home}/mariadbd.pid
tmpdir={home}/tmp
port={port}
bind_address=127.0.0.1
skip_name_resolve=ON
character_set_server=utf8mb4
innodb_buffer_pool_size=48M
innodb_log_file_size=32M
innodb_log_buffer_size=2M
innodb_flush_log_at_trx_commit=2
max_connections=60
table_open_cache=400
performance_schema=ON
performance_schema_max_table_instances=500
performance_schema_events_statements_history_long_size=100
performance_schema_events_stages_history_long_size=100
performance_schema_events_waits_history_long_size=100
performance_schema_events_transactions_history_long_size=100
performance_schema_digests_size=1000
long_query_time=0.2
"""


def client_file(
    user: str, password: str, *, port: int = 0, socket: str = "", database: str = ""
) -> str:
    """Write an option file for the client, so that no password stands on its command line."""
    way = (
        f"protocol=socket\nsocket={socket}"
        if socket
        else f"protocol=tcp\nhost=127.0.0.1\nport={port}"
    )
    chosen = f"database={database}\n" if database else ""
    return f"[client]\n{way}\nuser={user}\npassword={password}\nconnect_timeout=5\n{chosen}"


def account(user: str, password: str, grants: tuple[str, ...]) -> str:
    """Write the SQL that makes one user who connects over loopback TCP or the socket."""
    lines = []
    for host in ("localhost", "127.0.0.1"):
        lines.append(f"CREATE USER IF NOT EXISTS '{user}'@'{host}' IDENTIFIED BY '{password}';")
        lines += [f"GRANT {grant} TO '{user}'@'{host}';" for grant in grants]
    return "\n".join(lines) + "\n"


def demo_accounts(monitor_password: str, workload_password: str) -> str:
    """Write the demo's accounts: the agent's with the least rights, and the workload's."""
    return (
        account(
            "leadline", monitor_password, ("PROCESS, REPLICATION CLIENT, SLAVE MONITOR ON *.*",)
        )
        + "CREATE DATABASE IF NOT EXISTS shop;\n"
        + account("workload", workload_password, ("ALL PRIVILEGES ON shop.*",))
    )


def prepare(
    place: Place,
    home: Path,
    *,
    port: int,
    root_password: str,
    accounts: str,
    socket: str = "mariadbd.sock",
) -> None:
    """Write the server's my.cnf in `home` and, the first time, make its data with these accounts.

    A socket without a folder stands in the data folder, however long that path is. Raises
    PlaceError when the system tables cannot be made.
    """
    root = tree("mariadb")
    for folder in (home, home / "tmp"):
        folder.mkdir(mode=0o700, exist_ok=True)
        place.account.give(folder)
    place.write(home / "my.cnf", _SERVER.format(tree=root, home=home, socket=socket, port=port))
    if (home / "data").exists():
        return
    fresh = home / "data.new"
    place.remove(fresh)
    first = home / "accounts.sql"
    place.write(
        first,
        "FLUSH PRIVILEGES;\n"
        + account("root", root_password, ())
        + "".join(
            f"ALTER USER 'root'@'{host}' IDENTIFIED BY '{root_password}';\n"
            f"GRANT ALL PRIVILEGES ON *.* TO 'root'@'{host}' WITH GRANT OPTION;\n"
            for host in ("localhost", "127.0.0.1")
        )
        + f"DROP USER IF EXISTS 'root'@'::1', ''@'localhost';\n{accounts}",
    )
    install = binary("mariadb", "mariadb-install-db")
    try:
        place.step(
            [
                *install.argv,
                "--no-defaults",
                f"--basedir={root}/usr",
                f"--datadir={fresh}",
                f"--extra-file={first}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--cross-bootstrap",  # no accounts for this machine's own name
            ],
            install.env,
        )
    finally:
        first.unlink(missing_ok=True)
    fresh.rename(home / "data")
