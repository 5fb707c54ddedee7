// Tests the reading of times measured by various benchmarks, each of which describes its runs
// differently.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/file_text.hpp"
#include "base/gzip.hpp"
#include "base/text_lines.hpp"
#include "src/experiments/points/measured_source.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_measured_files {
namespace {

const std::string kCorpus = source_dir() + "/tests/fuzz/corpus/points/";

std::string imb_table(const std::string& benchmark, int ranks, const std::string& rows) {
  return "# Benchmarking " + benchmark + " \n# #processes = " + std::to_string(ranks) +
         " \n#-----\n #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n" + rows;
}

std::vector<BenchmarkPoint> points_of(const std::string& text, const std::string& algorithm,
                                      std::optional<std::uint32_t> ranks = std::nullopt,
                                      const std::string& path = "points") {
  PointDefaults defaults;
  defaults.ranks = ranks;
  std::vector<std::string> notes;
  return parse_points(text, path, defaults, algorithm, notes);
}

std::string refusal_of(const std::string& text, const std::string& algorithm,
                       std::optional<std::uint32_t> ranks = std::nullopt,
                       const std::string& path = "points") {
  try {
    (void)points_of(text, algorithm, ranks, path);
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
  return "accepted";
}

std::string source_refused(const std::string& text) {
  try {
    std::vector<std::string> notes;
    (void)measured_sources("--by measured", text, notes);
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
  return "accepted";
}

}  // namespace

TEST_CASE(
    "Intel MPI Benchmarks: every table of the collective, the slowest rank, no calls of 0 bytes") {
  const MeasuredRuns runs =
      measured_runs_of("run", "allreduce/recursive_doubling=" + kCorpus + "imb.txt");
  REQUIRE(runs.runs.size() == 4);
  CHECK(runs.runs[0].problem.ranks == 4);
  CHECK(runs.runs[0].problem.bytes == 4);
  CHECK(runs.runs[0].median_s == Approx(4.02e-6));
  CHECK(runs.runs[3].problem.ranks == 8);
  CHECK(runs.runs[3].problem.bytes == 1024);
  CHECK(runs.runs[3].median_s == Approx(8.25e-6));
  CHECK(runs.runs[3].problem.element_bytes == 4);
  const MeasuredRuns of_8 =
      measured_runs_of("run", "allreduce/recursive_doubling@8=" + kCorpus + "imb.txt");
  CHECK(of_8.runs.size() == 2);
  const MeasuredRuns barrier =
      measured_runs_of("run", "barrier/dissemination=" + kCorpus + "imb.txt");
  REQUIRE(barrier.runs.size() == 1);
  CHECK(barrier.runs[0].problem.bytes == 0);
  CHECK(barrier.runs[0].median_s == Approx(2.5e-6));
}

TEST_CASE(
    "Intel MPI Benchmarks: n comes from one rank's bytes, and for reduce_scatter from the release "
    "year") {
  const std::string row = "  1024  1000  5.25  6.75  6.01\n";
  CHECK(points_of(imb_table("Allgather", 4, row), "allgather/ring").at(0).bytes == 4096);
  CHECK(points_of(imb_table("Alltoallv", 4, row), "alltoallv/pairwise").at(0).bytes == 4096);
  CHECK(points_of(imb_table("Gather", 4, row), "gather/binomial").at(0).bytes == 4096);
  CHECK(points_of(imb_table("Bcast", 4, row), "bcast/binomial").at(0).bytes == 1024);
  CHECK(points_of(imb_table("Bcast", 4, row), "bcast/binomial").at(0).element_bytes == 1);
  const std::string scatter = imb_table("Reduce_scatter", 4, row);
  const auto n = [&](const std::string& head) {
    return points_of(head + scatter, "reduce_scatter/ring").at(0).bytes;
  };
  CHECK(n("#    Intel (R) MPI Benchmarks 2018, MPI-1 part\n") == 1024);
  CHECK(n("#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n") == 4096);
  CHECK(n("") == 4096);
  const std::string block = imb_table("Reduce_scatter_block", 4, row);
  CHECK(points_of("#    Intel (R) MPI Benchmarks 2018, MPI-1 part\n" + block, "reduce_scatter/ring")
            .at(0)
            .bytes == 4096);
}

TEST_CASE("Intel MPI Benchmarks: unreadable lines are refused with their number") {
  CHECK_THAT(refusal_of(imb_table("Allreduce", 4, "8 1000 1 2\n"), "allreduce/ring"),
             Catch::Contains("line 5: has 4 values; expected 5"));
  CHECK_THAT(refusal_of(imb_table("Allreduce", 4, "8 1000 1 -2 1\n"), "allreduce/ring"),
             Catch::Contains("line 5: column t_max[usec] is '-2'"));
  CHECK_THAT(refusal_of(imb_table("Bcast", 4, "8 1000 1 2 1\n"), "allreduce/ring"),
             Catch::Contains("no times for allreduce, but 'allreduce/ring' is an algorithm"));
  CHECK_THAT(refusal_of(imb_table("Allreduce", 4, "8 1000 1 2 1\n"), "allreduce/ring", 16),
             Catch::Contains("no times for allreduce on 16 ranks"));
  CHECK_THAT(
      refusal_of(imb_table("Multi-Allreduce", 4, "8 1000 1 2 1\n"), "allreduce/ring"),
      Catch::Contains("no times for allreduce") && Catch::Contains("it measures Multi-Allreduce"));
  std::string no_such_column = imb_table("Allreduce", 4, "8 1000 1 2 1\n");
  no_such_column.replace(no_such_column.find("t_max[usec]"), 11, "my_t_max[usec]");
  CHECK_THAT(refusal_of(no_such_column, "allreduce/ring"),
             Catch::Contains("there is no line with the columns '#bytes"));
  CHECK_THAT(refusal_of("# Benchmarking Allreduce\n# #processes = none\n", "allreduce/ring"),
             Catch::Contains("line 2: column #processes is 'none'"));
  CHECK_THAT(
      refusal_of(imb_table("Allgather", 1000000, "17592186044415 1 1 2 1\n"), "allgather/ring"),
      Catch::Contains("column #bytes is '17592186044415'; expected a whole number from 0"));
}

TEST_CASE("PICO: size and type come from the file's name, and the median skips the first fifth") {
  const MeasuredRuns runs =
      measured_runs_of("run", "allreduce/recursive_doubling@16=" + kCorpus + "8_*_int32.csv");
  REQUIRE(runs.runs.size() == 1);
  CHECK(runs.runs[0].problem.bytes == 32);
  CHECK(runs.runs[0].problem.ranks == 16);
  CHECK(runs.runs[0].median_s == Approx(5.5e-6));
  CHECK(runs.runs[0].fastest_s == Approx(4e-6));
  // For 8 elements on 3 ranks, PICO uses blocks of 2 elements of 4 bytes each, 24 bytes in total.
  CHECK(points_of("highest\n5000\n", "allgather/ring", 3, "x/8_ring_ompi_int32.csv").at(0).bytes ==
        24);
  CHECK_THAT(refusal_of("highest\n5000\n", "allreduce/ring", 3, "x/ring.csv"),
             Catch::Contains("'x/ring.csv', line 1: PICO gives size and type in the file's name"));
  CHECK_THAT(refusal_of("highest\n5000\nx\n", "allreduce/ring", 3, "8_ring_int32.csv"),
             Catch::Contains("line 3: column highest is 'x'"));
  CHECK_THAT(refusal_of("highest\n", "allreduce/ring", 3, "8_ring_int32.csv"),
             Catch::Contains("the file has no times"));
  CHECK_THAT(refusal_of("highest\n5000\n", "allreduce/ring", std::nullopt, "8_ring_int32.csv"),
             Catch::Contains("does not say how many ranks"));
}

TEST_CASE("nccl-tests: the number of ranks comes from the lines that name them") {
  const std::string text =
      "#  Rank  0 Group  0 Pid   4711 on n1 device  0 [0x07] A\n"
      "#  Rank  1 Group  0 Pid   4711 on n1 device  1 [0x0f] A\n"
      "# size count type redop root time algbw busbw #wrong\n"
      "#  (B) (elements) (us) (GB/s) (GB/s)\n"
      "1024 256 float sum -1 21.5 1 1 0\n";
  CHECK(points_of(text, "allreduce/ring").at(0).ranks == 2);
  CHECK(points_of(text, "allreduce/ring").at(0).device == "A");
  CHECK(refusal_of(text, "allreduce/ring", 8) ==
        "'points', line 3: 8 ranks are given, but the lines '#  Rank ...' above the table name 2");
}

namespace {

// A table of nccl-tests with one row, of 128 MiB in 1000 us.
std::string nccl_table(const std::string& redop, int root, const std::string& algbw,
                       const std::string& busbw, int ranks = 0) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    text += "#  Rank " + std::to_string(rank) + " Group  0 Pid 1 on n1 device 0 [0x07] A\n";
  }
  return text +
         "# size count type redop root time algbw busbw #wrong\n#  (B) (elements) (us) (GB/s) "
         "(GB/s)\n134217728 33554432 float " +
         redop + ' ' + std::to_string(root) + " 1000.0 " + algbw + ' ' + busbw + " 0\n";
}

}  // namespace

