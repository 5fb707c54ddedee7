// Options for what to run, as text: -p, -n, --root, --elem-bytes, and the options that only some
// algorithms take. Each command converts these texts to a ProblemRequest in its own way. For
// example, -p is a list in `compare` but a single number in `simulate`.
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

namespace tutti { inline namespace requests {

class Command;

using OptionText = std::optional<std::string>;

inline constexpr const char* kRanksPerHostHelp = "Number of ranks on each host [1]";

// An option that only some algorithms take, as the user wrote it. --block-skew and --sizes count as
// Option::block_sizes.
struct SaidOption {
  Option option;
  std::string_view flag;
  std::string text;
};

// A parameter that --set names, and its values: --set k=2,3,4.
struct ParameterValues {
  std::string name;
  std::vector<std::uint32_t> values;
  std::string text;  // as the user wrote it
};

// Throws UserError if `said` contains an option that none of the algorithms takes. There must be at
// least one algorithm.
void refuse_what_none_takes(const std::vector<SaidOption>& said,
                            std::span<const Algorithm* const> algorithms);

// Returns the only number of ranks that `algorithms` serve, if this is one program that says it.
[[nodiscard]] std::optional<std::uint32_t> only_ranks(std::span<const Algorithm* const> algorithms);

struct ProblemOptions {
  OptionText ranks;
  OptionText bytes;
  OptionText element_bytes;
  OptionText root;
  // Options that only some algorithms take. The index of an option is index_of(option).
  std::array<OptionText, kOptions> own;
  OptionText block_skew;
  OptionText pair_sizes;
  OptionText limit;
  std::vector<std::string> set;
  OptionText ranks_per_host;
  OptionText collective;  // of an MSCCL file that does not name it

  void add_to(Command& app);

  [[nodiscard]] const OptionText& of(Option option) const { return own[index_of(option)]; }
  // Returns the options that the user gave and that only some algorithms take.
  [[nodiscard]] std::vector<SaidOption> said() const;
  [[nodiscard]] bool wants_best_segment() const { return of(Option::segment) == "auto"; }
  // Parses --limit, which applies to programs. Throws UserError.
  [[nodiscard]] ProgramLimits program_limits() const;
  // Parses --set, which applies to programs. Throws UserError.
  [[nodiscard]] std::vector<ParameterValues> parameters() const;
  // Returns the first option that the user gave and that only programs in tutti's notation take,
  // for error messages: "--limit 'steps=3'".
  [[nodiscard]] OptionText only_for_programs() const;
  // Returns the number of ranks per host, from --ranks-per-host; 1 by default. Throws UserError.
  [[nodiscard]] std::uint32_t ranks_per_host_count() const;
  // Throws a UserError that shows `example` if the user did not give -p, unless `algorithms` is one
  // program that serves only one number of ranks.
  void need_ranks(std::string_view example,
                  std::span<const Algorithm* const> algorithms = {}) const;
  // Throws UserError if the user gave an option that none of the algorithms takes. Commands for
  // several algorithms call this function.
  void refuse_what_none_takes(std::span<const Algorithm* const> algorithms) const;
};

}}  // namespace tutti::requests
