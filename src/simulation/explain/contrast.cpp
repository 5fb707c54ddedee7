#include "src/simulation/explain/contrast.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "src/simulation/explain/account_rows.hpp"

namespace tutti { inline namespace simulation {

namespace {

std::string kind_of(const AccountRow& row, const Explanation& explanation) {
  if (row.on == Spending::sharing) {
    const LinkInRun* const link = explanation.link(row.link);
    return std::string(in_words(row.on)) + " " + (link != nullptr ? link->link.place.group : "");
  }
  return row.part != MessagePart::none ? in_words(row.part) : std::string(in_words(row.on));
}

template <typename Of>
void add_rows(std::map<std::string, Both<double>>& rows, const Explanation& explanation, Of&& of) {
  for (const AccountRow& row : rows_of(explanation.account, *explanation.run.schedule)) {
    of(rows[kind_of(row, explanation)]) += row.seconds;
  }
}

template <typename Of>
void add_rounds(std::vector<Contrast::Round>& rounds, const Explanation& explanation, Of&& of) {
  const Schedule& schedule = *explanation.run.schedule;
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    const std::uint32_t level = op.label().level;
    if (level >= rounds.size()) {
      rounds.resize(level + 1, {{-1, -1}, {}, {}});
    }
    Contrast::Round& round = rounds[level];
    of(round.end_s) = std::max(of(round.end_s), explanation.run.timeline.end_s[id]);
    if (op.is_comm()) {
      ++of(round.messages);
      of(round.bytes) += op.bytes();
    }
  }
}

template <typename Of>
void add_links(std::map<std::string, Contrast::Link>& links, const Explanation& explanation,
               Of&& of) {
  for (const LinkInRun& link : explanation.links) {
    Contrast::Link& one = links[link.link.name];
    one.name = link.link.name;
    one.place = link.link.place.name;
    of(one.bytes) = link.link.statistics.bytes;
    of(one.lost_s) = link.link.statistics.lost_s;
  }
}

double apart(const Both<double>& values) { return std::fabs(values.first - values.second); }
std::uint64_t apart(const Both<std::uint64_t>& values) {
  return std::max(values.first, values.second) - std::min(values.first, values.second);
}

}  // namespace

Contrast contrast(const Explanation& first, const Explanation& second) {
  const auto of_first = [](auto& both) -> auto& { return both.first; };
  const auto of_second = [](auto& both) -> auto& { return both.second; };
  Contrast contrast;
  std::map<std::string, Both<double>> rows;
  add_rows(rows, first, of_first);
  add_rows(rows, second, of_second);
  for (const auto& [what, seconds] : rows) {
    contrast.rows.push_back({what, seconds});
  }
  std::stable_sort(contrast.rows.begin(), contrast.rows.end(),
                   [](const Contrast::Row& a, const Contrast::Row& b) {
                     return apart(a.seconds) > apart(b.seconds);
                   });
  add_rounds(contrast.rounds, first, of_first);
  add_rounds(contrast.rounds, second, of_second);
  std::map<std::string, Contrast::Link> links;
  add_links(links, first, of_first);
  add_links(links, second, of_second);
  for (auto& [name, link] : links) {
    contrast.links.push_back(std::move(link));
  }
  std::stable_sort(contrast.links.begin(), contrast.links.end(),
                   [](const Contrast::Link& a, const Contrast::Link& b) {
                     return std::tuple(apart(a.lost_s), apart(a.bytes)) >
                            std::tuple(apart(b.lost_s), apart(b.bytes));
                   });
  return contrast;
}

}}  // namespace tutti::simulation
