#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/human.hpp"
#include "src/pictures/round_diagram_parts.hpp"

namespace tutti { inline namespace pictures {

namespace {

std::uint64_t distance(const DrawnMessage& message) {
  return message.src < message.dst ? message.dst - message.src : message.src - message.dst;
}

// True if, in both rounds, the same ranks send to the same ranks and do the same work.
bool same_pattern(const DrawnRound& a, const DrawnRound& b) {
  return std::equal(a.messages.begin(), a.messages.end(), b.messages.begin(), b.messages.end(),
                    [](const DrawnMessage& x, const DrawnMessage& y) {
                      return std::tie(x.src, x.dst) == std::tie(y.src, y.dst);
                    }) &&
         std::equal(a.work.begin(), a.work.end(), b.work.begin(), b.work.end(),
                    [](const DrawnWork& x, const DrawnWork& y) {
                      return std::tie(x.rank, x.reduces) == std::tie(y.rank, y.reduces);
                    });
}

std::string range(std::uint64_t least, std::uint64_t most) {
  return least == most ? fmt::format("{}", least) : fmt::format("{}-{}", least, most);
}

std::string range_of_bytes(const std::vector<DrawnMessage>& messages) {
  const auto [least, most] = std::minmax_element(
      messages.begin(), messages.end(),
      [](const DrawnMessage& a, const DrawnMessage& b) { return a.bytes < b.bytes; });
  if (most->bytes == 0) {
    return "";
  }
  const std::string each = messages.size() == 1 ? "" : " each";
  const std::string largest = short_bytes(static_cast<double>(most->bytes));
  return least->bytes == most->bytes
             ? ", " + largest + each
             : fmt::format(", {} to {}{}", short_bytes(static_cast<double>(least->bytes)), largest,
                           each);
}

// Returns the distance around the ring over which every rank sends; 0 if it is not the same for all
// ranks.
std::uint64_t shift_of(const std::vector<DrawnMessage>& messages, std::uint32_t ranks) {
  if (messages.size() != ranks) {
    return 0;
  }
  const auto shift = [&](const DrawnMessage& one) {
    return (std::uint64_t{one.dst} + ranks - one.src) % ranks;
  };
  const std::uint64_t first = shift(messages.front());
  std::set<std::uint32_t> senders;
  for (const DrawnMessage& one : messages) {
    senders.insert(one.src);
    if (shift(one) != first) {
      return 0;
    }
  }
  return senders.size() == ranks ? first : 0;
}

bool all_are_answered(const std::vector<DrawnMessage>& messages) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const DrawnMessage& one : messages) {
    pairs.emplace(one.src, one.dst);
  }
  return std::all_of(messages.begin(), messages.end(), [&](const DrawnMessage& one) {
    return one.src != one.dst && pairs.count({one.dst, one.src}) > 0;
  });
}

std::string distances(const std::vector<DrawnMessage>& messages) {
  std::uint64_t least = distance(messages.front());
  std::uint64_t most = least;
  for (const DrawnMessage& one : messages) {
    least = std::min(least, distance(one));
    most = std::max(most, distance(one));
  }
  return (least == most ? "distance " : "distances ") + range(least, most);
}

std::string messages_in_words(const std::vector<DrawnMessage>& messages, std::uint32_t ranks) {
  if (messages.size() == 1) {
    return fmt::format("rank {} sends to rank {}", messages[0].src, messages[0].dst);
  }
  if (all_are_answered(messages)) {
    return fmt::format("{} at {}",
                       messages.size() == 2 ? "1 pair exchanges"
                                            : counted(messages.size() / 2, "pair") + " exchange",
                       distances(messages));
  }
  const std::uint64_t shift = shift_of(messages, ranks);
  if (shift == 1 || shift + 1 == ranks) {
    return fmt::format("each rank sends to its {} neighbour", shift == 1 ? "right" : "left");
  }
  if (shift != 0) {
    return fmt::format("each rank sends to the rank {} further", shift);
  }
  std::set<std::uint32_t> senders;
  std::set<std::uint32_t> receivers;
  for (const DrawnMessage& one : messages) {
    senders.insert(one.src);
    receivers.insert(one.dst);
  }
  if (senders.size() == 1) {
    return fmt::format("rank {} sends to {}", *senders.begin(), counted(receivers.size(), "rank"));
  }
  if (receivers.size() == 1) {
    return fmt::format("{} send to rank {}", counted(senders.size(), "rank"), *receivers.begin());
  }
  return fmt::format("{} send to {}, {}", counted(senders.size(), "rank"),
                     counted(receivers.size(), "rank"), distances(messages));
}

std::string work_in_words(const DrawnRound& round, std::uint32_t ranks, bool reduces) {
  const auto count = static_cast<std::uint64_t>(
      std::count_if(round.work.begin(), round.work.end(),
                    [&](const DrawnWork& one) { return one.reduces == reduces; }));
  if (count == 0) {
    return "";
  }
  const std::string who = count == ranks && ranks > 1 ? "each rank" : counted(count, "rank");
  const bool one = count == 1 || count == ranks;
  return fmt::format("; {} {}", who,
                     reduces ? (one ? "reduces" : "reduce") : (one ? "copies" : "copy"));
}

std::string round_in_words(const DrawnRound& round, std::uint32_t ranks, bool with_bytes) {
  std::string words = round.messages.empty() ? std::string("no messages")
                                             : messages_in_words(round.messages, ranks);
  if (with_bytes && !round.messages.empty()) {
    words += range_of_bytes(round.messages);
  }
  return words + work_in_words(round, ranks, true) + work_in_words(round, ranks, false);
}

DiagramRow row_of(const DrawnSchedule& schedule, std::size_t first, std::size_t last,
                  bool with_bytes) {
  DiagramRow row;
  row.first = first;
  row.last = last;
  row.name = fmt::format("{}{} {}", schedule.steps ? "step" : "round", first == last ? "" : "s",
                         range(schedule.rounds[first].number, schedule.rounds[last].number));
  row.words = round_in_words(schedule.rounds[first], schedule.ranks, with_bytes);
  return row;
}

// Returns the rows of the picture. The first `drawn` rounds of each sequence of rounds with the
// same pattern are drawn; the others are folded into one row.
std::vector<DiagramRow> with_runs_of(const DrawnSchedule& schedule, std::size_t drawn) {
  const bool with_bytes = !schedule.bytes_of_all();
  std::vector<DiagramRow> rows;
  const std::vector<DrawnRound>& rounds = schedule.rounds;
  for (std::size_t first = 0; first < rounds.size();) {
    std::size_t end = first + 1;
    while (end < rounds.size() && same_pattern(rounds[first], rounds[end])) {
      ++end;
    }
    // A single remaining round is drawn, since folding it would need a row, too.
    const std::size_t shown = end - first <= drawn + 1 ? end : first + drawn;
    for (; first < shown; ++first) {
      rows.push_back(row_of(schedule, first, first, with_bytes));
    }
    if (first < end) {
      rows.push_back(row_of(schedule, first, end - 1, with_bytes));
      rows.back().drawn = false;
      rows.back().words = "likewise: " + rows.back().words;
      first = end;
    }
  }
  return rows;
}

// Returns a row that counts the messages of all rounds from `first` on.
DiagramRow counted_rest(const DrawnSchedule& schedule, std::size_t first) {
  DiagramRow row = row_of(schedule, first, schedule.rounds.size() - 1, false);
  row.drawn = false;
  std::uint64_t messages = 0;
  std::vector<DrawnMessage> all;
  for (std::size_t i = first; i < schedule.rounds.size(); ++i) {
    for (const DrawnMessage& one : schedule.rounds[i].messages) {
      messages += one.count;
      all.push_back(one);
    }
  }
  row.words = messages == 0 ? std::string("no messages")
                            : fmt::format("{}, not drawn: {}{}", counted(messages, "more message"),
                                          distances(all), range_of_bytes(all));
  return row;
}

}  // namespace

std::vector<DiagramRow> diagram_rows(const DrawnSchedule& schedule, std::size_t most) {
  std::vector<DiagramRow> rows = with_runs_of(schedule, schedule.rounds.size());
  for (std::size_t drawn = 3; rows.size() > most && drawn > 0; --drawn) {
    rows = with_runs_of(schedule, drawn);
  }
  if (rows.size() > most) {
    const std::size_t first = rows[most - 1].first;
    rows.resize(most - 1);
    rows.push_back(counted_rest(schedule, first));
  }
  return rows;
}

}}  // namespace tutti::pictures
