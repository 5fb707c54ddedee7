#include "src/output/explanation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <utility>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "schedules/place_name.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/limit_gap_output.hpp"
#include "src/simulation/engines/engine_type.hpp"

namespace tutti { inline namespace output {

namespace {

// Maximum numbers of entries in the lists of the output. After a longer list, the output says how
// many entries are left out.
constexpr std::size_t kMostRows = 12;
constexpr std::size_t kMostRanks = 6;
constexpr std::size_t kMostLinks = 6;
constexpr std::size_t kMostHolders = 4;
constexpr std::size_t kMostWaits = 6;

std::string share(double seconds, double total_s) {
  return fmt::format("{:.1f} %", total_s == 0 ? 0 : 100 * seconds / total_s);
}

std::string_view in_words(Resource resource) {
  static constexpr std::array<std::string_view, 3> kWords{"outgoing port", "incoming port", "core"};
  return kWords[static_cast<std::size_t>(resource)];
}

// Describes an operation: "3 -> 4", "3 -> switch 0", "reduction at 4".
std::string op_in_words(const Schedule& schedule, const Op& op) {
  const auto end = [&](Rank place) {
    return place < schedule.ranks() ? fmt::format("{}", place) : place_name(schedule, place);
  };
  return op.is_comm() ? fmt::format("{} -> {}", end(op.src()), end(op.dst()))
                      : fmt::format("{} at {}",
                                    op.kind() == OpKind::reduce
                                        ? word_for_reduction(schedule.problem().collective)
                                        : "copy",
                                    end(op.rank()));
}

std::string levels_in_words(const std::vector<std::uint32_t>& levels) {
  return fmt::format("round{} {}", levels.size() == 1 ? "" : "s", runs_in_words(levels));
}

// Describes which operations held the resource that was waited for, and what these operations spent
// their time on.
std::string wait_details(const WaitRow& row, const Explanation& explanation) {
  const Schedule& schedule = *explanation.run.schedule;
  std::string text = "held by ";
  // The description of an operation that held the resource, and the number of consecutive
  // operations with this description.
  std::vector<std::pair<std::string, std::size_t>> holders;
  for (const OpId id : row.ops) {
    std::string who = op_in_words(schedule, schedule.op(id));
    if (holders.empty() || holders.back().first != who) {
      holders.emplace_back(std::move(who), 0);
    }
    ++holders.back().second;
  }
  for (std::size_t i = 0; i < std::min(holders.size(), kMostHolders); ++i) {
    text += (i == 0 ? "" : ", ") + holders[i].first;
    text += holders[i].second > 1 ? fmt::format(" ({} times)", holders[i].second) : "";
  }
  if (holders.size() > kMostHolders) {
    text += fmt::format(" and {} more", holders.size() - kMostHolders);
  }
  text += ": ";
  for (std::size_t i = 0; i < std::min(row.parts.size(), kMostHolders); ++i) {
    const RowPart& part = row.parts[i];
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                        slowed_in_words(part.on, part.link, part.part, explanation),
                        human_time(part.seconds));
  }
  return text;
}

std::string row_details(const AccountRow& row, const Explanation& explanation) {
  const Schedule& schedule = *explanation.run.schedule;
  if (row.on == Spending::lateness) {
    return fmt::format("before {}", op_in_words(schedule, schedule.op(row.ops.front())));
  }
  if (row.on == Spending::start_of_run) {
    return row.part == MessagePart::none
               ? "time before the first operation, from " + flag_of("parameters")
               : "work of the library before the first operation";
  }
  const bool messages =
      row.on == Spending::startup || row.on == Spending::transfer || row.on == Spending::sharing;
  return fmt::format("{}, {}", counted(row.ops.size(), messages ? "message" : "operation"),
                     levels_in_words(row.levels));
}

// The time, in seconds, that was lost on the links of one class: in total, and on each link.
struct ClassLoss {
  std::string group;
  double seconds = 0;
  std::vector<std::pair<double, std::uint32_t>> links;
  std::vector<std::uint32_t> levels;

