#include "src/experiments/ran/run_log.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/scratch_folder.hpp"

namespace tutti::test_run_log { namespace {

using Catch::Contains;

RunLog log_of(const std::vector<std::string>& texts) {
  const ScratchFolder folder;
  std::vector<std::string> paths;
  for (const std::string& text : texts) {
    paths.push_back(folder.path / ("run_" + std::to_string(paths.size()) + ".log"));
    std::ofstream(paths.back()) << text;
  }
  return read_run_logs(paths);
}

std::string open_mpi_process(const std::string& who) {
  return "[" + who + "] coll:base:comm_select: new communicator: MPI_COMM_WORLD (cid 0)\n" + "[" +
         who + "] coll:base:comm_select: selecting       basic, priority  10, Enabled\n" + "[" +
         who + "] coll:base:comm_select: selecting        self, priority  75, Disabled\n" + "[" +
         who + "] coll:base:comm_select: selecting       tuned, priority  30, Enabled\n";
}

const std::string kNcclLines =
    "gpu1:10:12 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 8 cudaDev 0 - Init START\n"
    "gpu1:10:12 [0] NCCL INFO AllReduce: 1024 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..1}\n"
    "gpu1:10:12 [0] NCCL INFO AllReduce: 1024 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..1}\n"
    "gpu1:10:12 [0] NCCL INFO AllGather: 512 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0}\n"
    "gpu1:10:12 [0] NCCL INFO AllGather [Copy Engine]: 4096 Bytes -> cudaMemcpyAsync\n";

TEST_CASE("a log of Open MPI has the components of each communicator, and its hosts") {
  const RunLog log =
      log_of({open_mpi_process("a:100") + open_mpi_process("a:101") +
              "[1,2]<stderr>:[b:102] no line of a component\n" + open_mpi_process("b:102") +
              "[a:100] coll_tuned_use_dynamic_rules=true (environment)\n"});
  CHECK(log.family == "Open MPI");
  REQUIRE(log.communicators.size() == 1);
  const auto& world = log.communicators.front();
  CHECK(world.name == "MPI_COMM_WORLD");
  CHECK(world.ranks == 3);
  CHECK(world.hosts == 2);
  CHECK(world.most_on_host == 2);
  CHECK_FALSE(world.even);
  REQUIRE(world.components.size() == 2);  // without the one that is disabled
  CHECK(world.components.back().name == "tuned");
  CHECK(world.components.back().priority == 30);
  CHECK(log.settings.at("coll_tuned_use_dynamic_rules") == "true");
}

TEST_CASE("a log of NCCL has the calls, with the size of the whole vector") {
  const RunLog log = log_of({kNcclLines});
  CHECK(log.family == "NCCL");
  REQUIRE(log.calls.size() == 2);
  for (const auto& calls : log.calls) {
    CHECK(calls.ranks == 8);
    const bool gathers = calls.collective == Collective::allgather;
    CHECK(calls.bytes == (gathers ? 8 * 512 : 1024));
    CHECK(calls.calls == (gathers ? 1 : 2));
    CHECK(calls.algorithm == (gathers ? "ring" : "tree"));
    CHECK(calls.protocol == (gathers ? "simple" : "ll"));
  }
  REQUIRE(log.assumed.size() == 1);
  CHECK_THAT(log.assumed.front(), Contains("1 call ran without an algorithm"));
  CHECK_FALSE(log.tuner_applied);
}

TEST_CASE("a log of MPICH has counters, with or without the rank that printed them") {
  const RunLog log =
      log_of({"==== Dump collective algorithm counters ====\n"
              "         16  MPIR_Bcast_intra_binomial\n"
              "[0]       4  MPIR_Barrier_intra_smp\n"
              "==== END collective algorithm counters ====\n"
              "          9  MPIR_Bcast_intra_smp\n"});
  CHECK(log.family == "MPICH");
  CHECK(log.counters == std::map<std::string, double>{{"MPIR_Bcast_intra_binomial", 16},
                                                      {"MPIR_Barrier_intra_smp", 4}});
}

TEST_CASE("logs of two libraries, and other files, are refused") {
  CHECK_THROWS_AS(log_of({kNcclLines, open_mpi_process("a:1")}), UserError);
  CHECK_THROWS_WITH(log_of({kNcclLines, open_mpi_process("a:1")}),
                    Contains("output of Open MPI, but an earlier file is of NCCL"));
  CHECK_THROWS_WITH(log_of({"hello\n"}), Contains("not a profile of calls"));
}

}}  // namespace tutti::test_run_log