TEST_CASE("nccl-tests: busbw / algbw tells the number of ranks, and other benchmarks") {
  // 134.22 GB/s times 2 (p - 1) / p: 1.95 on 40 ranks.
  const std::string of_40 = nccl_table("sum", -1, "134.22", "261.73");
  CHECK(points_of(of_40, "allreduce/ring").at(0).ranks == 40);
  CHECK(points_of(of_40, "allreduce/ring", 40).at(0).ranks == 40);
  CHECK(refusal_of(of_40, "allreduce/ring", 16) ==
        "'points', line 3: busbw / algbw is 1.950, as all_reduce_perf on 40 ranks has, but "
        "allreduce on 16 ranks has 1.875");
  // Rounded to two digits, it does not tell 40 from 41 ranks, but 16 from 40.
  const std::string rounded = nccl_table("sum", -1, "13.42", "26.17");
  CHECK_THAT(refusal_of(rounded, "allreduce/ring"), Catch::Contains("does not say how many ranks"));
  CHECK(points_of(rounded, "allreduce/ring", 41).at(0).ranks == 41);
  CHECK_THAT(refusal_of(rounded, "allreduce/ring", 16), Catch::Contains("has 1.875"));
  // Values that are printed as 0.00 tell nothing.
  CHECK(points_of(nccl_table("sum", -1, "0.00", "0.00"), "allreduce/ring", 16).size() == 1);
  CHECK_THAT(refusal_of(nccl_table("sum", -1, "134.22", "0.00"), "allreduce/ring", 8),
             Catch::Contains("ran on one GPU"));
  CHECK_THAT(refusal_of(nccl_table("sum", -1, "134.22", "134.22", 1), "allreduce/ring"),
             Catch::Contains("ran on one GPU"));
  // sendrecv, broadcast, gather, reduce_scatter, all_gather.
  CHECK_THAT(refusal_of(nccl_table("sum", -1, "134.22", "134.22"), "allreduce/ring", 8),
             Catch::Contains("is 1.000, as all_reduce_perf on 2 ranks or sendrecv_perf has"));
  CHECK_THAT(refusal_of(nccl_table("none", 0, "134.22", "134.22"), "allreduce/ring", 8),
             Catch::Contains("column redop is 'none', so this benchmark reduces nothing"));
  CHECK_THAT(refusal_of(nccl_table("sum", 0, "134.22", "134.22"), "allreduce/ring", 8),
             Catch::Contains("column root is '0', so this benchmark has a root"));
  CHECK_THAT(refusal_of(nccl_table("none", -1, "134.22", "117.44"), "gather/linear", 8),
             Catch::Contains("column root is '-1', so this benchmark has no root"));
  CHECK_THAT(refusal_of(nccl_table("sum", -1, "134.22", "117.44"), "allreduce/ring", 8),
             Catch::Contains("reduce_scatter_perf on 8 ranks"));
  CHECK(points_of(nccl_table("sum", -1, "134.22", "117.44"), "reduce_scatter/ring").at(0).ranks ==
        8);
  CHECK(points_of(nccl_table("none", -1, "134.22", "117.44"), "allgather/ring", 8).size() == 1);
  CHECK_THAT(refusal_of(nccl_table("none", -1, "134.22", "134.22"), "allgather/ring", 8),
             Catch::Contains("hypercube_perf"));
  CHECK(points_of(nccl_table("none", 0, "134.22", "134.22"), "bcast/binomial", 8).size() == 1);
}

