// --block-bytes: the bytes of each rank's block, where they differ.
#include <fmt/ranges.h>

#include "base/quantities.hpp"
#include "schedules/options/option_field.hpp"

namespace tutti::options {

namespace {

std::string help() {
  return "Bytes of each rank's block, where they may differ: 64,8,128 for 3 ranks [equal]";
}

void parse(std::string_view what, std::string_view text, Problem& into) {
  into.block_bytes = parse_byte_list(what, text);
}

std::string print(const Problem& problem) {
  return fmt::format("{}", fmt::join(problem.block_bytes, ","));
}

OptionValue value(const Problem& problem) { return problem.block_bytes; }

void set(const OptionValue& value, Problem& into) {
  into.block_bytes = std::get<std::vector<std::uint64_t>>(value);
}

// Everything in the last rank's block, but for one element in the first one's.
std::vector<OptionTrial> trials(const Problem& problem) {
  Problem skewed = problem;
  skewed.block_bytes.assign(problem.ranks, 0);
  skewed.block_bytes.back() = problem.bytes;
  if (problem.ranks > 1 && problem.bytes > 0) {
    skewed.block_bytes.back() -= problem.element_bytes;
    skewed.block_bytes.front() = problem.element_bytes;
  }
  return {{skewed, TriedFor::tests}};
}

}  // namespace

extern const OptionType block_sizes{
    .option = Option::block_sizes,
    .flag = "--block-bytes",
    .type_name = "SIZES",
    .help = help,
    .json_key = "block_bytes",
    .recorded = Recorded::as_list,
    .changes_problem = true,
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::block_bytes>,
    .copy = copy_member<&Problem::block_bytes>,
    .value = value,
    .set = set,
    .trials = trials,
};

}  // namespace tutti::options
