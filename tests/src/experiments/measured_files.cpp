// Tests the reading of times measured by various benchmarks, each of which describes its runs
// differently.
#include <catch2/catch.hpp>

#include <fstream>

#include "base/error.hpp"
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
  return parse_points(text, path, defaults, algorithm);
}

std::string refusal_of(const std::string& text, const std::string& algorithm,
                       std::optional<std::uint32_t> ranks = std::nullopt,
                       const std::string& path = "points") {
  try {
    (void)points_of(text, algorithm, ranks, path);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

std::string source_refused(const std::string& text) {
  try {
    (void)measured_sources("--by measured", text);
  } catch (const UserError& error) {
    return error.what();
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
  CHECK_THAT(refusal_of(imb_table("Multi-Allreduce", 4, "8 1000 1 2 1\n"), "allreduce/ring"),
             Catch::Contains("no times for allreduce"));
  std::string no_such_column = imb_table("Allreduce", 4, "8 1000 1 2 1\n");
  no_such_column.replace(no_such_column.find("t_max[usec]"), 11, "my_t_max[usec]");
  CHECK_THAT(refusal_of(no_such_column, "allreduce/ring"),
             Catch::Contains("no times for allreduce"));
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
  CHECK(points_of(text, "allreduce/ring", 8).at(0).ranks == 8);
}

TEST_CASE("a line of the file names what ran, and options take precedence") {
  const std::string told = kCorpus + "told.txt";
  const MeasuredRuns runs = measured_runs_of("run", told);
  REQUIRE(runs.runs.size() == 2);
  CHECK(runs.runs[0].algorithm->name == "recursive_doubling");
  CHECK(runs.runs[0].problem.ranks == 16);
  CHECK(measured_runs_of("run", "allreduce/ring@8=" + told).runs[0].algorithm->name == "ring");
  CHECK(measured_runs_of("run", "allreduce/ring@8=" + told).runs[0].problem.ranks == 8);
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
  const auto sources = measured_sources(
      "--by", "ring@16=" + at + "c1,pipeline --tree binary=" + at + "c2," + at + "c?");
  REQUIRE(sources.size() == 4);
  CHECK(sources[0].algorithm == "ring");
  CHECK(sources[0].ranks == 16U);
  CHECK(sources[1].algorithm == "pipeline --tree binary");
  CHECK_FALSE(sources[1].ranks);
  CHECK(sources[2].path == at + "c1");
  CHECK(sources[3].path == at + "c2");
  CHECK(sources[3].algorithm.empty());
  CHECK(measured_sources("--by", at + "b=1.txt").at(0).path == at + "b=1.txt");
  CHECK(source_refused("ring@many=x") ==
        "--by measured 'ring@many=x': 'many' is not a number of ranks; write, for example, "
        "ring@16=FILE");
  CHECK_THAT(source_refused("ring="), Catch::Contains("ALGORITHM@RANKS=FILE"));
  CHECK_THAT(source_refused("ring@0=x"), Catch::Contains("ALGORITHM@RANKS=FILE"));
  CHECK_THAT(source_refused("ring=" + at + "d*"), Catch::Contains("no file matches"));
  CHECK_THAT(source_refused("a,,b"), Catch::Contains("write FILE"));
}

}  // namespace tutti::test_measured_files
