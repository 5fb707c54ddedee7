"""Starts a Slurm that has this machine as its only node, and daemons, keys and folders of its own."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

NEEDED = ["munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol"]
CPUS = 4  # number of CPUs that Slurm believes this machine has

CONF = """
ClusterName=tutti
SlurmctldHost={host}
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
KillWait=5
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def why_not():
    """Returns the reason why Slurm cannot be started here, or None if it can."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [name for name in NEEDED if not shutil.which(name, path=path)]
    if missing:
        return f"{', '.join(missing)} not found (Debian packages: slurm-wlm, munge)"
    if os.geteuid() != 0:
        return "only root can start its daemons"
    return None


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class OneNode:
    """Context manager for a running Slurm; `run` runs a command that uses this Slurm."""

    def __init__(self):
        # This folder is not in the build folder, because munged needs a path that no other user can write to.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tutti-slurm-", dir="/run"))
        self.daemons = []
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"),
                            "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        munge = self.folder / "munge"
        for name in ["munge", "state", "spool"]:
            (self.folder / name).mkdir(mode=0o755)
        self.folder.chmod(0o755)
        (munge / "key").write_bytes(os.urandom(128))
        (munge / "key").chmod(0o400)
        # SlurmctldHost and NodeName must equal the result of gethostname().
        host = socket.gethostname().split(".")[0]
        (self.folder / "slurm.conf").write_text(CONF.format(
            host=host, ports=free_ports(2), folder=self.folder, cpus=CPUS), encoding="utf-8")
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n", encoding="utf-8")
        self.daemon("munged", "--foreground", "--force", f"--key-file={munge / 'key'}",
                    f"--socket={munge / 'socket'}", f"--pid-file={munge / 'pid'}",
                    f"--log-file={munge / 'log'}", f"--seed-file={munge / 'seed'}",
                    "--num-threads=2")
        self.wait_for("munged", lambda: (munge / "socket").exists())
        self.daemon("slurmctld", "-D", "-c", "-f", self.folder / "slurm.conf")
        self.daemon("slurmd", "-D", "-c", "-N", host, "-f", self.folder / "slurm.conf")
        self.wait_for("the node", lambda: "State=IDLE" in self.run("scontrol", "show", "node").stdout)

    def daemon(self, name, *arguments):
        with open(self.folder / f"{name}.out", "wb") as out:
            self.daemons.append(subprocess.Popen(
                [name, *map(str, arguments)], stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                env=self.environment, start_new_session=True))

    def wait_for(self, what, condition, timeout_s=30):
        end = time.monotonic() + timeout_s
        while not condition():
            if time.monotonic() > end or any(d.poll() is not None for d in self.daemons):
                raise AssertionError(f"{what} did not start\n{self.logs()}")
            time.sleep(0.2)

    def logs(self):
        texts = []
        for path in sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")]):
            texts.append(f"{path.name}:\n{path.read_text(errors='replace')[-3000:]}")
        return "\n".join(texts)

    def run(self, *command, **options):
        return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False,
                              timeout=60, env=self.environment, **options)

    def submit(self, script, folder, *options, **environment):
        """Submits a batch script and returns the job's number."""
        exported = ",".join(["ALL", *(f"{k}={v}" for k, v in environment.items())])
        done = self.run("sbatch", "--parsable", f"--export={exported}", f"--chdir={folder}",
                        *options, script, cwd=folder)
        if done.returncode != 0:
            raise AssertionError(f"sbatch: {done.stderr}\n{self.logs()}")
        return done.stdout.strip()

    def wait_for_job(self, job, timeout_s=120):
        """Waits until the job has ended and returns its state, such as COMPLETED."""
        end = time.monotonic() + timeout_s
        while True:
            shown = self.run("scontrol", "-o", "show", "job", job).stdout
            states = {field.split("=")[1] for field in shown.split() if field.startswith("JobState=")}
            if states and not states & {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING"}:
                return "+".join(sorted(states))
            if time.monotonic() > end:
                raise AssertionError(f"job {job} has not ended after {timeout_s} s: {shown}\n"
                                     f"{self.logs()}")
            time.sleep(0.2)

    def stop(self):
        for daemon in reversed(self.daemons):
            if daemon.poll() is None:
                daemon.send_signal(signal.SIGTERM)
                try:
                    daemon.wait(timeout=15)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
