#include "src/output/result_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "base/human.hpp"
#include "base/messages.hpp"
#include "base/printable.hpp"
#include "schedules/run_words.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/message_changes.hpp"

namespace tutti { inline namespace output {

namespace {

// "65 to 256 nodes", "at least 2 ranks on a node"; empty if there are no limits.
std::string range_in_words(double from, double to, const std::string& noun,
                           std::string_view where = "") {
  const auto many = [&](double count) {
    return fmt::format("{:g} {}{}{}", count, noun, count == 1 ? "" : "s", where);
  };
  if (from == to) {
    return many(to);
  }
  if (std::isfinite(to)) {
    return from > 1 ? fmt::format("{:g} to {}", from, many(to)) : "at most " + many(to);
  }
  return from > 1 ? "at least " + many(from) : "";
}

// "queue boost_qos_bprod (jobs of 65 to 256 nodes): latency_s 2.7 us".
std::string kind_in_words(const JobKind& kind) {
  std::vector<std::string> limits{
      range_in_words(kind.nodes_from, kind.nodes_to, "node"),
      range_in_words(kind.ranks_per_node_from, kind.ranks_per_node_to, "rank", " on a node")};
  std::erase(limits, "");
  std::vector<std::string> values;
  for (const auto& [parameter, value] : kind.values) {
    values.push_back(fmt::format("{} {}", parameter->name, parameter_in_words(*parameter, value)));
  }
  const std::string jobs =
      limits.empty() ? "all jobs" : fmt::format("jobs of {}", fmt::join(limits, " and "));
  return fmt::format(
      "{}: {}", kind.source.empty() ? jobs : fmt::format("{} ({})", printable(kind.source), jobs),
      fmt::join(values, ", "));
}

}  // namespace

std::vector<std::string> job_kinds_in_words(const Machine& machine) {
  std::vector<std::string> found;
  for (const JobKind* kind : job_kinds(machine)) {
    if (!kind->values.empty()) {
      found.push_back(kind_in_words(*kind));
    }
  }
  return found;
}

std::vector<std::string> gap_reasons(const RunResult& result, double predicted_s, bool formula,
                                     bool with_sizes) {
  std::vector<std::string> found;
  const PlatformFacts& facts = result.described.facts;
  if (formula && !result.even_blocks()) {
    const std::string sizes =
        with_sizes ? fmt::format(" ({} to {})", human_bytes(result.smallest_owned_bytes),
                                 human_bytes(result.largest_owned_bytes))
                   : "";
    found.push_back(fmt::format("blocks are uneven{}; formulas assume equal blocks", sizes));
  }
  if (formula && result.machine.setup.ports != 1) {
    found.emplace_back("formulas assume one port per rank: one message out and one in at a time");
  }
  if (formula && result.described.prices.copy_s_per_byte != 0) {
    found.emplace_back("formulas ignore local copies");
  }
  if (formula && result.machine.files.messages) {
    found.emplace_back(
        "formulas have one alpha and beta for all messages, and ignore the library's own work");
  }
  if (formula && result.machine.setup.curves) {
    found.emplace_back(
        "formulas have one alpha and beta for all sizes, but measured costs depend on the size");
  }
  if (formula && result.machine.setup.disturbance.late()) {
    found.emplace_back("formulas assume that all ranks begin at once");
  }
  if (formula && result.machine.setup.disturbance.jitter > 0) {
    found.emplace_back("formulas assume equal times for equal messages; here they vary");
  }
  if (formula && result.machine.setup.eager_bytes >= 0) {
    found.emplace_back("formulas assume that all messages use rendezvous");
  }
  if (result.machine.engine->has_network) {
    if (result.machine.spec.network_model != "hockney") {
      found.push_back(fmt::format("the network model {} is not plain alpha-beta",
                                  result.machine.spec.network_model));
    }
    if (result.machine.mapping.ranks_per_host > 1) {
      found.emplace_back("ranks of one host share its links, and reach each other without them");
    }
    // These can only explain a difference in their own direction.
    const bool too_slow = predicted_s > result.simulated_s;
    if (too_slow && (facts.fastest_latency_s != facts.latency_s ||
                     facts.widest_bandwidth_bytes_per_s != facts.bandwidth_bytes_per_s)) {
      found.emplace_back("routes differ, and alpha and beta are those of the slowest");
    }
    if (too_slow && facts.fastest_speed_flops_per_s != facts.speed_flops_per_s) {
      found.emplace_back("hosts differ in speed, and gamma is that of the slowest");
    }
    const bool plain = !too_slow && result.machine.spec.network_model == "hockney" &&
                       result.machine.mapping.ranks_per_host == 1;
    if (plain && result.chain.spent[Spending::sharing] > 0) {
      found.emplace_back("messages share links, which formulas ignore");
    } else if (plain && result.simulated_s > result.longest_path_s) {
      found.emplace_back(
          "messages take unequal times, so they reach ports in another order and may wait longer");
    }
  }
  return found;
}

double tie_spread(const RunResult& result) {
  const double apart_s = result.ties.most_s - result.ties.least_s;
  return result.simulated_s > 0 ? apart_s / result.simulated_s : 0;
}

std::string ties_in_words(const RunResult& result) {
  const TieRange& ties = result.ties;
  const std::string runs = fmt::format("in {} with tiny random delays", counted(ties.runs, "run"));
  if (tie_spread(result) <= kTiesMatter) {
    return fmt::format("hardly matter: {} to {} {}", human_time(ties.least_s),
                       human_time(ties.most_s), runs);
  }
  return fmt::format("{} to {}, {:.2g} % apart, median {}, {}", human_time(ties.least_s),
                     human_time(ties.most_s), 100 * tie_spread(result), human_time(ties.median_s),
                     runs);
}

std::string ranged_time_in_words(const RangedTime& time) {
  return time.ties_matter() ? time_range(time.least_s(), time.most_s()) : human_time(time.seconds);
}

std::string ranged_time_in(const TimeUnit& unit, const RangedTime& time) {
  return time.ties_matter()
             ? fmt::format("{}..{}", unit.print(time.least_s()), unit.print(time.most_s()))
             : unit.print(time.seconds);
}

std::string of_limit_in_words(const RunResult& result) {
  return of_limit_in_words(result.of_limit());
}

std::string of_limit_in_words(const std::optional<double>& of_limit) {
  return of_limit ? human_factor(*of_limit) : "-";
}

std::string repeats_in_words(const RunResult& result) {
  const Repeats& repeats = result.repeats;
  return fmt::format("{} to {} in {}; this is the median, with seed {}",
                     human_time(repeats.least_s), human_time(repeats.most_s),
                     counted(repeats.runs, "run"), repeats.seed);
}

namespace {

// Returns whether ties explain that the engines disagree; "" if this was not tried.
std::string orders_in_words(const EngineComparison& comparison) {
  const EngineOrders& orders = comparison.orders;
  if (orders.runs == 0) {
    return "";
  }
  const std::string tried =
      fmt::format("in {} of simultaneous operations", counted(orders.runs, "other order"));
  if (!orders.matter(std::max(comparison.tolerance, 1e-9)) && orders.overlap()) {
    return fmt::format("; the totals are the same {}", tried);
  }
  return fmt::format("; ties {} this: {}, flow takes {} to {}, and simgrid {} to {}",
                     orders.overlap() ? "explain" : "do not explain", tried,
                     human_time(orders.flow_least_s), human_time(orders.flow_most_s),
                     human_time(orders.simgrid_least_s), human_time(orders.simgrid_most_s));
}

// Returns how rounding errors change the times, and whether this explains that the engines
// disagree;
// "" if this was not tried. Rounding errors may also decide which events are simultaneous, so that
// they are never excluded as the reason.
std::string rounding_in_words(const EngineComparison& comparison) {
  if (!comparison.rounding) {
    return "";
  }
  return fmt::format(
      "; {}if operations take up to {:g} more or less time, flow's own times change by up to "
      "{:.1e} "
      "of the total",
      comparison.rounding_explains() ? "rounding explains this: " : "", EngineComparison::kRounding,
      *comparison.rounding);
}

}  // namespace

std::string disagreement_in_words(const RunResult& result) {
  const EngineComparison comparison = result.comparison.value_or(EngineComparison{});
  return fmt::format(
      "{}: flow and simgrid disagree: operation {} differs by {:.1e} of the total (tolerance "
      "{:g}); totals {:.12g} s and {:.12g} s{}{}",
      run_in_words(result.algorithm->full_name(), *result.algorithm, result.problem), comparison.op,
      comparison.worst, comparison.tolerance, result.simulated_s, comparison.simgrid_total_s,
      orders_in_words(comparison), rounding_in_words(comparison));
}

void warn_of_ties(const RunResult& result, std::string_view hint, Messages& messages) {
  if (result.ties.runs > 0 && tie_spread(result) > kTiesMatter) {
    messages.warning(
        fmt::format("the result depends on which of several simultaneous messages goes first: {}{}",
                    ties_in_words(result), hint));
  }
}

}}  // namespace tutti::output
