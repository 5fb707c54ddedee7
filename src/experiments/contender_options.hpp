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
  // Returns the algorithms that --algorithms names, without repetitions. Empty if the option is not
  // given, which means all algorithms of the collective. Throws UserError for an unknown name.
  [[nodiscard]] std::vector<const Algorithm*> only(Collective collective) const;
  // Reads the files of --with. Returns one program for each file and each combination of the values
  // of --set. Throws UserError if a file has a schedule for a single number of ranks instead of a
  // program, or if a program implements a collective other than `collective` (if `collective` is
  // empty: other than that of the first program). Also throws if an option that only programs use
  // is given without --with.
  [[nodiscard]] Programs programs(std::optional<Collective> collective,
                                  const ProblemOptions& problem) const;
};

// Lets users give several values of --skips: in a list separated by ';', or by repeating the
// option. `help` describes a single value.
void take_several_skips(Command& app, const std::string& help);

// Tries to prove that the program of each cell is correct. Returns true if all programs are
// correct. For each cell whose problem the program refuses, calls refused(index, reason) instead,
// with the index of the cell in `cells`. At the first incorrect program, prints the reason on `err`
// and returns false.
bool prove_programs(const std::vector<ProofCell>& cells, std::ostream& err,
                    const std::function<void(std::size_t, const std::string&)>& refused);

}  // namespace tutti::inline experiments
