// Checks that block and segment sizes are rounded as in Open MPI and MPICH, with numbers worked out
// by hand from the sources of these libraries. tests/mpi compares whole schedules with the
// libraries themselves.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/registry.hpp"

namespace tutti::test_library_cuts { namespace {

Problem problem_by_open_mpi(const Algorithm& algorithm, std::uint32_t ranks, std::uint64_t elements,
                            std::uint64_t segment_bytes = 0) {
  Problem problem;
  problem.collective = algorithm.collective;
  problem.ranks = ranks;
  problem.bytes = 8 * elements;
  problem.segment_bytes = segment_bytes;
  problem.cuts = Cuts::open_mpi;
  return problem;
}

std::vector<std::uint64_t> elements_of_blocks(const char* name, std::uint32_t ranks,
                                              std::uint64_t elements,
                                              std::uint64_t segment_bytes = 0) {
  const Algorithm& algorithm = algorithm_named(name);
  const BlockLayout layout =
      algorithm.layout(problem_by_open_mpi(algorithm, ranks, elements, segment_bytes));
  std::vector<std::uint64_t> sizes;
  for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
    sizes.push_back(layout.size_bytes(block) / 8);
  }
  return sizes;
}

using Sizes = std::vector<std::uint64_t>;

TEST_CASE("Segments of pipelines are rounded to the nearest element") {
  // 1005 bytes are 125 elements and 5 bytes; 5 bytes are more than half an element.
  CHECK(elements_of_blocks("bcast/pipeline", 4, 300, 1005) == Sizes{126, 126, 48});
  CHECK(elements_of_blocks("reduce/pipeline", 4, 300, 1004) == Sizes{125, 125, 50});
}

TEST_CASE(
    "Segments that are absent, as long as the vector, or shorter than an element cut nothing") {
  for (const std::uint64_t segment_bytes : {0U, 4U, 80U, 100000U}) {
    CHECK(elements_of_blocks("bcast/pipeline", 4, 10, segment_bytes) == Sizes{10});
  }
}

TEST_CASE("Segments of the split binary tree are rounded down, but have at least an element") {
  CHECK(elements_of_blocks("bcast/split_binary_tree", 5, 503, 1005) ==
        Sizes{125, 125, 2, 125, 125, 1});
  CHECK(elements_of_blocks("bcast/split_binary_tree", 5, 5) == Sizes{3, 2});
  CHECK(elements_of_blocks("bcast/split_binary_tree", 5, 3, 4) == Sizes{1, 1, 1});
  const Algorithm& algorithm = algorithm_named("bcast/split_binary_tree");
  // One half has 2 elements, fewer than a segment of 3, so Open MPI runs a chain instead.
  const auto reason = algorithm.refusal(problem_by_open_mpi(algorithm, 5, 5, 24));
  REQUIRE(reason);
  CHECK(reason->text.find("chain") != std::string::npos);
  CHECK_FALSE(algorithm.refusal(problem_by_open_mpi(algorithm, 5, 5, 16)));
}

TEST_CASE("Phases of the segmented ring are rounded to the nearest number") {
  // Segments of 2 elements on 3 ranks make phases of 6 elements. 15 elements are 2.5 phases, which
  // is rounded to 2; 16 elements are 2.67 phases, which is rounded to 3.
  CHECK(elements_of_blocks("allreduce/segmented_ring", 3, 15, 16) == Sizes{3, 2, 3, 2, 3, 2});
  CHECK(elements_of_blocks("allreduce/segmented_ring", 3, 16, 16) ==
        Sizes{2, 2, 2, 2, 2, 1, 2, 2, 1});
  // Without segments, or with less than a segment for each rank, the algorithm is the plain ring.
  CHECK(elements_of_blocks("allreduce/segmented_ring", 3, 5, 16) == Sizes{2, 2, 1});
  CHECK(elements_of_blocks("allreduce/segmented_ring", 3, 16) == Sizes{6, 5, 5});
}

TEST_CASE(
    "Rabenseifner's algorithm halves the vector repeatedly, with the first half rounded down") {
  CHECK(elements_of_blocks("allreduce/rabenseifner", 9, 15) == Sizes{1, 2, 2, 2, 2, 2, 2, 2});
  CHECK(elements_of_blocks("reduce/rabenseifner", 4, 5) == Sizes{1, 1, 1, 2});
}

TEST_CASE("Scattered blocks are rounded up, and the last ones are short or empty") {
  CHECK(elements_of_blocks("bcast/scatter_allgather", 4, 5) == Sizes{2, 2, 1, 0});
}

TEST_CASE("MPICH's first segment is the short one, and broadcasts count bytes") {
  const auto bytes_of_blocks = [](const char* name, std::uint64_t segment_bytes) {
    const Algorithm& algorithm = algorithm_named(name);
    Problem problem = problem_by_open_mpi(algorithm, 4, 10, segment_bytes);
    problem.cuts = Cuts::mpich;
    const BlockLayout layout = algorithm.layout(problem);
    std::vector<std::uint64_t> bytes;
    for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
      bytes.push_back(layout.size_bytes(block));
    }
    return bytes;
  };
  using Bytes = std::vector<std::uint64_t>;
  CHECK(bytes_of_blocks("reduce/pipeline", 39) == Bytes{16, 32, 32});
  CHECK(bytes_of_blocks("allreduce/tree", 40) == Bytes{40, 40});
  CHECK(bytes_of_blocks("allreduce/tree", 7) == Bytes{80});
  CHECK(bytes_of_blocks("bcast/pipeline", 24) == Bytes{8, 24, 24, 24});
  CHECK(bytes_of_blocks("bcast/pipeline", 30) == Bytes{20, 30, 30});
  CHECK(bytes_of_blocks("bcast/pipeline", 7) == Bytes{3, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7});
  CHECK(bytes_of_blocks("bcast/pipeline", 0) == Bytes{80});
}

