// --groups: the groups of nearby ranks that hierarchical algorithms use.
#include "schedules/options/groups.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>

#include "schedules/options/option_field.hpp"

namespace tutti { inline namespace schedules {

namespace {

constexpr std::uint32_t kMostListed = 1U << 20U;

// Returns the number in `text`, or nothing if `text` is not a 32-bit number.
std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// Removes the text up to the next `mark`, and the mark, from the front of `text`. Returns the
// removed text without the mark.
std::string_view take(std::string_view& text, char mark) {
  const std::size_t at = std::min(text.find(mark), text.size());
  const std::string_view word = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return word;
}

class Reader {
 public:
  Reader(std::string_view what, std::string_view all) : what_(what), all_(all) {}

  Groups read() {
    Groups groups;
    std::string_view left = all_;
    do {
      const bool more = left.find(',') != left.npos;
      groups.levels.push_back(level(take(left, ',')));
      if (!more) {
        return groups;
      }
    } while (true);
  }

 private:
  [[noreturn]] void fail() const {
    const std::vector<std::string> words(kGroupWords.begin(), kGroupWords.end());
    throw UserError(
        fmt::format("{} '{}': expected, for each level, the number of consecutive ranks in a group "
                    "(8,32), {}, or all groups in full (0-3/4-7/8-9){}",
                    what_, all_, alternatives(kGroupWords), did_you_mean(all_, words)));
  }

  [[nodiscard]] GroupLevel level(std::string_view text) const {
    const auto* const word = std::find(kGroupWords.begin(), kGroupWords.end(), text);
    if (word != kGroupWords.end()) {
      return {static_cast<GroupLevel::Kind>(static_cast<std::size_t>(GroupLevel::Kind::host) +
                                            static_cast<std::size_t>(word - kGroupWords.begin())),
              1,
              {}};
    }
    if (const auto ranks = number(text)) {
      if (*ranks == 0) {
        fail();
      }
      return {GroupLevel::Kind::consecutive, *ranks, {}};
    }
    return listed(text);
  }

