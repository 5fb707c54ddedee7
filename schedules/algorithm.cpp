#include "schedules/algorithm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/field_names.hpp"
#include "base/plural.hpp"
#include "base/work_ticker.hpp"
#include "schedules/notation/program/program.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Checks that `problem.bytes`, the size of an alltoallv, is the largest number of bytes that a rank
// sends or receives.
void check_pairs(const Problem& problem) {
  if (const auto most = largest_buffer(problem.block_bytes, problem.ranks);
      !most || *most != problem.bytes) {
    throw UnservedProblem(
        most ? sentence("the size must be the largest number of bytes that a rank sends or "
                        "receives: {}, not {}",
                        *most, problem.bytes)
             : sentence("the blocks of a rank together exceed {} bytes", kMaxMessageBytes));
  }
}

// Checks block sizes that were given one by one, on the command line or in a file.
void check_blocks(const Algorithm& algorithm, const Problem& problem) {
  if (!takes(algorithm, Option::block_sizes)) {
    throw UnservedProblem(
        sentence("{} does not accept individual block sizes", algorithm.full_name()));
  }
  const bool of_pairs = problem.collective == Collective::alltoallv;
  if (problem.block_bytes.size() != natural_blocks(problem.collective, problem.ranks)) {
    throw UnservedProblem(sentence("sizes of {} for {}; write one size for each {}",
                                   number_of(problem.block_bytes.size(), "block"),
                                   number_of(problem.ranks, "rank"),
                                   of_pairs ? "pair of ranks" : "rank"));
  }
  for (const std::uint64_t block : problem.block_bytes) {
    if (block % problem.element_bytes != 0) {
      throw UnservedProblem(
          sentence("a block of {} bytes is not a whole number of {}-byte elements", block,
                   problem.element_bytes));
    }
  }
  if (of_pairs) {
    return check_pairs(problem);
  }
  std::uint64_t left = problem.bytes;
  for (const std::uint64_t block : problem.block_bytes) {
    if (block > left) {
      throw UnservedProblem(
          sentence("the blocks together exceed the total of {} bytes", problem.bytes));
    }
    left -= block;
  }
  if (left != 0) {
    throw UnservedProblem(
        sentence("the blocks together are {} bytes short of the total of {}", left, problem.bytes));
  }
}

}  // namespace

std::string own_in_words(const DefaultedNumber& number) {
  return number.by_problem != nullptr ? with_fields(number.by_problem_in_words)
                                      : fmt::format("{}", number.fixed);
}

std::string Algorithm::full_name() const {
  return std::string(tutti::name(collective)) + "/" + std::string(name);
}

const DefaultedNumber* defaulted_number(const Algorithm& algorithm, Option option) {
  const auto found =
      std::find_if(algorithm.own_numbers.begin(), algorithm.own_numbers.end(),
                   [option](const DefaultedNumber& number) { return number.option == option; });
  return found == algorithm.own_numbers.end() ? nullptr : &*found;
}

std::optional<Sentence> why_not_whole_elements(const Problem& problem) {
  if (problem.bytes % problem.element_bytes == 0) {
    return std::nullopt;
  }
  return sentence(
      "{} {} not a whole number of {}-byte elements; use a multiple of {}, or set $elem_bytes to "
      "{}",
      number_of(problem.bytes, "byte"), problem.bytes == 1 ? "is" : "are", problem.element_bytes,
      problem.element_bytes, std::gcd(problem.bytes, std::uint64_t{problem.element_bytes}));
}

void check(const Algorithm& algorithm, const Problem& problem) {
  stop_if_requested();
  TUTTI_INVARIANT(algorithm.collective == problem.collective);
  if (problem.ranks == 0) {
    throw UnservedProblem("0 ranks: a collective needs at least 1");
  }
  if (problem.ranks > kMostRanks) {
    throw UnservedProblem(
        sentence("{} ranks: a schedule can have at most {}", problem.ranks, kMostRanks));
  }
  if (problem.collective == Collective::alltoallv && problem.ranks > kMostPairedRanks) {
    throw UnservedProblem(sentence(
        "{} ranks: an alltoallv, which has a block for each pair of ranks, can have at most {}",
        problem.ranks, kMostPairedRanks));
  }
  if (problem.bytes > kMaxMessageBytes) {
    throw UnservedProblem(
        sentence("{} bytes: a message can have at most {} bytes", problem.bytes, kMaxMessageBytes));
  }
  if (problem.element_bytes == 0) {
    throw UnservedProblem("elements of 0 bytes: an element must have at least 1 byte");
  }
  if (const auto why = why_not_whole_elements(problem)) {
    throw UnservedProblem(*why);
  }
  if (problem.root >= problem.ranks) {
    throw UnservedProblem(sentence("root {} is not one of the {}, 0 to {}", problem.root,
                                   number_of(problem.ranks, "rank"), problem.ranks - 1));
  }
  if (!problem.block_bytes.empty()) {
    check_blocks(algorithm, problem);
  }
  if (algorithm.refusal != nullptr) {
    if (const auto reason = algorithm.refusal(problem)) {
      throw UnservedProblem(reason->after(algorithm.full_name() + " cannot run: "));
    }
  }
  if (algorithm.program != nullptr) {
    algorithm.program->check(problem);
  }
}

Schedule make_schedule(const Algorithm& algorithm, const Problem& problem, Detail detail,
                       std::uint32_t most_rounds) {
  check(algorithm, problem);
  const TickedWork ticked("making the schedule");
  if (algorithm.program != nullptr) {
    return algorithm.program->schedule(problem, detail);
  }
  ScheduleBuilder builder(problem, algorithm.layout(problem), detail);
  if (algorithm.in_network()) {
    builder.add_switches(algorithm.switches(problem));
  }
  builder.cut_to(algorithm.has_alike_rounds ? most_rounds : kAllRounds);
  algorithm.emit(problem, builder);
  return builder.finish();
}

}}  // namespace tutti::schedules
