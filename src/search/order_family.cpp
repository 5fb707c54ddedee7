// Known algorithms on other orders of the ranks, and several of them side by side, each on its part
// of the vector. An allreduce can also be a reduce_scatter and then an allgather.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "schedules/patterns/group_calls.hpp"
#include "schedules/permuted.hpp"
#include "schedules/side_by_side.hpp"
#include "src/search/family.hpp"
#include "src/search/option_changes.hpp"
#include "src/search/rank_orders.hpp"

namespace tutti { inline namespace search {

namespace {

// An algorithm on one part of the vector, or two, one after the other: a reduce_scatter and an
// allgather.
struct Part {
  KnownCase first;
  std::optional<KnownCase> second;
  RankOrder order;
};

// Returns the problem of a known case, on part of the bytes.
Problem on_part(const KnownCase& known, std::uint64_t bytes) {
  Problem problem = known.problem;
  const std::uint64_t of_bytes = problem.bytes;
  problem.bytes = bytes;
  if (problem.segment_bytes > 0 && bytes < of_bytes) {
    const std::uint64_t unit = problem.element_bytes;
    problem.segment_bytes =
        std::clamp(problem.segment_bytes, std::min(unit, bytes), std::max(bytes, unit));
  }
  return problem;
}

// Returns an allreduce that consists of a reduce_scatter and an allgather.
Schedule one_after_the_other(const KnownCase& first, const KnownCase& second,
                             const Problem& problem, Detail detail) {
  GroupCalls calls(problem, {problem.bytes});
  std::vector<Rank> members(problem.ranks);
  for (Rank rank = 0; rank < problem.ranks; ++rank) {
    members[rank] = rank;
  }
  const std::uint32_t group = calls.add_group(std::move(members));
  std::uint32_t turn = 0;
  for (const KnownCase* each : {&first, &second}) {
    GroupCalls::Call call;
    call.algorithm = each->algorithm;
    call.problem = on_part(*each, problem.bytes);
    call.group = group;
    call.end_piece = 1;
    call.stage = call.turn = turn++;
    calls.add(call);
  }
  ScheduleBuilder builder(problem, calls.layout(), detail);
  calls.emit(builder);
  return builder.finish();
}

class OrderDraft final : public Draft {
 public:
  OrderDraft(const Goal& goal, const std::vector<RankOrder>& orders, std::vector<Part> parts)
      : goal_(goal), orders_(orders), parts_(std::move(parts)) {}

  [[nodiscard]] Schedule schedule(Detail detail) const override {
    const Problem& whole = goal_.problem;
    std::vector<Schedule> made;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      made.push_back(part(parts_[i], bytes_of(i), detail));
    }
    return made.size() == 1 ? std::move(made.front()) : side_by_side(whole, made);
  }

  [[nodiscard]] std::string in_words() const override {
    std::vector<std::string> texts;
    for (const Part& part : parts_) {
      const auto name = [](const KnownCase& known) {
        return with_options(*known.algorithm, known.problem);
      };
      texts.push_back(fmt::format("{}{}, ranks {}", name(part.first),
                                  part.second ? " then " + name(*part.second) : "",
                                  part.order.name));
    }
    if (texts.size() == 1) {
      return texts.front();
    }
    const bool same =
        std::ranges::all_of(texts, [&](const std::string& text) { return text == texts.front(); });
    return same ? fmt::format("in {} parts: {}", texts.size(), texts.front())
                : fmt::format("in {} parts: {}", texts.size(), fmt::join(texts, "; "));
  }

  [[nodiscard]] std::unique_ptr<const Draft> neighbour(SearchRandom& random) const override {
    std::vector<Part> parts = parts_;
    Part& one = parts[random.below(static_cast<std::uint32_t>(parts.size()))];
    switch (random.below(7)) {
      case 3: {
        KnownCase& changed = one.second && random.below(2) == 0 ? *one.second : one.first;
        changed.problem = changed_options(*changed.algorithm, changed.problem, random);
        break;
      }
      case 0:
        one.order = orders_[random.below(static_cast<std::uint32_t>(orders_.size()))];
        break;
      case 1:
        change_algorithm(one, random);
        break;
      case 2:
        change_number(parts, random);
        break;
      default: {
        const bool all = random.below(2) == 0;
        one.order = changed(one.order, random);
        if (all) {
          const RankOrder same = one.order;
          for (Part& each : parts) {
            each.order = same;
          }
        }
        break;
      }
    }
    return std::make_unique<OrderDraft>(goal_, orders_, std::move(parts));
  }

 private:
  // The parts are equal, in whole elements of each owner.
  [[nodiscard]] std::uint64_t bytes_of(std::size_t part) const {
    const Problem& whole = goal_.problem;
    const std::uint64_t unit =
        whole.element_bytes * (owns_parts(whole.collective) ? std::uint64_t{whole.ranks} : 1);
    const std::uint64_t units = whole.bytes / unit;
    if (parts_.size() > 1 && whole.bytes % unit != 0) {
      throw UserError("blocks of different sizes cannot be cut into equal parts");
    }
    if (parts_.size() == 1) {
      return whole.bytes;
    }
    const std::uint64_t each = units / parts_.size();
    return unit * (each + (part < units % parts_.size() ? 1 : 0));
  }

