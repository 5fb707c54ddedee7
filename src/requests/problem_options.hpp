// Options for what to run: -p, -n, --root, --elem-bytes, and the options that only some algorithms
// take. The values of the latter depend on the algorithm, so they are texts until a ProblemRequest
// is made of them.
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
#include "src/requests/pair_sizes.hpp"
#include "src/requests/value_with_text.hpp"

namespace tutti { inline namespace requests {

class Command;
class OptionGroup;

inline constexpr const char* kRanksPerHostHelp = "Number of ranks on each host [1]";

// Options that are a list in some commands, and a single value in others.
using RanksOption = std::optional<ValueWithText<std::vector<std::uint32_t>>>;
using BytesOption = std::optional<ValueWithText<std::vector<std::uint64_t>>>;

// How many values -p and -n may have.
enum class Values : std::uint8_t { one, list };

struct RootChoice {
  Rank rank = 0;
  bool all = false;  // every rank in turn

  friend bool operator==(const RootChoice&, const RootChoice&) = default;
};

// An option that only some algorithms take, as the user wrote it. --block-skew and --sizes count as
// Option::block_sizes.
struct GivenOption {
  Option option;
  std::string field;  // the name for messages, such as "$block_skew" (base/field_names.hpp)
  std::string text;
};

// A parameter that --set names, and its values: --set k=2,3,4.
struct ParameterValues {
  std::string name;
  std::vector<std::uint32_t> values;
  std::string text;  // as the user wrote it
};

// Parsers of -p, of -n and of --ranks-per-host as lists, of -p for NCCL, and of single options. The
// list of ranks per host is sorted. Throw UserError.
[[nodiscard]] std::vector<std::uint32_t> parse_ranks(std::string_view from,
                                                     const std::string& text);
[[nodiscard]] std::vector<std::uint64_t> parse_sizes(std::string_view from,
                                                     const std::string& text);
[[nodiscard]] std::vector<std::uint32_t> parse_ranks_per_host(std::string_view from,
                                                              const std::string& text);
[[nodiscard]] std::vector<std::uint32_t> parse_gpus(std::string_view from, const std::string& text);
[[nodiscard]] std::uint32_t parse_element_bytes(std::string_view from, const std::string& text);
[[nodiscard]] RootChoice parse_root(std::string_view from, const std::string& text);
[[nodiscard]] PairSizes parse_pair_sizes(std::string_view from, const std::string& text);
[[nodiscard]] RootChoice parse_root_or_all(std::string_view from, const std::string& text);

// Throws UserError if `given_options` contains an option that none of the algorithms takes. There
// must be at least one algorithm.
void refuse_what_none_takes(const std::vector<GivenOption>& given_options,
                            std::span<const Algorithm* const> algorithms);

// Returns the only number of ranks that `algorithms` serve, if this is one program that says it.
[[nodiscard]] std::optional<std::uint32_t> only_ranks(std::span<const Algorithm* const> algorithms);

struct ProblemOptions {
  RanksOption ranks;
  BytesOption bytes;
  std::optional<ValueWithText<std::uint32_t>> element_bytes;
  std::optional<ValueWithText<RootChoice>> root;
  // Texts of the options that only some algorithms take. The index of an option is
  // index_of(option).
  std::array<std::optional<std::string>, kOptions> own;
  std::optional<ValueWithText<double>> block_skew;
  std::optional<PairSizes> pair_sizes;
  std::optional<ValueWithText<ProgramLimits>> limit;
  std::vector<ParameterValues> set;
  RanksOption ranks_per_host;
  // Name of the collective of an MSCCL file that does not name it. All else refuses any text.
  std::optional<std::string> collective;

  void add_to(Command& app, Values values);
  // Adds only -p, -n and --elem-bytes.
  void add_plain_to(Command& app, Values values);
  // Adds only --ranks-per-host.
  void add_ranks_per_host(const OptionGroup& group);

  [[nodiscard]] const std::optional<std::string>& of(Option option) const {
    return own[index_of(option)];
  }
  // Returns the options that the user gave and that only some algorithms take.
  [[nodiscard]] std::vector<GivenOption> given_options() const;
  [[nodiscard]] bool wants_best_segment() const { return of(Option::segment) == "auto"; }
  // Returns the limits of programs, from --limit.
  [[nodiscard]] ProgramLimits program_limits() const;
  // Returns the first option that the user gave and that only programs in tutti's notation take,
  // for error messages: "--limit 'steps=3'".
  [[nodiscard]] std::optional<std::string> only_for_programs() const;
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
