"""Tests that tutti suggests only what it then accepts. Types wrong values for every option of every command, as
'tutti man' lists them, reads the suggestions in the messages, types these, and fails if one of them is refused
in the same place. A table of mistakes that users make follows."""

import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
import zlib

import harness
from script_main import some_of

# A short, valid call of each command. Options that need other options are tested with those.
CALLS = {
    "compare": ["compare", "allreduce", "-p", "4", "-n", "64", "--algorithms", "ring,recursive_doubling"],
    "decide": ["decide", "allreduce", "-p", "4", "-n", "64", "--algorithms", "ring,recursive_doubling"],
    "choose": ["choose", "allreduce", "-p", "4", "-n", "64", "--library", "Open MPI 5.0"],
    "lint": ["lint", "rules.conf"],
    "list": ["list", "allreduce"],
    "platform": ["platform", "crossbar", "--hosts", "4"],
    "platform crossbar": ["platform", "crossbar", "--hosts", "4"],
    "platform smp": ["platform", "smp", "--hosts", "4"],
    "platform fat_tree": ["platform", "fat_tree", "--hosts", "16"],
    "platform torus": ["platform", "torus", "--dims", "4,4"],
    "platform mesh": ["platform", "mesh", "--sides", "4,4"],
    "platform dragonfly": ["platform", "dragonfly", "--hosts", "16"],
    "platform dragonfly_plus": ["platform", "dragonfly_plus", "--groups", "2", "--leaves", "2", "--nodes", "2"],
    "platform slingshot": ["platform", "slingshot", "--groups", "2", "--leaves", "2", "--nodes", "2"],
    "platform islands": ["platform", "islands", "--groups", "2", "--leaves", "2", "--nodes", "2"],
    "platform gpu": ["platform", "gpu", "--nodes", "2"],
    "plot": ["plot", "simulate", "allreduce/ring", "-p", "4", "-n", "64", "-o", "out.svg"],
    "nccl": ["nccl", "allreduce", "-p", "16", "-n", "64K", "--model-only"],
    "query": ["query", "results.db"],
    "report": ["report", "simulate", "allreduce/ring", "-p", "4", "-n", "64", "-o", "out.html"],
    "score": ["score", "points.csv"],
    "doctor": ["doctor", "points.csv"],
    "step": ["step", "dp.step", "-p", "4"],
    "jobs": ["jobs", "dp.jobs"],
    "search": ["search", "allreduce", "-p", "4", "-n", "64", "--evaluations", "2"],
    "show": ["show", "allreduce/ring", "-p", "4", "-n", "64"],
    "simulate": ["simulate", "allreduce/ring", "-p", "4", "-n", "64"],
    "convert": ["convert", "ring.sched", "ring.goal"],
    "explain": ["explain", "allreduce/ring", "-p", "4", "-n", "64"],
    "bound": ["bound", "allreduce", "-p", "4", "-n", "64"],
    "validate": ["validate", "points.csv"],
    "fit": ["fit", "points.csv", "--parameters", "start.json", "--fit", "latency_s", "--job", "a", "--largest", "16"],
    "verify": ["verify", "allreduce/ring", "-p", "4"],
    "help": ["help"],
    "completion": ["completion", "bash"],
    "man": ["man"],
}
# Commands whose words are passed on to another command.
PASSES_ON = {"plot", "report"}
VALUES = ["5", "abc", "4-64", "0-3", "1,024", "1e6", "16x8", "64KB", "64MB-1GB", "64 MiB", "10G", "400Gb", "5m",
          "8..64", "-1", "", "0", "1k", "50%", "0.5", "0,5", "NCCL 2.22", "MVAPICH2 2.3", "Open MPI 3.1", "H1000",
          "bandwidth*2", "allreduce", "ring", "RING", "Rabenseifer", "h100-sxm", "start.jsn", "node-[0-3"]
TYPOS = [lambda word: word[:-1], lambda word: word + "s", str.upper, lambda word: word[1:] + "x"]
OTHER_NAMES = ["-np", "--np", "--ppn", "-N", "--nodes", "--ntasks-per-node", "--nnodes", "--nproc-per-node",
               "--map-by", "--hostfile", "-m", "-b", "-g", "--taper", "--rails", "--bandwidth", "--latency",
               "--algorithm", "--collective", "--lib", "--platfrom", "--out", "-output", "--dims", "--gpu",
               "--library", "--engin", "--tree"]
