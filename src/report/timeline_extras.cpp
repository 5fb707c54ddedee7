#include "src/report/timeline_extras.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/human.hpp"
#include "src/report/explanation_text.hpp"

namespace tutti {

namespace {

// Each message counts with its mean rate, from its start to its end.
TimelineCounter load_of(const LinkInRun& link, const Simulation& run) {
  std::vector<std::pair<double, double>> changes;
  for (const OpId id : link.link.messages) {
    const double start_s = run.timeline.start_s[id];
    const double end_s = run.timeline.end_s[id];
    if (end_s > start_s) {
      const double load = static_cast<double>(run.schedule->op(id).bytes()) / (end_s - start_s) /
                          link.link.statistics.capacity_bytes_per_s;
      changes.emplace_back(start_s, load);
      changes.emplace_back(end_s, -load);
    }
  }
  std::sort(changes.begin(), changes.end());
  TimelineCounter counter{fmt::format("load of {}, %", link.link.place.name), {}};
  double load = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    load += changes[i].second;
    if (i + 1 == changes.size() || changes[i + 1].first != changes[i].first) {
      // What is left of rounding is no load.
      counter.values.emplace_back(changes[i].first, load < 1e-9 ? 0 : 100 * load);
    }
  }
  return counter;
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
  for (const LinkInRun& link : explanation.links) {
    if (!link.link.messages.empty()) {
      extras.loads.push_back(load_of(link, explanation.run));
    }
  }
  return extras;
}

}  // namespace tutti