TEST_CASE("Library cuts that an algorithm does not have are refused") {
  for (const char* name :
       {"bcast/split_binary_tree", "reduce/in_order_binary", "gather/linear_sync",
        "allreduce/segmented_ring", "allreduce/rabenseifner"}) {
    const Algorithm& algorithm = algorithm_named(name);
    Problem problem = problem_by_open_mpi(algorithm, 4, 100);
    problem.cuts = Cuts::mpich;
    const auto reason = algorithm.refusal(problem);
    REQUIRE(reason);
    CHECK(with_fields(reason->text).find("cuts mpich") != std::string::npos);
  }
}

TEST_CASE("A root that Open MPI folds in rejoins for the gather") {
  const Algorithm& algorithm = algorithm_named("reduce/rabenseifner");
  Problem problem = problem_by_open_mpi(algorithm, 3, 8);
  problem.root = 1;
  const Schedule ours = make_schedule(algorithm, problem);
  int from_0_to_root = 0;
  for (const Op& op : ours.ops()) {
    from_0_to_root += op.is_comm() && op.src() == 0 && op.dst() == 1 ? 1 : 0;
  }
  // One message has half of the vector, for the fold. The other has rank 0's part of the result.
  CHECK(from_0_to_root == 2);
}

// Returns the messages to each rank, in the order in which the rank receives them.
std::vector<std::vector<OpId>> messages_to(const Schedule& schedule) {
  std::vector<std::vector<OpId>> to(schedule.ranks());
  for (OpId id = 0; id < schedule.size(); ++id) {
    if (schedule.op(id).is_comm()) {
      to[schedule.op(id).dst()].push_back(id);
    }
  }
  return to;
}

bool comes_after(const Schedule& schedule, OpId later, OpId earlier) {
  const auto before = schedule.predecessors(later);
  return std::any_of(before.begin(), before.end(), [&](OpId each) {
    return each == earlier || (each > earlier && comes_after(schedule, each, earlier));
  });
}

TEST_CASE("A reduction of Open MPI posts a receive when it has combined the last message but one") {
  const Algorithm& algorithm = algorithm_named("reduce/pipeline");
  for (const Tree tree : {Tree::chain, Tree::binary, Tree::binomial}) {
    for (const std::uint32_t ranks : {3U, 7U, 8U}) {
      Problem problem = problem_by_open_mpi(algorithm, ranks, 40, 80);
      problem.tree = tree;
      const Schedule schedule = make_schedule(algorithm, problem);
      const auto to = messages_to(schedule);
      for (Rank rank = 0; rank < ranks; ++rank) {
        CAPTURE(name(tree), ranks, rank);
        const std::size_t children = to[rank].size() / 4;
        for (std::size_t at = 0; at < to[rank].size(); ++at) {
          const OpId message = to[rank][at];
          // The operation right after a message is the reduction of this message, so the id of the
          // reduction is 1 larger.
          CHECK((at < 2 || comes_after(schedule, message, to[rank][at - 2] + 1)));
          CHECK_FALSE((at > 0 && children > 1 && comes_after(schedule, message, to[rank][at - 1])));
          if (rank == 0 || at <= children) {
            continue;
          }
          // A receive of segment s waits until the sum of segment s - 2 is sent. It also waits for
          // the sum of segment s - 1, unless it is the first receive of segment s.
          const std::size_t segment = at / children;
          const auto sum_of = [&](std::size_t which) {
            for (OpId id = 0, found = 0; id < schedule.size(); ++id) {
              if (schedule.op(id).is_comm() && schedule.op(id).src() == rank && found++ == which) {
                return id;
              }
            }
            return kNoOp;
          };
          CHECK((segment < 2 || comes_after(schedule, message, sum_of(segment - 2))));
          CHECK(comes_after(schedule, message, sum_of(segment - 1)) == (at % children != 0));
        }
      }
    }
  }
}