# Refusals of a value that is valid by itself, because of another option, the content of a file, or a range that
# its wrong spelling exceeded, too.
ELSEWHERE = (r"has no effect|leave (?:the option|the parameter|one|-)|already|must be (?:a share|from|at least)|"
             r"there are \d+ ranks|no rule saves|needs a file|without --|only proofs|for each stage|the fit moves|"
             r"not valid JSON|more nodes than|is a schedule for|comes after|only one .* is possible|needs --|every run would|"
             r"this parameter is|'-n'|depend|minimal routing|need a collective|has an effect only|does not model")
WORD = r"(?:'[^']*'|\"[^\"]*\"|[^\s,;]+)"
LIST = rf"{WORD}(?:(?:, or | or |, | and ){WORD})*"


def parts(text):
    """Returns the words of a list such as "4..64, 4..64*2 or 4,64"."""
    return [word.strip("'\"") for word in re.findall(WORD + r"(?=, or | or |, | and |$)", text)]


def is_value(word):
    """Returns whether a word of a message is something to type, and not a word of the sentence, or a placeholder
    such as COUNT."""
    return (bool(re.search(r"\d", word)) or "/" in word) and not re.search(r"[A-Z]{3,}|[()=]$|^[A-Z]/[A-Z]$", word)


def suggestions(message):
    """Returns pairs of a way to follow a message ("replace", "add", "remove" or "option") and the words for it."""
    message = message.strip()
    found = []
    for text in re.findall(rf"did you mean ({LIST})\?", message):
        found += [("replace", [word]) for word in parts(text)]
    for text in re.findall(rf"(?:; |: |, )write ({LIST})", message):
        for word in parts(text):
            if is_value(word) and not word.startswith("-"):
                found.append(("replace", [word]))
    for text in re.findall(r"write (--?[\w-]+ [^\s,;]+)", message):
        if not re.search(r"[A-Z]{2,}|[|]", text):  # a placeholder, such as COUNT
            found.append(("add", text.split()))
    for text in re.findall(r"such as ([^\s;()]+?)[,.]?(?:[\s;()]|$)", message):
        if is_value(text) and not text.startswith("-"):
            found.append(("replace", [text]))
    for text in re.findall(r"\bexpected (?:one of )?(.+?)(?:;|$)", message):
        words = parts(text)
        library = re.match(r"(?:Open )?\w+ [\d.]+", text)
        if library:
            found.append(("replace", [library.group()]))
        elif len(words) > 1 and re.fullmatch(r"[a-z][\w.-]*(?:(?:, | or )[a-z][\w.-]*)+", text):
            found += [("replace", [word]) for word in words[:3]]
    for text in re.findall(r"(--[\w-]+ \d+) would do", message):
        found.append(("add", text.split()))
    for text in re.findall(r"\b(?:use|needs|add) (--[\w-]+ (?!or\b|and\b)[a-z]\w*)", message):
        found.append(("add", text.split()))
    for text in re.findall(r"set (--elem-bytes) to (\d+)", message):
        found.append(("add", list(text)))
    for text in re.findall(r"leave (?:out )?(--?[\w-]+)(?: out|$|,|;)", message):
        found.append(("remove", [text]))
    return found


def without_option(call, option):
    """Returns the call without an option and its value."""
    left, skip = [], False
    for word in call:
        if skip and not word.startswith("-"):
            skip = False
            continue
        skip = word == option
        if word != option and not word.startswith(option + "="):
            left.append(word)
    return left


def followed(call, wrong, way, words):
    """Returns the call after the user has followed a suggestion. `wrong`: the place of the wrong word."""
    if way == "replace":
        is_option = call[wrong].startswith("-")
        if is_option and "=" in call[wrong] and not words[0].startswith("-"):
            return [*call[:wrong], f"{call[wrong].split('=')[0]}={words[0]}", *call[wrong + 1:]]
        if is_option != words[0].startswith("-"):
            return None
        return [*call[:wrong], words[0], *call[wrong + 1:]]
    if way == "add":
        left = without_option(call, words[0])
        if not call[wrong].startswith("-") and call[wrong] in left and call[wrong - 1] not in left:
            left.remove(call[wrong])
        elif call[wrong].startswith("-"):
            left = call[:wrong] + [word for word in call[wrong + 2:]]
        return [*left, *words]
    return without_option(call, words[0])


