#include "tests/schedules/explore/mutants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace tutti::explore {

namespace {

// If Break::detail of a redirect_message is at least this, dependencies between operations that
// share no rank are kept.
constexpr std::uint32_t kStay = 2;

void add_once(std::vector<std::uint32_t>& after, std::uint32_t id) {
  const auto at = std::lower_bound(after.begin(), after.end(), id);
  if (at == after.end() || *at != id) {
    after.insert(at, id);
  }
}

void drop_operation(Draft& draft, std::uint32_t gone, bool bridge) {
  const std::vector<std::uint32_t> inherited = draft.ops[gone].after;
  for (std::uint32_t id = 0; id < draft.ops.size(); ++id) {
    DraftOp& op = draft.ops[id];
    const auto at = std::find(op.after.begin(), op.after.end(), gone);
    if (id == gone || at == op.after.end()) {
      continue;
    }
    op.after.erase(at);
    for (const std::uint32_t earlier : inherited) {
      if (bridge && op.shares_rank(draft.ops[earlier])) {
        add_once(op.after, earlier);
      }
    }
  }
  draft.ops.erase(draft.ops.begin() + gone);
  for (DraftOp& op : draft.ops) {
    for (std::uint32_t& earlier : op.after) {
      earlier -= earlier > gone ? 1 : 0;
    }
  }
}

void duplicate(Draft& draft, std::uint32_t id, bool after) {
  for (DraftOp& op : draft.ops) {
    for (std::uint32_t& earlier : op.after) {
      earlier += earlier > id ? 1 : 0;
    }
  }
  DraftOp copy = draft.ops[id];
  for (DraftOp& op : draft.ops) {
    if (std::find(op.after.begin(), op.after.end(), id) != op.after.end()) {
      add_once(op.after, id + 1);
    }
  }
  if (after) {
    copy.after = {id};
  }
  draft.ops.insert(draft.ops.begin() + id + 1, std::move(copy));
}

// Returns the next rank after `from` that is neither the sender nor the receiver of the message.
Rank other_rank(const Draft& draft, const DraftOp& op, Rank from) {
  Rank rank = from;
  do {
    rank = (rank + 1) % draft.ranks();
  } while (op.touches(rank));
  return rank;
}

void redirect(Draft& draft, std::uint32_t id, std::uint32_t detail) {
  DraftOp& op = draft.ops[id];
  (detail % kStay == 0 ? op.dst : op.src) =
      other_rank(draft, op, detail % kStay == 0 ? op.dst : op.src);
  if (detail >= kStay) {
    return;
  }
  for (DraftOp& each : draft.ops) {
    std::erase_if(each.after,
                  [&](std::uint32_t earlier) { return !each.shares_rank(draft.ops[earlier]); });
  }
}

void shift(const Draft& draft, std::uint32_t& index, std::uint32_t blocks) {
  const std::uint32_t base = index / draft.blocks() * draft.blocks();
  index = base + (index - base + blocks) % draft.blocks();
}

void shift_slot(const Draft& draft, std::uint32_t& index) {
  index = (index + draft.blocks()) % (draft.scratch_slots * draft.blocks());
}

}  // namespace

