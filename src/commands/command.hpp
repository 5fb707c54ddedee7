// Declares one function for each command. The function adds the command and its options to `app`,
// and returns the action that is run if the user chooses this command.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/messages.hpp"

namespace tutti { inline namespace requests {
class Command;
class ScheduleSource;
}}  // namespace tutti::requests

namespace tutti { inline namespace workers {
class CellPool;
}}  // namespace tutti::workers

namespace tutti { inline namespace commands {

// Streams of a command: `out` for its results, `messages` for everything else.
struct Streams {
  std::ostream& out;
  Messages& messages;
  // Runs the cells of sweeps. Null: worker processes or threads do. See SweepOptions.
  CellPool* cells = nullptr;
  // See SweepOptions.
  bool can_start_workers = true;
  // Algorithms of the calling program, which compare, decide and search take as contenders.
  std::span<ScheduleSource* const> sources = {};
  // Where the paths of temporary files begin; see begin_provenance().
  std::string_view temporary_files = {};
};

// Help texts of options that several commands have.
inline constexpr const char* kMisprintsHelp = "Also show formulas that are known to be misprinted";
inline constexpr const char* kRanksHelp =
    "Numbers of ranks, such as 8 or 4,8,16 or 2..64 (all of these) or 2..256*2 (2, 4, 8, ..., "
    "256)";
inline constexpr const char* kSizesHelp =
    "Sizes of the largest buffer of a rank, such as 64K or 8,64K or 8..16MiB*2 (8, 16, 32, ..., "
    "16MiB)";

// If there is a path, writes the JSON to this file. Returns true if the path is "-", which is
// standard output.
bool wrote_json(const std::optional<std::string>& path, const nlohmann::ordered_json& json,
                Streams streams);

// Reports the first few notes about input files, and how many more there are.
void report_notes(const std::vector<std::string>& notes, Messages& messages);

// A function that runs a command and returns its exit code. It may throw UserError or
// InvariantError.
using Action = std::function<int()>;

Action add_bound(Command& app, Streams streams);
Action add_choose(Command& app, Streams streams);
Action add_compare(Command& app, Streams streams);
Action add_completion(Command& app, Streams streams);
Action add_convert(Command& app, Streams streams);
Action add_decide(Command& app, Streams streams);
Action add_doctor(Command& app, Streams streams);
Action add_explain(Command& app, Streams streams);
Action add_fit(Command& app, Streams streams);
Action add_help(Command& app, Streams streams);
Action add_lint(Command& app, Streams streams);
Action add_list(Command& app, Streams streams);
Action add_man(Command& app, Streams streams);
Action add_nccl(Command& app, Streams streams);
Action add_platform(Command& app, Streams streams);
Action add_plot(Command& app, Streams streams);
Action add_query(Command& app, Streams streams);
Action add_report(Command& app, Streams streams);
Action add_score(Command& app, Streams streams);
Action add_search(Command& app, Streams streams);
Action add_show(Command& app, Streams streams);
Action add_simulate(Command& app, Streams streams);
Action add_jobs_command(Command& app, Streams streams);
Action add_step(Command& app, Streams streams);
Action add_validate(Command& app, Streams streams);
Action add_verify(Command& app, Streams streams);
Action add_worker(Command& app, Streams streams);

}}  // namespace tutti::commands