def options_in_manual():
    """Returns the options of each command: lists of their last name, the placeholder of their value and the text."""
    options, command = {}, None
    for line in harness.output("man", "--markdown").splitlines():
        if line.startswith("## tutti "):
            command = line[len("## tutti "):]
            options[command] = []
        elif command and (found := re.match(r"\| `(.*?)` (.*?) \| (.*) \|$", line)):
            options[command].append((found[1].split("`, `")[-1], found[2].strip(), found[3]))
    return options


class Suggestions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        path = pathlib.Path(cls.folder.name)
        fit = harness.SOURCE_DIR / "examples" / "fit"
        for name in ["start.json", "points.csv"]:
            shutil.copy(fit / name, path)
        (path / "ring.sched").write_text(harness.output("show", "allreduce/ring", "-p", 4, "-n", 64))
        (path / "dp.step").write_text("layout tp 1, pp 1, dp\ncompute 1ms\nallreduce whole 1KB on dp\n")
        (path / "dp.jobs").write_text("job a = dp.step on hosts 0..3\n")
        (path / "rules.conf").write_text("1\n2\n1\n2\n1\n0 4 0 0\n")
        harness.output("compare", "allreduce", "-p", 4, "-n", 64, "--db", path / "results.db")
        cls.path = path

    def message(self, call):
        """Returns the error message of a call; nothing if it is not refused."""
        environment = os.environ | {"TUTTI_NO_PAGER": "1"}
        try:
            done = subprocess.run([harness.TUTTI, *call], cwd=self.path, env=environment, capture_output=True,
                                  text=True, timeout=harness.TIMEOUT_S / 30, check=False)
        except subprocess.TimeoutExpired:
            return None  # it runs: bad input is refused at once
        self.assertNotIn(done.returncode, (70, -6, -11), (call, done.stderr))
        return done.stderr if done.returncode == 2 else None

    def follow(self, call, wrong):
        """Types the suggestions about call[wrong]. Returns what was refused, as text."""
        before = self.message(call)
        faults = []
        self.seen += before is not None
        for way, words in suggestions(before) if before else []:
            mended = followed(call, wrong, way, words)
            if mended is None or mended == call:
                continue
            after = self.message(mended)
            self.typed += 1
            option = call[wrong - 1] if not call[wrong].startswith("-") else call[wrong].split("=")[0]
            if after is None or re.search(ELSEWHERE, after):
                continue
            if way == "replace" and words[0].startswith("-") and "unknown option" not in after:
                continue  # the name is right now; the value need not be
            if f"'{words[-1]}'" in after if way == "add" else (
                    f"'{words[-1]}'" in after or f"{option} '" in after or f"{words[0]} '" in after):
                faults.append(f"{call}\n  said {before.strip()}\n  typed {mended}\n  said {after.strip()}")
        return faults

    def follow_all(self, cases, seen, typed):
        """More than one in `seen` cases must be refused, and more than one in `typed` must have a suggestion."""
        self.seen = self.typed = 0
        faults = []
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for found in pool.map(lambda case: self.follow(*case), cases):
                faults += found
        if faults:
            self.fail(f"{len(faults)} suggestions are refused:\n" + "\n".join(faults))
        print(f"{len(cases)} cases, {self.seen} refused, {self.typed} suggestions")
        self.assertGreater(self.seen * seen, len(cases))
        self.assertGreater(self.typed * typed, len(cases))

    def words_of(self, call, option):
        """Returns the values that completion offers for an option."""
        done = harness.run("__complete", *call, option, "", cwd=self.path)
        return [word for word in done.stdout.split("\n") if word]

    def test_every_option_with_wrong_values(self):
        options = options_in_manual()
        self.assertEqual(sorted(set(options) - set(CALLS)), [], "commands without a call in this test")
        cases, with_value, known = [], [], set()
        for command, own in options.items():
            for name, kind, _ in own if command not in PASSES_ON else []:
                if kind and name.startswith("--"):
                    with_value.append((command, name, kind, name in known))
                    known.add(name)
        for command, name, kind, is_known in some_of(with_value, 4):
            base = without_option(CALLS[command], name)
            short = {"--ranks": "-p", "--bytes": "-n"}.get(name)
            base = without_option(base, short) if short else base
            if command == "convert" or kind.replace("\\", "").startswith("FILE|-"):
                continue  # would write files of these names
            words = self.words_of(base, name) if kind not in ("FILE", "COLLECTIVE") else []
            typos = [TYPOS[at % len(TYPOS)](word) for at, word in enumerate(words[:3])]
            start = zlib.crc32(f"{command} {name}".encode())
            if is_known:  # the same code reads this option in another command
                values = [VALUES[start % len(VALUES)], *typos[:1]]
            else:
                values = [VALUES[(start + at) % len(VALUES)] for at in range(0, len(VALUES), 7)] + typos
            for value in values:
                wrong = [*base, name, value] if not value.startswith("-") else [*base, f"{name}={value}"]
                cases.append((wrong, len(wrong) - 1))
        self.follow_all(cases, seen=2, typed=10)

    def test_other_names_of_options(self):
        options, cases, known = options_in_manual(), [], set()
        for number, (command, call) in enumerate(CALLS.items()):
            if command in PASSES_ON:
                continue
            for name in OTHER_NAMES if command in ("simulate", "nccl", "platform fat_tree") else OTHER_NAMES[number::9]:
                cases.append(([*call, name, "4"], len(call)))
            for at, (name, _, _) in enumerate(options[command]):
                if name.startswith("--") and len(name) > 5 and (name not in known or at % 4 == 0):
                    known.add(name)
                    typo = [name[:-1], name[:3] + name[4:], "-" + name[3] + name[2] + name[4:]][at % 3]
                    cases.append(([*call, "--" + typo.lstrip("-"), "4"], len(call)))
        self.follow_all(some_of(cases, 4), seen=2, typed=10)

    def test_every_name_of_an_algorithm_or_collective(self):
        names = [each["name"] for each in harness.json_output("list", "--json", "-")["algorithms"]]
        cases = []
        for name in names[::6]:
            collective, algorithm = name.split("/")
            for typo in (name[:-1], name[:-2] + name[-1] + name[-2], collective[:-1] + "/" + algorithm, algorithm,
                         algorithm[1:]):
                cases.append((["simulate", typo, "-p", "4", "-n", "64"], 1))
            cases.append((["compare", collective, "-p", "4", "-n", "64", "--algorithms", algorithm[:-1] + "q"], 7))
        for command in ["compare", "decide", "choose", "list", "nccl", "search", "bound", "verify"]:
            for word in ["ring", "allredce", "allreduce/ring", "sendrecv", "alltoal", "MPI_Alreduce", "reduce-scater",
                         "scan", "rabenseifner", "al", "ring.sche", "rules.conf", "points.csv"]:
                call = [word if old in ("allreduce", "allreduce/ring") else old
                        for old in without_option(CALLS[command], "--algorithms")]
                cases.append((call, call.index(word)))
        self.follow_all(some_of(cases, 4), seen=2, typed=10)


