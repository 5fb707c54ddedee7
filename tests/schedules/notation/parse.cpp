#include "schedules/notation/parse.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "schedules/notation/print.hpp"
#include "schedules/registry.hpp"
#include "tests/schedules/problems.hpp"

using namespace tutti;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

std::string printed(const Schedule& schedule, std::string_view algorithm) {
  std::ostringstream out;
  print_notation(schedule, algorithm, out);
  return out.str();
}

ParsedSchedule parsed(const std::string& text) { return parse_notation(text, "test.tutti"); }

// The header of a small schedule, then `statements`.
std::string file(const std::string& statements, const std::string& collective = "bcast",
                 const std::string& size = "bytes 32\nblocks 4") {
  return "tutti-schedule 1\ncollective " + collective + "\nalgorithm test\nranks 3\n" + size +
         "\n\n" + statements;
}

// Each as {label, what it comes after}, in the order of ids.
std::string order_of(const Schedule& schedule) {
  std::string text;
  for (OpId id = 0; id < schedule.size(); ++id) {
    text += label_text(schedule.op(id)) + ":";
    for (const OpId before : schedule.predecessors(id)) {
      text += " " + std::to_string(before);
    }
    text += "\n";
  }
  return text;
}

// "" if they are one schedule, or what differs first.
std::string difference(const Schedule& a, const Schedule& b) {
  const Problem& p = a.problem();
  const Problem& q = b.problem();
  if (p.collective != q.collective || p.ranks != q.ranks || p.bytes != q.bytes ||
      p.element_bytes != q.element_bytes || p.root != q.root) {
    return "problem";
  }
  if (!(a.layout() == b.layout()) || a.layout().uniform() != b.layout().uniform()) {
    return "layout";
  }
  if (a.size() != b.size() || a.dependencies() != b.dependencies() ||
      a.scratch_slots() != b.scratch_slots() || a.rounds() != b.rounds() ||
      a.messages() != b.messages() || a.bytes_sent() != b.bytes_sent() ||
      a.bytes_reduced() != b.bytes_reduced()) {
    return "sums";
  }
  if (!std::equal(a.pool().begin(), a.pool().end(), b.pool().begin(), b.pool().end())) {
    return "pool";
  }
  for (OpId id = 0; id < a.size(); ++id) {
    const auto before_a = a.predecessors(id);
    const auto before_b = b.predecessors(id);
    if (!(a.op(id) == b.op(id)) || !(a.payload(id) == b.payload(id)) ||
        !std::equal(before_a.begin(), before_a.end(), before_b.begin(), before_b.end())) {
      return "operation " + label_text(a.op(id));
    }
  }
  return "";
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parsed(text));
  } catch (const NotationError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("print, parse, print gives the same bytes, and the DAG is the same, for every algorithm") {
  std::size_t schedules = 0;
  for (const Algorithm* algorithm : algorithms()) {
    for (std::uint32_t ranks = 1; ranks <= 17; ++ranks) {
      for (const std::uint64_t elements : {std::uint64_t{0}, std::uint64_t{ranks} * 16 + 3}) {
        const std::uint64_t count = algorithm->collective == Collective::barrier ? 0 : elements;
        const Rank root = has_root(algorithm->collective) ? ranks / 2 : 0;
        for (const Problem& problem : option_variants(
                 *algorithm, problem_of(algorithm->collective, ranks, count, root))) {
          if (algorithm->refusal != nullptr && algorithm->refusal(problem)) {
            continue;
          }
          const Schedule schedule = make_schedule(*algorithm, problem);
          const std::string text = printed(schedule, algorithm->name);
          const ParsedSchedule back = parsed(text);
          CAPTURE(algorithm->full_name(), ranks, elements, problem.skips, problem.tree);
          REQUIRE(back.algorithm == algorithm->name);
          REQUIRE(difference(schedule, back.schedule).empty());
          REQUIRE((printed(back.schedule, back.algorithm) == text));
          ++schedules;
        }
      }
    }
  }
  CHECK(schedules > 1500);
}