  void add(std::uint32_t link, double lost_s) {
    seconds += lost_s;
    links.emplace_back(lost_s, link);
  }
  [[nodiscard]] std::string details(const Explanation& explanation) {
    constexpr std::size_t kMostNamed = 3;
    std::ranges::stable_sort(links, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (std::size_t i = 0; i < std::min(links.size(), kMostNamed); ++i) {
      const LinkInRun* const link = explanation.link(links[i].second);
      text += fmt::format("{}{} {}", i == 0 ? "" : ", ", link->link.place.name,
                          human_time(links[i].first));
    }
    if (links.size() > kMostNamed) {
      text += fmt::format(" and {} more", links.size() - kMostNamed);
    }
    return text;
  }
};

std::string class_of(std::uint32_t link, const Explanation& explanation) {
  const LinkInRun* const known = explanation.link(link);
  return known != nullptr ? known->link.place.group : std::string();
}

ClassLoss& of_class(std::vector<ClassLoss>& classes, const std::string& group) {
  const auto known = std::ranges::find(classes, group, &ClassLoss::group);
  return known != classes.end() ? *known : classes.emplace_back(ClassLoss{group, 0, {}, {}});
}

void print_account(const Explanation& explanation, std::ostream& out) {
  const TimeAccount& account = explanation.account;
  out << fmt::format("Where the time goes, on the critical chain of {}\n",
                     counted(account.chain.size(), "operation"));
  struct Line {
    double seconds = 0;
    std::string what;
    std::string details;
  };
  std::vector<Line> all;
  std::vector<ClassLoss> classes;
  for (const AccountRow& row : rows_of(account, *explanation.run.schedule)) {
    if (row.on == Spending::sharing) {
      ClassLoss& loss = of_class(classes, class_of(row.link, explanation));
      loss.add(row.link, row.seconds);
      loss.levels.insert(loss.levels.end(), row.levels.begin(), row.levels.end());
    } else {
      all.push_back({row.seconds, slowed_in_words(row.on, row.link, row.part, explanation),
                     row_details(row, explanation)});
    }
  }
  for (ClassLoss& loss : classes) {
    std::ranges::sort(loss.levels);
    loss.levels.erase(std::unique(loss.levels.begin(), loss.levels.end()), loss.levels.end());
    all.push_back({loss.seconds, fmt::format("slowed by sharing {}", loss.group),
                   fmt::format("{}: {}", levels_in_words(loss.levels), loss.details(explanation))});
  }
  std::ranges::stable_sort(all, [](const Line& a, const Line& b) { return a.seconds > b.seconds; });
  constexpr std::size_t kAmount = 11;
  constexpr std::size_t kShare = 7;
  const auto print = [&](double seconds, std::string_view text) {
    print_field(out, kIndent, kAmount + kShare + 4,
                fmt::format("{:>{}} {:>{}}", human_time(seconds), kAmount,
                            share(seconds, account.total_s), kShare),
                text);
  };
  double rest_s = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= kMostRows) {
      rest_s += all[i].seconds;
      continue;
    }
    print(all[i].seconds, all[i].what);
    print_field(out, kIndent, kAmount + kShare + 4, "", "  " + all[i].details);
  }
  if (all.size() > kMostRows) {
    print(rest_s, fmt::format("{} more", counted(all.size() - kMostRows, "row")));
  }
  const double off = std::abs(account.sum_s() - account.total_s);
  print(account.sum_s(), off == 0
                             ? std::string("total")
                             : fmt::format("total (rounding error {:.1g})", off / account.total_s));
  const std::vector<WaitRow> waits = waits_of(account, *explanation.run.schedule);
  if (waits.empty()) {
    return;
  }
  out << "\nOf this, time in which the next operation of the chain was ready but waited\n";
  for (std::size_t i = 0; i < std::min(waits.size(), kMostWaits); ++i) {
    print(waits[i].seconds, wait_in_words(waits[i], explanation));
    print_field(out, kIndent, kAmount + kShare + 4, "", "  " + wait_details(waits[i], explanation));
  }
  if (waits.size() > kMostWaits) {
    rest_s = 0;
    for (std::size_t i = kMostWaits; i < waits.size(); ++i) {
      rest_s += waits[i].seconds;
    }
    print(rest_s, fmt::format("{} more", counted(waits.size() - kMostWaits, "row")));
  }
}

void print_waterfall(const Explanation& explanation, std::ostream& out) {
  const Waterfall& waterfall = explanation.waterfall;
  out << '\n';
  print_field(out, 0, 0, "",
              waterfall.formula.empty() ? std::string("From the longest path to the network")
                                        : fmt::format("From the formula to the network: {}",
                                                      printable(waterfall.formula)));
  constexpr std::size_t kAmount = 14;
  const auto print = [&](char sign, double seconds, std::string_view text) {
    print_field(out, kIndent, kAmount + 2,
                fmt::format("{} {:>{}}", sign, human_time(std::abs(seconds)), kAmount - 2), text);
  };
  std::vector<ClassLoss> classes;
  for (const WaterfallStep& step : waterfall.steps) {
    const bool of_core = step.what == in_words(Spending::cores);
    if (step.link != kNoLink && !of_core) {
      of_class(classes, class_of(step.link, explanation)).add(step.link, step.seconds);
      continue;
    }
    if (step.kind == WaterfallStep::Kind::subtotal) {
      for (ClassLoss& loss : classes) {
        print('+', loss.seconds,
              fmt::format("slowed by sharing {}: {}", loss.group, loss.details(explanation)));
      }
      classes.clear();
      print('=', step.seconds, step.what);
      continue;
    }
    std::string what =
        of_core ? slowed_in_words(Spending::cores, step.link, MessagePart::none, explanation)
                : step.what;
    if (!step.why.empty()) {
      what += ": " + step.why;
    }
    print(step.seconds < 0 ? '-' : '+', step.seconds, what);
  }
}

void print_links(const Explanation& explanation, std::ostream& out) {
  if (explanation.links.empty()) {
    return;
  }
  const double total_s = explanation.account.total_s;
  std::size_t slowed = 0;
  for (const LinkInRun& link : explanation.links) {
    slowed += link.link.statistics.lost_s > 0 ? 1 : 0;
  }
  if (slowed == 0) {
    out << "\nNo link slowed a message down: each was as fast as it would be alone\n";
    return;
  }
  out << fmt::format("\nLinks that slowed messages down, {} of {} in use\n", human_count(slowed),
                     human_count(explanation.links.size()));
  for (std::size_t i = 0; i < std::min(slowed, kMostLinks); ++i) {
    const LinkInRun& link = explanation.links[i];
    const LinkStatistics& figures = link.link.statistics;
    print_field(out, kIndent, 0, "", link.link.place.name);
    std::string text = fmt::format(
        "lost {} on the chain, {} in total; {}, carried {}, busy {}, at most {} at once",
        human_time(link.lost_on_chain_s), human_time(figures.lost_s),
        human_rate(figures.capacity_bytes_per_s), human_bytes(figures.bytes),
        share(figures.busy_s, total_s), counted(figures.most_at_once, "message"));
    if (!link.link.levels.empty()) {
      text += link.link.senders.empty()
                  ? fmt::format("; {}, sent by switches", levels_in_words(link.link.levels))
                  : fmt::format("; {}, sent by rank{} {}", levels_in_words(link.link.levels),
                                link.link.senders.size() == 1 ? "" : "s",
                                runs_in_words(link.link.senders));
    }
    if (link.link.acknowledges) {
      text += "; also acknowledgements of messages in the other direction";
    }
    print_field(out, 2 * kIndent, 0, "", text);
  }
  if (slowed > kMostLinks) {
    out << fmt::format("  and {} more: see {}, or {}\n", human_count(slowed - kMostLinks),
                       flag_of("json"), shell_command("tutti simulate $links"));
  }
  for (const IdleParallelLinks& parallel : idle_parallel_links(explanation.links)) {
    print_field(
        out, kIndent, 0, "",
        fmt::format("{}: {} of {} parallel cables carried nothing; SimGrid selects the cable up by "
                    "a message's destination, and the cable down by its source",
                    parallel.group, human_count(parallel.idle), human_count(parallel.links)));
  }
}

// Prints which ranks have no slack, which have the most slack, and which are idle longest.
void print_slack(const Explanation& explanation, std::ostream& out) {
  const double total_s = explanation.account.total_s;
  const std::vector<RankSlack>& ranks = explanation.slack.ranks;
  if (total_s == 0) {
    return;
  }
  out << "\nSlack and idle time per rank\n";
  constexpr double kNone = 1e-9;
  std::vector<std::uint32_t> deciding;
  for (Rank rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].slack_s <= kNone * total_s) {
      deciding.push_back(rank);
    }
  }
  print_field(
      out, kIndent, 20, "no slack",
      deciding.size() == ranks.size()
          ? std::string("every rank: any delay of any rank delays the whole run")
          : fmt::format("rank{} {}", deciding.size() == 1 ? "" : "s", runs_in_words(deciding, 8)));
  std::vector<std::uint32_t> order(ranks.size());
  for (Rank rank = 0; rank < ranks.size(); ++rank) {
    order[rank] = rank;
  }
  const auto list = [&](std::string_view what, auto&& seconds) {
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return seconds(ranks[a]) > seconds(ranks[b]);
    });
    std::string text;
    for (std::size_t i = 0; i < std::min(order.size(), kMostRanks); ++i) {
      const double value_s = seconds(ranks[order[i]]);
      if (value_s <= kNone * total_s) {
        break;
      }
      text += fmt::format("{}rank {} {} ({})", i == 0 ? "" : ", ", order[i], human_time(value_s),
                          share(value_s, total_s));
    }
    if (!text.empty()) {
      print_field(out, kIndent, 20, what, text);
    }
  };
  list("most slack", [](const RankSlack& rank) { return rank.slack_s; });
  list("most idle", [&](const RankSlack& rank) { return total_s - rank.busy_s; });
  if (!explanation.slack.exact) {
    print_field(out, kIndent, 0, "",
                "slack is a lower bound: with several ports, the order in which ports become free "
                "depends on all messages");
  }
}

