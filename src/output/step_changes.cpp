// The changes of a step, as text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/human.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/step_text.hpp"

namespace tutti { inline namespace output {

namespace {

// Changes of a smaller share of the step are counted, but not listed.
constexpr double kLeastShare = 1e-3;

const CallChoice& choice_of_row(const StepAnswer& answer, std::uint32_t row) {
  return answer.choices[*answer.account.rows[row].call];
}

std::string place_of_change(const StepAnswer& answer, const StepChange& change) {
  if (change.row) {
    return fmt::format("line {}", answer.step.lines[answer.account.rows[*change.row].line].number);
  }
  return change.group ? fmt::format("group {}", answer.step.groups[*change.group].name)
                      : "platform";
}

std::string won_in_words(const StepAnswer& answer, const StepChange& change) {
  const double total_s = answer.account.total_s;
  const double won = total_s > 0 ? 1 - change.total_s / total_s : 0;
  return fmt::format("{:.1f} % {}", 100 * std::abs(won), won >= 0 ? "less" : "more");
}

}  // namespace

std::string change_in_words(const StepAnswer& answer, const StepChange& change) {
  switch (change.kind) {
    case StepChangeKind::free:
      return "no time";
    case StepChangeKind::limit:
      return fmt::format("its limit, {}", human_time(*choice_of_row(answer, *change.row).limit_s));
    case StepChangeKind::next:
      return change.what;
    case StepChangeKind::blocking:
      return "not beside computing";
    case StepChangeKind::links:
      break;
  }
  return fmt::format("{} twice as fast", change.what);
}

void print_changes(const StepAnswer& answer, std::ostream& out) {
  if (!answer.changes) {
    return;
  }
  const double total_s = answer.account.total_s;
  Table table({{"step", true}, {"", true}, {"where"}, {"change"}, {"statement"}});
  std::size_t small = 0;
  const StepChange* largest = nullptr;
  for (const StepChange& change : answer.changes->found) {
    if (std::abs(total_s - change.total_s) < kLeastShare * total_s) {
      ++small;
      continue;
    }
    largest = largest == nullptr ? &change : largest;
    table.add({human_time(change.total_s), won_in_words(answer, change),
               place_of_change(answer, change), change_in_words(answer, change),
               change.row ? answer.step.lines[answer.account.rows[*change.row].line].text : ""});
  }
  out << "\nWhat if, each simulated\n";
  if (largest != nullptr) {
    table.print(out, 2);
  }
  if (small > 0) {
    print_field(out, 2, 0, "",
                fmt::format("{} by less than {:g} %",
                            largest == nullptr
                                ? counted(small, "change") + ", and all of them change the step"
                                : counted(small, "further change") + " changed the step",
                            100 * kLeastShare));
  }
  for (const std::string& gap : answer.changes->not_compared) {
    print_field(out, 2, 0, "", fmt::format("not compared: {}", gap));
  }
  if (largest != nullptr && largest->total_s < total_s) {
    print_field(out, 2, 0, "",
                fmt::format("Largest gain: {}, {}: the step takes {}, {}",
                            place_of_change(answer, *largest), change_in_words(answer, *largest),
                            human_time(largest->total_s), won_in_words(answer, *largest)));
  } else {
    print_field(out, 2, 0, "", "No change makes the step shorter by a tenth of a percent");
  }
}

}}  // namespace tutti::output