std::string_view name(Break::Kind kind) {
  constexpr std::string_view kNames[Break::kKinds] = {
      "drop dependency", "drop operation",      "swap operands",   "shift blocks",
      "shift slot",      "duplicate reduction", "redirect message"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<Break> breaks(const Draft& draft) {
  using Kind = Break::Kind;
  std::vector<Break> all;
  const auto size = static_cast<std::uint32_t>(draft.ops.size());
  const auto for_each = [&](Kind kind, auto&& count) {
    for (std::uint32_t id = 0; id < size; ++id) {
      for (std::uint32_t detail = 0; detail < count(draft.ops[id]); ++detail) {
        all.push_back({kind, id, detail});
      }
    }
  };
  for_each(Kind::drop_dependency,
           [](const DraftOp& op) { return static_cast<std::uint32_t>(op.after.size()); });
  for_each(Kind::drop_operation, [](const DraftOp&) { return 2U; });
  const auto is_reduce = [](const DraftOp& op) { return op.kind == OpKind::reduce; };
  for_each(Kind::swap_operands, [&](const DraftOp& op) { return is_reduce(op) ? 1U : 0U; });
  if (draft.blocks() > 1) {
    for_each(Kind::shift_blocks, [](const DraftOp&) { return 3U; });
  }
  if (draft.scratch_slots > 1) {
    for (std::uint32_t id = 0; id < size; ++id) {
      if (draft.ops[id].from == Buffer::scratch) {
        all.push_back({Kind::shift_slot, id, 0});
      }
      if (draft.ops[id].into == Buffer::scratch) {
        all.push_back({Kind::shift_slot, id, 1});
      }
    }
  }
  for_each(Kind::duplicate_reduction, [&](const DraftOp& op) { return is_reduce(op) ? 2U : 0U; });
  if (draft.ranks() > 2) {
    for_each(Kind::redirect_message,
             [](const DraftOp& op) { return op.kind == OpKind::comm ? 4U : 0U; });
    // If every dependency still joins operations that share a rank, there is nothing to drop, so
    // the mutant that keeps all dependencies is a duplicate.
    std::erase_if(all, [&](const Break& what) {
      return what.kind == Kind::redirect_message && what.detail >= kStay &&
             !malformed(apply(draft, what));
    });
  }
  return all;
}

std::vector<Break> sample(const std::vector<Break>& all, std::size_t per_kind, std::uint32_t seed) {
  // The detail of drop_dependency only selects the dependency, so all of its details form one
  // group.
  const auto group = [](const Break& what) {
    const bool one_group = what.kind == Break::Kind::drop_dependency;
    return std::pair{what.kind, one_group ? 0U : what.detail};
  };
  std::map<std::pair<Break::Kind, std::uint32_t>, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    groups[group(all[i])].push_back(i);
  }
  // Does not use std::sample or std::shuffle: their draws differ between standard libraries.
  std::mt19937 random(seed);
  std::vector<bool> drawn(all.size(), false);
  for (auto& [key, members] : groups) {
    for (std::size_t i = 0; i < members.size() && i < per_kind; ++i) {
      if (members.size() > per_kind) {
        std::swap(members[i], members[i + random() % (members.size() - i)]);
      }
      drawn[members[i]] = true;
    }
  }
  std::vector<Break> some;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (drawn[i]) {
      some.push_back(all[i]);
    }
  }
  return some;
}

Draft apply(const Draft& draft, const Break& what) {
  Draft broken = draft;
  DraftOp& op = broken.ops[what.op];
  switch (what.kind) {
    case Break::Kind::drop_dependency:
      op.after.erase(op.after.begin() + what.detail);
      break;
    case Break::Kind::drop_operation:
      drop_operation(broken, what.op, what.detail == 1);
      break;
    case Break::Kind::swap_operands:
      op.from_is = op.from_is == Operand::left ? Operand::right : Operand::left;
      break;
    case Break::Kind::shift_blocks:
      for (BlockPair& pair : op.pairs) {
        if (what.detail != 1) {
          shift(broken, pair.from, 1);
        }
        if (what.detail != 0) {
          shift(broken, pair.into, 1);
        }
      }
      break;
    case Break::Kind::shift_slot:
      for (BlockPair& pair : op.pairs) {
        shift_slot(broken, what.detail == 0 ? pair.from : pair.into);
      }
      break;
    case Break::Kind::duplicate_reduction:
      duplicate(broken, what.op, what.detail == 1);
      break;
    case Break::Kind::redirect_message:
      redirect(broken, what.op, what.detail);
      break;
  }
  return broken;
}

std::string describe(const Draft& draft, const Break& what) {
  const DraftOp& op = draft.ops[what.op];
  std::string text = fmt::format("{} {}: {}", name(what.kind), what.detail, to_string(op));
  if (what.kind == Break::Kind::drop_dependency) {
    text += " after " + to_string(draft.ops[op.after[what.detail]]);
  }
  return text;
}