TEST_CASE("nccl-tests: all_gather before 2020 has the same algbw and busbw") {
  const auto old = [](const std::string& bandwidth) {
    return "# size count type time algbw busbw error\n134217728 4194304 float 1000.0 " + bandwidth +
           ' ' + bandwidth + " 0e+00\n";
  };
  CHECK(points_of(old("117.44"), "allgather/ring", 8).size() == 1);
  CHECK_THAT(refusal_of(old("117.44"), "allgather/ring", 2), Catch::Contains("has 0.500"));
}

TEST_CASE("nccl-tests: programs and file names tell what was measured") {
  const std::string allreduce = nccl_table("sum", -1, "134.22", "134.22");  // also sendrecv's
  CHECK(points_of(allreduce, "allreduce/ring", 2).size() == 1);
  CHECK_THAT(
      refusal_of("+ mpirun -np 2 ./build/sendrecv_perf -b 8\n" + allreduce, "allreduce/ring", 2),
      Catch::Contains("line 2: this is the table of sendrecv_perf, which does not measure "
                      "allreduce"));
  CHECK_THAT(
      refusal_of("# Collective test starting: sendrecv_perf\n" + allreduce, "allreduce/ring", 2),
      Catch::Contains("sendrecv_perf"));
  CHECK_THAT(refusal_of(allreduce, "allreduce/ring", 2, "logs/sendrecv-2.log"),
             Catch::Contains("the table of sendrecv_perf by the file's name"));
  CHECK(points_of(allreduce, "allreduce/ring", 2, "logs/all_reduce-2.log").size() == 1);
  // The columns show that the file's name is wrong.
  CHECK(points_of(allreduce, "allreduce/ring", 2, "logs/gather.log").size() == 1);
  // Tables of the algorithm's collective are read, and others are left out.
  const std::string both =
      nccl_table("none", -1, "134.22", "117.44", 8) + nccl_table("sum", -1, "134.22", "234.88", 8);
  CHECK(points_of(both, "allreduce/ring").at(0).line == 22);
  CHECK(points_of(both, "allgather/ring").at(0).line == 11);
}

