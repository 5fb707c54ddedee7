// Text output of the result of a run.
#include "src/output/result_text.hpp"

#include <fmt/format.h>

#include <ostream>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "schedules/run_words.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/result_words.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti::inline output {

namespace {

std::string symmetry_in_words(const RunResult& result) {
  if (!result.symmetry) {
    return {};
  }
  const bool turned = *result.symmetry == Symmetry::rotation;
  if (result.classes == 1) {
    return fmt::format(
        "one rank was simulated for all {}, which are equivalent (rank r becomes {}); --symmetry "
        "off simulates every rank",
        human_count(result.problem.ranks), turned ? "r + k mod p" : "r xor k");
  }
  return fmt::format(
      "{} ranks were simulated for all {}, each for {} equivalent ranks (rank r becomes {}); "
      "--symmetry off simulates every rank",
      human_count(result.classes), human_count(result.problem.ranks),
      human_count(result.problem.ranks / result.classes),
      turned ? fmt::format("r + {} k mod p", result.classes) : "r xor k, for some k");
}

std::string reasons(const RunResult& result, bool formula) {
  return fmt::format("{}", fmt::join(gap_reasons(result, formula, true), "; "));
}

// Describes how far `seconds` is from the simulated time.
std::string against_run(const RunResult& result, double seconds) {
  const auto error = relative_error(seconds, result.simulated_s);
  return error ? fmt::format("{} simulated", human_difference(*error))
               : "the simulated time is 0 s";
}

void print_prediction(const RunResult& result, std::ostream& out, std::string_view key,
                      double seconds, std::string_view formula) {
  print_result_field(out, key,
                     fmt::format("{:<13} {}", human_time(seconds), against_run(result, seconds)));
  if (!formula.empty()) {
    print_result_field(out, "", formula);
  }
}

// Prints published formulas of the algorithm that do not hold for this problem, so that users do
// not search for them in vain.
void print_formulas_of_others(const RunResult& result, std::ostream& out) {
  bool known = false;
  if (result.file.empty()) {  // there are no published formulas for the schedule of a file
    for (const PublishedFormula& other : published_formulas(result.algorithm->full_name())) {
      if (!other.misprint()) {
        print_result_field(
            out, known ? "" : "published",
            fmt::format("none for this run: {} is for {} ({}, {})", other.formula,
                        with_fields(other.condition), other.citation, other.section));
        known = true;
      }
    }
  }
  if (!known) {
    print_result_field(out, "published", "no published formula is known");
  }
}

void print_published(const RunResult& result, std::ostream& out) {
  if (result.main_published() == nullptr) {
    print_formulas_of_others(result, out);
  }
  for (const PublishedCost& cost : result.published) {
    print_prediction(result, out, cost.misprint() ? "published, wrong" : "published", cost.seconds,
                     cost.formula);
    print_result_field(out, "", fmt::format("for: {}", with_fields(cost.condition)));
    print_result_field(out, "", fmt::format("from: {}; {}", cost.citation, cost.section));
    if (cost.account == Account::approximate || cost.account == Account::bound) {
      print_result_field(out, "",
                         fmt::format("note: {}{}{}", name(cost.account),
                                     cost.remark.empty() ? "" : ": ", cost.remark));
    } else if (!cost.remark.empty()) {
      print_result_field(out, "", fmt::format("note: {}", cost.remark));
    }
  }
}

void print_times(const RunResult& result, std::ostream& out) {
  print_result_field(out, "simulated", human_time(result.simulated_s));
  if (result.ties.runs > 0 &&
      (result.machine.setup.ties.most_ops == 0 || tie_spread(result) > kTiesMatter)) {
    print_result_field(out, "  ties", ties_in_words(result));
  }
  if (result.repeats.runs > 0) {
    print_result_field(out, "  repeated", repeats_in_words(result));
  }
  if (!result.machine.engine->has_network) {
    print_result_field(out, "longest path", "the same: engine critical-path computes it");
  } else {
    print_prediction(result, out, "longest path", result.longest_path_s, "");
    if (differs(result.longest_path_s, result.simulated_s)) {
      if (const std::string why = reasons(result, false); !why.empty()) {
        print_result_field(out, "", "why: " + why);
      }
    }
  }
  if (result.exact_s) {
    print_prediction(result, out, "exact cost", *result.exact_s,
                     with_fields(result.algorithm->cost));
    if (differs(*result.exact_s, result.simulated_s)) {
      if (const std::string why = reasons(result, true); !why.empty()) {
        print_result_field(out, "", "why: " + why);
      }
    }
  } else {
    print_result_field(out, "exact cost",
                       result.machine.setup.disturbance.any()
                           ? "no closed form is known for late ranks or varying times"
                           : "no closed form is known for this problem");
  }
  print_published(result, out);
}

// Prints how much of the critical chain's time was spent on start-up, transfer, sharing and so on.
// The time lost to sharing is the sum over all links.
void print_parts(const RunResult& result, std::ostream& out) {
  result.chain.spent.each([&](Spending on, double seconds) {
    if (seconds != 0) {
      const double share = result.simulated_s == 0 ? 0 : 100 * seconds / result.simulated_s;
      out << fmt::format("  {:<26}{:<13} {:5.1f} %\n", in_words(on), human_time(seconds), share);
    }
  });
}

}  // namespace

void print_result(const RunResult& result, std::ostream& out) {
  const Problem& problem = result.problem;
  print_heading(
      out, fmt::format("{}{} ({} of {})", result.file.empty() ? "" : result.file + ": ",
                       run_in_words(result.algorithm->full_name(), *result.algorithm, problem),
                       counted(problem.elements(), "element"), human_bytes(problem.element_bytes)));
  out << '\n';

  print_machine(result, platform_in_words(result), symmetry_in_words(result), out);
  if (result.takes(Option::segment) && result.unproved.empty()) {
    print_result_field(
        out, "segments",
        result.best_segment
            ? result.best_segment->in_words()
            : fmt::format("at most {}, {} of them", counted(result.largest_block_bytes, "byte"),
                          human_count(result.blocks)));
  }
  if (!result.unproved.empty()) {
    print_result_field(out, "unproved", result.unproved);
  }
  print_result_field(
      out, "schedule",
      fmt::format("{}, {} in {}, {} sent, {} reduced, {}", counted(result.ops, "operation"),
                  counted(result.messages, "message"), counted(result.rounds, "round"),
                  human_bytes(result.bytes_sent), human_bytes(result.bytes_reduced),
                  result.dependencies == 1
                      ? std::string("1 dependency")
                      : fmt::format("{} dependencies", human_count(result.dependencies))));

  out << "\nHow long it takes\n";
  print_times(result, out);

  out << fmt::format("\nWhere the time goes, on the critical chain of {}\n",
                     counted(result.chain_ops, "operation"));
  print_parts(result, out);

  out << "\nWhat the simulation took\n";
  print_result_field(
      out, "wall clock",
      fmt::format("{} {}, load platform {}, simulate {}",
                  result.algorithm->emits() ? "emit" : "read", human_time(result.emit_wall_s),
                  human_time(result.load_wall_s), human_time(result.simulate_wall_s)));
  print_result_field(out, "peak memory", human_bytes(result.peak_rss_bytes));
}

}  // namespace tutti::inline output
