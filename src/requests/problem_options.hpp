// Options for what to run, as text: -p, -n, --root, --elem-bytes, and those that only some
// algorithms take. Each command parses them into a ProblemRequest: `simulate` takes one number
// where `compare` takes a list.
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

// An option that only some algorithms take, as the user wrote it. --block-skew and --sizes count as
// Option::block_sizes.
struct SaidOption {
  Option option;
  std::string_view flag;
  std::string text;
};

// A parameter of --set with its values, such as k=2,3,4.
struct ParameterValues {
  std::string name;
  std::vector<std::uint32_t> values;
  std::string text;  // as the user wrote it
};

// Throws UserError for an option that none of the algorithms takes. There must be at least one
// algorithm.
void refuse_what_none_takes(const std::vector<SaidOption>& said,
                            std::span<const Algorithm* const> algorithms);

struct ProblemOptions {
  OptionText ranks;
  OptionText bytes;
  OptionText element_bytes;
  OptionText root;
  // Options that only some algorithms take, at index_of(option).
  std::array<OptionText, kOptions> own;
  OptionText block_skew;
  OptionText pair_sizes;
  OptionText limit;
  std::vector<std::string> set;
  OptionText ranks_per_host;

  void add_to(Command& app);

  [[nodiscard]] const OptionText& of(Option option) const { return own[index_of(option)]; }
  // Returns those of the given options that only some algorithms take.
  [[nodiscard]] std::vector<SaidOption> said() const;
  [[nodiscard]] bool wants_best_segment() const { return of(Option::segment) == "auto"; }
  // Parses --limit, which applies to programs. Throws UserError.
  [[nodiscard]] ProgramLimits program_limits() const;
  // Parses --set, which applies to programs. Throws UserError.
  [[nodiscard]] std::vector<ParameterValues> parameters() const;
  // Returns the first given option that only programs take, for error messages: "--limit
  // 'steps=3'".
  [[nodiscard]] OptionText only_for_programs() const;
  // Returns the number of ranks per host, from --ranks-per-host; 1 by default. Throws UserError.
  [[nodiscard]] std::uint32_t ranks_per_host_count() const;
  // Throws UserError, which shows `example`, if -p is not given.
  void need_ranks(std::string_view example) const;
  // Throws UserError for an option that none of the algorithms takes. Used by commands for several
  // algorithms.
  void refuse_what_none_takes(std::span<const Algorithm* const> algorithms) const;
};

}  // namespace tutti::inline requests
