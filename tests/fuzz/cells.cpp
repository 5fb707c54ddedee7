// libFuzzer target: no line may crash the reader of cells that a worker receives, or the reader of
// a worker's answers.
#include "schedules/registry.hpp"
#include "src/experiments/sweep/cell.hpp"
#include "src/experiments/sweep/cell_answer.hpp"
#include "src/workers/build_id.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

tutti::Case some_cell() {
  static const tutti::Machine kMachine;
  tutti::Case cell{&tutti::algorithm_named("allreduce/ring"), {}, &kMachine};
  cell.problem.ranks = 4;
  cell.problem.bytes = 64;
  return cell;
}

}  // namespace

// The text of a cell contains the name of the build of tutti that wrote it. The corpus has "BUILD"
// in place of this name; this function replaces "BUILD" with the name of this build.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string line = fuzz::text_of(data, size);
  constexpr std::string_view kBuild = "BUILD";
  if (const std::size_t at = line.find(kBuild); at != std::string::npos) {
    line.replace(at, kBuild.size(), tutti::version_and_build());
  }
  fuzz::may_refuse([&] {
    tutti::CellReader reader;
    const tutti::ReceivedCell received = reader.read(line);
    const tutti::CellKey key = key_of(received.cell, received.platform_id);
    const std::string again =
        to_line(received.cell, machine_text(*received.machine, received.platform_id));
    fuzz::require(key_of(reader.read(again).cell, received.platform_id) == key,
                  "a cell changes when it is written and read again");
  });
  fuzz::may_refuse([&] { (void)tutti::outcome_of_answer_line(some_cell(), line); });
  return 0;
}
