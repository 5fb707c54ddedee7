// Options that select the algorithms that take part in a comparison: --algorithms, and --with for
// programs that users wrote.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/messages.hpp"
#include "schedules/algorithm.hpp"
#include "src/requests/schedule_file.hpp"
#include "src/requests/written_schedules.hpp"

namespace tutti { inline namespace requests {

class Command;

// Programs that users wrote, or written-out schedules in place of programs.
using Programs = std::vector<std::unique_ptr<ProgramFile>>;
[[nodiscard]] std::vector<const Algorithm*> algorithms_of(const Programs& programs);

struct ContenderOptions {
  // Names of algorithms, which depend on the collective, separated by commas.
  std::optional<std::string> algorithms;
  std::vector<std::string> with;  // paths of files
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

}}  // namespace tutti::requests
