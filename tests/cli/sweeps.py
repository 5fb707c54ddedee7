"""Helpers for the tests of sweeps: cells to run, and functions that read a database."""

import contextlib
import pathlib
import sqlite3
import struct
import time

import xxhash

# Uses only some algorithms, because storing and finding results does not depend on their number.
NAMES = ["basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring",
         "rabenseifner", "reduce_scatter_allgather", "binary_blocks", "circulant"]
SOME = ["allreduce", "--algorithms", ",".join(NAMES)]
CELLS = [*SOME, "-p", "3,4,8", "-n", "64,1000,32K"]
ALGORITHMS = len(NAMES)
COUNT = 3 * 3 * ALGORITHMS  # three sizes, three numbers of ranks
# Each cell takes a few milliseconds. There are enough cells for a test to wait for the first results and then
# kill a process before the sweep is over, especially with SLOWLY in the environment.
LONG = [*SOME, "-p", "96,128", "-n", ",".join(str(65536 + 64 * i) for i in range(32))]
SLOWLY = {"TUTTI_TEST_WORKER_WAITS_MS": "10"}
LONG_COUNT = 32 * 2 * ALGORITHMS
# 200 sizes for each algorithm. The cells are short, and each takes about a kilobyte in the database.
MANY = [*SOME, "-p", "4", "-n", "1000..1199", "--elem-bytes", "1"]
# Columns that may differ between runs: the time and memory that a cell took, the date, and the checksum of
# the row.
VARYING = {"effort", "recorded_at", "checksum"}


def connection_to(database):
    return contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30))


def rows_of(database):
    """Returns all rows of a database without the columns in VARYING. These rows must be the same whichever
    processes ran the cells. Also checks that the file is not damaged."""
    with connection_to(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        columns = [c[1] for c in connection.execute("PRAGMA table_info(cells)")
                   if c[1] not in VARYING]
        if not columns:  # the table is not there yet
            return []
        rows = connection.execute(f"SELECT {', '.join(columns)} FROM cells").fetchall()
    assert len(rows) == len(set(rows))
    return sorted(rows, key=repr)


def checksum_of(row):
    """Returns the checksum of `row`, a dictionary without the key "checksum". Computes it as
    src/experiments/sweep/cell_table.cpp does."""
    text = b""
    for column, value in row.items():
        if value is None:
            value = "null"
        elif isinstance(value, float):
            value = struct.pack(">d", value).hex()
        value = str(value).encode(errors="surrogateescape")
        text += f"{column}:{len(value)}:".encode() + value
    return xxhash.xxh3_128_hexdigest(text)


def sign(database):
    """Updates the checksum of each row to match its content."""
    with contextlib.closing(sqlite3.connect(database, timeout=30)) as connection:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda text: text.decode(errors="surrogateescape")
        with connection:
            for row in connection.execute("SELECT rowid, * FROM cells").fetchall():
                values = {key: row[key] for key in row.keys() if key not in ("rowid", "checksum")}
                connection.execute("UPDATE cells SET checksum=? WHERE rowid=?",
                                   (checksum_of(values), row["rowid"]))


def count_of(database):
    try:
        with connection_to(database) as connection:
            return connection.execute("SELECT count(*) FROM cells").fetchone()[0]
    except sqlite3.OperationalError:  # the database does not exist yet
        return 0


def processes_below(pid):
    """Returns the ids and command lines of a process and all its descendants."""
    parents = {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
            words = (path / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if fields[0] != "Z":
            parents[int(path.name)] = (int(fields[1]), words)
    found = {pid}
    while True:
        more = {p for p, (parent, _) in parents.items() if parent in found} - found
        if not more:
            return {p: parents[p][1] for p in found if p in parents}
        found |= more


def workers_below(pid):
    return sorted(p for p, words in processes_below(pid).items() if "worker" in words[1:2])


def wait_until(condition, timeout_s=60):
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)
