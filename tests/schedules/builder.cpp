#include "schedules/builder.hpp"

#include <catch2/catch.hpp>

#include <limits>

#include "tests/schedules/problems.hpp"

namespace tutti::test_builder {

namespace {

constexpr BlockSet kOne{0, 1};
constexpr Move kWorkToScratch{kOne, kWork, kScratch};
const std::vector<OpId> kNothing;

// Returns a builder for 4 ranks and 10 elements of 8 bytes. The 4 blocks have 24, 24, 16 and 16
// bytes.
ScheduleBuilder builder_of_4() {
  return ScheduleBuilder(problem_of(Collective::allreduce, 4, 10), 4);
}

void breaks(const std::string& invariant, const std::function<void(ScheduleBuilder&)>& use) {
  ScheduleBuilder builder = builder_of_4();
  INFO(invariant);
  CHECK_THROWS_WITH(use(builder), Catch::Contains(invariant));
}

}  // namespace

TEST_CASE("the builder computes bytes, and keeps labels, places and blocks") {
  ScheduleBuilder builder = builder_of_4();
  const OpId a = builder.comm({2, 7}, 0, 3, {{3, 2}, kInput, kScratch}, kNothing);
  const OpId b = builder.reduce({3, 0}, 3, {{3, 2}, kScratch, kWork}, Operand::right, {&a, 1});
  const OpId c = builder.copy({4, 0}, 3, {{0, 1}, kWork, {Buffer::scratch, 2}, 1}, {&b, 1});
  CHECK(builder.size() == 3);
  const Schedule schedule = builder.finish();
  CHECK(builder.size() == 0);

  const Op& comm = schedule.op(a);
  CHECK(comm.is_comm());
  CHECK(comm.src() == 0);
  CHECK(comm.dst() == 3);
  CHECK(comm.bytes() == 16 + 24);
  CHECK(comm.label() == Label{2, 7});
  CHECK(comm.from() == Buffer::input);
  CHECK(comm.into() == Buffer::scratch);
  CHECK(schedule.payload(a).from == BlockSet{3, 2});
  CHECK(schedule.payload(a).into_first == 3);
  CHECK(schedule.op(b).kind() == OpKind::reduce);
  CHECK(schedule.op(b).rank() == 3);
  CHECK(schedule.op(b).from_is() == Operand::right);
  CHECK(schedule.op(c).kind() == OpKind::copy);
  CHECK(schedule.payload(c).into_first == 2 * 4 + 1);
  CHECK(schedule.scratch_slots() == 3);
  CHECK(schedule.messages() == 1);
  CHECK(schedule.bytes_sent() == 40);
  CHECK(schedule.bytes_reduced() == 40);
  CHECK(schedule.rounds() == 1);
}

TEST_CASE("equal runs of blocks are stored in one form") {
  ScheduleBuilder builder = builder_of_4();
  const OpId a = builder.copy({}, 0, {{1, 2, 2, 3}, kWork, kScratch}, kNothing);
  const OpId b = builder.copy({}, 0, {{1, 2, 3, 3}, kWork, kScratch}, kNothing);
  const Schedule schedule = builder.finish();
  CHECK(schedule.payload(a).from == BlockSet{1, 2});
  CHECK(schedule.payload(b).from == BlockSet{1, 2});
}

TEST_CASE("dependencies are sorted and unique, without empty ones") {
  ScheduleBuilder builder = builder_of_4();
  const OpId a = builder.comm({}, 0, 1, kWorkToScratch, kNothing);
  const OpId b = builder.comm({}, 1, 2, kWorkToScratch, kNothing);
  const OpId c = builder.comm({}, 2, 1, kWorkToScratch, kNothing);
  const std::vector<OpId> after{c, kNoOp, a, c, b, a, kNoOp};
  const OpId d = builder.copy({}, 1, kWorkToScratch, after);
  const Schedule schedule = builder.finish();
  const auto found = schedule.predecessors(d);
  CHECK(std::vector<OpId>(found.begin(), found.end()) == std::vector<OpId>{a, b, c});
  CHECK(schedule.dependencies() == 3);
}

TEST_CASE("an emitter cannot write a cycle, or a dependency on a later operation") {
  const std::vector<OpId> itself{0};
  const std::vector<OpId> later{5};
  breaks("dependency < id",
         [&](ScheduleBuilder& builder) { builder.copy({}, 0, kWorkToScratch, itself); });
  breaks("dependency < id",
         [&](ScheduleBuilder& builder) { builder.comm({}, 0, 1, kWorkToScratch, later); });
}

TEST_CASE("operations that a dependency joins share a rank") {
  breaks("joined(op, ", [](ScheduleBuilder& builder) {
    const OpId a = builder.comm({}, 0, 1, kWorkToScratch, kNothing);
    builder.comm({}, 2, 3, kWorkToScratch, {&a, 1});
  });
}

TEST_CASE("ranks must exist, and cannot send to themselves") {
  breaks("src != dst",
         [](ScheduleBuilder& builder) { builder.comm({}, 1, 1, kWorkToScratch, kNothing); });
  breaks("dst < places()",
         [](ScheduleBuilder& builder) { builder.comm({}, 0, 4, kWorkToScratch, kNothing); });
  breaks("src < places()",
         [](ScheduleBuilder& builder) { builder.comm({}, 4, 0, kWorkToScratch, kNothing); });
  breaks("src < places()",
         [](ScheduleBuilder& builder) { builder.copy({}, 4, kWorkToScratch, kNothing); });
}

TEST_CASE("labels must fit their bits") {
  breaks("kMaxLevel", [](ScheduleBuilder& builder) {
    builder.copy({kMaxLevel, kMaxSegment}, 0, kWorkToScratch, kNothing);
    builder.copy({kMaxLevel + 1, 0}, 0, kWorkToScratch, kNothing);
  });
  breaks("kMaxSegment", [](ScheduleBuilder& builder) {
    builder.copy({0, kMaxSegment + 1}, 0, kWorkToScratch, kNothing);
  });
}

TEST_CASE("input is never written, and only scratch has slots") {
  breaks("Buffer::input", [](ScheduleBuilder& builder) {
    builder.comm({}, 0, 1, {kOne, kWork, kInput}, kNothing);
  });
  breaks("place.slot == 0", [](ScheduleBuilder& builder) {
    builder.copy({}, 0, {kOne, {Buffer::work, 1}, kScratch}, kNothing);
  });
  breaks("place.slot == 0", [](ScheduleBuilder& builder) {
    builder.copy({}, 0, {kOne, {Buffer::input, 1}, kScratch}, kNothing);
  });
  breaks("kSameBlocks", [](ScheduleBuilder& builder) {
    builder.copy({}, 0, {kOne, kWork, {Buffer::scratch, 1U << 30U}}, kNothing);
  });
  breaks("kSameBlocks", [](ScheduleBuilder& builder) {
    builder.copy({}, 0, {kOne, kWork, {Buffer::scratch, 0xffffffffU}}, kNothing);
  });
}

TEST_CASE("blocks must exist, and cannot be named twice") {
  const auto copies = [](BlockSet blocks, std::uint32_t into_first = kSameBlocks) {
    return [=](ScheduleBuilder& builder) {
      builder.copy({}, 0, {blocks, kWork, kScratch, into_first}, kNothing);
    };
  };
  breaks("set.first < blocks()", copies({4, 1}));
  breaks("set.count >= 1", copies({0, 0}));
  breaks("set.count <= blocks()", copies({0, 5}));
  breaks("set.stride >= set.run", copies({0, 3, 2, 1}));
  breaks("<= blocks()", copies({0, 3, 1, 2}));  // blocks 0, 2, and 0 again
  breaks("into_first < blocks()", copies({0, 1}, 4));
  // Blocks 1 and 2 differ in size.
  breaks("layout_.set_bytes(into) == bytes", copies({1, 1}, 2));
  ScheduleBuilder builder = builder_of_4();
  CHECK_NOTHROW(copies({0, 2, 1, 2})(builder));
  CHECK_NOTHROW(copies({3, 2, 1, 3})(builder));
  CHECK_NOTHROW(copies({0, 1}, 1)(builder));
}

TEST_CASE("a message of more than 16 TiB is refused") {
  Problem problem = problem_of(Collective::bcast, 2, 0);
  problem.element_bytes = 1;
  problem.bytes = kMaxMessageBytes;
  ScheduleBuilder largest(problem, 1);
  const OpId a = largest.comm({}, 0, 1, {kOne, kWork, kWork}, kNothing);
  CHECK(largest.finish().op(a).bytes() == kMaxMessageBytes);
  ++problem.bytes;
  ScheduleBuilder too_large(problem, 1);
  CHECK_THROWS_WITH(too_large.comm({}, 0, 1, {kOne, kWork, kWork}, kNothing),
                    Catch::Contains("kMaxMessageBytes"));
}

TEST_CASE("blocks without a pattern are stored in the pool, and only there") {
  ScheduleBuilder builder = builder_of_4();
  const std::vector<BlockPair> scattered{{0, 1}, {3, 2}};
  const std::vector<BlockPair> one_run{{3, 2}, {0, 3}};
  const OpId a = builder.pairs(OpKind::comm, {}, 0, 1, kWork, {Buffer::scratch, 1}, scattered,
                               Operand::left, kNothing);
  const OpId b = builder.copy({}, 0, {{1, 1}, kWork, kScratch}, kNothing);
  // The two blocks of a pair must have the same size, but block 0 has 24 bytes and block 3 has 16.
  CHECK_THROWS_AS(
      builder.pairs(OpKind::copy, {}, 0, 0, kWork, kScratch, one_run, Operand::left, kNothing),
      InvariantError);
  const std::vector<BlockPair> run{{2, 2}, {3, 3}, {0, 0}};
  const OpId c =
      builder.pairs(OpKind::copy, {}, 0, 0, kWork, kScratch, run, Operand::left, kNothing);
  const Schedule schedule = builder.finish();
  CHECK(schedule.op(a).pooled());
  CHECK(schedule.op(a).bytes() == 24 + 16);
  CHECK_FALSE(schedule.op(b).pooled());
  CHECK_FALSE(schedule.op(c).pooled());
  CHECK(schedule.pooled_ops() == 1);
  CHECK(schedule.pool().size() == 2);
  std::vector<BlockPair> found;
  for_each_block_pair(schedule, a, [&](std::uint32_t from, std::uint32_t into) {
    found.push_back({from, into});
  });
  CHECK(found == std::vector<BlockPair>{{0, 4 + 1}, {3, 4 + 2}});
  found.clear();
  for_each_block_pair(schedule, c, [&](std::uint32_t from, std::uint32_t into) {
    found.push_back({from, into});
  });
  CHECK(found == run);
}

TEST_CASE("pooled blocks are checked like others") {
  const auto pairs = [](OpKind kind, Rank dst, const std::vector<BlockPair>& blocks,
                        Label label = {}) {
    return [=](ScheduleBuilder& builder) {
      builder.pairs(kind, label, 0, dst, kWork, kScratch, blocks, Operand::left, kNothing);
    };
  };
  const std::vector<BlockPair> fine{{0, 1}, {3, 2}};
  breaks("!pairs.empty()", pairs(OpKind::comm, 1, {}));
  breaks("dst < places()", pairs(OpKind::comm, 4, fine));
  breaks("kind == OpKind::comm", pairs(OpKind::comm, 0, fine));
  breaks("kind == OpKind::comm", pairs(OpKind::copy, 1, fine));
  breaks("last_from < blocks()", pairs(OpKind::comm, 1, {{4, 1}, {3, 2}}));
  breaks("last_into < blocks()", pairs(OpKind::comm, 1, {{0, 4}, {3, 2}}));
  breaks("size_bytes(pair.into)", pairs(OpKind::comm, 1, {{0, 2}, {3, 1}}));
  breaks("kMaxLevel", pairs(OpKind::comm, 1, fine, {kMaxLevel + 1, 0}));
  // Pairs that form one run are checked on another code path.
  breaks("(src != dst) == (kind == OpKind::comm)", pairs(OpKind::comm, 0, {{0, 0}, {1, 1}}));
  breaks("(src != dst) == (kind == OpKind::comm)", pairs(OpKind::reduce, 1, {{0, 0}}));
}

TEST_CASE("a builder needs a valid problem") {
  CHECK_THROWS_AS(ScheduleBuilder(problem_of(Collective::bcast, 0, 1), 1), InvariantError);
  CHECK_THROWS_AS(ScheduleBuilder(problem_of(Collective::bcast, 2, 1), 0), InvariantError);
  Problem problem = problem_of(Collective::bcast, 2, 1);
  problem.bytes = 9;
  CHECK_THROWS_AS(ScheduleBuilder(problem, 1), InvariantError);
  // The blocks must cover the problem's vector exactly.
  problem = problem_of(Collective::bcast, 2, 4);
  CHECK(ScheduleBuilder(problem, BlockLayout::irregular({1, 3}, 8)).layout().size_bytes(1) == 24);
  CHECK_THROWS_AS(ScheduleBuilder(problem, BlockLayout::irregular({1, 2}, 8)), InvariantError);
}

TEST_CASE("blocks per rank have the sizes that the user gives, or are even") {
  Problem problem = problem_of(Collective::reduce_scatter, 2, 4);
  CHECK(block_per_rank(problem) == BlockLayout::even(4, 2, 8));
  problem.block_bytes = {8, 24};
  CHECK(block_per_rank(problem) == BlockLayout::irregular({1, 3}, 8));
  problem.block_bytes = {4, 28};
  CHECK_THROWS_AS(block_per_rank(problem), InvariantError);
  problem.block_bytes = {8, 16, 8};
  CHECK_THROWS_AS(block_per_rank(problem), InvariantError);
}

TEST_CASE("more operations than ids are a user error, before memory runs out") {
  ScheduleBuilder builder = builder_of_4();
  CHECK_THROWS_AS(builder.reserve(kNoOp, 1), UserError);
  CHECK_THROWS_AS(builder.reserve(1, std::size_t{1} << 32U), UserError);
}

TEST_CASE("a schedule without payload has times, and takes less memory") {
  const auto build = [](Detail detail) {
    ScheduleBuilder builder(problem_of(Collective::bcast, 2, 10), 2, detail);
    builder.reserve(1, 0);
    builder.comm({}, 0, 1, {{0, 2}, kWork, kWork}, kNothing);
    const std::vector<BlockPair> scattered{{0, 1}, {1, 0}};
    builder.pairs(OpKind::comm, {}, 0, 1, kWork, kWork, scattered, Operand::left, kNothing);
    return builder.finish();
  };
  const Schedule full = build(Detail::payload);
  const Schedule times = build(Detail::times_only);
  CHECK(full.has_payload());
  CHECK_FALSE(times.has_payload());
  CHECK(full.op(0).bytes() == times.op(0).bytes());
  CHECK(full.op(1).bytes() == times.op(1).bytes());
  CHECK(times.memory_bytes() + 20 * 2 <= full.memory_bytes());
}

}  // namespace tutti::test_builder
