"""A MySQL 9 server for tests: Debian's unpacked binaries under their own program loader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from deploy.unpack import binary, tree

if TYPE_CHECKING:
    from pathlib import Path

    from deploy.place import Place

# secure_file_priv: Debian compiles in a folder that does not exist here, and the server would
# refuse to start. The performance schema is trimmed to what tests read: 320 MB instead of 540 MB.
_SERVER = """[mysqld]
basedir={tree}/usr
lc_messages_dir={tree}/usr/share/mysql
character_sets_dir={tree}/usr/share/mysql/charsets
plugin_dir={plugins}
datadir={home}/data
tmpdir={home}/tmp
secure_file_priv=NULL
socket={socket}
pid_file={home}/mysqld.pid
port={port}
bind_address=127.0.0.1
mysqlx=OFF
skip_name_resolve=ON
disable_log_bin
innodb_buffer_pool_size=24M
innodb_redo_log_capacity=16M
innodb_log_buffer_size=1M
innodb_flush_log_at_trx_commit=2
innodb_doublewrite=OFF
max_connections=60
table_open_cache=200
table_definition_cache=400
performance_schema=ON
performance_schema_digests_size=1000
performance_schema_events_statements_history_long_size=100
performance_schema_events_stages_history_long_size=100
performance_schema_events_transactions_history_long_size=100
performance_schema_events_waits_history_long_size=100
performance_schema_error_size=0
long_query_time=0.2
"""


def prepare(place: Place, home: Path, port: int, accounts: str, socket: str) -> None:
    """Write the server's my.cnf in `home` and, the first time, make its data.

    `accounts` is SQL that runs at every start.

    Raises PlaceError when the data folder cannot be made.
    """
    root = tree("mysql9")
    for folder in (home, home / "tmp"):
        folder.mkdir(mode=0o700, exist_ok=True)
        place.account.give(folder)
    plugins = next(root.rglob("mysql/plugin"))
    settings = _SERVER.format(tree=root, plugins=plugins, home=home, socket=socket, port=port)
    place.write(home / "accounts.sql", accounts)
    place.write(home / "my.cnf", f"{settings}init_file={home}/accounts.sql\n")
    if (home / "data").exists():
        return
    fresh = home / "data.new"
    place.remove(fresh)
    first = home / "first.cnf"
    place.write(first, settings)
    server = binary("mysql9", "mysqld")
    place.step(
        [*server.argv, f"--defaults-file={first}", f"--datadir={fresh}", "--initialize-insecure"],
        server.env,
    )
    fresh.rename(home / "data")