namespace {

const std::string kOsu =
    "# OSU MPI Allreduce Latency Test v7.4\n# Datatype: MPI_FLOAT.\n"
    "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
    "8                    1.00              0.50              1.50        1000\n"
    "16                   2.00              1.50              2.50        1000\n";

// Returns the text with a prefix before each line.
std::string prefixed(const std::string& text, const std::function<std::string(int)>& prefix) {
  std::string all;
  std::string_view rest = text;
  std::string_view line;
  for (int i = 0; next_line(rest, line); ++i) {
    all += prefix(i) + std::string(line) + '\n';
  }
  return all;
}

}  // namespace

TEST_CASE("prefixes of launchers and log collectors are removed") {
  const std::string nccl = nccl_table("sum", -1, "134.22", "261.73", 40);
  const std::string imb = imb_table("Allreduce", 4, "1024 1000 5.25 6.75 6.01\n");
  const auto second = [](int i) { return std::to_string(10 + i % 50); };
  const std::vector<std::function<std::string(int)>> prefixes{
      [](int) { return "[1,0]<stdout>:"; },
      [](int) { return "[1,0]<stdout>: "; },
      [&](int i) { return "Mon Jan  1 10:00:" + second(i) + " 2024[1,0]<stdout>:"; },
      [&](int i) { return "Mon Nov 26 10:00:" + second(i) + " 2026<stdout>: "; },
      [](int) { return "[prterun-host-123@1,0]<stdout>: "; },
      [](int) { return " 0: "; },
      [](int) { return "[0] "; },
      [](int) { return "[node1:0] "; },
      [](int) { return "node-1: "; },
      [](int) { return "launcher-1  | "; },
      [](int) { return "[pod/osu-launcher-x7b9f/main] "; },
      [&](int i) { return "2026-11-26T10:00:" + second(i) + ".123456789Z "; },
      [&](int i) { return "2026-11-26 10:00:" + second(i) + ",123+01:00 [1,0]<stdout>:"; },
      [&](int i) { return "[2026-11-26T10:00:" + second(i) + ".123Z] "; },
      [](int i) { return std::to_string(i + 1) + ":"; },
      [](int) { return "> "; },
      [](int) { return "    "; }};
  for (const auto& prefix : prefixes) {
    INFO(prefix(0));
    const auto osu = points_of(prefixed(kOsu, prefix), "allreduce/ring", 4);
    REQUIRE(osu.size() == 2);
    CHECK(osu[1].measured_s == Approx(2.5e-6));
    CHECK(osu[1].line == 5);
    CHECK(points_of(prefixed(imb, prefix), "allreduce/ring").at(0).measured_s == Approx(6.75e-6));
    CHECK(points_of(prefixed(nccl, prefix), "allreduce/ring").at(0).ranks == 40);
  }
}

