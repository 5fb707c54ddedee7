#include "src/output/prediction_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/result_words.hpp"

namespace tutti { inline namespace output {

namespace {

// Returns the published formulas of the run's algorithm, without misprints. Called only if none of
// them applies to the run.
std::vector<PublishedFormula> formulas_of_others(const RunResult& result) {
  if (result.algorithm->program != nullptr) {
    return {};
  }
  std::vector<PublishedFormula> others = published_formulas(result.algorithm->full_name());
  std::erase_if(others, [](const PublishedFormula& each) { return each.misprint(); });
  return others;
}

std::string why_published_differs(const PublishedCost& published) {
  if (published.account == Account::exact) {
    return published.remark.empty() ? "not the cost of this schedule"
                                    : std::string(published.remark);
  }
  return fmt::format("{}{}{}", name(published.account), published.remark.empty() ? "" : ": ",
                     published.remark);
}

}  // namespace

std::string signed_percent(double predicted, double happened) {
  const auto error = relative_error(predicted, happened);
  if (!error) {
    return "";
  }
  if (!differs(predicted, happened)) {
    return "equal";
  }
  const double percent = 100 * *error;
  const double size = std::fabs(percent);
  if (size < 0.05) {
    return fmt::format("{:+.1g} %", percent);  // "-0.02 %"; "-0.0 %" would look like a mistake
  }
  return fmt::format("{:+.{}f} %", percent, size < 100 ? 1 : 0);
}

std::string why_columns_differ(const RunResult& result, bool says_segments, NumberedNotes& notes) {
  const PublishedCost* const published = result.main_published();
  std::vector<std::size_t> numbers;
  const auto add = [&](const std::string& text) {
    const std::size_t number = notes.number(text);
    if (std::ranges::find(numbers, number) == numbers.end()) {
      numbers.push_back(number);
    }
  };
  if (!result.why_unproved().empty()) {
    add(fmt::format("unproved: {}: {}", result.file, result.why_unproved()));
  }
  const bool disturbed = result.machine.setup.disturbance.any();
  const double closest_s = result.exact_s.value_or(result.longest_path_s);
  if (published == nullptr) {
    for (const PublishedFormula& other : formulas_of_others(result)) {
      add(fmt::format("{}, published as {}: holds for {}", result.algorithm->full_name(),
                      other.formula, with_fields(other.condition)));
    }
  } else if (!disturbed && differs(published->seconds, closest_s) &&
             (published->account != Account::exact || result.even_blocks())) {
    add(fmt::format("{}, published as {}: {}", result.algorithm->full_name(), published->formula,
                    why_published_differs(*published)));
  }
  if ((result.exact_s && differs(*result.exact_s, result.simulated_s)) ||
      (disturbed && published != nullptr)) {
    const double formula_s =
        result.exact_s || published == nullptr ? closest_s : published->seconds;
    for (const std::string& reason : gap_reasons(result, formula_s, true, false)) {
      add(reason);
    }
  }
  if (differs(result.longest_path_s, result.simulated_s)) {
    for (const std::string& reason : gap_reasons(result, result.longest_path_s, false, false)) {
      add(reason);
    }
  }
  std::ranges::sort(numbers);
  std::string text;
  for (const std::size_t number : numbers) {
    text += fmt::format("[{}]", number);
  }
  if (says_segments && result.problem.segment_bytes > 0 &&
      takes(*result.algorithm, Option::segment)) {
    text += fmt::format("{}segments of {}", text.empty() ? "" : " ",
                        human_bytes(result.problem.segment_bytes));
  }
  return text;
}

Sentence why_not(const CaseRun& run) {
  const Refusal* const refusal = run.outcome.refusal();
  const Sentence why = refusal != nullptr ? refusal->why : Sentence(run.outcome.why_not());
  const std::string name = run.algorithm->full_name();
  const Sentence whole = why.text.find(name) == std::string::npos ? why.after(name + ": ") : why;
  return {with_fields(whole.text), with_fields(whole.pattern)};
}

std::size_t NumberedNotes::number_of_pattern(const Sentence& sentence) {
  const auto found = std::ranges::find_if(
      patterns_, [&](const Pattern& each) { return each.pattern == sentence.pattern; });
  if (found != patterns_.end()) {
    ++found->more;
    return found->number;
  }
  patterns_.push_back({sentence.pattern, number(sentence.text), 0});
  return patterns_.back().number;
}

std::size_t NumberedNotes::number(const std::string& text) {
  const auto found = std::ranges::find(texts_, text);
  if (found != texts_.end()) {
    return static_cast<std::size_t>(found - texts_.begin()) + 1;
  }
  texts_.push_back(text);
  return texts_.size();
}

void NumberedNotes::print(std::ostream& out) const {
  constexpr std::size_t kNumberWidth = 5;
  if (texts_.empty()) {
    return;
  }
  out << "\nNotes\n";
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    std::string text = texts_[i];
    for (const Pattern& pattern : patterns_) {
      if (pattern.number == i + 1 && pattern.more > 0) {
        text += fmt::format(" (and {} more like this)", pattern.more);
      }
    }
    print_field(out, 1, kNumberWidth, fmt::format("[{}]", i + 1), text);
  }
}

}}  // namespace tutti::output