void print_improvements(const Explanation& explanation, std::ostream& out) {
  if (!explanation.improvements) {
    return;
  }
  out << "\nWhat would help, each simulated again\n";
  std::vector<std::vector<std::string>> lines{{"time", "", "what", flag_of("what_if")}};
  for (const Improvement& one : explanation.improvements->found) {
    lines.push_back({human_time(one.simulated_s),
                     std::abs(one.saved) < 5e-4 ? std::string("no change")
                     : one.within_ties ? fmt::format("within ties, +-{}", human_time(one.ties_s))
                                       : fmt::format("{:.1f} % {}", 100 * std::abs(one.saved),
                                                     one.saved > 0 ? "less" : "more"),
                     one.what, one.what_if});
  }
  print_columns(std::move(lines), {true, true, false, false}, kIndent, out);
}

}  // namespace

std::string runs_in_words(const std::vector<std::uint32_t>& numbers, std::size_t most_runs) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < numbers.size(); ++runs) {
    if (runs == most_runs) {
      return text + fmt::format(" and {} more", numbers.size() - i);
    }
    const std::uint32_t stride = i + 1 < numbers.size() ? numbers[i + 1] - numbers[i] : 1;
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + stride) {
      ++end;
    }
    if (stride != 1 && end - i < 3) {  // a gap between only two numbers does not make a range
      end = i + 1;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
    if (end - i > 1) {
      text += fmt::format("-{}{}", numbers[end - 1],
                          stride == 1 ? std::string() : fmt::format(" by {}", stride));
    }
    i = end;
  }
  return text;
}