TEST_CASE("lines of other ranks and of the launcher may stand between the lines of a table") {
  const std::string osu = prefixed(kOsu, [](int) { return "[1,0]<stdout>:"; });
  const std::size_t row = osu.find("[1,0]<stdout>:16");
  const auto with = [&](const std::string& line) {
    return "# tutti: allreduce/ring -p 4\n" + osu.substr(0, row) + line + osu.substr(row);
  };
  for (const char* line :
       {"[1,3]<stderr>:a warning\n", "[1,12]<stdout>:3 4 5 6 7\n", "srun: job 3 queued\n", "\n",
        "Thu Nov 26 10:11:12 UTC 2026\n", "[1,0]<stderr>:\n"}) {
    INFO(line);
    CHECK(points_of(with(line), "").size() == 2);
  }
  // The output reached mpirun in two pieces.
  std::string pieces = osu;
  pieces.insert(pieces.find("      2.00"), "[1,0]<stdout>:");
  CHECK(points_of(pieces, "allreduce/ring", 4).at(1).measured_s == Approx(2.5e-6));
  const std::string other = prefixed(kOsu, [](int) { return "[1,1]<stdout>:"; });
  CHECK_THAT(refusal_of(osu.substr(0, row) + other + osu.substr(row), "allreduce/ring", 4),
             Catch::Contains("line 5: the table of '[1,1]<stdout>:' begins inside that of "
                             "'[1,0]<stdout>:' (line 1)"));
}

TEST_CASE("a table ends at the first line that is not a row") {
  const auto sizes = [](const std::string& after) {
    std::vector<std::uint64_t> found;
    for (const BenchmarkPoint& point : points_of(kOsu + after, "allreduce/ring", 4)) {
      found.push_back(point.bytes);
    }
    return found;
  };
  const std::vector<std::uint64_t> both{8, 16};
  for (const char* after :
       {"START OF JOBSPEC\n{\"resources\": [1, 2]}\n", "Thu Nov 26 10:11:12 UTC 2026\n", "0\n",
        "\n3 4 5 6 7\n", "\nreal 0m1.2s\n", "12345 packets were sent in all\n", "32\n",
        "{\"timestamp\":1724292945.1838658,\"name\":\"done\"}\n"}) {
    INFO(after);
    CHECK(sizes(after) == both);
  }
  CHECK(sizes("srun: a warning\n32 3 2 4 1000\n") == std::vector<std::uint64_t>{8, 16, 32});
  CHECK_THAT(refusal_of(kOsu + "32 3 2\n", "allreduce/ring", 4), Catch::Contains("accepted"));
  CHECK_THAT(refusal_of(kOsu + "32 3 2 4\n", "allreduce/ring", 4),
             Catch::Contains("line 6: has 4 values; expected 5"));
  std::vector<std::string> notes;
  PointDefaults defaults;
  defaults.ranks = 4;
  (void)parse_points(kOsu + "\n3 4 5 6 7\n", "points", defaults, "allreduce/ring", notes);
  CHECK(notes == std::vector<std::string>{
                     "'points', line 7: not a row of the table; left out: '3 4 5 6 7'"});
}

