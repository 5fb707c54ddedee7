"""Outputs of benchmarks that public threads discuss, and what the threads found.

Figures are those of the threads; the text around them is written here in the layout of the thread: old columns,
prefixes of launchers, log lines between rows, heads that lost their '#'. Where a thread gives only a bandwidth at one
size, the time is computed from it.
"""
FACTORS = {"all_reduce": lambda p: 2 * (p - 1) / p, "all_gather": lambda p: (p - 1) / p, "alltoall": lambda p: (p - 1) / p,
           "sendrecv": lambda p: 1, "reduce_scatter": lambda p: (p - 1) / p}
MIB, GIB = 2 ** 20, 2 ** 30


def time_us(program, ranks, size, busbw):
    """The time at which nccl-tests prints a bus bandwidth, in GB/s."""
    return size * FACTORS[program](ranks) / busbw / 1e3


def ranks_of(device, hosts, per_host):
    return [f"#  Rank {rank:2} Group  0 Pid {1000 + rank:6} on {hosts[rank // per_host]:>10} device {rank % per_host:2} "
            f"[0x{rank % per_host + 1:02x}] {device}" for rank in range(len(hosts) * per_host)]


def nccl(program, ranks, rows, *, root=True, above=(), between=(), error="0", head="#"):
    """A table of nccl-tests. Rows: bytes, microseconds out of place, and in place. `root`: the columns of releases since
    2022. `between`: lines after the heading."""
    factor = FACTORS[program](ranks) if ranks > 1 else 0
    redop = "sum" if "reduce" in program else "none"
    wrong = "#wrong" if root else " error"
    lines = list(above) + [
        f"{head}",
        f"{head}                                        out-of-place                       in-place          ",
        f"{head}       size         count      type   redop{'    root' if root else ''}     time   algbw   busbw {wrong}"
        f"     time   algbw   busbw {wrong}",
        f"{head}        (B)    (elements)                {'        ' if root else ''}       (us)  (GB/s)  (GB/s)"
        "            (us)  (GB/s)  (GB/s)       "] + list(between)
    for size, *times in rows:
        line = f"{size:12} {size // 4 // (1 if program in ('all_reduce', 'sendrecv') else ranks):12}     float {redop:>7}" + ("      -1" if root else "")
        for time in (times + times)[:2]:
            shown = f"{time:8.2f}" if time < 1000 else f"{time:8.1f}" if time < 1e4 else f"{time:8.0f}"
            line += f" {shown} {size / time / 1e3:7.2f} {size / time / 1e3 * factor:7.2f} {error:>6}"
        lines.append(line)
    return "\n".join(lines + [f"{head} Out of bounds values : 0 OK", f"{head} Avg bus bandwidth    : 25.6327", head, ""])


def osu(title, columns, values):
    sizes = [2 ** i for i in range(len(values))]
    return "\n".join([f"# OSU MPI {title}", f"# Size {columns:>20}"]
                     + [f"{size:<12}{value:>20.2f}" for size, value in zip(sizes, values)]) + "\n"


H100, A100 = "NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-40GB"


def hosts(count):
    return [f"node{i}" for i in range(count)]