# Mistakes that users of MPI, NCCL and batch systems make, and words that the message must contain. None: the call
# is accepted.
MISTAKES = [
    ("choose allreduce -p 2048 -n 8K..64K --library 'Open MPI 5.0.6'", ["every byte", "write 8K..64K*2"]),
    ("choose allreduce -np 2048 -n 8K --library 'Open MPI 5.0.6'", ["'-np'", "-p COUNT"]),
    ("simulate allreduce/ring -np 128 -n 64MiB", ["'-np'", "-p COUNT"]),
    ("simulate allreduce/ring -np=128 -n 64MiB", ["'-np'", "-p COUNT"]),
    ("simulate allreduce/ring -platform x.xml -p 4 -n 64", ["'-platform'", "'--platform'"]),
    ("simulate allreduce/ring --np 256 -n 8K", ["-p COUNT"]),
    ("simulate allreduce/ring -p 256 --ppn 128 -n 8K", ["--ranks-per-host COUNT"]),
    ("simulate allreduce/ring -N 16 --ntasks-per-node 128 -n 8K", ["-p COUNT", "--ranks-per-host COUNT"]),
    ("simulate allreduce/ring -p 4 --ntasks_per_node=128 -n 8K", ["--ranks-per-host COUNT"]),
    ("nccl allreduce --nnodes 16 --nproc-per-node 8 -n 8K", ["--gpus-per-node"]),
    ("nccl allreduce -p 16x8 -n 64MiB", ["write 128, and --gpus-per-node 8"]),
    ("simulate allreduce/ring -p 16×8 -n 64MiB", ["write 128, and --ranks-per-host 8"]),
    ("simulate allreduce/ring -p 16 --map-by ppr:8:node -n 64", ["--placement"]),
    ("choose MPI_Allreduce -p 64 -n 8K --library 'Open MPI 5.0.6'", None),
    ("nccl all_reduce -p 128 -n 64MiB --model-only", None),
    ("nccl AllReduce -p 128 -n 64MiB --model-only", None),
    ("bound all-to-all -p 8 -n 64K", None),
    ("bound reduce-scatter -p 8 -n 64K", None),
    ("simulate ncclAllReduce/Ring -p 8 -n 64K", None),
    ("compare MPI_Allreduce -p 4 -n 64 --algorithms Ring,Recursive-Doubling", None),
    ("nccl SendRecv -p 16 -n 64MiB", None),
    ("nccl all_to_all -p 16 -n 64MiB", None),
    ("nccl alltoallv -p 128 -n 64MiB", ["NCCL does not have this collective", "expected bcast, reduce, allgather"]),
    ("simulate allreduce/han -p 64 -n 8K", ["hierarchical", "'tutti choose' with --library"]),
    ("choose allreduce -p 64 -n 8K --library 'MVAPICH2 2.3'", ["tutti does not know MVAPICH2 2.3"]),
    ("decide allreduce -p 64 -n 8K --against 'Intel MPI 2021'", ["tutti does not know Intel MPI 2021"]),
    ("choose allreduce -p 64 -n 8K --library 'NCCL 2.17'", ["2.19.1 to", "expected NCCL 2.19 to NCCL 2.32"]),
    ("choose allreduce -p 64 -n 8K --library 'NCCL 2.27.1'", ["no such release", "NCCL 2.27.5,"]),
    ("nccl allreduce -p 64 -n 8K --version 2.40", ["did you mean '2.32', the newest?"]),
    ("choose allreduce -p 64 -n 8K --library 'Open MPI 3.1'", ["unknown library", "NCCL 2.19 to 2.32 or RCCL 2.21.5\n"]),
    ("simulate allreduce/ring -p 4 -n 64 -c 4", ["unknown option '-c'; 'tutti simulate --help all' lists all"]),
    ("compare allreduce -p 4 -n 1K..2M", ["write 1K..2M*2"]),
    ("decide allreduce -p 64 -n 8K --against 'NCCL 2.30'", ["did you mean 'nccl'?"]),
    ("choose allreduce -p 64 -n 4 --library 'Open MPI 5.0.6'", ["set --elem-bytes to 4"]),
    ("decide allreduce -p 64 -n 4", ["set --elem-bytes to 4"]),
    ("compare allreduce -p 64 -n 12", ["set --elem-bytes to 4"]),
    ("simulate allreduce/ring -p 64 -n 1", ["set --elem-bytes to 1"]),
    ("nccl allreduce -p 128 -n 64MB", ["power of 1000 or of 1024; write 64M or 64000000"]),
    ("nccl allreduce -p 128 -n '64 MiB' --model-only", None),
    ("simulate allreduce/ring -p 4 -n 64 MiB", ["unexpected argument 'MiB'", "write 64MiB, without a blank"]),
    ("simulate allreduce/ring -p 1,024 -n 64", ["write 1024"]),
    ("compare allreduce -p 4 -n 1,024", ["a comma separates values", "write 1024"]),
    ("compare allreduce -p 64,000 -n 1K", ["a comma separates values", "write 64000"]),
    ("compare allreduce -p 0-3 -n 1K", ["a collective needs at least 1 rank"]),
    ("compare allreduce -p 1e3 -n 64", ["write 1000"]),
    ("compare allreduce -p 4 -n 1e6", ["write 1000000"]),
    ("compare allreduce -p 4k -n 64", ["write 4000 or 4096"]),
    ("compare allreduce -p 4–8 -n 64", ["write 4..8, 4..8*2 or 4,8"]),
    ("compare allreduce -p 4 -n 8-64", ["write 8..64*2 or 8,64"]),
    ("simulate allreduce/ring –p 4 —bytes 64", None),
    ("nccl allreduce -p 128 -n 64MiB --gpu H100 --model-only", None),
    ("nccl allreduce -p 128 -n 64MiB --gpu h100-sxm", ["did you mean 'h100'?"]),
    ("nccl allreduce -p 128 -n 64MiB --nic-bw 400", ["3200 Gb/s", "write 400Gbps (bits) or 400GBps (bytes)"]),
    ("nccl allreduce -p 128 -n 64MiB --nic-bw 400Gb/s --model-only", None),
    ("nccl allreduce -p 128 -n 64MiB --nic-bw 400Gbit --model-only", None),
    ("platform torus --dims 4,4 --bw 400G", ["write 400Gbps or 400GBps"]),
    ("platform torus --dims 4,4 --bw 400Gb", ["write 400Gbps"]),
    ("platform torus --dims 4x4 --bw '400 Gbit/s'", None),
    ("simulate allgather/bucket -p 16 -n 1MiB --dims 4,4", None),
    ("simulate allreduce/ring -p 8 -n 1MiB --gamma 1TB/s --alpha 1.5µs --beta 0.8ns/B", None),
    ("simulate allreduce ring -p 8 -n 1MiB", ["write allreduce/ring"]),
    ("compare allreduce ring -p 8 -n 1MiB", ["write --algorithms ring"]),
    ("platform fat_tree --hosts 16 --taper 2", ["--oversubscription RATIO"]),
    ("simulate allreduce/ring -p 4 -n 64 --dims 2", ["--dims"]),
    ("bound allreduce -p 4 -n 64 --tree chain", ["'compare'", "have this option"]),
    ("fit --plan 60 -p 16 --parameters start.json", ["write 60min, or 60s for seconds"]),
    ("simulate allreduce/ring -p 4 -n 64 --parameters cross.xml --platform start.json",
     ["'start.json': a JSON file", "write --parameters start.json"]),
    ("simulate allreduce/ring -p 4 -n 64 --parameters cross.xml",
     ["'cross.xml': a platform in XML", "write --platform cross.xml"]),
    ("simulate alltoallv/pairwise -p 2 --sizes odd.csv", ["set --elem-bytes to 1"]),
    ("decide --profile calls.csv", None),
    ("nccl nccl.txt -p 128", ["the output of a benchmark", "tutti score"]),
    ("plot ring.sched -o x.svg", ["write 'tutti plot show ring.sched'"]),
    ("report nccl.txt -o x.html", ["tutti score"]),
    ("bound allreduce -p 4 -n 64 --platform floyd.xml", None),
]


