// libFuzzer target: no text may crash the reader of GOAL, or code that uses an accepted file; and
// what the writer makes of an accepted file must be read as the same nodes.
#include "src/interchange/goal.hpp"

#include "tests/fuzz/schedules.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  static_cast<void>(tutti::is_goal(text));
  fuzz::may_refuse([&] {
    const tutti::Application read = tutti::read_goal(text, "fuzz");
    fuzz::require(read.schedule.bytes_only().has_value(), "an application is not bare");
    fuzz::prove(read.schedule, 100'000);
    const tutti::RankNodes nodes = tutti::nodes_of(read.schedule, {});
    std::ostringstream out;
    write_goal(nodes, out);
    const tutti::GoalFile again = tutti::parse_goal(out.str(), "written");
    fuzz::require(again.nodes.nodes == nodes.nodes && again.nodes.rows == nodes.rows &&
                      again.nodes.dependencies == nodes.dependencies,
                  "a written file is read back differently");
    std::ostringstream notation;
    print_notation(read.schedule, "fuzz", notation);
    static_cast<void>(tutti::parse_notation(notation.str(), "fuzz"));
  });
  return 0;
}
