// Tests hierarchies: different kinds of groups, different algorithms for their stages, and how the
// stages of a pipeline overlap.
#include "schedules/patterns/hierarchy.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_hierarchy {

namespace {

// Returns several divisions of the ranks into groups: into groups of 1, 2, 3, 4 and 8 consecutive
// ranks, into nested groups, into four groups that get the ranks in turn, and into groups of
// different sizes.
std::vector<Groups> groups_of(std::uint32_t ranks) {
  std::vector<Groups> all;
  for (const char* const text : {"1", "2", "3", "4", "8", "2,6", "1,2,4,8"}) {
    all.push_back(parse_groups("--groups", text));
  }
  std::vector<std::uint32_t> dealt;
  std::vector<std::uint32_t> any;
  for (Rank rank = 0; rank < ranks; ++rank) {
    dealt.push_back(rank % 4);
    any.push_back(rank * 7 % 5 % 3);
  }
  all.push_back({{group_level(dealt)}});
  all.push_back({{group_level(any)}});
  return all;
}

Problem hierarchy(Collective collective, std::uint32_t ranks, std::uint64_t elements,
                  const char* groups, const char* within = "", const char* across = "") {
  Problem problem = problem_of(collective, ranks, elements);
  problem.groups = parse_groups("--groups", groups);
  if (*within != '\0') {
    problem.within = parse_stage_parts("--within", within);
  }
  if (*across != '\0') {
    problem.across = parse_stage_parts("--across", across);
  }
  return problem;
}

std::string refused(const char* name, const Problem& problem) {
  return with_fields(algorithm_named(name).refusal(problem).value_or("").text);
}

// Returns all messages as (sender, receiver, elements), sorted.
std::vector<std::tuple<Rank, Rank, std::uint64_t>> messages(const Schedule& schedule) {
  std::vector<std::tuple<Rank, Rank, std::uint64_t>> sent;
  for (const Op& op : schedule.ops()) {
    if (op.is_comm()) {
      sent.emplace_back(op.src(), op.dst(), op.bytes() / 8);
    }
  }
  std::sort(sent.begin(), sent.end());
  return sent;
}

bool comes_after(const Schedule& schedule, OpId later, OpId earlier) {
  const auto before = schedule.predecessors(later);
  return std::any_of(before.begin(), before.end(), [&](OpId each) {
    return each == earlier || (each > earlier && comes_after(schedule, each, earlier));
  });
}

OpId find(const Schedule& schedule, OpKind kind, Rank src, Rank dst, std::uint32_t segment) {
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    if (op.kind() == kind && op.src() == src && op.dst() == dst &&
        schedule.payload(id).from.first % schedule.blocks() == segment) {
      return id;
    }
  }
  FAIL("no operation from " << src << " to " << dst << " of segment " << segment);
  return kNoOp;
}

}  // namespace

TEST_CASE("a stage may treat the first segment, the others and the last one differently") {
  // There are 2 groups of 4 ranks. The vector has four segments of 2 elements and a last segment of
  // 1 element.
  Problem problem = hierarchy(Collective::bcast, 8, 9, "4", "linear/pipeline:chain:8:open_mpi",
                              "linear/pipeline:knomial:radix=3/pipeline:doubling");
  problem.segment_bytes = 16;
  CHECK(to_text(problem.within) == "linear/pipeline:chain:8:open_mpi");
  CHECK(to_text(problem.across) == "linear/pipeline:knomial:radix=3/pipeline:doubling");
  const Algorithm& algorithm = algorithm_named("bcast/hierarchical");
  const Schedule schedule = make_schedule(algorithm, problem);
  CHECK(verify(schedule).proved());
  // Number of messages with the first segment, from the root to the rest of its group.
  std::size_t linear = 0;
  // Number of messages with one element of another segment, from a rank of the group to the next.
  std::size_t chain = 0;
  for (const Op& op : schedule.ops()) {
    linear += op.src() == 0 && op.dst() < 4 && op.bytes() == 16 ? 1 : 0;
    chain += op.src() + 1 == op.dst() && op.dst() < 4 && op.bytes() == 8 ? 1 : 0;
  }
  CHECK(linear == 3);
  CHECK(chain == 3 * 7);
  problem.segment_bytes = 0;
  CHECK(refused("bcast/hierarchical", problem).find("add --segment") != std::string::npos);
  CHECK_THROWS_AS(parse_stage_parts("--within", "linear/linear/linear/linear"), UserError);
  CHECK_THROWS_AS(parse_stage_parts("--within", "linear:radix=0"), UserError);
  CHECK_THROWS_AS(parse_stage_parts("--within", "pipeline:open_mpi:open_mpi"), UserError);
}