TEST_CASE("OSU: titles of all blocking collectives, and refusals of others by name") {
  const auto table = [](const std::string& title) {
    return "# OSU " + title + " v7.5\n# Size       Avg Latency(us)\n1024   12.5\n";
  };
  for (const auto& [title, algorithm, bytes] :
       std::vector<std::tuple<std::string, std::string, std::uint64_t>>{
           {"MPI Allgather Latency Test", "allgather/ring", 4096},
           {"MPI Allgatherv Latency Test", "allgatherv/ring", 4096},
           {"MPI-CUDA All-to-All Personalized Exchange Latency Test", "alltoall/pairwise", 4096},
           {"MPI All-to-Allv Personalized Exchange Latency Test", "alltoallv/pairwise", 4096},
           {"MPI Broadcast Latency Test", "bcast/binomial", 1024},
           {"MPI Gather Latency Test", "gather/binomial", 4096},
           {"MPI Reduce_scatter Latency Test", "reduce_scatter/ring", 1024},
           {"MPI Reduce_scatter_block Latency Test", "reduce_scatter/ring", 1024},
           {"MPI Allreduce Persistent Latency Test", "allreduce/ring", 1024},
           {"NCCL-CUDA Allreduce Latency Test", "allreduce/ring", 1024},
           {"RCCL Broadcast Latency Test", "bcast/binomial", 1024}}) {
    INFO(title);
    const auto points = points_of(table(title), algorithm, 4);
    REQUIRE(points.size() == 1);
    CHECK(points[0].bytes == bytes);
  }
  const auto barrier = points_of(
      "# OSU MPI Barrier Latency Test v7.4\n# Avg Latency(us)   Max Latency(us)\n"
      "             6.56     7.25\n0\n",
      "barrier/dissemination", 16);
  REQUIRE(barrier.size() == 1);
  CHECK(barrier[0].bytes == 0);
  CHECK(barrier[0].measured_s == Approx(7.25e-6));
  for (const auto& [title, why] : std::vector<std::pair<std::string, std::string>>{
           {"MPI Non-blocking All-to-All Latency Test", "a non-blocking call"},
           {"MPI Non-Blocking Broadcast Latency Test", "a non-blocking call"},
           {"MPI Neighborhood Alltoall Latency Test", "no Neighborhood collectives"},
           {"MPI All-to-Allw Personalized Exchange Latency Test", "no All-to-Allw collectives"},
           {"MPI Latency Test", "messages between two ranks"},
           {"MPI_Put Latency Test", "no calls of MPI collectives"},
           {"UPC Barrier Latency Test", "no calls of MPI collectives"}}) {
    INFO(title);
    CHECK_THAT(refusal_of(table(title), "alltoall/pairwise", 4),
               Catch::Contains("does not measure alltoall") && Catch::Contains(why));
  }
}

TEST_CASE("several tables in a file are read as several") {
  const std::string other =
      "# OSU MPI Broadcast Latency Test v7.4\n# Size  Avg Latency(us)\n8 5.0\n";
  std::vector<std::string> notes;
  PointDefaults defaults;
  defaults.ranks = 4;
  auto points = parse_points(other + kOsu, "points", defaults, "allreduce/ring", notes);
  CHECK(points.size() == 2);
  CHECK(notes == std::vector<std::string>{"'points': left out 1 table that does not measure "
                                          "allreduce, such as 'OSU MPI Broadcast Latency Test "
                                          "v7.4'"});
  // A benchmark that runs several times has the median of its times.
  std::string slower = kOsu;
  slower.replace(slower.find("1.50  "), 4, "9.00");
  std::string middle = kOsu;
  middle.replace(middle.find("1.50  "), 4, "3.00");
  notes.clear();
  points = parse_points(slower + kOsu + middle, "points", defaults, "allreduce/ring", notes);
  REQUIRE(points.size() == 2);
  CHECK(points[0].measured_s == Approx(3e-6));
  CHECK(points[0].min_s.value_or(0) == Approx(1.5e-6));
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Catch::Contains("up to 3 tables have times of the same run"));
  // Each line "# tutti:" applies to the tables below it.
  points = parse_points("# tutti: allreduce/ring -p 8\n" + kOsu +
                            "# tutti: allreduce/recursive_doubling -p 8\n" + kOsu,
                        "points", {}, "", notes);
  REQUIRE(points.size() == 4);
  CHECK(points[2].algorithm->name == "recursive_doubling");
  CHECK(points[2].line == 11);
  CHECK_THAT(refusal_of("# tutti: allreduce/ring -p 8\n" + kOsu + "# tutti: bcast/binomial -p 8\n" +
                            imb_table("Allreduce", 8, ""),
                        ""),
             Catch::Contains("line 7: the file has no times for bcast on 8 ranks"));
  CHECK_THAT(
      refusal_of("# tutti: allreduce/ring -p 8\n" + kOsu + "# tutti: allreduce/ring -p 8\n", ""),
      Catch::Contains("line 7: no times of a benchmark follow this line"));
  // Processes that each ran alone.
  const std::string heading = kOsu.substr(0, kOsu.find("8   "));
  CHECK_THAT(refusal_of(heading + heading + "8 1 1 1 1000\n8 1 1 1 1000\n", "allreduce/ring", 4),
             Catch::Contains("line 8: rows of several tables are mixed"));
  CHECK(points_of(heading + "Killed\n" + kOsu, "allreduce/ring", 4).size() == 2);
}

