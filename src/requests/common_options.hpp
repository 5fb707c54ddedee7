// Options that several commands share, with one meaning everywhere.
//
// They are kept as text: `simulate` wants one number where `compare` wants a list, and each says in
// its own words what it accepts.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "schedules/algorithm.hpp"
#include "schedules/notation/program/program.hpp"

namespace CLI {
class App;
}

namespace tutti {

using OptionText = std::optional<std::string>;

// What to run: -p, -n, --root, --elem-bytes, and what only some algorithms take.
struct ProblemOptions {
  OptionText ranks;
  OptionText bytes;
  OptionText element_bytes;
  OptionText root;
  OptionText fold;
  OptionText segment;
  OptionText skips;
  OptionText tree;
  OptionText cuts;
  OptionText parts;
  OptionText block_bytes;
  OptionText block_skew;
  OptionText cores_per_node;
  OptionText limit;
  OptionText ranks_per_host;

  void add_to(CLI::App& app);
  // One problem. Throws UserError for a value that is missing or wrong, and for an option that was
  // given and that the algorithm does not take. `--segment auto` needs prices, which no problem
  // has: it is refused unless `finds_segment` says that the caller looks for the size itself
  // (simulation/best_segment.hpp); the problem then has none yet.
  [[nodiscard]] Problem problem(const Algorithm& algorithm, bool finds_segment = false) const;
  [[nodiscard]] bool wants_best_segment() const { return segment == "auto"; }
  // --limit, of programs. Throws UserError.
  [[nodiscard]] ProgramLimits program_limits() const;
  // --elem-bytes; 8 where it is not given.
  [[nodiscard]] std::uint32_t element_bytes_count() const;
  // For Machine's mapping; 1 where it is not given.
  [[nodiscard]] std::uint32_t ranks_per_host_count() const;
  // The same without what `algorithm` does not take, for commands over several algorithms: none of
  // them should be refused because only some take --fold. Sizes of blocks stay, since without them
  // it would be another problem.
  [[nodiscard]] ProblemOptions applicable_to(const Algorithm& algorithm) const;
  // Also for such commands: throws UserError for an option that none of the algorithms takes.
  void refuse_what_none_takes(std::span<const Algorithm* const> algorithms) const;
  // The options that only some algorithms take.
  struct Single {
    Option option;
    std::string_view name;
    const OptionText* text;
  };
  [[nodiscard]] std::array<Single, 9> singles() const;

 private:
  void read_sizes(const Algorithm& algorithm, Problem& problem) const;
  void read_blocks(const Algorithm& algorithm, Problem& problem) const;
  void read_nodes(const Algorithm& algorithm, Problem& problem) const;
};

// Where results go besides the report for people.
struct ResultOptions {
  OptionText json;
  OptionText csv;

  void add_to(CLI::App& app);
};

inline constexpr const char* kAlgorithmHelp =
    "collective/algorithm, such as allreduce/ring ('tutti list' names all), or a file: a program "
    "in "
    "the notation, or a schedule as 'tutti show' prints it";

// "unknown collective 'allredce': did you mean 'allreduce'?"
[[nodiscard]] std::string unknown_collective(const std::string& text);
// "allreduce". Throws UserError that suggests the nearest, or names all.
[[nodiscard]] Collective parse_collective(const std::string& text);
inline constexpr const char* kCollectiveHelp =
    "allreduce, bcast, reduce, reduce_scatter, allgather, alltoall, gather, scatter or barrier";

// --jobs; as many as there are processors where it is not given.
[[nodiscard]] std::size_t parse_jobs(const OptionText& text);

// Commands over several ranks, sizes and algorithms hold a record of each `thing` ("run"), so that
// there must not be any number of them: throws UserError. To be asked before there are any.
void check_number_of(const std::string& thing, std::uint64_t count);

// Of several output paths at most one may be "-"; throws UserError otherwise.
void check_one_standard_output(std::initializer_list<const OptionText*> paths);

}  // namespace tutti