MutantVerdict judge(const Draft& draft, Sameness sameness, std::uint64_t max_states) {
  if (auto reason = malformed(draft)) {
    return {Judgement::can_go_wrong, "malformed: " + *reason};
  }
  SearchOptions options;
  options.sameness = sameness;
  options.max_states = max_states;
  options.stop_at_harm = true;
  const Finding found = explore(draft, options);
  if (found.harmful()) {
    return {Judgement::can_go_wrong, found.what};
  }
  if (!found.exhausted) {
    return {Judgement::unknown, ""};
  }
  if (!found.races.empty()) {
    const auto [one, other] = found.races.front();
    return {Judgement::forbidden, fmt::format("nothing orders {} and {}", to_string(draft.ops[one]),
                                              to_string(draft.ops[other]))};
  }
  return {Judgement::harmless, ""};
}

Score& Score::operator+=(const Score& other) {
  mutants += other.mutants;
  harmful += other.harmful;
  caught += other.caught;
  forbidden += other.forbidden;
  refused += other.refused;
  harmless += other.harmless;
  proved += other.proved;
  changed += other.changed;
  reported += other.reported;
  unknown += other.unknown;
  left_out += other.left_out;
  return *this;
}

namespace {

struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_reduced = 0;
  std::uint32_t rounds = 0;

  friend bool operator==(const Traffic&, const Traffic&) = default;
};

Traffic traffic(const Draft& draft) {
  Traffic all;
  std::set<std::uint32_t> levels;
  for (const DraftOp& op : draft.ops) {
    for (const BlockPair& pair : op.pairs) {
      const std::uint64_t bytes = draft.layout.size_bytes(pair.from % draft.blocks());
      all.bytes_sent += op.kind == OpKind::comm ? bytes : 0;
      all.bytes_reduced += op.kind == OpKind::reduce ? bytes : 0;
    }
    if (op.kind == OpKind::comm) {
      ++all.messages;
      levels.insert(op.label.level);
    }
  }
  all.rounds = static_cast<std::uint32_t>(levels.size());
  return all;
}

}  // namespace

Score compare(const Draft& draft, const MutationOptions& options, const Prover& prover,
              const std::function<void(const std::string&)>& disagree) {
  Score score;
  const std::vector<Break> all = breaks(draft);
  const std::vector<Break> chosen = sample(all, options.per_kind, options.seed);
  const Traffic before = traffic(draft);
  score.left_out = all.size() - chosen.size();
  for (const Break& what : chosen) {
    const Draft broken = apply(draft, what);
    const MutantVerdict judged = judge(broken, options.sameness, options.max_states);
    const Answer answer = prover(broken);
    ++score.mutants;
    switch (judged.judgement) {
      case Judgement::can_go_wrong:
        ++score.harmful;
        score.caught += answer.refused ? 1 : 0;
        if (!answer.refused) {
          disagree(fmt::format("not caught: {}\n  judge: {}", describe(draft, what), judged.why));
        }
        break;
      case Judgement::forbidden:
        ++score.forbidden;
        score.refused += answer.refused ? 1 : 0;
        if (!answer.refused) {
          disagree(fmt::format("not refused, though forbidden: {}\n  judge: {}",
                               describe(draft, what), judged.why));
        }
        break;
      case Judgement::harmless:
        ++score.harmless;
        score.proved += answer.refused ? 0 : 1;
        if (answer.refused) {
          disagree(fmt::format("refused, though harmless: {}\n  proof: {}", describe(draft, what),
                               answer.why));
        }
        if (traffic(broken) != before) {
          ++score.changed;
          score.reported += answer.other_claims ? 1 : 0;
          if (!answer.other_claims) {
            disagree(fmt::format("changed claims not reported: {}", describe(draft, what)));
          }
        }
        break;
      case Judgement::unknown:
        ++score.unknown;
        break;
    }
  }
  return score;
}

}  // namespace tutti::explore
