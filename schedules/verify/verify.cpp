#include "schedules/verify/verify.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/work_ticker.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/bytes_only.hpp"
#include "schedules/notation/print.hpp"
#include "schedules/verify/contract_of.hpp"
#include "schedules/verify/findings.hpp"
#include "schedules/verify/races.hpp"
#include "schedules/verify/rank_order.hpp"
#include "schedules/verify/replay.hpp"
#include "schedules/verify/result.hpp"
#include "schedules/verify/sent_bytes.hpp"
#include "schedules/verify/structure.hpp"
#include "schedules/verify/verify_against.hpp"

namespace tutti { inline namespace schedules {

namespace {

// A barrier has no data that could race or be undefined, because its messages are only signals.
bool moves_data(const Schedule& schedule) {
  return schedule.problem().collective != Collective::barrier;
}

// Checks for races and redundant dependencies, rank by rank. Returns the undefined reads.
std::vector<UndefinedRead> check_ranks(const Schedule& schedule, const Contract& contract,
                                       std::uint64_t search_budget, Verdict& verdict,
                                       Findings& findings) {
  const RankOps ops(schedule);
  RankOrder order(schedule, ops);
  Races races(schedule, contract, ops, search_budget, findings);
  TickedWork ticked("looking for races", schedule.size());
  for (Rank rank = 0; rank < schedule.places(); ++rank) {
    ticked.at(std::uint64_t{schedule.size()} * rank / schedule.places());
    order.build(rank);
    if (moves_data(schedule)) {
      races.check(rank, order);
    }
  }
  verdict.redundant_dependencies = order.redundant_dependencies();
  if (const auto first = order.first_redundant_dependency()) {
    verdict.first_redundant = fmt::format("{} after {}", label_text(schedule.op(first->first)),
                                          label_text(schedule.op(first->second)));
  }
  verdict.unread_writes = races.unread_writes();
  verdict.searches = races.searches();
  return races.take_undefined_reads();
}

template <typename Number>
void compare_claim(std::string_view what, const std::optional<Number>& claimed, Number found,
                   Findings& findings) {
  if (claimed && *claimed != found) {
    findings.add(FindingKind::claim, 0, [&] {
      return fmt::format("{} {} declared, but the schedule has {}", *claimed, what, found);
    });
  }
}

bool no_empty_block(const BlockLayout& layout) {
  for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
    if (layout.size_bytes(block) == 0) {
      return false;
    }
  }
  return true;
}

void compare_claims(const Claims& claims, const Schedule& schedule, OperandOrder order,
                    Findings& findings) {
  compare_claim("round(s)", claims.rounds, schedule.rounds(), findings);
  compare_claim("message(s)", claims.messages, schedule.messages(), findings);
  compare_claim("byte(s) sent", claims.bytes_sent, schedule.bytes_sent(), findings);
  compare_claim("byte(s) reduced", claims.bytes_reduced, schedule.bytes_reduced(), findings);
  // A single contribution is always in order, and a wrong result has no order to compare. If some
  // blocks are empty, the others may be in order by chance.
  if (claims.keeps_order && order != OperandOrder::none && schedule.ranks() > 1 &&
      *claims.keeps_order != (order == OperandOrder::rank_order) &&
      (*claims.keeps_order || no_empty_block(schedule.layout()))) {
    findings.add(FindingKind::claim, 0, [&] {
      return std::string(
          *claims.keeps_order
              ? "it is declared correct for operators that do not commute, but some block "
                "is not combined in rank order"
              : "it is declared correct only for operators that commute, but every block "
                "is combined in rank order");
    });
  }
}

}  // namespace

std::string_view name(FindingKind kind) {
  constexpr std::array<std::string_view, kFindingKinds> kNames{
      "blocks", "termination", "locality", "undefined read",
      "race",   "undecided",   "result",   "claim"};
  return kNames[static_cast<std::size_t>(kind)];
}

Claims claims_of(const Algorithm& algorithm, const Problem& problem) {
  Claims claims;
  if (algorithm.keeps_order != nullptr) {
    claims.keeps_order = algorithm.keeps_order(problem);
    // A composition of chosen parts may keep the order although its parts do not promise to, for
    // example on few ranks, or if a scatter or broadcast moves whole results. The claim is
    // therefore checked only if it says that the order is kept.
    if (!problem.parts.standard() && !*claims.keeps_order) {
      claims.keeps_order.reset();
    }
  }
  return claims;
}

bool Verdict::proved() const {
  for (std::size_t kind = 0; kind < kFindingKinds; ++kind) {
    if (static_cast<FindingKind>(kind) != FindingKind::claim && counts[kind] > 0) {
      return false;
    }
  }
  return true;
}

bool Verdict::only_lacks_blocks() const {
  for (std::size_t kind = 0; kind < kFindingKinds; ++kind) {
    const auto which = static_cast<FindingKind>(kind);
    if (which != FindingKind::blocks && which != FindingKind::claim && counts[kind] > 0) {
      return false;
    }
  }
  return count(FindingKind::blocks) > 0;
}

namespace {

// Fills in the members of `verdict` that count traffic. A bare schedule has them, too.
void count_traffic(const Schedule& schedule, Verdict& verdict) {
  verdict.rounds = schedule.rounds();
  verdict.messages = schedule.messages();
  verdict.bytes_sent = schedule.bytes_sent();
  verdict.bytes_lower_bound = least_bytes_sent(schedule.problem(), schedule.layout());
  if (schedule.problem().collective != Collective::application) {
    verdict.bytes_reduced = schedule.bytes_reduced();
  }
}

Verdict verdict_of_bare(const Schedule& schedule, Findings findings) {
  Verdict verdict;
  findings.add(FindingKind::blocks, 0,
               [&] { return bytes_only_text(schedule) + ", so the result cannot be checked"; });
  count_traffic(schedule, verdict);
  std::move(findings).write_to(verdict);
  return verdict;
}

}  // namespace

Verdict verify(const Schedule& schedule, const VerifyOptions& options) {
  if (schedule.bytes_only()) {
    Findings findings(options.findings_per_kind);
    check_termination(schedule, findings);
    check_locality(schedule, findings);
    return verdict_of_bare(schedule, std::move(findings));
  }
  const Contract contract = contract_of(schedule, options.work_starts_undefined);
  return verify_against(schedule, contract, options, [&](Replay& replay, Findings& findings) {
    return check_result(schedule, contract, replay, findings);
  });
}

Verdict verify_against(const Schedule& schedule, const Contract& contract,
                       const VerifyOptions& options, const ResultChecker& check) {
  TUTTI_INVARIANT(schedule.has_payload());
  Findings findings(options.findings_per_kind);
  check_termination(schedule, findings);
  check_locality(schedule, findings);
  Verdict verdict;
  const std::vector<UndefinedRead> undefined_reads =
      check_ranks(schedule, contract, options.search_budget, verdict, findings);
  if (moves_data(schedule)) {
    Replay replay(schedule, contract, undefined_reads);
    const Result result = check(replay, findings);
    verdict.order = result.order;
    verdict.bitwise_equal = result.bitwise_equal;
  } else {
    check_hearing(schedule, findings);
    verdict.bitwise_equal = true;
  }
  count_traffic(schedule, verdict);
  verdict.dependencies = count_edges(schedule);
  compare_claims(options.claims, schedule, verdict.order, findings);
  std::move(findings).write_to(verdict);
  return verdict;
}

std::string combination_text(const Schedule& schedule, Rank rank, std::uint32_t block) {
  TUTTI_INVARIANT(schedule.has_payload() && moves_data(schedule));
  TUTTI_INVARIANT(rank < schedule.ranks() && block < schedule.blocks());
  Replay replay(schedule, contract_of(schedule), {});
  const Expressions::Value value = replay.result(rank, block);
  return value == Expressions::kUndefined ? "" : replay.expressions().text(value, block);
}

}}  // namespace tutti::schedules
