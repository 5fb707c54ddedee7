// One command, one file: each adds itself to the command line, and says what to do when chosen.
#pragma once

#include <functional>
#include <iosfwd>

namespace CLI {
class App;
}

namespace tutti {

// Data goes to `out`; progress and complaints to `err`.
struct Streams {
  std::ostream& out;
  std::ostream& err;
};

// For simulate and compare.
inline constexpr const char* kMisprintsHelp =
    "Also formulas that are known to be misprinted, beside those that hold";

// Returns the exit code; throws UserError and InvariantError.
using Action = std::function<int()>;

Action add_choose(CLI::App& app, Streams streams);
Action add_compare(CLI::App& app, Streams streams);
Action add_completion(CLI::App& app, Streams streams);
Action add_decide(CLI::App& app, Streams streams);
Action add_explain(CLI::App& app, Streams streams);
Action add_fit(CLI::App& app, Streams streams);
Action add_help(CLI::App& app, Streams streams);
Action add_lint(CLI::App& app, Streams streams);
Action add_list(CLI::App& app, Streams streams);
Action add_man(CLI::App& app, Streams streams);
Action add_nccl(CLI::App& app, Streams streams);
Action add_platform(CLI::App& app, Streams streams);
Action add_plot(CLI::App& app, Streams streams);
Action add_query(CLI::App& app, Streams streams);
Action add_report(CLI::App& app, Streams streams);
Action add_score(CLI::App& app, Streams streams);
Action add_show(CLI::App& app, Streams streams);
Action add_simulate(CLI::App& app, Streams streams);
Action add_validate(CLI::App& app, Streams streams);
Action add_verify(CLI::App& app, Streams streams);
Action add_worker(CLI::App& app, Streams streams);

}  // namespace tutti