class Mistakes(unittest.TestCase):
    def test_mistakes_of_users(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            shutil.copy(harness.SOURCE_DIR / "examples" / "fit" / "start.json", path)
            (path / "ring.sched").write_text(harness.output("show", "allreduce/ring", "-p", 4, "-n", 64))
            (path / "cross.xml").write_text(harness.output("platform", "crossbar", "--hosts", 4))
            (path / "odd.csv").write_text("1001,3\n7,9\n")
            (path / "calls.csv").write_text("collective,ranks,bytes,calls\nMPI_Allreduce,4,8K,100\n")
            (path / "nccl.txt").write_text("#  size  count  type  redop  root  time  algbw  busbw\n")
            hosts = "".join(f'<host id="h{i}" speed="1Gf"/>\n' for i in range(600))
            links = "".join(f'<link id="l{i}" bandwidth="1GBps" latency="1us"/>\n' for i in range(599))
            routes = "".join(f'<route src="h{i}" dst="h{i + 1}"><link_ctn id="l{i}"/></route>\n' for i in range(599))
            (path / "floyd.xml").write_text(
                "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                f'<platform version="4.1">\n<zone id="z" routing="Floyd">\n{hosts}{links}{routes}</zone>\n'
                "</platform>\n")
            for line, words in MISTAKES:
                with self.subTest(line):
                    done = harness.run(*shlex.split(line), cwd=path)
                    if words is None:
                        self.assertEqual(done.returncode, 0, done.stderr)
                        continue
                    self.assertEqual(done.returncode, 2, done.stdout)
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                    for word in words:
                        self.assertIn(word, done.stderr)

    def test_more_cards_than_gpus(self):
        done = harness.run("nccl", "allreduce", "-p", 128, "-n", "64MiB", "--nics", 10, "--model-only")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
        self.assertIn("--nics '10': more cards than the 8 GPUs of a node", done.stderr)
        done = harness.run("nccl", "allreduce", "-p", 128, "-n", "64MiB", "--nics", 8, "--model-only")
        self.assertEqual(done.stderr, "")


if __name__ == "__main__":
    harness.main()
