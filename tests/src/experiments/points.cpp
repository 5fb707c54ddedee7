// Tests the reading of measured points: the values read from each format, and the errors.
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "src/experiments/points/benchmark_point.hpp"
#include "src/experiments/points/nccl_bandwidths.hpp"
#include "src/experiments/points/point_runs.hpp"

namespace tutti::test_points {
namespace {

std::vector<BenchmarkPoint> parsed(const std::string& text, const std::string& algorithm = "",
                                   std::optional<std::uint32_t> ranks = std::nullopt) {
  PointDefaults defaults;
  defaults.ranks = ranks;
  std::vector<std::string> notes;
  return parse_points(text, "points", defaults, algorithm, notes);
}

std::string refused(const std::string& text, const std::string& algorithm = "",
                    std::optional<std::uint32_t> ranks = std::nullopt) {
  try {
    for (const BenchmarkPoint& point : parsed(text, algorithm, ranks)) {
      if (point.algorithm != nullptr) {
        (void)problem_of(point, {});
      }
    }
  } catch (const UserError& error) {
    return with_fields(error.what());
  }
  return "accepted";
}

const std::string kHead = "collective,ranks,bytes,tutti,median_ns\n";

}  // namespace

TEST_CASE("points from CSV: times, roles, options and cells") {
  const auto points = parsed(
      "job,machine,tutti,collective,ranks,nodes,bytes,type,role,min_us,median_us,p90_us,cell\r\n"
      "j,m,pipeline --tree binary --segment {n},bcast,8,3,8192,double,counts,10,12.5,15,c\r\n"
      "j,m,,bcast,8,3,8192,double,default,,11,,c\r\n"
      "j,m,,bcast,8,3,8192,double,not in tutti,nonsense,,,c\r\n"
      "j,m,\"binomial\",bcast,8,,8192,double,counts,,13,,\n");
  REQUIRE(points.size() == 3);
  CHECK(points[0].measured_s == Approx(12.5e-6));
  CHECK(points[0].spread().value_or(0) == Approx(1.5));
  CHECK(points[0].element_bytes == 8);
  CHECK(points[0].ranks_per_host({}) == 3);  // 8 ranks on 3 hosts: 3, 3 and 2
  CHECK(points[0].ranks_per_host(2) == 2);
  const Problem problem = problem_of(points[0], {});
  CHECK(problem.segment_bytes == 8192);
  CHECK(problem.tree == Tree::binary);
  CHECK(problem.element_bytes == 8);
  CHECK(points[1].algorithm == nullptr);
  CHECK(points[1].cell == "c");
  CHECK(points[2].cell == "m/j/bcast/8192/8");
  CHECK_FALSE(points[2].spread());
  CHECK(points[2].ranks_per_host({}) == 1);
}

TEST_CASE("points from CSV: comments at the head, as in the files that tutti writes") {
  const std::string comments = "# made by tutti 0.2.0\n# command: score points.csv\r\n";
  const auto points = parsed(comments + kHead + "allreduce,4,4096,ring,100\n");
  REQUIRE(points.size() == 1);
  CHECK(points[0].line == 4);
  CHECK(refused(comments + kHead + "allreduce,4,4096,ring,-5\n") ==
        "'points', line 4: column median_ns is '-5'; expected a number above 0, without a unit");
  CHECK_THAT(refused(comments + kHead + "allreduce,4,4096,ring\n"),
             Catch::Contains("line 4: has 4 values; expected 5, as in line 3"));
  CHECK_THAT(refused(comments + "collective,ranks,bytes,algorithm,median_ns\n"),
             Catch::Contains("line 3: there is no column tutti"));
  CHECK_THAT(refused(comments), Catch::Contains("there is no column collective"));
}

TEST_CASE("points from OSU micro-benchmarks: the slowest rank, and n from one rank's bytes") {
  const std::string text =
      "mpirun osu_allgather\n# OSU MPI Allgather Latency Test v7.5\n# Datatype: MPI_CHAR.\n"
      "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
      "1                       4.30              3.10              5.00        1000\n"
      "1024                   12.00             11.00             13.50        1000\n";
  const auto points = parsed(text, "allgather/ring", 8);
  REQUIRE(points.size() == 2);
  CHECK(points[1].bytes == 8192);
  CHECK(points[1].measured_s == Approx(13.5e-6));
  CHECK(points[1].line == 6);
  CHECK(points[1].element_bytes == 1);
  CHECK(problem_of(points[0], {}).bytes == 8);
  const auto vector = parsed(
      "# OSU MPI Allreduce Latency Test v5.8\n# Size   Avg Latency(us)\n"
      "1024     3.17\n",
      "allreduce/ring", 8);
  REQUIRE(vector.size() == 1);
  CHECK(vector[0].bytes == 1024);
  CHECK(vector[0].element_bytes == 4);
  CHECK(vector[0].measured_s == Approx(3.17e-6));
  CHECK_THAT(refused(text, "allreduce/ring", 8), Catch::Contains("does not measure allreduce"));
  CHECK(points[0].is_average == false);
  CHECK(vector[0].is_average);
  CHECK_THAT(refused(text, "allgather/ring"), Catch::Contains("give -p/--ranks"));
  CHECK_THAT(refused(text, "", 8), Catch::Contains("--algorithm allreduce/ring"));
}

TEST_CASE("points from nccl-tests: out-of-place times, whatever columns there are") {
  const std::string with_root =
      "#                                out-of-place           in-place\n"
      "#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  #wrong\n"
      "#   (B)  (elements)                (us)  (GB/s) (GB/s)         (us)  (GB/s)  (GB/s)\n"
      "  1024  256  float  sum  -1  21.50  0.05  0.09  0  20.10  0.05  0.10  0\n"
      "# Avg bus bandwidth    : 0.135\n";
  const auto points = parsed(with_root, "allreduce/ring", 8);
  REQUIRE(points.size() == 1);
  CHECK(points[0].measured_s == Approx(21.5e-6));
  CHECK(points[0].bytes == 1024);
  CHECK(points[0].element_bytes == 4);
  const auto without = parsed(
      "# size count type time algbw busbw error time algbw busbw error\n"
      "2048 1024 half 7.5 1 1 N/A 9 1 1 N/A\n",
      "allgather/ring", 4);
  REQUIRE(without.size() == 1);
  CHECK(without[0].measured_s == Approx(7.5e-6));
  CHECK(without[0].element_bytes == 2);
}

TEST_CASE("invalid points are refused, with line, column, value and what is accepted") {
  CHECK(refused(kHead + "allreduce,4,4096,ring,100\n") == "accepted");
  CHECK(refused(kHead + "allreduce,4,4096,ring,-5\n") ==
        "'points', line 2: column median_ns is '-5'; expected a number above 0, without a unit");
  for (const char* time : {"0", "nan", "inf", "12us", "", "1e-400", "0x10"}) {
    CHECK_THAT(refused(kHead + "allreduce,4,4096,ring," + time + "\n"),
               Catch::Contains("column median_ns is '" + std::string(time) + "'"));
  }
  // The first file has seconds in a column of nanoseconds. The second file has nanoseconds in a
  // column of seconds.
  CHECK_THAT(refused(kHead + "allreduce,4,4096,ring,0.00125\n"), Catch::Contains("another unit"));
  CHECK_THAT(refused("collective,ranks,bytes,tutti,median_s\nallreduce,4,4096,ring,212752\n"),
             Catch::Contains("another unit"));
  CHECK_THAT(refused(kHead + "allreduce,0,4096,ring,100\n"),
             Catch::Contains("column ranks is '0'; expected a whole number from 1"));
  CHECK_THAT(refused(kHead + "allreduce,4,40.5,ring,100\n"),
             Catch::Contains("column bytes is '40.5'"));
  CHECK_THAT(refused(kHead + "allreduce,4,4098,ring,100\n"),
             Catch::Contains("column bytes is '4098'; expected a multiple of the element size, 4"));
  CHECK_THAT(refused(kHead + "allreduce,4,4096,rong,100\n"),
             Catch::Contains("line 2: column tutti is 'rong'") && Catch::Contains("ring"));
  CHECK_THAT(refused(kHead + "allredce,4,4096,ring,100\n"),
             Catch::Contains("column collective is 'allredce'"));
  CHECK_THAT(refused(kHead + "allreduce,4,4096,ring --tree binary,100\n"),
             Catch::Contains("takes no --tree"));
  CHECK_THAT(refused(kHead + "allreduce,4,4096,ring --tree,100\n"), Catch::Contains("line 2"));
  CHECK_THAT(refused(kHead + "allreduce,4,4096,ring\n"), Catch::Contains("has 4 values"));
  CHECK_THAT(refused("collective,ranks,bytes,algorithm,median_ns\n"),
             Catch::Contains("line 1: there is no column tutti"));
  CHECK_THAT(refused("collective,ranks,bytes,tutti,median\n"),
             Catch::Contains("no column median_s, median_us or median_ns"));
  CHECK_THAT(refused("collective,ranks,bytes,tutti,median_s,median_ns\n"),
             Catch::Contains("give the same time"));
  CHECK_THAT(refused("collective,ranks,bytes,tutti,median_s,ranks\n"), Catch::Contains("twice"));
  CHECK_THAT(refused("collective,ranks,nodes,bytes,tutti,median_ns\nallreduce,4,5,8,ring,100\n"),
             Catch::Contains("column nodes is '5'"));
  CHECK_THAT(refused("collective,ranks,bytes,tutti,median_ns,type\nallreduce,4,8,ring,100,flot\n"),
             Catch::Contains("column type is 'flot'"));
}

TEST_CASE("bandwidths of a time are those that nccl-tests prints for it") {
  // doc/PERFORMANCE.md of nccl-tests; here 1 GB takes 10 ms on 8 ranks.
  constexpr std::uint64_t kBytes = 1'000'000'000;
  const auto busbw = [&](const char* program) {
    const NcclBandwidths found = nccl_bandwidths(*nccl_benchmark_in(program), 8, kBytes, 0.01);
    CHECK(found.algbw_gb_per_s == Approx(100));
    return found.busbw_gb_per_s;
  };
  CHECK(busbw("allreduce") == Approx(175));
  for (const char* const program :
       {"allgather", "reduce_scatter", "alltoall", "gather", "scatter"}) {
    CHECK(busbw(program) == Approx(87.5));
  }
  for (const char* const program : {"broadcast", "reduce", "sendrecv"}) {
    CHECK(busbw(program) == Approx(100));
  }
}

TEST_CASE("a pattern names a file for each machine, job and number of ranks") {
  BenchmarkPoint point;
  point.machine = "m";
  point.job = "j";
  point.ranks = 8;
  CHECK(fill_pattern("--platform", "{machine}/x.{job}.{ranks}.xml", point) == "m/x.j.8.xml");
  CHECK(fill_pattern("--platform", "plain", point) == "plain");
  CHECK(fill_pattern("--platform", "open{", point) == "open{");
  CHECK_THROWS_WITH(fill_pattern("--platform", "{cell}", point),
                    Catch::Contains("the braces must contain machine, job or ranks"));
  point.job.clear();
  CHECK_THROWS_WITH(fill_pattern("--platform", "{job}", point),
                    Catch::Contains("does not state the job"));
}

}  // namespace tutti::test_points