TEST_CASE("A broadcast of Open MPI posts a receive when it has sent the last segment but one") {
  for (const char* const algorithm_name : {"bcast/pipeline", "bcast/split_binary_tree"}) {
    const Algorithm& algorithm = algorithm_named(algorithm_name);
    for (const Tree tree : {Tree::chain, Tree::binary, Tree::doubling}) {
      Problem problem = problem_by_open_mpi(algorithm, 7, 40, 40);
      if (takes(algorithm, Option::tree)) {
        problem.tree = tree;
      }
      const Schedule schedule = make_schedule(algorithm, problem);
      const auto to = messages_to(schedule);
      const std::size_t segments = takes(algorithm, Option::tree) ? 8 : 4;
      for (OpId id = 0; id < schedule.size(); ++id) {
        const Op& op = schedule.op(id);
        if (op.label().segment + 2 >= segments || op.bytes() != 40) {
          continue;
        }
        // `op` sends a segment s. At the sending rank, the receive of segment s + 2 waits until
        // segment s is sent, but the receive of segment s + 1 does not.
        for (const OpId message : to[op.src()]) {
          const std::uint32_t segment = schedule.op(message).label().segment;
          CAPTURE(algorithm_name, name(tree), id, message);
          if (schedule.op(message).bytes() == 40 && segment == op.label().segment + 2) {
            CHECK(comes_after(schedule, message, id));
          } else if (schedule.op(message).bytes() == 40 && segment == op.label().segment + 1) {
            CHECK_FALSE(comes_after(schedule, message, id));
          }
        }
      }
    }
  }
}

TEST_CASE("Unreadable parts are named in the error") {
  const Algorithm& algorithm = algorithm_named("allreduce/nonoverlapping");
  const auto reason = [&](const char* parts) {
    Problem problem = problem_by_open_mpi(algorithm, 4, 100);
    try {
      problem.parts = parse_parts(parts, Collective::allreduce);
    } catch (const UserError& error) {
      return with_fields(error.what());
    }
    return algorithm.refusal(problem).value_or("").text;
  };
  CHECK(reason("pipeline:binary:64+linear").empty());
  CHECK(parse_parts("pipeline:binary:16K+linear", Collective::allreduce) ==
        parse_parts("pipeline:binary:16384+linear", Collective::allreduce));
  CHECK(reason("linear").find("one for bcast") != std::string::npos);
  CHECK(reason("a+b").find("there is no reduce/a") != std::string::npos);
  CHECK(reason("linear:chain+linear").find("takes no tree") != std::string::npos);
  CHECK(reason("linear:8+linear").find("takes no segment") != std::string::npos);
  CHECK(reason("pipeline:0+linear").find("neither a tree nor a segment") != std::string::npos);
  CHECK(reason("pipeline:8x+linear").find("neither a tree nor a segment") != std::string::npos);
  CHECK(reason("pipeline:oak+linear").find("'oak'") != std::string::npos);
}

TEST_CASE("A rank begins the second collective when its part of the first is done") {
  const Algorithm& algorithm = algorithm_named("allreduce/nonoverlapping");
  Problem problem = problem_by_open_mpi(algorithm, 3, 4);
  problem.cuts = Cuts::even;
  problem.parts = parse_parts("linear+linear", Collective::allreduce);
  const Schedule schedule = make_schedule(algorithm, problem);
  CHECK(schedule.messages() == 4);
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (op.is_comm() && op.src() == 0) {  // part of the broadcast
      // The predecessors are the last reduction at rank 0 (or both reductions), and the receiver's
      // own send.
      CHECK(schedule.predecessors(id).size() >= 2);
    }
  }
}

}}  // namespace tutti::test_library_cuts
