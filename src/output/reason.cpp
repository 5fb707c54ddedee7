#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/time_column.hpp"
#include "src/experiments/decisions/decision.hpp"
#include "src/output/decision_text.hpp"
#include "src/rule_files/library_algorithms.hpp"
#include "src/simulation/explain/explain_lead.hpp"

namespace tutti::inline output {

namespace {

struct Part {
  std::string_view name;
  double best_s;
  double second_s;
  [[nodiscard]] double gain_s() const { return second_s - best_s; }
};

}  // namespace

std::string reason(const CandidateTime& best, const CandidateTime& second,
                   const std::string& second_name) {
  if (second.state == CandidateTime::State::beaten) {
    return fmt::format("{} takes at least {:.3g} times as long", second_name,
                       second.seconds / best.seconds);
  }
  if (is_level(best, second)) {
    return fmt::format(
        "level{} with {}",
        best.time().ties_matter() || second.time().ties_matter() ? " within ties" : "",
        second_name);
  }
  std::vector<Part> parts;
  best.parts.each([&](Spending on, double seconds) {
    parts.push_back({in_words(on), seconds, second.parts[on]});
  });
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& x, const Part& y) { return x.gain_s() > y.gain_s(); });
  const double most = parts.front().gain_s();
  if (most <= 0) {
    return "";
  }
  const auto also = [&](const Part& part) {
    return fmt::format("{}: {} against {}", part.name, brief_time(part.best_s),
                       brief_time(part.second_s));
  };
  std::string text = advantage(parts[0].name, parts[0].best_s, parts[0].second_s, second_name);
  if (parts[1].gain_s() >= kWorthSaying * most) {
    text += "; " + also(parts[1]);
  }
  if (-parts.back().gain_s() >= kWorthSaying * most) {
    text += "; but " + also(parts.back());
  }
  return text;
}

}  // namespace tutti::inline output
