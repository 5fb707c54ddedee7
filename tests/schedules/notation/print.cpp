#include "schedules/notation/print.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <sstream>

#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_print {
using Catch::Matchers::Contains;

namespace {

std::string printed(const Schedule& schedule) {
  std::ostringstream out;
  print_notation(schedule, "planted", out);
  return out.str();
}

// Returns the printed statements, without the header.
std::string statements(const Schedule& schedule) {
  const std::string text = printed(schedule);
  return text.substr(text.find("\n\n") + 2);
}

}  // namespace

TEST_CASE("Messages, reductions and copies are printed with all blocks and buffers that they use") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 3, 8), 8);
  const OpId message = builder.comm({0, 2}, 0, 1, {{7, 3}, kWork, {Buffer::scratch, 2}}, {});
  builder.reduce({1, 0}, 1, {{7, 1}, {Buffer::scratch, 2}, kWork}, Operand::left,
                 std::array{message});
  builder.reduce({2, 0}, 1, {{7, 1}, {Buffer::scratch, 2}, kWork}, Operand::right, {});
  builder.copy({3, 0}, 2, {{0, 2}, kInput, kWork, 3}, {});
  builder.comm({4, 0}, 0, 1, {{1, 4, 2, 5}, kWork, kScratch}, std::array{message});
  CHECK(statements(builder.finish()) ==
        "Req(<0,2>,{0,1}) = Comm(0,1,24, work[7:3] -> scratch#2[7:3])\n"
        "Req(<1,0>,{1}) = Reduce(1,8, scratch#2[7] op work[7] -> work[7]) "
        "After(Req(<0,2>,{0,1}))\n"
        "Req(<2,0>,{1}) = Reduce(1,8, work[7] op scratch#2[7] -> work[7])\n"
        "Req(<3,0>,{2,2}) = Copy(2,16, input[0:2] -> work[3:2])\n"
        "Req(<4,0>,{0,1}) = Comm(0,1,32, work[1:4:2/5] -> scratch[1:4:2/5]) "
        "After(Req(<0,2>,{0,1}))\n");
}

TEST_CASE("Blocks without a pattern are listed, without the slot") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 2, 8), 8);
  const std::array blocks{BlockPair{1, 0}, BlockPair{4, 6}, BlockPair{7, 5}};
  builder.pairs(OpKind::comm, {0, 0}, 0, 1, kWork, {Buffer::scratch, 1}, blocks, Operand::left, {});
  CHECK(statements(builder.finish()) ==
        "Req(<0,0>,{0,1}) = Comm(0,1,24, work[1,4,7] -> scratch#1[0,6,5])\n");
}

TEST_CASE("The header describes the problem and the blocks") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 3, 7), 2);
  CHECK(printed(builder.finish()) ==
        "tutti-schedule 1\ncollective allreduce\nalgorithm planted\nranks 3\nbytes 56\n"
        "element_bytes 8\nroot 0\nblocks 2\n\n");
  const Problem request = problem_of(Collective::allreduce, 2, 13);
  ScheduleBuilder uneven(request, BlockLayout::irregular({4, 4, 4, 1}, request.element_bytes));
  CHECK_THAT(printed(uneven.finish()), Contains("\nblock_bytes 3*32,8\n\n"));
}

TEST_CASE("Two operations with the same label are refused by name") {
  const std::array levels{0U, 1U, 7U};
  for (const std::uint32_t level : levels) {
    ScheduleBuilder builder(problem_of(Collective::allreduce, 3, 2), 2);
    builder.comm({level, 4}, 0, 1, {{0, 1}}, {});
    builder.comm({level, 4}, 0, 2, {{0, 1}}, {});
    builder.comm({level, 5}, 0, 1, {{0, 1}}, {});
    builder.comm({level, 4}, 0, 1, {{1, 1}}, {});
    const Schedule schedule = builder.finish();
    CHECK_THROWS_WITH(printed(schedule),
                      Contains("operations 0 and 3") && Contains(label_text(schedule.op(0))));
  }
}

TEST_CASE("A reduction and a copy at one rank get different labels") {
  ScheduleBuilder builder(problem_of(Collective::allreduce, 2, 1), 1);
  builder.reduce({0, 0}, 1, {{0, 1}, kScratch, kWork}, Operand::left, {});
  builder.copy({0, 0}, 1, {{0, 1}, kWork, kScratch}, {});
  CHECK(statements(builder.finish()) ==
        "Req(<0,0>,{1}) = Reduce(1,8, scratch[0] op work[0] -> work[0])\n"
        "Req(<0,0>,{1,1}) = Copy(1,8, work[0] -> scratch[0])\n");
}

TEST_CASE("A schedule without payload cannot be printed") {
  const Schedule schedule =
      make_schedule(algorithm_named("allreduce/ring"), problem_of(Collective::allreduce, 4, 16),
                    Detail::times_only);
  CHECK_THROWS_AS(printed(schedule), InvariantError);
}

TEST_CASE("Text longer than the buffer is written completely") {
  std::ostringstream out;
  TextWriter writer(out);
  const std::string long_text(200'000, 'x');
  writer << "a" << long_text << 'b' << std::uint64_t{18'446'744'073'709'551'615U} << 0U;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    writer << i % 10;
  }
  writer.flush();
  const std::string text = out.str();
  CHECK(text.size() == 1 + long_text.size() + 1 + 20 + 1 + 100'000);
  CHECK_THAT(text, Contains("xb184467440737095516150012345678901"));
}

}  // namespace tutti::test_print
