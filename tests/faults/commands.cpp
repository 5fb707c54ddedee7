// Tests whole commands: whichever system call fails, the exit code is 0, 1 or 2, and standard error
// has at most two lines.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <vector>

#include "src/commands/cli.hpp"
#include "src/experiments/sweep/result_store.hpp"
#include "src/formats/printed_messages.hpp"
#include "tests/faults/database.hpp"
#include "tests/faults/injection.hpp"
#include "tests/source_dir.hpp"

namespace tutti::faults {
namespace {

// A stream buffer of fixed size in memory: writing to it makes no system call.
class Page : public std::streambuf {
 public:
  Page() { setp(text_.data(), text_.data() + text_.size()); }
  [[nodiscard]] std::string text() const { return {pbase(), pptr()}; }

 private:
  std::array<char, 1U << 16U> text_{};
};

struct CommandResult {
  int code = 0;
  std::string out;
  std::string err;
};

CommandResult run_with(const std::vector<std::string>& arguments, const Fault& fault) {
  auto out = std::make_unique<Page>();
  auto err = std::make_unique<Page>();
  std::ostream out_stream(out.get());
  std::ostream err_stream(err.get());
  CommandResult ended;
  {
    const ArmedFault armed(fault);
    PrintedMessages messages(err_stream);
    ended.code = run(arguments, {out_stream, messages});
  }
  ended.out = out->text();
  ended.err = err->text();
  return ended;
}

void sweep_command(const std::vector<std::string>& arguments, std::uint64_t most) {
  CAPTURE(arguments);
  for (const Kind kind : {Kind::io_error, Kind::no_space}) {
    const CommandResult expected = run_with(arguments, {kind, 0, false});
    const std::uint64_t without = calls();
    INFO(expected.err);
    REQUIRE(expected.code == 0);
    for (const bool lasting : {false, true}) {
      std::uint64_t hits = 0;
      const std::uint64_t step = std::max<std::uint64_t>(1, without / most | 1U);
      for (std::uint64_t at = 1; at <= without; at += step) {
        const CommandResult ended = run_with(arguments, {kind, at, lasting});
        CAPTURE(at, lasting, ended.code, ended.err);
        if (!hit()) {
          continue;
        }
        ++hits;
        if (ended.code == 0) {
          CHECK(ended.out == expected.out);
        } else {
          CHECK((ended.code == 1 || ended.code == 2));
          CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') <= 2);
          CHECK_FALSE(ended.err.empty());
        }
      }
      CHECK(hits > 0);
    }
  }
}

void sweep_commands(std::uint64_t most) {
  const std::string source = source_dir();
  sweep_command({"show", source + "/tests/golden/ring_p3.tutti"}, most);
  sweep_command({"verify", source + "/examples/schedules/bruck_allgather.sched", "-p", "3"}, most);
  sweep_command({"lint", source + "/examples/decisions/open_mpi_4.1.json"}, most);
  const Folder folder("command");
  const std::string database = folder.file("results.db");
  std::vector<CellRow> rows;
  // Writes many rows, so that faults also occur while rows are read.
  for (std::int64_t bytes = 8; bytes <= 320; bytes += 8) {
    rows.push_back(row_of(bytes, CellStatus::refused));
  }
  ResultStore(database, Database::Mode::write).put(rows);
  sweep_command({"query", database}, most);
}

}  // namespace

TEST_CASE("a command reports a fault in one line") { sweep_commands(40); }
TEST_CASE("a command reports more faults in one line", "[slow]") { sweep_commands(5000); }

}  // namespace tutti::faults
