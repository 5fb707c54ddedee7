#include "src/simulation/spending.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tutti { inline namespace simulation {

namespace {

struct SpendingNames {
  std::string_view name;
  std::string_view in_words;
};
constexpr std::array<SpendingNames, kSpendings> kNames{{
    {"start_of_run", "start of the run"},
    {"lateness", "a rank came late"},
    {"startup", "start-up"},
    {"transfer", "transfer"},
    {"sharing", "slowed by sharing"},
    {"reduction", "reduction"},
    {"copying", "copying"},
    {"cores", "slowed by sharing cores"},
}};

}  // namespace

std::string_view name(Spending on) { return kNames[static_cast<std::size_t>(on)].name; }
std::string_view in_words(Spending on, Collective collective) {
  return on == Spending::reduction ? word_for_reduction(collective)
                                   : kNames[static_cast<std::size_t>(on)].in_words;
}

OwnTimes own_times_by(const Prices& prices, Rank ranks) {
  return [prices, ranks](OpId, const Op& op) -> OwnTime {
    const bool at_switch = op.src() >= ranks || op.dst() >= ranks;
    // For an operation at a switch, the transfer time is infinite, so that all of its duration
    // counts as work.
    if (!op.is_comm()) {
      return {0, at_switch ? std::numeric_limits<double>::infinity() : op_s(op, prices)};
    }
    return {at_switch ? prices.alpha_s / 2 : prices.alpha_s,
            static_cast<double>(op.bytes()) * prices.beta_s_per_byte};
  };
}

OwnTimes own_times_of(AloneTimes alone) {
  return [alone = std::move(alone)](OpId id, const Op& op) { return alone.of(id, op); };
}

TimeBySpending spent_by(const Op& op, double duration_s, const OwnTime& own) {
  TimeBySpending spent;
  double& startup_s = spent[Spending::startup];
  startup_s = std::min(own.startup_s, duration_s);
  double& work_s = spent[op.is_comm()                  ? Spending::transfer
                         : op.kind() == OpKind::reduce ? Spending::reduction
                                                       : Spending::copying];
  work_s = std::min(own.transfer_s, duration_s - startup_s);
  spent[op.is_comm() ? Spending::sharing : Spending::cores] = duration_s - startup_s - work_s;
  return spent;
}

}}  // namespace tutti::simulation
