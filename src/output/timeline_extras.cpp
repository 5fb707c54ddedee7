#include "src/output/timeline_extras.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/human.hpp"
#include "src/output/explanation_text.hpp"
#include "src/simulation/explain/explanation.hpp"

namespace tutti::inline output {

namespace {

TimelineCounter in_percent(LoadCurve&& curve, const LinkInRun& link) {
  for (auto& [at_s, load] : curve.values) {
    load *= 100;
  }
  return {fmt::format("load of {}, %", link.link.place.name), std::move(curve.values)};
}

}  // namespace

TimelineExtras timeline_extras(const Explanation& explanation) {
  TimelineExtras extras;
  const TimeAccount& account = explanation.account;
  auto piece = account.pieces.begin();
  for (std::uint32_t i = 0; i < account.chain.size(); ++i) {
    const ChainStep& step = account.chain[i];
    std::string spent;
    for (; piece != account.pieces.end() && piece->step == i; ++piece) {
      spent += fmt::format("{}{} {}{}", spent.empty() ? "" : ", ",
                           slowed_in_words(piece->on, piece->link, explanation),
                           human_time(piece->seconds),
                           piece->waited_for ? " (while the next waited)" : "");
    }
    extras.chain.push_back({step.op, step.from_s, step.until_s, std::move(spent)});
  }
  for (LoadCurve& curve : load_curves(explanation)) {
    extras.loads.push_back(in_percent(std::move(curve), explanation.links[curve.link]));
  }
  return extras;
}

}  // namespace tutti::inline output