  [[nodiscard]] GroupLevel listed(std::string_view text) const {
    std::vector<std::uint32_t> group_of_rank;
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t group = 0;
    for (std::string_view left = text; !left.empty(); ++group) {
      const std::string_view members = take(left, '/');
      for (std::string_view runs = members; !runs.empty();) {
        const std::string_view run = take(runs, '+');
        for_each_rank(run, [&](std::uint32_t rank) {
          if (rank >= group_of_rank.size()) {
            group_of_rank.resize(rank + std::size_t{1}, kNone);
          }
          if (group_of_rank[rank] != kNone) {
            fail();
          }
          group_of_rank[rank] = group;
        });
      }
    }
    if (group_of_rank.empty() ||
        std::find(group_of_rank.begin(), group_of_rank.end(), kNone) != group_of_rank.end()) {
      fail();
    }
    // Renumbers the groups in the order of their first ranks, whatever their order in the text.
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (std::uint32_t& id : group_of_rank) {
      id = numbers.try_emplace(id, static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    return {GroupLevel::Kind::listed, 1, group_of_rank};
  }

  // Calls visit(rank) for each rank of `run`, which is RANK, FIRST-LAST or FIRST-LAST:STEP.
  template <typename Visit>
  void for_each_rank(std::string_view run, Visit&& visit) const {
    const std::size_t dash = run.find('-');
    const std::size_t colon = run.find(':');
    const auto first = number(run.substr(0, dash));
    const auto last = dash == run.npos ? first : number(run.substr(dash + 1, colon - dash - 1));
    const auto step =
        colon == run.npos ? std::optional<std::uint32_t>(1) : number(run.substr(colon + 1));
    if (!first || !last || !step || *step == 0 || *last < *first || *last >= kMostListed) {
      fail();
    }
    for (std::uint32_t rank = *first; rank <= *last; rank += *step) {
      visit(rank);
    }
  }

  std::string_view what_;
  std::string_view all_;
};

// Prints runs such as "0-3", "0-12:4" and "5", with "+" between them.
std::string members_text(const std::vector<Rank>& members) {
  std::string text;
  for (std::size_t at = 0; at < members.size();) {
    std::size_t end = at + 1;
    const Rank step = end < members.size() ? members[end] - members[at] : 1;
    while (end < members.size() && members[end] - members[end - 1] == step) {
      ++end;
    }
    if (end - at == 2 && step > 1) {
      // Two ranks that are not neighbours are printed separately: "0+4", not "0-4:4".
      end = at + 1;
    }
    text += text.empty() ? "" : "+";
    text += end - at == 1 ? fmt::format("{}", members[at])
                          : fmt::format("{}-{}", members[at], members[end - 1]);
    if (end - at > 1 && step > 1) {
      text += fmt::format(":{}", step);
    }
    at = end;
  }
  return text;
}

std::string to_text(const GroupLevel& level) {
  switch (level.kind) {
    case GroupLevel::Kind::consecutive:
      return fmt::format("{}", level.ranks);
    case GroupLevel::Kind::listed:
      break;
    default:
      return std::string(kGroupWords[static_cast<std::size_t>(level.kind) -
                                     static_cast<std::size_t>(GroupLevel::Kind::host)]);
  }
  std::vector<std::vector<Rank>> groups;
  for (Rank rank = 0; rank < level.group_of_rank.size(); ++rank) {
    groups.resize(std::max<std::size_t>(groups.size(), level.group_of_rank[rank] + std::size_t{1}));
    groups[level.group_of_rank[rank]].push_back(rank);
  }
  if (level.group_of_rank.size() == 1) {
    // The text "0" would be parsed as the size of the groups.
    return "0-0";
  }
  std::string text;
  for (const std::vector<Rank>& members : groups) {
    text += text.empty() ? "" : "/";
    text += members_text(members);
  }
  return text;
}

}  // namespace

std::vector<std::uint32_t> GroupLevel::of_ranks(std::uint32_t all) const {
  TUTTI_INVARIANT(known());
  if (kind == Kind::listed) {
    TUTTI_INVARIANT(group_of_rank.size() == all);
    return group_of_rank;
  }
  std::vector<std::uint32_t> groups(all);
  for (std::uint32_t rank = 0; rank < all; ++rank) {
    groups[rank] = rank / ranks;
  }
  return groups;
}

bool Groups::known() const {
  return std::all_of(levels.begin(), levels.end(),
                     [](const GroupLevel& level) { return level.known(); });
}

GroupLevel group_level(const std::vector<std::uint32_t>& id_of_rank) {
  GroupLevel level{GroupLevel::Kind::listed, 1, {}};
  std::map<std::uint32_t, std::uint32_t> numbers;
  level.group_of_rank.reserve(id_of_rank.size());
  std::uint32_t in_first = 0;
  for (const std::uint32_t id : id_of_rank) {
    level.group_of_rank.push_back(
        numbers.try_emplace(id, static_cast<std::uint32_t>(numbers.size())).first->second);
    in_first += level.group_of_rank.back() == 0 ? 1 : 0;
  }
  const GroupLevel alike{GroupLevel::Kind::consecutive, std::max(1U, in_first), {}};
  const bool consecutive =
      alike.of_ranks(static_cast<std::uint32_t>(id_of_rank.size())) == level.group_of_rank;
  return consecutive ? alike : level;
}

Groups parse_groups(std::string_view what, std::string_view text) {
  return Reader(what, text).read();
}

std::string to_text(const Groups& groups) {
  std::string text;
  for (const GroupLevel& level : groups.levels) {
    text += text.empty() ? "" : ",";
    text += to_text(level);
  }
  return text;
}

namespace options {

namespace {

std::string help() {
  return "Groups of nearby ranks, for hierarchical algorithms: the number of consecutive ranks in "
         "a group and in a group of groups (8,32), groups of the platform (host or host,switch), "
         "or all groups in full (0-3/4-7/8-9) [nodes, as set by $cores_per_node]";
}

void parse(std::string_view what, std::string_view text, Problem& into) {
  into.groups = parse_groups(what, text);
}

std::string print(const Problem& problem) { return to_text(problem.groups); }

OptionValue value(const Problem& problem) { return to_text(problem.groups); }

// Tries groups of groups, and three groups to which ranks are assigned in turn.
std::vector<OptionTrial> trials(const Problem& problem) {
  Problem nested = problem;
  nested.groups.levels = {{GroupLevel::Kind::consecutive, 2, {}},
                          {GroupLevel::Kind::consecutive, 6, {}}};
  Problem dealt = problem;
  GroupLevel level{GroupLevel::Kind::listed, 1, {}};
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    level.group_of_rank.push_back(rank % 3);
  }
  dealt.groups.levels = {level};
  return {{nested, TriedFor::tests}, {dealt, TriedFor::tests}};
}

}  // namespace

extern const OptionType groups{
    .option = Option::groups,
    .word = "groups",
    .type_name = "LEVELS",
    .help = help,
    .json_key = "groups",
    .recorded = RecordPolicy::in_words,
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::groups>,
    .copy = copy_member<&Problem::groups>,
    .value = value,
    .trials = trials,
};

}  // namespace options

}}  // namespace tutti::schedules