TEST_CASE("an output without its heading asks for what is missing") {
  CHECK_THAT(
      refusal_of("8     1.5\n16    2.5\n", "allreduce/ring", 4),
      Catch::Contains("line 1: rows of numbers, but no line above them says which collective "
                      "was measured, and in which unit the times are") &&
          Catch::Contains("# OSU MPI Allreduce Latency Test"));
  CHECK_THAT(refusal_of("# Size    Avg Latency(us)\n8     1.5\n", "allreduce/ring", 4),
             Catch::Contains("says which collective was measured; copy"));
  CHECK_THAT(refusal_of("#bytes #repetitions t_min[usec] t_max[usec]\n8 1000 1.5 1.6\n",
                        "allreduce/ring", 4),
             Catch::Contains("'# Benchmarking Allreduce' and '# #processes = 16'"));
  CHECK_THAT(
      refusal_of("1024 256 float sum -1 21.50 0.05 0.09 0 20.1 0.05 0.1 0\n", "allreduce/ring", 4),
      Catch::Contains("which columns and units they have"));
  CHECK_THAT(refusal_of("# OSU MPI Allreduce Latency Test v7.4\n8   1.5\n", "allreduce/ring", 4),
             Catch::Contains("line 2: there is no line '# Size  Avg Latency(us)' above these"));
  CHECK_THAT(refusal_of("# Benchmarking Allreduce\n# #processes = 4\n8 1000 1.5 1.6 1.5\n",
                        "allreduce/ring"),
             Catch::Contains("line 3: there is no line with the columns '#bytes"));
}

TEST_CASE("a folder stands for the files with measured times in it") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path / "job");
  std::ofstream(folder.path / "job" / "b.txt") << kOsu;
  std::ofstream(folder.path / "a.txt") << kOsu;
  std::ofstream(folder.path / "plan.sh") << "#!/bin/sh\n";
  std::ofstream(folder.path / ".hidden") << kOsu;
  const std::string at = folder.path.string();
  std::vector<std::string> notes;
  CHECK(files_of_runs(at, notes) == std::vector<std::string>{at + "/a.txt", at + "/job/b.txt"});
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Catch::Contains("left out 1 file without measured times, such as '" + at +
                                       "/plan.sh'"));
  CHECK(measured_runs_of("run", "allreduce/recursive_doubling@4=" + at).runs.size() == 4);
  CHECK(files_of_runs(at + "/a.txt", notes) == std::vector<std::string>{at + "/a.txt"});
  std::filesystem::remove(folder.path / "a.txt");
  std::filesystem::remove(folder.path / "job" / "b.txt");
  CHECK_THROWS_WITH(files_of_runs(at, notes),
                    Catch::Contains("is a folder without measured times: 1 file, such as '"));
}

