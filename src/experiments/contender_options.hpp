// Options that select the algorithms that take part in a comparison: --algorithms, and --with for
// programs that users wrote.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedules/algorithm.hpp"
#include "src/experiments/proof_cells.hpp"
#include "src/requests/schedule_file.hpp"

namespace tutti::inline requests {
class Command;
}  // namespace tutti::inline requests

namespace tutti::inline experiments {

// Programs that users wrote.
using Programs = std::vector<std::unique_ptr<ProgramFile>>;
[[nodiscard]] std::vector<const Algorithm*> algorithms_of(const Programs& programs);

struct ContenderOptions {
  OptionText algorithms;
  std::vector<std::string> with;
  bool no_verify = false;

  void add_to(Command& app);
  // Algorithms that --algorithms names, without repetitions. Empty if the option is not given,
  // which means all algorithms of the collective. Throws UserError for an unknown name.
  [[nodiscard]] std::vector<const Algorithm*> only(Collective collective) const;
  // Reads the programs of --with: one for each combination of the values of --set. Throws UserError
  // if a program is a schedule for a single number of ranks, or is for another collective than
  // `collective` (if `collective` is empty: than the first program). Also throws if options of
  // programs are given without a program.
  [[nodiscard]] Programs programs(std::optional<Collective> collective,
                                  const ProblemOptions& problem) const;
};

// Lets users give several values to --skips, separated by ';' or by repeating the option. `help`
// describes a single value.
void take_several_skips(Command& app, const std::string& help);

// Proves the program of each cell. Returns true if all programs are correct. Calls refused(index,
// reason) for each cell that its program refuses. At the first incorrect program, prints the reason
// on `err` and returns false.
bool prove_programs(const std::vector<ProofCell>& cells, std::ostream& err,
                    const std::function<void(std::size_t, const std::string&)>& refused);

}  // namespace tutti::inline experiments
