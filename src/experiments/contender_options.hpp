// Who takes part where several are set side by side: --algorithms, and programs of users, --with.
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

// What a user has written.
using Programs = std::vector<std::unique_ptr<ProgramFile>>;
[[nodiscard]] std::vector<const Algorithm*> algorithms_of(const Programs& programs);

struct ContenderOptions {
  OptionText algorithms;
  std::vector<std::string> with;
  bool no_verify = false;

  void add_to(Command& app);
  // By name, each once; none: all of the collective. Throws UserError.
  [[nodiscard]] std::vector<const Algorithm*> only(Collective collective) const;
  // Programs of --with, one for each combination of the values of --set. Throws UserError if one is
  // a schedule for one number of ranks, or of another collective (without `collective`: than the
  // first), and for options of programs if there is none.
  [[nodiscard]] Programs programs(std::optional<Collective> collective,
                                  const ProblemOptions& problem) const;
};

// Lets --skips have several values, as one text with ';' between them or as the option more than
// once. `help` says what a single one is.
void take_several_skips(Command& app, const std::string& help);

// Whether programs are right in all cells; `refused` is told the place of each cell that its
// program refuses, and why. Of the first that is wrong it says on `err` why, and returns false.
bool prove_programs(const std::vector<ProofCell>& cells, std::ostream& err,
                    const std::function<void(std::size_t, const std::string&)>& refused);

}  // namespace tutti::inline experiments
