// What to run, as text: -p, -n, --root, --elem-bytes, and what only some algorithms take. Read
// once, into a ProblemRequest: `simulate` wants one number where `compare` wants a list.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/algorithm.hpp"
#include "schedules/notation/program/program.hpp"
#include "schedules/options/option_type.hpp"

namespace tutti::inline requests {

class Command;

using OptionText = std::optional<std::string>;

// An option that only some algorithms take, as the user wrote it. --block-skew and --sizes
// are of block sizes.
struct SaidOption {
  Option option;
  std::string_view flag;
  std::string text;
};

// k=2,3,4 of --set.
struct ParameterValues {
  std::string name;
  std::vector<std::uint32_t> values;
  std::string text;  // as the user wrote it
};

// Throws UserError for an option that none of them takes; there is at least one.
void refuse_what_none_takes(const std::vector<SaidOption>& said,
                            std::span<const Algorithm* const> algorithms);

struct ProblemOptions {
  OptionText ranks;
  OptionText bytes;
  OptionText element_bytes;
  OptionText root;
  std::array<OptionText, kOptions> own;  // of algorithms, by index_of()
  OptionText block_skew;
  OptionText pair_sizes;
  OptionText limit;
  std::vector<std::string> set;
  OptionText ranks_per_host;

  void add_to(Command& app);

  [[nodiscard]] const OptionText& of(Option option) const { return own[index_of(option)]; }
  // The options of algorithms that were given.
  [[nodiscard]] std::vector<SaidOption> said() const;
  [[nodiscard]] bool wants_best_segment() const { return of(Option::segment) == "auto"; }
  // --limit, of programs. Throws UserError.
  [[nodiscard]] ProgramLimits program_limits() const;
  // --set, of programs. Throws UserError.
  [[nodiscard]] std::vector<ParameterValues> parameters() const;
  // The first option given that only programs take, for messages: "--limit 'steps=3'".
  [[nodiscard]] OptionText only_for_programs() const;
  // For Machine's mapping; 1 where it is not given. Throws UserError.
  [[nodiscard]] std::uint32_t ranks_per_host_count() const;
  // Throws UserError where -p is not given; `example` is one.
  void need_ranks(std::string_view example) const;
  // For commands over several algorithms: throws UserError for an option that none of them takes.
  void refuse_what_none_takes(std::span<const Algorithm* const> algorithms) const;
};

}  // namespace tutti::inline requests