std::string slowed_in_words(Spending on, std::uint32_t link, MessagePart part,
                            const Explanation& explanation) {
  if (on == Spending::cores) {
    return fmt::format("{} of host {}", in_words(on), link);
  }
  if (on == Spending::sharing) {
    const LinkInRun* const known = explanation.link(link);
    return fmt::format("{} {}", in_words(on),
                       known != nullptr ? known->link.place.name : fmt::format("link {}", link));
  }
  return part != MessagePart::none
             ? in_words(part)
             : std::string(in_words(on, explanation.run.result.problem.collective));
}

std::string wait_in_words(const WaitRow& row, const Explanation& explanation) {
  return fmt::format("waiting for the {} of {}", in_words(row.resource),
                     place_name(*explanation.run.schedule, row.rank));
}

void print_explanation(const Explanation& explanation, std::ostream& out) {
  if (explanation.account.chain.empty()) {
    out << "There is nothing to do, so there is nothing to explain\n";
    return;
  }
  print_account(explanation, out);
  for (const std::string& note : explanation.run.result.described.facts.notes) {
    print_field(out, 2, 5, "note", note);
  }
  print_waterfall(explanation, out);
  print_limit(explanation, out);
  print_links(explanation, out);
  print_slack(explanation, out);
  print_improvements(explanation, out);
}

}}  // namespace tutti::output
