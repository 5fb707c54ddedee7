#include "schedules/verify/result.hpp"

#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedules/verify/empty_block.hpp"

namespace tutti { inline namespace schedules {

namespace {

using Value = Expressions::Value;

// Describes what is wrong with a sum, in words that can follow "rank 3 ends". The description is
// empty if the sum has the contribution of each required rank exactly once.
class SumCheck {
 public:
  SumCheck(const Expressions& expressions, std::uint32_t ranks)
      : expressions_(expressions), ranks_(ranks), seen_(ranks) {}

  // Checks each expression only once, however many ranks hold it.
  const std::string& fault(Value value, std::uint32_t block) {
    const auto [entry, is_new] = faults_.try_emplace(std::uint64_t{block} << 32U | value);
    if (is_new) {
      entry->second = expand(value, block, ranks_);
    }
    return entry->second;
  }

  // Like fault(), but for a sum that must have the contributions of ranks 0 to `last` only. Checks
  // the expression in each call.
  std::string prefix_fault(Value value, std::uint32_t block, Rank last) {
    return expand(value, block, last + 1);
  }

 private:
  std::string expand(Value value, std::uint32_t block, Rank count) {
    // If there are more leaves than ranks, some rank occurs twice, so one leaf more than there are
    // ranks is enough.
    expressions_.leaves(value, std::size_t{ranks_} + 1, leaves_);
    seen_.assign(ranks_, false);
    for (const Value leaf : leaves_) {
      const Rank origin = expressions_.origin(leaf);
      if (expressions_.block(leaf) != block) {
        return fmt::format("with a contribution of rank {} to block {} in block {} of work", origin,
                           expressions_.block(leaf), block);
      }
      if (seen_[origin]) {
        return fmt::format("with the contribution of rank {} twice in block {} of work", origin,
                           block);
      }
      if (origin >= count) {
        return fmt::format(
            "with the contribution of rank {} in block {} of work, which must have only "
            "contributions of lower ranks",
            origin, block);
      }
      seen_[origin] = true;
    }
    for (Rank rank = 0; rank < count; ++rank) {
      if (!seen_[rank]) {
        return fmt::format("without the contribution of rank {} in block {} of work", rank, block);
      }
    }
    return {};
  }

  const Expressions& expressions_;
  std::uint32_t ranks_;
  std::vector<bool> seen_;
  std::vector<Value> leaves_;
  std::unordered_map<std::uint64_t, std::string> faults_;
};

std::string held_text(const Expressions& expressions, Value value) {
  return expressions.is_leaf(value)
             ? fmt::format("block {} of rank {}'s input", expressions.block(value),
                           expressions.origin(value))
             : "a sum of several blocks";
}

class ResultCheck {
 public:
  ResultCheck(const Schedule& schedule, Replay& replay, Findings& findings)
      : expressions_(replay.expressions()),
        findings_(findings),
        sums_(expressions_, schedule.ranks()),
        first_sum_(schedule.blocks(), Expressions::kUndefined) {}

  void check(Rank rank, std::uint32_t block, const Demand& demand, Value value) {
    switch (demand.kind) {
      case Demand::Kind::nothing:
      case Demand::Kind::hearing:
        return;
      case Demand::Kind::copy:
        return check_copy(rank, block, demand, value);
      case Demand::Kind::sum:
        return check_sum(rank, block, value);
      case Demand::Kind::prefix:
        return check_prefix(rank, block, demand.origin, value);
    }
  }

  [[nodiscard]] Result result(bool is_reduction) const {
    if (!right_) {
      return {};
    }
    if (!is_reduction) {
      return {OperandOrder::none, true};
    }
    return {in_order_ ? OperandOrder::rank_order : OperandOrder::commutative_only, bitwise_equal_};
  }

 private:
  template <typename Text>
  void fail(Rank rank, Text&& text) {
    right_ = false;
    findings_.add(FindingKind::result, rank,
                  [&] { return fmt::format("rank {} ends {}", rank, text()); });
  }

  void check_copy(Rank rank, std::uint32_t block, const Demand& demand, Value value) {
    if (value == expressions_.leaf(demand.origin, demand.block)) {
      return;
    }
    fail(rank, [&] {
      return fmt::format(
          "with {} in block {} of work, where block {} of rank {}'s input belongs",
          value == Expressions::kUndefined ? "nothing defined" : held_text(expressions_, value),
          block, demand.block, demand.origin);
    });
  }

  void check_sum(Rank rank, std::uint32_t block, Value value) {
    if (value == Expressions::kUndefined) {
      fail(rank, [&] { return fmt::format("with block {} of work undefined", block); });
      return;
    }
    if (!expressions_.is_sum_in_rank_order(value, block)) {
      const std::string& fault = sums_.fault(value, block);
      if (!fault.empty()) {
        fail(rank, [&] { return fault; });
        return;
      }
      in_order_ = false;
    }
    if (first_sum_[block] == Expressions::kUndefined) {
      first_sum_[block] = value;
    } else if (first_sum_[block] != value) {
      bitwise_equal_ = bitwise_equal_ &&
                       expressions_.canonical(first_sum_[block]) == expressions_.canonical(value);
    }
  }

  // No two ranks get the same prefix, so nothing can be compared bitwise.
  void check_prefix(Rank rank, std::uint32_t block, Rank last, Value value) {
    if (value == Expressions::kUndefined) {
      fail(rank, [&] { return fmt::format("with block {} of work undefined", block); });
      return;
    }
    if (!expressions_.is_sum_in_rank_order(value, block, last + 1)) {
      if (std::string fault = sums_.prefix_fault(value, block, last); !fault.empty()) {
        fail(rank, [&] { return std::move(fault); });
        return;
      }
      in_order_ = false;
    }
  }

  Expressions& expressions_;
  Findings& findings_;
  SumCheck sums_;
  // For each block: the sum at the first rank that gets the block.
  std::vector<Value> first_sum_;
  bool right_ = true;
  bool in_order_ = true;
  bool bitwise_equal_ = true;
};

}  // namespace

Result check_result(const Schedule& schedule, const Contract& contract, Replay& replay,
                    Findings& findings) {
  ResultCheck results(schedule, replay, findings);
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    for (std::uint32_t block = 0; block < schedule.blocks(); ++block) {
      if (!holds_nothing(schedule, block)) {
        results.check(rank, block, contract.demand(rank, block), replay.result(rank, block));
      }
    }
  }
  return results.result(reduces(schedule.problem().collective));
}

}}  // namespace tutti::schedules
