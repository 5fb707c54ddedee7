#include "src/rule_files/open_mpi/counts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/rule_files/open_mpi/collectives.hpp"

namespace tutti { inline namespace rule_files {

namespace {

constexpr std::size_t kNumbersOfRule = 4;
// With more pairs, the search would take too long.
constexpr std::size_t kMostPairs = 3000;

// Two numbers outside of rules: a collective and its number of communicator sizes, or a
// communicator size and its number of message sizes.
struct Pair {
  std::size_t index = 0;  // of the first number
  long rules = 0;         // rules that follow before the next pair
};

bool is_rule(const OmpiNumbers& numbers, std::size_t line) {
  const std::size_t count = numbers.on_line(line);
  return count == kNumbersOfRule || (numbers.has_header() && count == kNumbersOfRule + 1);
}

// Returns the index of the first number of an incomplete rule on the last line, or of a last number
// that belongs to an incomplete pair; otherwise the number of all numbers.
std::size_t end_of_whole_rules(const OmpiNumbers& numbers) {
  const std::vector<OmpiNumber>& all = numbers.all();
  if (all.empty()) {
    return 0;
  }
  const std::size_t on_last = numbers.on_line(all.back().line);
  const std::size_t first = all.size() - on_last;
  const bool after_rule = first > 0 && is_rule(numbers, all[first - 1].line);
  const bool is_size = on_last == 2 && all.back().value == 0;  // a size without rules
  if (after_rule && on_last < kNumbersOfRule && !is_size) {
    return first;
  }
  std::size_t after = all.size();  // index after the last rule
  while (after > 0 && !is_rule(numbers, all[after - 1].line)) {
    --after;
  }
  return after > 0 && (all.size() - after) % 2 == 1 ? all.size() - 1 : all.size();
}

// Returns the pairs after the first number and before index `end`; nothing if the lines do not have
// this form.
std::optional<std::vector<Pair>> pairs_of(const OmpiNumbers& numbers, std::size_t end) {
  const std::vector<OmpiNumber>& all = numbers.all();
  if (all.empty() || is_rule(numbers, all[0].line)) {
    return std::nullopt;
  }
  std::vector<Pair> pairs;
  std::size_t alone = 0;  // numbers outside of rules since the last pair
  bool any_rule = false;
  for (std::size_t i = 1; i < end;) {
    const std::size_t on_line = numbers.on_line(all[i].line);
    if (is_rule(numbers, all[i].line)) {
      if (all[i].place != 0 || alone != 0 || pairs.empty()) {
        return std::nullopt;
      }
      ++pairs.back().rules;
      any_rule = true;
      i += on_line;
      continue;
    }
    if (on_line > 2) {
      return std::nullopt;
    }
    if (alone == 0) {
      pairs.push_back({i, 0});
    }
    alone = 1 - alone;
    ++i;
  }
  if (!any_rule || alone != 0 || pairs.size() > kMostPairs) {
    return std::nullopt;
  }
  return pairs;
}

// Divides pairs into collectives.
class Division {
 public:
  Division(const std::vector<OmpiNumber>& all, const std::vector<Pair>& pairs)
      : all_(all), pairs_(pairs) {}

  // Returns the indices of the pairs that begin a collective, with the fewest wrong counts; empty
  // if there is no way to divide the pairs.
  [[nodiscard]] std::vector<std::size_t> heads() {
    const std::size_t n = pairs_.size();
    constexpr auto kMostHeads = static_cast<std::size_t>(kOmpiCollectiveCount);
    // cost[h][i]: smallest cost of the pairs before i, in h collectives.
    std::vector<std::vector<Step>> best(kMostHeads + 1, std::vector<Step>(n + 1));
    best[0][0].cost = 0;
    for (std::size_t h = 0; h < kMostHeads; ++h) {
      for (std::size_t i = 0; i < n; ++i) {
        if (best[h][i].cost != kNever && can_be_head(i)) {
          extend(best[h][i].cost, i, best[h + 1]);
        }
      }
    }
    std::size_t least = 0;
    for (std::size_t h = 1; h <= kMostHeads; ++h) {
      best[h][n].cost += best[h][n].cost == kNever || wrong(0, h) == 0 ? 0 : kWrong;
      least = best[h][n].cost < best[least][n].cost ? h : least;
    }
    std::vector<std::size_t> heads;
    for (std::size_t h = least, i = n; h > 0; --h) {
      i = best[h][i].from;
      heads.insert(heads.begin(), i);
    }
    return heads;
  }