  [[nodiscard]] Schedule part(const Part& part, std::uint64_t bytes, Detail detail) const {
    Problem problem = goal_.problem;
    problem.bytes = bytes;
    const auto at = [&](Rank rank) {
      return static_cast<Rank>(std::ranges::find(part.order.ranks, rank) -
                               part.order.ranks.begin());
    };
    if (part.second) {
      return permuted(one_after_the_other(part.first, *part.second, problem, detail),
                      part.order.ranks);
    }
    const KnownCase& known = part.first;
    Problem own = on_part(known, bytes);
    if (has_root(own.collective)) {
      own.root = at(goal_.problem.root);
    }
    return permuted(make_schedule(*known.algorithm, own, detail), part.order.ranks);
  }

  // Prefers faster algorithms.
  static const KnownCase& early(const std::vector<KnownCase>& cases, SearchRandom& random) {
    const double share = random.fraction();
    return cases[std::min(
        cases.size() - 1,
        static_cast<std::size_t>(share * share * static_cast<double>(cases.size())))];
  }

  void change_algorithm(Part& part, SearchRandom& random) const {
    const bool two = !goal_.reduce_scatters.empty() && !goal_.allgathers.empty();
    if (part.second && random.below(3) > 0) {
      if (random.below(2) == 0) {
        part.first = early(goal_.reduce_scatters, random);
      } else {
        part.second = early(goal_.allgathers, random);
      }
    } else if (two && !part.second && random.below(2) == 0) {
      part.first = early(goal_.reduce_scatters, random);
      part.second = early(goal_.allgathers, random);
    } else {
      part.second.reset();
      part.first = early(goal_.known, random);
    }
  }

  void change_number(std::vector<Part>& parts, SearchRandom& random) const {
    constexpr std::size_t kMostParts = 8;
    if (parts.size() > 1 && random.below(2) == 0) {
      parts.erase(parts.begin() + random.below(static_cast<std::uint32_t>(parts.size())));
    } else if (parts.size() < kMostParts) {
      const Part copy = parts[random.below(static_cast<std::uint32_t>(parts.size()))];
      parts.push_back(copy);
    }
  }

  const Goal& goal_;
  const std::vector<RankOrder>& orders_;
  std::vector<Part> parts_;
};

class OrderFamily final : public Family {
 public:
  explicit OrderFamily(const Goal& goal)
      : goal_(goal), orders_(rank_orders(goal)), tours_(disjoint_tours(goal)) {}

  [[nodiscard]] std::string_view name() const override { return "orders"; }

  [[nodiscard]] Drafts propose(SearchRandom&) const override {
    Drafts made;
    const auto add = [&](const Part& part, std::size_t parts) {
      made.push_back(std::make_unique<OrderDraft>(goal_, orders_, std::vector<Part>(parts, part)));
    };
    constexpr std::size_t kMostAlgorithms = 12;
    constexpr std::size_t kMostOfTwo = 5;
    for (std::size_t i = 0; i < std::min(goal_.known.size(), kMostAlgorithms); ++i) {
      for (const RankOrder& order : orders_) {
        add({goal_.known[i], std::nullopt, order}, 1);
      }
      if (tours_.size() == 2) {
        made.push_back(std::make_unique<OrderDraft>(
            goal_, orders_,
            std::vector<Part>{{goal_.known[i], std::nullopt, tours_[0]},
                              {goal_.known[i], std::nullopt, tours_[1]}}));
      }
      add({goal_.known[i], std::nullopt, orders_.front()}, 2);
      add({goal_.known[i], std::nullopt, orders_.front()}, 4);
    }
    for (std::size_t i = 0; i < std::min(goal_.reduce_scatters.size(), kMostOfTwo); ++i) {
      for (std::size_t j = 0; j < std::min(goal_.allgathers.size(), kMostOfTwo); ++j) {
        for (const std::size_t parts : {1U, 2U, 4U}) {
          add({goal_.reduce_scatters[i], goal_.allgathers[j], orders_.front()}, parts);
        }
        for (std::size_t k = 1; k < std::min<std::size_t>(orders_.size(), kMostOfTwo); ++k) {
          add({goal_.reduce_scatters[i], goal_.allgathers[j], orders_[k]}, 1);
        }
      }
    }
    return made;
  }

 private:
  const Goal& goal_;
  std::vector<RankOrder> orders_;
  std::vector<RankOrder> tours_;
};

}  // namespace

std::unique_ptr<Family> order_family(const Goal& goal) {
  return std::make_unique<OrderFamily>(goal);
}

}}  // namespace tutti::search
