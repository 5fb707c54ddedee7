#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/human.hpp"
#include "src/experiments/decisions/decision.hpp"
#include "src/report/decision_text.hpp"

namespace tutti {

namespace {

struct Part {
  const char* name;
  double best_s;
  double second_s;
  [[nodiscard]] double gain_s() const { return second_s - best_s; }
};

// What is worth a word beside the largest difference.
constexpr double kWorthSaying = 0.25;

std::string compared(const Part& part) {
  return fmt::format("{} ({} against {})", part.name, human_time(part.best_s),
                     human_time(part.second_s));
}

}  // namespace

std::string reason(const CandidateTime& best, const CandidateTime& second) {
  if (second.state == CandidateTime::State::beaten) {
    return fmt::format("the next takes {:.3g} times as long at least, by its closed form",
                       second.seconds / best.seconds);
  }
  const CriticalChain& a = best.parts;
  const CriticalChain& b = second.parts;
  std::array parts{
      Part{"start-up", a.startup_s, b.startup_s},   Part{"transfer", a.transfer_s, b.transfer_s},
      Part{"reduction", a.reduce_s, b.reduce_s},    Part{"copying", a.copy_s, b.copy_s},
      Part{"contention", a.network_s, b.network_s}, Part{"waiting", a.waiting_s, b.waiting_s}};
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& x, const Part& y) { return x.gain_s() > y.gain_s(); });
  const double most = parts.front().gain_s();
  if (most <= 0) {
    return "";
  }
  std::string text = "less " + compared(parts[0]);
  if (parts[1].gain_s() >= kWorthSaying * most) {
    text += " and " + compared(parts[1]);
  }
  if (-parts.back().gain_s() >= kWorthSaying * most) {
    text += ", though more " + compared(parts.back());
  }
  return text;
}

std::string candidate_in_words(const Candidate& candidate, std::uint64_t segment_bytes) {
  Choice choice = candidate.choice;
  choice.segment_bytes = segment_bytes;
  return in_words(choice);
}

}  // namespace tutti