TEST_CASE(
    "hierarchies of all groups, including nested and interleaved ones, are proved at every root") {
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->name != "hierarchical" && algorithm->name != "multilane") {
      continue;
    }
    std::size_t proved = 0;
    for (const std::uint32_t ranks : {1U, 2U, 3U, 5U, 8U, 11U, 16U}) {
      for (const Groups& groups : groups_of(ranks)) {
        for (Rank root = 0; root < (has_root(algorithm->collective) ? ranks : 1); ++root) {
          Problem problem = problem_of(*algorithm, ranks, 101, root);
          problem.groups = groups;
          if (algorithm->refusal(problem)) {
            continue;
          }
          INFO(algorithm->full_name()
               << " p=" << ranks << " root=" << root << ' ' << options_text(*algorithm, problem));
          CHECK(verify(make_schedule(*algorithm, problem), {}).proved());
          ++proved;
        }
      }
    }
    INFO(algorithm->full_name());
    CHECK(proved >= 30);
  }
}

TEST_CASE("groups are printed as they are read, and equal groups are printed by their size") {
  for (const char* const text :
       {"8", "8,32", "host", "host,switch", "0-3/4-7/8-9", "0-8:4/1-9:4/2+6/3+7", "0+3-4/1-2"}) {
    CHECK(to_text(parse_groups("--groups", text)) == text);
  }
  CHECK(to_text(Groups{{group_level({7, 7, 2, 2, 9})}}) == "2");
  CHECK(to_text(Groups{{group_level({5, 1, 5, 1})}}) == "0+2/1+3");
  CHECK(to_text(Groups{{group_level({0, 0, 1})}}) == "2");
  CHECK(to_text(Groups{{group_level({0, 1, 1})}}) == "0/1-2");
  for (const char* const text : {"", "0", "2,", "0-3/3", "0/2", "1-0/2", "0-4:0", "hosts", "4/"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_groups("--groups", text), UserError);
  }
  CHECK_THROWS_WITH(parse_groups("--groups", "hots"), Catch::Contains("did you mean 'host'?"));
}

TEST_CASE("impossible groups and parts are refused with the reason") {
  const auto all = Collective::allreduce;
  const char* const name = "allreduce/hierarchical";
  CHECK(
      refused(name, hierarchy(all, 8, 100, "host")) ==
      "--groups 'host': this needs a platform; give one, or write the number of ranks in a group");
  CHECK(refused(name, hierarchy(all, 8, 100, "0-3/4-5")) ==
        "--groups lists 6 ranks, but the problem has 8");
  CHECK(refused(name, hierarchy(all, 8, 100, "4,6")) ==
        "--groups '4,6': groups do not nest; each must lie within one group of the next level");
  CHECK(refused(name, hierarchy(all, 8, 100, "2", "ring+linear")) ==
        "--within 'ring+linear': there is no reduce/ring");
  CHECK(refused(name, hierarchy(all, 8, 100, "2", "linear")) ==
        "--within 'linear': expected an algorithm for each stage: one for reduce, then one for "
        "bcast");
  CHECK(refused(name, hierarchy(all, 8, 100, "2", "linear+linear,linear+linear")) ==
        "--within 'linear+linear,linear+linear': 2 levels, but --groups defines only 1");
  CHECK(refused(name, hierarchy(all, 8, 100, "2", "", "binomial")) ==
        "--across 'binomial': there is no allreduce/binomial");
  CHECK(refused("allreduce/multilane", hierarchy(all, 8, 100, "2,4")) ==
        "--groups '2,4': multilane algorithms take only one level of groups");
}

TEST_CASE("an allreduce over two nodes is a reduction, an exchange and a broadcast") {
  const Problem problem = hierarchy(Collective::allreduce, 5, 10, "3");
  const Schedule schedule = make_schedule(algorithm_named("allreduce/hierarchical"), problem);
  CHECK(messages(schedule) == std::vector<std::tuple<Rank, Rank, std::uint64_t>>{
                                  {0, 1, 10},
                                  {0, 2, 10},
                                  {0, 3, 10},
                                  {1, 0, 10},
                                  {2, 0, 10},
                                  {3, 0, 10},
                                  {3, 4, 10},
                                  {4, 3, 10},
                              });
}

TEST_CASE("a root that does not represent its group is served as the composition states") {
  using Messages = std::vector<std::tuple<Rank, Rank, std::uint64_t>>;
  const auto sent = [](Collective collective, HierarchyForm form) {
    Problem problem = hierarchy(collective, 4, 10, "2");
    problem.root = 3;
    problem.composition = form;
    return messages(
        make_schedule(algorithm_named(std::string(name(collective)) + "/hierarchical"), problem));
  };
  CHECK(sent(Collective::bcast, HierarchyForm::han) ==
        Messages{{1, 0, 10}, {3, 1, 10}, {3, 2, 10}});
  CHECK(sent(Collective::bcast, HierarchyForm::mpich_alpha) ==
        Messages{{0, 1, 10}, {2, 0, 10}, {2, 3, 10}, {3, 2, 10}});
  CHECK(sent(Collective::bcast, HierarchyForm::mpich_beta) ==
        Messages{{0, 1, 10}, {2, 0, 10}, {3, 2, 10}});
  CHECK(sent(Collective::reduce, HierarchyForm::han) ==
        Messages{{0, 1, 10}, {1, 3, 10}, {2, 3, 10}});
  CHECK(sent(Collective::reduce, HierarchyForm::mpich_alpha) ==
        Messages{{0, 3, 10}, {1, 0, 10}, {2, 0, 10}, {3, 2, 10}});
  CHECK(sent(Collective::reduce, HierarchyForm::mpich_beta) ==
        Messages{{0, 2, 10}, {1, 0, 10}, {2, 3, 10}});
}

