// Options that select the algorithms that take part in a comparison: --algorithms, and --with for
// programs that users wrote.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/messages.hpp"
#include "schedules/algorithm.hpp"
#include "src/experiments/runner/proof_cells.hpp"
#include "src/requests/schedule_file.hpp"
#include "src/requests/written_schedules.hpp"

namespace tutti { inline namespace requests {
class Command;
}}  // namespace tutti::requests

namespace tutti { inline namespace experiments {

// Programs that users wrote, or written-out schedules in place of programs.
using Programs = std::vector<std::unique_ptr<ProgramFile>>;
[[nodiscard]] std::vector<const Algorithm*> algorithms_of(const Programs& programs);

struct ContenderOptions {
  OptionText algorithms;
  std::vector<std::string> with;
  bool no_verify = false;

  void add_to(Command& app);
  // Adds only the options for files.
  void add_with_to(Command& app);
  // Returns the algorithms that --algorithms names, without repetitions. Empty if the option is not
  // given, which means all algorithms of the collective. Throws UserError for an unknown name.
  [[nodiscard]] std::vector<const Algorithm*> only(Collective collective) const;
  // Reads the files of --with. Returns one program for each file with a program and each
  // combination of the values of --set, one algorithm for written-out schedules of the same name
  // (see written_algorithms()), and one for each source. Throws UserError if a file is for a
  // collective other than `collective` (if `collective` is empty: other than that of the first
  // file). Also throws if an option that only programs use is given without --with.
  [[nodiscard]] Programs programs(std::optional<Collective> collective,
                                  const ProblemOptions& problem,
                                  std::span<ScheduleSource* const> sources = {}) const;
};

// Gives `options` the problems of written-out schedules, as take_problems() of requests does, and
// warns with its sentences.
void take_problems(const Programs& programs, ProblemOptions& options, Messages& messages);

// Lets users give several values of --skips: in a list separated by ';', or by repeating the
// option. `help` describes a single value.
void take_several_skips(Command& app, const std::string& help);

// Tries to prove that the program of each cell is correct. Returns true if all programs are
// correct. For each cell whose problem the program refuses, calls refused(index, reason) instead,
// with the index of the cell in `cells`. At the first incorrect program, reports the reason as an
// error and returns false. If `with_blocks` is true, a schedule whose messages have no blocks
// counts as incorrect, because it must not be ranked among schedules that are proved.
bool prove_programs(const std::vector<ProofCell>& cells, Messages& messages,
                    const std::function<void(std::size_t, const std::string&)>& refused,
                    bool with_blocks = false);

}}  // namespace tutti::experiments