TEST_CASE("a folder may have files that are compressed, too large or damaged") {
  const ScratchFolder folder;
  const std::string at = folder.path.string();
  std::ofstream(folder.path / "large.txt") << kOsu;
  std::filesystem::resize_file(folder.path / "large.txt", kRunsFile.most_bytes + 1);
  std::ofstream(folder.path / "damaged.gz") << "\x1f\x8b\x08 cut short";
  std::vector<std::string> notes;
  CHECK_THROWS_WITH(files_of_runs(at, notes),
                    Catch::Contains("left out 2 files that cannot be read, or are too large, such "
                                    "as '" +
                                    at + "/damaged.gz'; no other file has measured times"));
  {
    std::ofstream file(folder.path / "a.gz", std::ios::binary);
    GzipBuffer compressed(file);
    std::ostream(&compressed) << kOsu;
    REQUIRE(compressed.finish());
  }
  std::ofstream(folder.path / "b.csv")
      << "# made by tutti 0.2.0\ncollective,ranks,bytes,tutti,median_s\nallreduce,4,8,ring,1e-6\n";
  CHECK(files_of_runs(at, notes) == std::vector<std::string>{at + "/a.gz", at + "/b.csv"});
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Catch::Contains("left out 2 files that cannot be read"));
}

TEST_CASE("a line of the file names what ran, and options take precedence") {
  const std::string printed = kCorpus + "told.txt";
  const MeasuredRuns runs = measured_runs_of("run", printed);
  REQUIRE(runs.runs.size() == 2);
  CHECK(runs.runs[0].algorithm->name == "recursive_doubling");
  CHECK(runs.runs[0].problem.ranks == 16);
  CHECK(measured_runs_of("run", "allreduce/ring@8=" + printed).runs[0].algorithm->name == "ring");
  CHECK(measured_runs_of("run", "allreduce/ring@8=" + printed).runs[0].problem.ranks == 8);
  CHECK_THAT(refusal_of("# tutti: allreduce/ring -p many\n# OSU MPI Allreduce\n", ""),
             Catch::Contains("line 1: -p 'many': "));
  CHECK_THAT(refusal_of("# tutti: allreduce/ring -p\n# OSU MPI Allreduce\n", ""),
             Catch::Contains("line 1: -p needs a value"));
  CHECK_THAT(refusal_of("# tutti: allreduce/ring --job\n# OSU MPI Allreduce\n", ""),
             Catch::Contains("line 1: --job needs a value"));
  CHECK_THAT(refusal_of("# tutti: allreduce/ring -p 4\nmpirun: not found\n", ""),
             Catch::Contains("has no times of a benchmark"));
  const std::string nccl =
      "# tutti: allreduce/ring -p 2 --job 7\n"
      "# size count type redop root time algbw busbw #wrong\n"
      "#  (B) (elements) (us) (GB/s) (GB/s)\n"
      "1024 256 float sum -1 21.5 1 1 0\n";
  CHECK(points_of(nccl, "").at(0).job == "7");
}

TEST_CASE("files, each after what ran, and files selected by a pattern") {
  const ScratchFolder folder;
  for (const char* name : {"b=1.txt", "c1", "c2"}) {
    std::ofstream(folder.path / name) << "x";
  }
  const std::string at = (folder.path / "").string();
  std::vector<std::string> notes;
  const auto sources = measured_sources(
      "--by", "ring@16=" + at + "c1,pipeline --tree binary=" + at + "c2," + at + "c?", notes);
  REQUIRE(sources.size() == 4);
  CHECK(sources[0].algorithm == "ring");
  CHECK(sources[0].ranks == 16U);
  CHECK(sources[1].algorithm == "pipeline --tree binary");
  CHECK_FALSE(sources[1].ranks);
  CHECK(sources[2].path == at + "c1");
  CHECK(sources[3].path == at + "c2");
  CHECK(sources[3].algorithm.empty());
  CHECK(measured_sources("--by", at + "b=1.txt", notes).at(0).path == at + "b=1.txt");
  CHECK(source_refused("ring@many=x") ==
        "--by measured 'ring@many=x': 'many' is not a number of ranks; write, for example, "
        "ring@16=FILE");
  CHECK_THAT(source_refused("ring="), Catch::Contains("ALGORITHM@RANKS=FILE"));
  CHECK_THAT(source_refused("ring@0=x"), Catch::Contains("ALGORITHM@RANKS=FILE"));
  CHECK_THAT(source_refused("ring=" + at + "d*"), Catch::Contains("no file matches"));
  CHECK_THAT(source_refused("a,,b"), Catch::Contains("write FILE"));
}

}  // namespace tutti::test_measured_files