TEST_CASE("MPICH cuts broadcasts between groups inside elements, but not reductions") {
  // The vector of 13 elements of 8 bytes is divided among the first ranks of the 4 groups: each of
  // them gets a block of 26 bytes.
  const Problem bcast =
      hierarchy(Collective::bcast, 8, 13, "2", "linear", "scatter_doubling:mpich");
  const Schedule schedule = make_schedule(algorithm_named("bcast/hierarchical"), bcast);
  CHECK(schedule.layout().bytes() == 104);
  CHECK(schedule.layout().size_bytes(1) == 26);
  CHECK(verify(schedule).proved());
  const Problem allreduce = hierarchy(Collective::allreduce, 8, 13, "4",
                                      "binomial+scatter_doubling:mpich", "recursive_doubling");
  CHECK(refused("allreduce/hierarchical", allreduce) ==
        "its bcast/scatter_doubling: --cuts mpich would split elements: 104 bytes in 8-byte "
        "elements; use other --cuts, or a multiple of 32 bytes");
}

TEST_CASE("stages of a pipeline overlap as Open MPI's tasks do") {
  Problem problem = hierarchy(Collective::allreduce, 4, 40, "2", "", "binomial+binomial");
  problem.segment_bytes = 80;
  const Schedule schedule = make_schedule(algorithm_named("allreduce/hierarchical"), problem);
  REQUIRE(schedule.blocks() == 4);
  const OpId low_0 = find(schedule, OpKind::comm, 1, 0, 0);
  const OpId low_1 = find(schedule, OpKind::comm, 1, 0, 1);
  const OpId low_2 = find(schedule, OpKind::comm, 1, 0, 2);
  const OpId up_0 = find(schedule, OpKind::comm, 2, 0, 0);
  const OpId up_1 = find(schedule, OpKind::comm, 2, 0, 1);
  const OpId down_0 = find(schedule, OpKind::comm, 0, 2, 0);
  // Task t works on segment t in the stage `low`, on segment t - 1 in `up`, and on segment t - 2 in
  // `down`. A task ends before the next one begins.
  CHECK(comes_after(schedule, up_0, low_0));
  CHECK(comes_after(schedule, low_2, up_0));
  CHECK(comes_after(schedule, down_0, low_1));
  // Within one task, the stages overlap.
  CHECK_FALSE(comes_after(schedule, low_1, up_0));
  CHECK_FALSE(comes_after(schedule, up_0, low_1));
  CHECK_FALSE(comes_after(schedule, up_1, down_0));
  CHECK_FALSE(comes_after(schedule, down_0, up_1));
  // Operations within a node come one after the other.
  const OpId low_3 = find(schedule, OpKind::comm, 1, 0, 3);
  const OpId last_0 = find(schedule, OpKind::comm, 0, 1, 0);
  CHECK(comes_after(schedule, last_0, low_3));
}

TEST_CASE("the vector is divided among lanes, one for each rank of the smallest group") {
  const Problem problem = hierarchy(Collective::allreduce, 5, 10, "0-1/2-4", "ring+ring");
  const Schedule schedule = make_schedule(algorithm_named("allreduce/multilane"), problem);
  std::uint64_t between = 0;
  for (const auto& [src, dst, elements] : messages(schedule)) {
    const bool crosses = (src < 2) != (dst < 2);
    between += crosses ? elements : 0;
    CHECK((!crosses || (elements == 5 && (src + 2 == dst || dst + 2 == src))));
  }
  CHECK(between == 20);
}

TEST_CASE("an all-to-all in two dimensions sends one message to each group from each rank") {
  const Problem problem = hierarchy(Collective::alltoall, 12, 120, "0-8:4/1-9:4/2-10:4/3-11:4");
  const Schedule schedule = make_schedule(algorithm_named("alltoall/hierarchical"), problem);
  std::uint64_t across = 0;
  for (const auto& [src, dst, elements] : messages(schedule)) {
    if (src % 4 != dst % 4) {
      CHECK(src / 4 == dst / 4);
      CHECK(elements == 30);
      ++across;
    } else {
      CHECK(elements == 40);
    }
  }
  CHECK(across == 12 * 3);
}

}  // namespace tutti::test_hierarchy
