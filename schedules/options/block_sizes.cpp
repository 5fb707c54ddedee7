// --block-bytes: the size in bytes of each rank's block, if blocks differ in size.
#include <fmt/ranges.h>

#include "base/quantities.hpp"
#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules { namespace options {

namespace {

std::string help() {
  return "Sizes of the ranks' blocks in bytes, if they differ, such as 64,8,128 for 3 ranks; for "
         "alltoallv, the bytes that rank 0 sends to each rank, then the bytes that rank 1 sends to "
         "each rank, and so on [all blocks equal]";
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

// Returns sizes for an alltoallv in which only the last rank receives. Ranks 1 to p-2 send it one
// element each, until problem.bytes are used up, and rank 0 sends it the remaining bytes.
std::vector<std::uint64_t> skewed_pairs(const Problem& problem) {
  const std::uint32_t p = problem.ranks;
  std::vector<std::uint64_t> bytes(std::size_t{p} * p, 0);
  std::uint64_t left = problem.bytes;
  for (Rank from = 1; from + 1 < p && left >= problem.element_bytes; ++from) {
    bytes[std::size_t{from} * p + p - 1] = problem.element_bytes;
    left -= problem.element_bytes;
  }
  // The last rank now receives problem.bytes in total.
  bytes[p - 1] = left;
  return bytes;
}

// Tries a skewed split. The first rank's block has one element, and the last rank's block has all
// other elements.
std::vector<OptionTrial> trials(const Problem& problem) {
  Problem skewed = problem;
  if (problem.collective == Collective::alltoallv) {
    skewed.block_bytes = skewed_pairs(problem);
    return {{skewed, TriedFor::tests}};
  }
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
    .word = "block-bytes",
    .type_name = "SIZES",
    .help = help,
    .json_key = "block_bytes",
    .recorded = RecordPolicy::as_list,
    .changes_problem = true,
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::block_bytes>,
    .copy = copy_member<&Problem::block_bytes>,
    .value = value,
    .set = set,
    .trials = trials,
};

}}}  // namespace tutti::schedules::options
