"""Starts jobs of either MPI library, for the tests of tutti-mpi."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys

SOURCE_DIR = pathlib.Path(os.environ["TUTTI_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE_DIR / "tests"))

import script_main

TUTTI = os.environ["TUTTI_BINARY"]
TUTTI_MPI = os.environ["TUTTI_MPI_BINARY"]
FAULTS = os.environ["TUTTI_MPI_FAULTS"]
COLLECTIVE_CALL = os.environ["TUTTI_MPI_COLLECTIVE_CALL"]
MPIEXEC = os.environ["TUTTI_MPIEXEC"]
OPEN_MPI = "mpich" not in subprocess.run(["ldd", TUTTI_MPI], capture_output=True, text=True,
                                         check=True).stdout

# Open MPI refuses to run as root unless two variables allow it. A job that fails is killed at once instead of
# a second later. UCX, which MPICH uses, must not print remarks on the machine to stdout, because tests compare
# stdout. Starting a job takes a fifth less time if ranks do not look for network cards and GPUs.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_odls_base_sigkill_timeout": "0", "OMPI_MCA_btl": "^ofi,openib,uct,usnic",
               "OMPI_MCA_pml": "^cm,ucx", "HWLOC_COMPONENTS": "-pci,-opencl,-gl", "UCX_LOG_LEVEL": "error"}


def job(ranks, *command, launch=(), timeout=60):
    """Runs a command on `ranks` ranks. The job has its own process group, which is killed when the timeout
    expires."""
    oversubscribe = ["--oversubscribe"] if OPEN_MPI else []
    arguments = [MPIEXEC, *oversubscribe, *map(str, launch), "-n", str(ranks), *map(str, command)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=ENVIRONMENT, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"{arguments} did not end in {timeout} s\n{out}\n{err}") from None
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def tutti_mpi(ranks, *arguments, **options):
    return job(ranks, TUTTI_MPI, *arguments, **options)


@contextlib.contextmanager
def busy_machine(loops=6):
    """Runs `loops` processes that keep cores busy until the `with` block ends."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
        for process in busy:
            process.wait()


def main():
    script_main.main()
