#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "base/human.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/explanation_text.hpp"
#include "src/output/result_words.hpp"

namespace tutti { inline namespace output {

namespace {

constexpr std::size_t kMostRounds = 16;
constexpr std::size_t kMostContrastLinks = 8;

std::string more(double first, double second) {
  const double by = second - first;
  return std::fabs(by) <= 1e-9 * std::max(first, second)
             ? "the same"
             : fmt::format("{} {}", human_time(std::fabs(by)), by > 0 ? "more" : "less");
}

std::string end_in_words(double end_s) { return end_s < 0 ? "-" : human_time(end_s); }

// Returns the index of the first round that ends at different times in the two runs, or that exists
// in only one of the runs; rounds.size() if there is no such round.
std::size_t parting(const std::vector<Contrast::Round>& rounds) {
  std::size_t at = 0;
  while (at < rounds.size() && std::fabs(rounds[at].end_s.first - rounds[at].end_s.second) <=
                                   1e-9 * std::fabs(rounds[at].end_s.first)) {
    ++at;
  }
  return at;
}

void print_rounds(const Contrast& contrast, const Both<std::string>& names, std::ostream& out) {
  const std::size_t apart = parting(contrast.rounds);
  if (std::ranges::none_of(contrast.rounds, [](const auto& round) {
        return round.messages.first + round.messages.second > 0;
      })) {
    return;
  }
  if (apart == contrast.rounds.size()) {
    out << "\nEvery round ends at the same time in both\n";
    return;
  }
  out << fmt::format("\nBy round, from round {}, the first that ends at a different time\n", apart);
  std::vector<std::vector<std::string>> lines{
      {"round", "ends", "messages", "sent", "ends", "messages", "sent", ""}};
  std::size_t shown = 0;
  for (std::size_t i = apart; i < contrast.rounds.size() && shown < kMostRounds; ++i, ++shown) {
    const Contrast::Round& round = contrast.rounds[i];
    const bool both = round.end_s.first >= 0 && round.end_s.second >= 0;
    lines.push_back({fmt::format("{}", i), end_in_words(round.end_s.first),
                     human_count(round.messages.first), human_bytes(round.bytes.first),
                     end_in_words(round.end_s.second), human_count(round.messages.second),
                     human_bytes(round.bytes.second),
                     both ? more(round.end_s.first, round.end_s.second) : std::string()});
  }
  out << fmt::format("  left {}, right {}\n", names.first, names.second);
  print_columns(std::move(lines), std::vector<bool>(8, true), kIndent, out);
  if (apart + shown < contrast.rounds.size()) {
    out << fmt::format("  and {} more\n", human_count(contrast.rounds.size() - apart - shown));
  }
}

// Prints both times and their ratio. If ties matter, the ratio is that of the medians, by which
// other commands rank.
void print_headline(const RunResult& first, const RunResult& second, const Both<std::string>& names,
                    std::ostream& out) {
  const RangedTime first_time = first.time();
  const RangedTime second_time = second.time();
  const bool ties = first_time.ties_matter() || second_time.ties_matter();
  const auto in_words = [](const RangedTime& time) {
    return time.ties_matter()
               ? fmt::format("{} (median {})", ranged_time_in_words(time), human_time(time.seconds))
               : human_time(time.seconds);
  };
  std::string verdict = ties ? "the same median" : "the same";
  if (std::fabs(first_time.seconds - second_time.seconds) > 1e-9 * first_time.seconds) {
    verdict = ties && level_within_ties(first_time, second_time)
                  ? fmt::format("level within ties; {}", kLevelWithinTies)
                  : fmt::format("{:.4g} times as long{}", second_time.seconds / first_time.seconds,
                                ties ? ", by the medians" : "");
  }
  out << fmt::format("{} takes {}, {} {}: {}\n", names.first, in_words(first_time), names.second,
                     in_words(second_time), verdict);
  if (ties) {
    out << fmt::format("The tables explain one run of each, with one order of ties: {} and {}\n",
                       human_time(first.simulated_s), human_time(second.simulated_s));
  }
}

}  // namespace

void print_contrast(const Contrast& contrast, const Explanation& first, const Explanation& second,
                    const Both<std::string>& names, std::ostream& out) {
  const Both<double> total_s{first.account.total_s, second.account.total_s};
  print_headline(first.run.result, second.run.result, names, out);
  out << "\nWhere the time goes, on the critical chain of each\n";
  out << fmt::format("  left {}, right {}\n", names.first, names.second);
  std::vector<std::vector<std::string>> lines;
  for (const Contrast::Row& row : contrast.rows) {
    lines.push_back({human_time(row.seconds.first), human_time(row.seconds.second),
                     more(row.seconds.first, row.seconds.second), row.what});
  }
  lines.push_back({human_time(total_s.first), human_time(total_s.second),
                   more(total_s.first, total_s.second), "total"});
  print_columns(std::move(lines), {true, true, true, false}, kIndent, out);
  print_rounds(contrast, names, out);
  const auto differ = [](const Contrast::Link& link) {
    return link.lost_s.first != link.lost_s.second || link.bytes.first != link.bytes.second;
  };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(contrast.links, differ));
  if (count == 0) {
    out << (contrast.links.empty()
                ? ""
                : "\nEvery link carries the same bytes and loses the same time in both\n");
    return;
  }
  out << "\nBy link, largest difference in lost time first\n";
  lines = {{"lost", "carried", "lost", "carried", "link"}};
  for (std::size_t i = 0; i < std::min(kMostContrastLinks, count); ++i) {
    const Contrast::Link& link = contrast.links[i];
    lines.push_back({human_time(link.lost_s.first), human_bytes(link.bytes.first),
                     human_time(link.lost_s.second), human_bytes(link.bytes.second), link.place});
  }
  print_columns(std::move(lines), {true, true, true, true, false}, kIndent, out);
  if (count > kMostContrastLinks) {
    out << fmt::format("  and {} more\n", human_count(count - kMostContrastLinks));
  }
}

}}  // namespace tutti::output