def one_size(program, ranks, size, busbw, device, nodes, above=()):
    return nccl(program, ranks, [(size, time_us(program, ranks, size, busbw))],
                above=[*above, *ranks_of(device, hosts(nodes), ranks // nodes)])


INTERLEAVED = [(512 * 1024, 366.5, 340.8), (MIB, 1626.5, 2302.3), (2 * MIB, 2325.3, 416.7), (4 * MIB, 622.6, 625.8),
               (8 * MIB, 992.6, 986.0), (16 * MIB, 1334.9, 1336.5), (32 * MIB, 2180.1, 2285.2), (64 * MIB, 24410, 24425),
               (128 * MIB, 49264, 48558), (256 * MIB, 125807, 121575), (512 * MIB, 193909, 192903)]

# Threads on NCCL: name, text, options, verdicts that agree with the thread, shapes of which one must be among the first
# three (none: any).
NCCL = [
    # The target is 24 GB/s for each of 4 cards of 200 Gb/s, and reached: "perfect".
    ("NVIDIA/nccl-tests issue 119",
     nccl("all_reduce", 24, [(127926280, 2560.7, 2556.2), (128974856, 2583.9, 2562.4), (130023432, 2584.7, 2587.1),
                             (131072008, 2604.6, 2630.6), (132120584, 2644.1, 2619.1), (133169160, 2666.0, 2660.4)],
          above=["# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 1048576(bytes) warmup iters: 5 iters: 20 agg iters: 1 "
                 "validation: 1 graph: 0", "#", "# Using devices", *ranks_of(A100, ["pod01", "pod02", "pod03"], 8)]),
     ["--nics", "4", "--nic-bw", "200Gbps"], ["right"], []),
    # A step down at 64 MiB of the plugin for EFA.
    ("aws/aws-ofi-nccl issue 65",
     nccl("all_reduce", 16, [(8 * MIB, 1321.5, 1202.2), (16 * MIB, 1896.7, 1872.0), (32 * MIB, 1931.6, 1963.7),
                             (64 * MIB, 6586.3, 6591.5), (128 * MIB, 8189.9, 8157.7), (256 * MIB, 11812, 11919)],
          root=False, error="5e-07", between=["ip-172-31-13-103:7699:7699 [0] NCCL INFO Launch mode Parallel"]),
     ["-p", "16", "--nodes", "2", "--gpu", "a100", "--nics", "4", "--nic-bw", "100Gbps", "--collective", "allreduce"],
     ["slow", "low"], ["dip"]),
    # One node of 8 A100 with NVSwitch is right; two nodes print more than their 4 cards of 100 Gb/s; three are slow.
    *[(f"NVIDIA/nccl issue 527, {nodes} nodes",
       nccl("all_reduce", 8 * nodes, [(GIB, *times)], root=False, error="2e-07", above=ranks_of(A100, hosts(nodes), 8)),
       ["--nics", "4", "--nic-bw", "100Gbps"], verdicts, shapes)
      for nodes, times, verdicts, shapes in (
          (1, (8142.6, 8141.2), ["right"], []), (2, (35215, 35198), ["right"], []),
          (3, (64782, 64827), ["slow", "low"], []), (4, (70253, 70207), ["slow", "low"], []))],
    # Three nodes on two racks; the rate collapses at 64 MiB.
    ("NVIDIA/nccl issue 1453",
     "\n".join("[0]" + line for line in nccl(
         "all_reduce", 24, INTERLEAVED, above=["NCCL version 2.22.3+cuda12.5", *ranks_of(H100, hosts(3), 8)]).splitlines()),
     ["--nic-bw", "400Gbps"], ["slow"], ["falls_at_the_end", "sockets"]),
    # 44 GB/s on two nodes of 8 H100 with 8 cards of 400 Gb/s.
    ("NVIDIA/nccl-tests issue 319",
     nccl("all_reduce", 16, [(32 * MIB, 1543.4, 1542.6), (64 * MIB, 3099.2, 3097.9), (128 * MIB, 5876.9, 5712.6),
                             (256 * MIB, 11435, 11418), (512 * MIB, 22669, 23641), (GIB, 45390, 45333),
                             (2 * GIB, 90808, 90719), (4 * GIB, 181855, 181450), (8 * GIB, 364906, 363363),
                             (16 * GIB, 727698, 729105)], above=ranks_of(H100, ["lccn09", "lccn10"], 8)),
     [], ["slow"], ["cards_missing"]),
    # Each process ran alone.
    ("NVIDIA/nccl-tests issue 294",
     nccl("all_reduce", 1, [(128 * MIB, 631.9, 0.51), (128 * MIB, 419.3, 0.31), (512 * MIB, 2202.2, 0.31),
                            (512 * MIB, 842.5, 0.30), (256 * MIB, 1007.4, 0.31), (256 * MIB, 822.4, 0.31)],
          above=2 * ranks_of(H100, ["h100-2"], 1)),
     [], ["invalid"], ["separate_runs", "one_rank"]),
    # A GPU with four cards of 400 Gb/s uses one of them: 41 GB/s at 32 MiB, 50 at large sizes.
    ("NVIDIA/nccl-tests issue 232",
     nccl("all_reduce", 2, [(2 * MIB, 113.2, 93.35), (4 * MIB, 154.4, 153.3), (8 * MIB, 231.4, 227.8),
                            (16 * MIB, 420.5, 419.9), (32 * MIB, 812.3, 808.2)],
          above=["mpirun -x NCCL_ALGO=Tree -x NCCL_IB_QPS_PER_CONNECTION=2 -np 2 ./all_reduce_perf -b 2M -e 16G -f 2 -g 1",
                 *ranks_of(H100, hosts(2), 1)]),
     [], ["right"], []),
    # 480, 470 and 366 GB/s on 1, 2 and 4 nodes of 8 H100: "a good number".
    *[(f"NVIDIA/nccl-tests issue 309, {nodes} nodes", one_size("all_reduce", 8 * nodes, 16 * GIB, busbw, H100, nodes), [],
       ["right"], []) for nodes, busbw in ((1, 480), (2, 470), (4, 365.84))],
    # 476 GB/s on one node: "the expected range for H100".
    ("NVIDIA/nccl-tests issue 290", one_size("all_reduce", 8, 8 * GIB, 476, H100, 1), [], ["right"], []),
    # 250 GB/s (algbw) at 256 MiB: right, but too small for the peak of 480 (busbw).
    ("NVIDIA/nccl-tests issue 212", one_size("all_reduce", 8, 256 * MIB, 250 * 1.75, H100, 1), [], ["right"], []),
    # Rings on 8 H100 in one node.
    ("NVIDIA/nccl issue 1455", one_size("all_reduce", 8, 4 * GIB, 367, H100, 1, ["export NCCL_ALGO=Ring"]), [], ["right"], []),
    # Two DGX A100 with 8 cards of 200 Gb/s: a ring of 192 GB/s is what the vendor measures; 60 of 100 is low.
    ("NVIDIA/nccl issue 812, vendor", one_size("all_reduce", 16, 8 * GIB, 192, A100, 2, ["NCCL_ALGO=Ring"]),
     ["--nic-bw", "200Gbps"], ["right"], []),
    ("NVIDIA/nccl issue 812, user", one_size("all_reduce", 16, 8 * GIB, 60, A100, 2, ["NCCL_ALGO=Ring"]),
     ["--nic-bw", "100Gbps"], ["slow", "low"], []),
    ("NVIDIA/nccl issue 812, small sizes",
     nccl("all_reduce", 16, [(8, 93.12, 92.93), (16, 93.30, 93.24), (32, 92.96, 93.10), (64, 93.05, 93.06), (128, 93.62, 93.33),
                             (256, 93.99, 93.85)], head=" ", above=["NCCL version 2.16.5+cuda11.0", "NCCL_ALGO=Ring"]),
     ["-p", "16", "--nodes", "2", "--gpu", "a100", "--nic-bw", "200Gbps", "--collective", "allreduce"], ["right"], []),
    # 100 GB/s on 2 nodes with 8 cards of 100 Gb/s, as rings reach, but 70, 58 and 40 GB/s on 3, 4 and 6 nodes.
    *[(f"NVIDIA/nccl-tests issue 169, {nodes} nodes", one_size("all_reduce", 8 * nodes, 8 * GIB, busbw, A100, nodes),
       ["--nic-bw", "100Gbps"], verdicts, []) for nodes, busbw, verdicts in (
           (2, 100, ["right"]), (3, 70, ["slow", "low"]), (4, 58, ["slow", "low"]), (6, 40, ["slow"]))],
    # One of four cards of 200 Gb/s is used, at half of its rate because of ACS.
    ("NVIDIA/nccl-tests issue 112",
     one_size("all_reduce", 16, 8 * GIB, 9.84, A100, 2, ["mpirun -np 16 -x NCCL_IB_HCA=mlx5_0 ./build/all_reduce_perf -b 1G"]),
     ["--nics", "4", "--nic-bw", "200Gbps"], ["slow"], []),
    # 75 GB/s on two nodes with 8 cards of 100 Gb/s: "a bit low".
    ("NVIDIA/nccl issue 495", one_size("all_reduce", 16, 8 * GIB, 75, A100, 2), ["--nic-bw", "100Gbps"], ["low", "slow"], []),
    # 300 nodes of 8 H100 with 4 cards reach 14 GB/s.
    ("NVIDIA/nccl issue 1454", one_size("all_reduce", 2400, 8 * GIB, 14, H100, 300), ["--nics", "4"], ["slow"], []),
    # 5 nodes with 4 cards of 400 Gb/s: rings reach 190 of 200; trees 150, which is right for trees.
    *[(f"NVIDIA/nccl issue 1368, {algorithm}",
       one_size("all_reduce", 40, 8 * GIB, busbw, H100, 5, [f"NCCL_ALGO={algorithm}"]), ["--nics", "4"], ["right"], [])
      for algorithm, busbw in (("Ring", 190), ("Tree", 150))],
    # Small shares of an all-gather on 256 GPUs: 200 GB/s at 2 GiB.
    ("NVIDIA/nccl issue 1218", one_size("all_gather", 256, 2 * GIB, 200, H100, 32, ["all_gather_perf -g 1 -n 1"]), [], ["right"], []),
    # H800 with NVLink SHARP: more than the 200 GB/s of the links, and right.
    ("NVIDIA/nccl issue 1374", one_size("all_reduce", 8, 8 * GIB, 215, "NVIDIA H800", 1), [], ["right"], []),
    # GPUs that are not known: nothing may be claimed.
    ("NVIDIA/nccl issue 1161",
     nccl("all_reduce", 2, [(GIB, 9306.7, 9291.5), (2 * GIB, 18535, 18524), (4 * GIB, 36943, 36917)],
          above=ranks_of("NVIDIA H100 PCIe", hosts(1), 2)), [], ["unknown"], []),
    ("NVIDIA/nccl issue 1244",
     nccl("all_reduce", 16, [(8, 47.60, 47.54), (16, 46.25, 46.27), (32, 46.35, 46.28), (64, 46.30, 46.29), (256, 46.65, 46.73),
                             (MIB, 121.8, 126.6), (8 * MIB, 146.5, 145.2), (64 * MIB, 467.9, 466.9), (128 * MIB, 1108, 1111.2),
                             (512 * MIB, 3218.6, 3204.9)], root=False, error="2e-07", above=ranks_of("NVIDIA H20", hosts(2), 8)),
     [], ["unknown"], []),
    ("NVIDIA/dgx-spark-playbooks pull request 103",
     nccl("all_reduce", 2, [(8192, 35.15, 30.33), (16384, 31.67, 30.75), (32768, 39.56, 37.44), (65536, 67.93, 64.71)],
          above=ranks_of("NVIDIA GB10", ["spark-d708", "spark-dbf4"], 1)), [], ["unknown"], []),
    # A rack of GB200, whose driver does not know its name yet; the log has only the last rank.
    ("coreweave/nccl-tests pull request 43",
     nccl("all_reduce", 72, [(512 * MIB, 1806.7, 1835.9), (GIB, 3108.8, 2924.7), (2 * GIB, 5589.1, 5474.6), (4 * GIB, 10094, 10141),
                             (8 * GIB, 20299, 20006)],
          above=["#  Rank 71 Group  0 Pid  14840 on slurm-gb200-207-171 device  3 [0x01] NVIDIA Graphics Device"]),
     ["--gpu", "gb200"], ["right"], []),
    # 32 GCDs of MI250X: an all-gather collapses at 2 MiB; the columns tell the number of ranks.
    ("ROCm/rccl issue 1490",
     "\n".join(" 0: " + line for line in nccl(
         "all_gather", 32, [(64 * 1024, 107.5, 105.6), (128 * 1024, 210.0, 202.6), (256 * 1024, 211.1, 200.9),
                            (512 * 1024, 692.3, 678.9), (MIB, 1456.6, 1304.0), (2 * MIB, 70248, 73593)],
         above=["srun --nodes=4 --ntasks-per-node=8 --label -- all_gather_perf -b 64K -e 4G -f 2 -g 1"]).splitlines()),
     ["--nodes", "4"], ["slow", "low"], ["falls_at_the_end"]),
    # Two processes print tables of their own.
    ("NVIDIA/nccl-tests issue 182",
     nccl("all_reduce", 1, [], above=ranks_of(H100, ["a"], 1)).split("# Out")[0]
     + nccl("all_reduce", 1, [(8, 40.64, 45.02), (16, 49.66, 48.21), (32, 47.28, 48.67), (64, 47.85, 47.38), (128, 47.76, 48.64),
                              (256, 48.23, 47.77), (8, 46.80, 56.22), (512, 47.44, 48.22), (16, 59.49, 57.71),
                              (1024, 47.44, 53.56)], above=ranks_of(H100, ["b"], 1)),
     ["--collective", "allreduce"], ["invalid"], ["separate_runs", "one_rank"]),
    # The first sizes of a node of 8 H100, through mpirun --tag-output; one of them is an outlier.
    ("aws/aws-k8s-tester pull request 503",
     "\n".join("[1,0]<stdout>:" + line for line in nccl("all_reduce", 8, [(8, 12.90, 12.87), (16, 12.88, 12.83), (32, 22.25, 13.34)],
                                                        above=ranks_of(H100, hosts(1), 8)).splitlines()), [], ["right"], []),
]

EDR_BIBW = [2.60, 5.23, 10.46, 20.88, 42.02, 83.09, 153.57, 302.61, 253.02, 1007.94, 1896.98, 2401.53, 4506.13, 4630.20, 5323.55,
            16796.85, 20909.43, 23217.06, 24179.17, 24425.47, 24602.42, 24659.93, 24700.13]
HDR100_BIBW = [5.95, 12.49, 24.88, 52.27, 100.73, 204.02, 311.07, 612.31, 817.46, 1787.83, 3316.37, 5218.08, 8722.35, 13899.90,
               18056.62, 21316.22, 22851.18, 23690.87, 24128.47, 24381.31, 24509.98, 24575.19, 24609.96]
UGNI_BW = [1.26, 2.53, 5.07, 10.03, 20.17, 40.06, 80.63, 159.03, 307.02, 515.40, 853.31, 1401.59, 2036.56, 2181.38, 2731.88,
           2983.61, 3063.85, 2989.02, 2947.41, 2936.12, 3013.37, 3045.48, 3066.06]
CUDA_BW = [1.53, 3.09, 6.28, 12.45, 25.96, 50.21, 100.85, 204.76, 425.22, 883.65, 1262.07, 807.29, 1144.27, 1419.13, 1571.04,
           1757.58, 1782.01, 1804.88, 1792.01, 1774.67, 1784.32, 1785.41, 1785.15]
PUT_BW = [1.78, 3.56, 7.05, 14.09, 28.65, 54.80, 107.20, 214.79, 421.95, 826.50, 1552.63, 2301.67, 4439.05, 6128.77, 7505.59,
          8554.46, 9228.94, 9517.16, 9491.26, 8560.75, 8401.46, 8401.46]
GNI_LATENCY = [1.85, 1.85, 1.87, 1.86, 1.87, 1.87, 1.86, 1.88, 1.88, 1.92, 2.18, 2.47, 3.16, 4.68, 13.62, 15.28, 18.49, 25.06,
               38.38, 64.72, 117.07, 255.69, 497.37]
SENDRECV = """#-----------------------------------------------------------------------------
# Benchmarking Sendrecv
# #processes = 2
#-----------------------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec
       262144          160        30.48        33.48        32.24     15660.37
       524288           80        46.49        59.52        54.79     17616.61
      1048576           40       164.35       258.68       217.49      8107.16
      2097152           20       824.89       936.35       893.57      4479.40
      4194304           10      2010.12      3076.62      2165.94      2726.56
"""
PINGPONG_US = [1.77, 1.72, 1.66, 1.60, 1.59, 1.53, 1.57, 1.62, 2.21, 2.31, 2.61, 3.12, 3.69, 5.30, 7.82, 11.68, 18.11, 31.04, 48.82]
PINGPONG = "\n".join(["#---------------------------------------------------", "# Benchmarking PingPong ", "# #processes = 2 ",
                      "#---------------------------------------------------",
                      "       #bytes #repetitions      t[usec]   Mbytes/sec", "            0         1000         1.59         0.00"]
                     + [f"{2 ** i:13} {1000:12} {time:12.2f} {2 ** i / time / 1.048576:12.2f}"
                        for i, time in enumerate(PINGPONG_US)]) + "\n"

# Threads on messages between two ranks.
PAIRS = [
    # UCX on a card of 100 Gb/s: "very good performance"; another such card: "as expected".
    ("open-mpi/ompi issue 3216", osu("Bi-Directional Bandwidth Test v5.1", "Bandwidth (MB/s)", EDR_BIBW), ["--nic-bw", "100Gbps"],
     ["right"], []),
    ("openucx/ucx issue 7245", osu("Bi-Directional Bandwidth Test v5.7", "Bandwidth (MB/s)", HDR100_BIBW), ["--nic-bw", "100Gbps"],
     ["right"], []),
    # Transfers of Aries were serialised; 10 GB/s are possible.
    ("open-mpi/ompi issue 1005", osu("Bandwidth Test v5.0", "Bandwidth (MB/s)", UGNI_BW), ["--nic-bw", "80Gbps"], ["slow"],
     ["one_at_a_time"]),
    # 10 GB/s are reached without UCX.
    ("openucx/ucx issue 4274", osu("Bandwidth Test v5.6.2", "Bandwidth (MB/s)", CUDA_BW), ["--nic-bw", "80Gbps"], ["slow"],
     ["one_at_a_time"]),
    # "The high-end bandwidth is way low."
    ("open-mpi/ompi pull request 4919",
     osu("Bandwidth Test v5.3", "Bandwidth (MB/s)", PUT_BW).replace("OSU MPI ", "OSU MPI_Put "), ["--nic-bw", "80Gbps"], ["low"], []),
    # The usual step of rendezvous messages at 16 KiB; no fault.
    ("ofi-cray/libfabric-cray pull request 859", osu("Latency Test v5.0", "Latency (us)", GNI_LATENCY), [], ["unknown"],
     ["rendezvous_step"]),
    # The rate falls from 1 MiB on.
    ("intel/mpi-benchmarks issue 37", SENDRECV, [], ["low", "slow"], ["falls_at_the_end"]),
    # A healthy card of 56 Gb/s.
    ("openhpc/ohpc issue 207", PINGPONG, ["--nic-bw", "54Gbps"], ["right"], []),
]
