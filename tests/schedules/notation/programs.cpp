// Tests that the programs in examples/schedules/ make the same DAGs as the built-in algorithms: the
// same operations and the same edges between them. Only the numbering may differ.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "base/file_text.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"
#include "tests/source_dir.hpp"

namespace tutti::test_programs {

namespace {

Program program_of(const std::string& name) {
  const std::string path = source_dir() + "/examples/schedules/" + name + ".sched";
  return {read_file(path, kScheduleFile), path};
}

// Everything that an operation does, with every block that it moves; its id is left out.
using OpEffect = std::tuple<OpKind, Rank, Rank, std::uint64_t, Buffer, Buffer, Operand,
                            std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

std::vector<OpEffect> deeds(const Schedule& schedule) {
  std::vector<OpEffect> all;
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;
    for_each_block_pair(schedule, id, [&](std::uint32_t read, std::uint32_t written) {
      blocks.emplace_back(read, written);
    });
    all.emplace_back(op.kind(), op.src(), op.dst(), op.bytes(), op.from(), op.into(), op.from_is(),
                     std::move(blocks));
  }
  return all;
}

// Returns all ids, sorted by what the operations do, so that the order does not depend on the
// numbering. Operations that do the same are sorted by id, hence by level.
std::vector<OpId> in_common_order(const Schedule& schedule, const std::vector<OpEffect>& all) {
  std::vector<OpId> order(schedule.size());
  std::iota(order.begin(), order.end(), OpId{0});
  std::sort(order.begin(), order.end(),
            [&](OpId a, OpId b) { return std::tie(all[a], a) < std::tie(all[b], b); });
  return order;
}

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Edges edges(const Schedule& schedule, const std::vector<OpId>& order) {
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
  }
  Edges all;
  for (OpId id = 0; id < schedule.size(); ++id) {
    for (const OpId before : schedule.predecessors(id)) {
      all.emplace_back(place[before], place[id]);
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

bool same_dag(const Schedule& a, const Schedule& b) {
  const auto deeds_a = deeds(a);
  const auto deeds_b = deeds(b);
  const auto order_a = in_common_order(a, deeds_a);
  const auto order_b = in_common_order(b, deeds_b);
  return a.layout() == b.layout() && order_a.size() == order_b.size() &&
         std::equal(order_a.begin(), order_a.end(), order_b.begin(),
                    [&](OpId x, OpId y) { return deeds_a[x] == deeds_b[y]; }) &&
         edges(a, order_a) == edges(b, order_b);
}

struct Family {
  const char* program;
  const char* algorithm;
};

constexpr Family kFamilies[] = {
    {"basic_linear", "alltoall/linear"},
    {"bruck_alltoall", "alltoall/bruck"},
    {"bruck_allgather", "allgather/bruck"},
    {"recursive_doubling_barrier", "barrier/recursive_doubling"},
    {"recursive_doubling_allreduce", "allreduce/recursive_doubling"},
    {"recursive_doubling_allgather", "allgather/recursive_doubling"},
    {"binomial_tree", "bcast/binomial"},
    {"split_binary_tree", "bcast/split_binary_tree"},
    {"pipeline", "bcast/pipeline"},
    {"smp_linear", "bcast/smp_linear"},
    {"circulant_reduce_scatter", "reduce_scatter/circulant"},
    {"circulant_allreduce", "allreduce/circulant"},
    {"hierarchical_allreduce", "allreduce/hierarchical"},
};

// Returns the problems with `p` ranks on which a program is compared with `algorithm`. The bits of
// `options` are the options of the program; each of them is tried with several values.
std::vector<Problem> problems_of(const Algorithm& algorithm, unsigned options, std::uint32_t p) {
  std::vector<Problem> problems;
  // Numbers of elements: one that gives even blocks and, for collectives that allow this, one that
  // gives uneven blocks.
  std::vector<std::uint64_t> sizes{std::uint64_t{p} * power_of_two_below(p)};
  if (algorithm.collective == Collective::barrier) {
    sizes = {0};
  } else if (algorithm.collective != Collective::alltoall &&
             algorithm.collective != Collective::allgather) {
    sizes.push_back(3 * p + 1);
  }
  for (const std::uint64_t elements : sizes) {
    for (const Rank root : roots(algorithm.collective, p)) {
      Problem problem = problem_of(algorithm.collective, p, elements, root);
      problem.fold = Fold::far;
      if ((options & static_cast<unsigned>(Option::segment)) != 0) {
        problem.segment_bytes = problem.element_bytes * (elements / 5 + 1);
      }
      problems.push_back(problem);
      if ((options & static_cast<unsigned>(Option::ranks_per_node)) != 0) {
        for (std::uint32_t cores = 2; cores <= p + 1; ++cores) {
          problem.ranks_per_node = cores;
          problems.push_back(problem);
        }
      }
      if ((options & static_cast<unsigned>(Option::tree)) != 0) {
        for (const Tree tree : {Tree::binary, Tree::binomial}) {
          problem.tree = tree;
          problems.push_back(problem);
        }
      }
    }
  }
  return problems;
}

}  // namespace

TEST_CASE(
    "programs of the schedule document and of Träff, and calls, equal the built-in algorithms") {
  for (const Family& family : kFamilies) {
    const Algorithm& algorithm = algorithm_named(family.algorithm);
    const Program program = program_of(family.program);
    CHECK(program.collective() == algorithm.collective);
    CHECK(program.algorithm() == algorithm.name);
    for (std::uint32_t p = 2; p <= 33; ++p) {
      for (const Problem& problem : problems_of(algorithm, program.options(), p)) {
        INFO(family.program << " p=" << p << " n=" << problem.bytes << " root=" << problem.root
                            << " C=" << problem.ranks_per_node << " tree=" << name(problem.tree));
        REQUIRE(same_dag(program.schedule(problem), make_schedule(algorithm, problem)));
      }
    }
  }
}

// The comparison must fail if one edge, one block or one operation is missing.
TEST_CASE("a program with one difference makes a different DAG") {
  const auto dag_of = [](const std::string& name, std::string_view cut, std::string_view put) {
    std::string text =
        read_file(source_dir() + "/examples/schedules/" + name + ".sched", kScheduleFile);
    const auto at = text.find(cut);
    REQUIRE(at != std::string::npos);
    text.replace(at, cut.size(), put);
    const Program program(text, name);
    return program.schedule(problem_of(program.collective(), 6, 36));
  };
  const Schedule tree =
      make_schedule(algorithm_named("bcast/binomial"), problem_of(Collective::bcast, 6, 36));
  CHECK(same_dag(dag_of("binomial_tree", "N", "N"), tree));
  CHECK_FALSE(same_dag(dag_of("binomial_tree", "After(Req(l-1,n),Req(l-1,n2))", ""), tree));
  CHECK_FALSE(same_dag(dag_of("binomial_tree", "L = ceil(log2(N))", "L = 2"), tree));
  const Schedule ring =
      make_schedule(algorithm_named("allgather/bruck"), problem_of(Collective::allgather, 6, 36));
  CHECK(same_dag(dag_of("bruck_allgather", "N", "N"), ring));
  CHECK_FALSE(
      same_dag(dag_of("bruck_allgather", "work[n] -> scratch", "work[N-1] -> scratch"), ring));
}

TEST_CASE("programs work for any root, any element size, and times only") {
  Problem problem = problem_of(Collective::bcast, 12, 100, 5);
  problem.element_bytes = 4;
  problem.bytes = 400;
  const Program program = program_of("binomial_tree");
  const Schedule whole = program.schedule(problem);
  const Schedule times = program.schedule(problem, Detail::times_only);
  CHECK(whole.has_payload());
  CHECK_FALSE(times.has_payload());
  CHECK(std::equal(whole.ops().begin(), whole.ops().end(), times.ops().begin(), times.ops().end()));
  CHECK(whole.dependencies() == times.dependencies());
}

}  // namespace tutti::test_programs