  // Returns 1 if the count at this index differs from `follow`, otherwise 0.
  [[nodiscard]] int wrong(std::size_t index, std::size_t follow) const {
    return all_[index].value == static_cast<long>(follow) ? 0 : 1;
  }

 private:
  static constexpr int kWrong = 2;  // cost of a wrong count
  static constexpr int kNone = 2;   // cost of a count of rules that none follow, in addition
  static constexpr int kFalls = 3;  // cost of a communicator size that is not above the one before
  static constexpr int kNever = std::numeric_limits<int>::max();
  struct Step {
    int cost = kNever;
    std::size_t from = 0;
  };

  [[nodiscard]] bool can_be_head(std::size_t i) const {
    const long collective = all_[pairs_[i].index].value;
    return pairs_[i].rules == 0 && collective >= 0 && collective < kOmpiCollectiveCount;
  }

  // Tries all ends of the collective that begins with pair `head`.
  void extend(int before, std::size_t head, std::vector<Step>& best) const {
    int sizes = 0;  // cost of the communicator sizes
    for (std::size_t end = head + 1;; ++end) {
      const int cost = before + sizes + kWrong * wrong(pairs_[head].index + 1, end - head - 1);
      if (cost < best[end].cost) {
        best[end] = {cost, head};
      }
      if (end == pairs_.size()) {
        return;
      }
      const Pair& pair = pairs_[end];
      const int miscounted = wrong(pair.index + 1, static_cast<std::size_t>(pair.rules));
      sizes += miscounted * (kWrong + (pair.rules == 0 ? kNone : 0));
      if (end > head + 1 && all_[pair.index].value <= all_[pairs_[end - 1].index].value) {
        sizes += kFalls;
      }
    }
  }

  const std::vector<OmpiNumber>& all_;
  const std::vector<Pair>& pairs_;
};

}  // namespace

std::optional<CountCheck> wrong_counts(const OmpiNumbers& numbers) {
  CountCheck found;
  found.end = end_of_whole_rules(numbers);
  const auto pairs = pairs_of(numbers, found.end);
  if (!pairs) {
    return std::nullopt;
  }
  const std::vector<OmpiNumber>& all = numbers.all();
  const std::vector<std::size_t> heads = Division(all, *pairs).heads();
  if (heads.empty()) {
    return std::nullopt;
  }
  const auto check = [&](std::size_t index, std::size_t follow, std::string_view things,
                         bool last) {
    if (all[index].value != static_cast<long>(follow)) {
      found.wrong.push_back({index, all[index].value, static_cast<long>(follow), things, last});
    }
  };
  check(0, heads.size(), "collective", true);
  for (std::size_t h = 0; h < heads.size(); ++h) {
    const std::size_t end = h + 1 < heads.size() ? heads[h + 1] : pairs->size();
    check((*pairs)[heads[h]].index + 1, end - heads[h] - 1, "communicator size",
          end == pairs->size());
    for (std::size_t i = heads[h] + 1; i < end; ++i) {
      check((*pairs)[i].index + 1, static_cast<std::size_t>((*pairs)[i].rules), "message size",
            i + 1 == pairs->size());
    }
  }
  return found;
}

std::size_t line_of_odd_rule(const OmpiNumbers& numbers) {
  bool tidy = false;
  std::size_t odd = 0;
  for (const OmpiNumber& each : numbers.all()) {
    const std::size_t count = numbers.on_line(each.line);
    tidy |= count == kNumbersOfRule;
    const bool fits = count != 3 && (count != kNumbersOfRule + 1 || numbers.has_header());
    odd = odd == 0 && !fits ? each.line : odd;
  }
  return tidy ? odd : 0;
}

}}  // namespace tutti::rule_files
