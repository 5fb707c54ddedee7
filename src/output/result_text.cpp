// Text output of the result of a run, and of its machine.
#include "src/output/result_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "platforms/cluster_platform.hpp"
#include "schedules/run_words.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/result_words.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/message_changes.hpp"
#include "src/simulation/message_setup.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace output {

namespace {

std::string symmetry_in_words(const RunResult& result) {
  if (!result.symmetry) {
    return {};
  }
  const bool turned = *result.symmetry == Symmetry::rotation;
  if (result.classes == 1) {
    return fmt::format(
        "one rank was simulated for all {}, which are equivalent (rank r becomes {}); {} off "
        "simulates every rank",
        human_count(result.problem.ranks), turned ? "r + k mod p" : "r xor k", flag_of("symmetry"));
  }
  return fmt::format(
      "{} ranks were simulated for all {}, each for {} equivalent ranks (rank r becomes {}); "
      "{} off simulates every rank",
      human_count(result.classes), human_count(result.problem.ranks),
      human_count(result.problem.ranks / result.classes),
      turned ? fmt::format("r + {} k mod p", result.classes) : "r xor k, for some k",
      flag_of("symmetry"));
}

// If the prediction differs from the simulated time, prints the known reasons. `formula`: see
// gap_reasons().
void print_why(const RunResult& result, std::ostream& out, double predicted_s, bool formula) {
  const std::vector<std::string> reasons = gap_reasons(result, predicted_s, formula, true);
  if (differs(predicted_s, result.simulated_s) && !reasons.empty()) {
    print_result_field(out, "", fmt::format("why: {}", fmt::join(reasons, "; ")));
  }
}

// Describes how far `seconds` is from the simulated time.
std::string against_run(const RunResult& result, double seconds) {
  const auto error = relative_error(seconds, result.simulated_s);
  return error ? fmt::format("{} simulated", human_difference(*error))
               : "the simulated time is 0 s";
}

void print_prediction(const RunResult& result, std::ostream& out, std::string_view key,
                      double seconds, std::string_view formula) {
  print_result_field(out, key,
                     fmt::format("{:<13} {}", human_time(seconds), against_run(result, seconds)));
  if (!formula.empty()) {
    print_result_field(out, "", formula);
  }
}

// Prints published formulas of the algorithm that do not hold for this problem, so that users do
// not search for them in vain.
void print_formulas_of_others(const RunResult& result, std::ostream& out) {
  bool known = false;
  if (result.file.empty()) {  // there are no published formulas for the schedule of a file
    for (const PublishedFormula& other : published_formulas(result.algorithm->full_name())) {
      if (!other.misprint()) {
        print_result_field(
            out, known ? "" : "published",
            fmt::format("none for this run: {} is for {} ({}, {})", other.formula,
                        with_fields(other.condition), other.citation, other.section));
        known = true;
      }
    }
  }
  if (!known) {
    print_result_field(out, "published", "no published formula is known");
  }
}

void print_published(const RunResult& result, std::ostream& out) {
  if (result.main_published() == nullptr) {
    print_formulas_of_others(result, out);
  }
  for (const PublishedCost& cost : result.published) {
    print_prediction(result, out, cost.misprint() ? "published, wrong" : "published", cost.seconds,
                     cost.formula);
    print_result_field(out, "", fmt::format("for: {}", with_fields(cost.condition)));
    print_result_field(out, "", fmt::format("from: {}; {}", cost.citation, cost.section));
    if (cost.account == Account::approximate || cost.account == Account::bound) {
      print_result_field(out, "",
                         fmt::format("note: {}{}{}", name(cost.account),
                                     cost.remark.empty() ? "" : ": ", cost.remark));
    } else if (!cost.remark.empty()) {
      print_result_field(out, "", fmt::format("note: {}", cost.remark));
    }
  }
}

void print_times(const RunResult& result, std::ostream& out) {
  print_result_field(out, "simulated", human_time(result.simulated_s));
  if (result.range) {
    print_result_field(
        out, "  range",
        fmt::format("{} to {} with a probability of {:g} %", human_time(result.range->range.low_s),
                    human_time(result.range->range.high_s), 100 * result.range->level));
  }
  if (result.ties.runs > 0 &&
      (result.machine.setup.ties.most_ops == 0 || tie_spread(result) > kTiesMatter)) {
    print_result_field(out, "  ties", ties_in_words(result));
  }
  if (result.repeats.runs > 0) {
    print_result_field(out, "  repeated", repeats_in_words(result));
  }
  if (const auto of_limit = result.of_limit()) {
    print_result_field(
        out, "limit",
        fmt::format("{:<13} no schedule is faster here ('tutti bound' may find a higher limit); "
                    "this one takes {} times as long",
                    human_time(*result.bound_s), human_factor(*of_limit)));
  }
  if (!result.machine.engine->has_network) {
    print_result_field(out, "longest path", "the same: engine critical-path computes it");
  } else {
    print_prediction(result, out, "longest path", result.longest_path_s, "");
    print_why(result, out, result.longest_path_s, false);
  }
  if (result.problem.collective == Collective::application) {
    return;  // formulas are for collectives
  }
  if (result.exact_s) {
    print_prediction(result, out, "exact cost", *result.exact_s,
                     with_fields(result.algorithm->cost));
    print_why(result, out, *result.exact_s, true);
  } else {
    print_result_field(out, "exact cost",
                       result.machine.setup.disturbance.any()
                           ? "no closed form is known for late ranks or varying times"
                           : "no closed form is known for this problem");
  }
  print_published(result, out);
}

// Prints how much of the critical chain's time was spent on start-up, transfer, sharing and so on.
// The time lost to sharing is the sum over all links.
void print_parts(const RunResult& result, std::ostream& out) {
  result.chain.spent.each([&](Spending on, double seconds) {
    if (seconds != 0) {
      const double share = result.simulated_s == 0 ? 0 : 100 * seconds / result.simulated_s;
      out << fmt::format("  {:<26}{:<13} {:5.1f} %\n", in_words(on, result.problem.collective),
                         human_time(seconds), share);
    }
  });
}

std::string model_in_words(const std::string& model, bool shared) {
  if (model == "hockney") {
    return fmt::format("latency of the route, then the bytes over its narrowest link; {}",
                       shared
                           ? std::string("links that several messages use are shared")
                           : fmt::format("links are not shared, as {} says", flag_of("what_if")));
  }
  if (model == "lv08") {
    return "SimGrid's default, with its factors on latency and bandwidth for TCP";
  }
  if (model == "smpi") {
    return "SimGrid's model of MPI over TCP, piecewise by message size";
  }
  return "SimGrid's model of InfiniBand";
}

std::string per_byte(double s_per_byte) {
  if (s_per_byte == 0) {
    return "0 s per byte";
  }
  return fmt::format("{} per byte ({})", human_time(s_per_byte), human_rate(1 / s_per_byte));
}

void print_prices(const RunResult& result, std::ostream& out) {
  const Prices& prices = result.described.prices;
  const PriceOverrides& overrides = result.machine.spec.prices;
  const PlatformFacts& facts = result.described.facts;
  // --parameters sets all prices, and cannot be combined with the options for single prices.
  const bool measured = !result.machine.spec.parameters.empty();
  const auto given = [measured](std::string_view field) {
    return fmt::format("given with {}", flag_of(measured ? "parameters" : field));
  };
  const auto from = [&](bool overridden, std::string_view option, const std::string& otherwise) {
    return overridden ? given(option) + ", instead of the platform's" : otherwise;
  };
  std::string latency = "latency of the platform's routes";
  if (facts.fastest_latency_s != facts.latency_s) {
    latency = fmt::format("the slowest of the routes in use; the fastest takes {}",
                          human_time(facts.fastest_latency_s));
  }
  std::string bandwidth = "narrowest link of the platform's routes";
  if (facts.widest_bandwidth_bytes_per_s != facts.bandwidth_bytes_per_s) {
    bandwidth = fmt::format("the narrowest of the routes in use; the widest has {}",
                            human_rate(facts.widest_bandwidth_bytes_per_s));
  }
  if (result.machine.files.messages) {
    latency += ", for an eager message; larger messages also have a handshake";
    if (1 / prices.beta_s_per_byte < facts.bandwidth_bytes_per_s * (1 - 1e-9)) {
      bandwidth =
          message_model(result.machine).host_bytes_per_s * prices.beta_s_per_byte <= 1 + 1e-9
              ? "rate of a host's ports"
              : "rate of a rank";
    }
  }
  print_result_field(out, "alpha (start-up)",
                     fmt::format("{} per message; {}", human_time(prices.alpha_s),
                                 from(overrides.alpha_s.has_value(), "alpha", latency)));
  print_result_field(out, "beta (transfer)",
                     fmt::format("{}; {}", per_byte(prices.beta_s_per_byte),
                                 from(overrides.beta_s_per_byte.has_value(), "beta", bandwidth)));
  if (result.problem.collective == Collective::application) {
    print_result_field(out, "calculations", "each takes the time that the file gives");
    return;
  }
  print_result_field(out, "gamma (reduction)",
                     fmt::format("{}; {}", per_byte(prices.gamma_s_per_byte),
                                 from(overrides.gamma_s_per_byte.has_value(), "gamma",
                                      fmt::format("one operation of the host per {}-byte element",
                                                  result.problem.element_bytes))));
  if (prices.copy_s_per_byte != 0) {
    print_result_field(out, "local copies",
                       fmt::format("{}; {}", per_byte(prices.copy_s_per_byte), given("copy_cost")));
  }
}

std::string engine_in_words(const RunResult& result) {
  const Machine& machine = result.machine;
  if (result.comparison) {
    const EngineComparison& comparison = *result.comparison;
    return fmt::format(
        "flow and simgrid, which {}: times of an operation differ by at most {:.1e} of the total "
        "(tolerance {:g}); simgrid took {}",
        comparison.agrees() ? "agree" : "DISAGREE", comparison.worst, comparison.tolerance,
        human_time(comparison.simgrid_wall_s));
  }
  std::string chosen;
  if (machine.spec.engine == "auto") {
    chosen = ", chosen by auto";
    chosen += machine.auto_reason.empty() ? "" : " because " + machine.auto_reason;
  }
  return fmt::format("{}{}: {}", machine.engine->name, chosen, machine.engine->in_words);
}

// Describes where the hosts of the ranks come from: "ranks on the hosts of alloc.csv, the first 64
// of its 200 ranks". `drawn`: the hosts were drawn at random.
std::string hosts_in_words(const HostSource& origin, bool drawn) {
  const std::size_t ranks = origin.names.size();
  std::string text =
      fmt::format("ranks on the hosts {} {}", drawn ? "drawn by" : "of", origin.from);
  if (origin.by_rank && origin.given > ranks) {
    text +=
        fmt::format(", the first {} of its {}", human_count(ranks), counted(origin.given, "rank"));
  } else if (!origin.by_rank) {
    if (origin.given > origin.used) {
      text += fmt::format(", the first {} of its {}", human_count(origin.used),
                          counted(origin.given, "host"));
    }
    if (origin.per_host > 1) {
      text += fmt::format(", {} per host", counted(origin.per_host, "rank"));
    }
  }
  return text;
}

void print_messages(const RunResult& result, std::ostream& out) {
  const Machine& machine = result.machine;
  const MessageModel model = message_model(machine);
  std::string text = fmt::format(
      "from {}: eager up to {}, rendezvous above; latency {} between neighbours, plus {} (send) "
      "and "
      "{} (receive) of core time",
      machine.spec.parameters, human_bytes(static_cast<std::uint64_t>(model.eager_bytes)),
      human_time(model.latency_s), human_time(model.send_overhead_s),
      human_time(model.receive_overhead_s));
  if (std::isfinite(model.rank_bytes_per_s)) {
    text += fmt::format("; a rank sends at most {}", human_rate(model.rank_bytes_per_s));
  }
  if (std::isfinite(model.host_bytes_per_s)) {
    text += fmt::format("; a host sends at most {}", human_rate(model.host_bytes_per_s));
  }
  print_result_field(out, "messages", text);
  for (const std::string& kind : job_kinds_in_words(machine)) {
    print_result_field(out, "  job kind", kind);
  }
  if (const auto other = as_run_by(machine.files.library, *result.algorithm, result.problem)) {
    print_result_field(out, "  note",
                       fmt::format("the library's own {} is {} {} {}, in one segment",
                                   result.algorithm->full_name(), other->algorithm->full_name(),
                                   flag_of("tree"), name(other->problem.tree)));
  }
  if (machine.spec.after_barrier) {
    print_result_field(
        out, "time",
        fmt::format("of the longest call of any rank, after {}", barrier_before_call(machine)));
  }
}

// Says how much a rank sends and receives at most, including what stays on the rank.
std::string most_sent_and_received(const Problem& problem) {
  std::uint64_t most_sent = 0;
  std::vector<std::uint64_t> received(problem.ranks);
  for (std::uint32_t from = 0; from < problem.ranks; ++from) {
    std::uint64_t sent = 0;
    for (std::uint32_t to = 0; to < problem.ranks; ++to) {
      const std::uint64_t bytes = problem.block_bytes[std::size_t{from} * problem.ranks + to];
      sent += bytes;
      received[to] += bytes;
    }
    most_sent = std::max(most_sent, sent);
  }
  return fmt::format("; a rank sends at most {} and receives at most {}", human_bytes(most_sent),
                     human_bytes(*std::ranges::max_element(received)));
}

std::string segments_in_words(const RunResult& result) {
  if (result.best_segment) {
    return result.best_segment->in_words();
  }
  const Problem& problem = result.problem;
  const bool by_default = problem.segment_bytes == 0 &&
                          result.blocks > natural_blocks(problem.collective, problem.ranks);
  return fmt::format("at most {}, {} of them{}", counted(result.largest_block_bytes, "byte"),
                     human_count(result.blocks), by_default ? ", the algorithm's default" : "");
}

}  // namespace

void print_result(const RunResult& result, std::ostream& out) {
  const Problem& problem = result.problem;
  const bool application = problem.collective == Collective::application;
  std::string size = fmt::format("{} of {}", counted(problem.elements(), "element"),
                                 human_bytes(problem.element_bytes));
  if (owns_parts(problem.collective) && result.even_blocks() && problem.block_bytes.empty()) {
    size += fmt::format("; {} for each rank", human_bytes(problem.bytes / problem.ranks));
  }
  if (problem.collective == Collective::alltoallv && !problem.block_bytes.empty()) {
    size += most_sent_and_received(problem);
  }
  print_heading(out, fmt::format("{}{} ({})", result.file.empty() ? "" : result.file + ": ",
                                 application ? result.algorithm->full_name()
                                             : run_in_words(result.algorithm->full_name(),
                                                            *result.algorithm, problem),
                                 application ? counted(problem.ranks, "rank") : size));
  out << '\n';

  print_machine(result, platform_in_words(result), symmetry_in_words(result), out);
  if (result.takes(Option::segment) && result.unproved.empty()) {
    print_result_field(out, "segments", segments_in_words(result));
  }
  if (!result.why_unproved().empty()) {
    print_result_field(out, "unproved", result.why_unproved());
  }
  print_result_field(
      out, "schedule",
      fmt::format("{}, {} in {}, {} sent, {}, {}", counted(result.ops, "operation"),
                  counted(result.messages, "message"), counted(result.rounds, "round"),
                  human_bytes(result.bytes_sent),
                  application ? human_time(result.calculations_s) + " of calculations"
                              : human_bytes(result.bytes_reduced) + " reduced",
                  result.dependencies == 1
                      ? std::string("1 dependency")
                      : fmt::format("{} dependencies", human_count(result.dependencies))));

  out << "\nHow long it takes\n";
  print_times(result, out);

  out << fmt::format("\nWhere the time goes, on the critical chain of {}\n",
                     counted(result.chain_ops, "operation"));
  print_parts(result, out);

  out << "\nWhat the simulation took\n";
  print_result_field(
      out, "wall clock",
      fmt::format("{} {}, load {}, simulate {}, analyse {}",
                  result.algorithm->emits() ? "emit" : "read", human_time(result.emit_wall_s),
                  human_time(result.load_wall_s), human_time(result.simulate_wall_s),
                  human_time(result.other_wall_s)));
  print_result_field(out, "peak memory", human_bytes(result.peak_rss_bytes));
}

void print_result_field(std::ostream& out, std::string_view key, std::string_view text) {
  constexpr std::size_t kKeyWidth = 20;
  print_field(out, kIndent, kKeyWidth, key, text);
}

std::string platform_in_words(const RunResult& result) {
  const PlatformFacts& facts = result.described.facts;
  std::string text;
  if (result.machine.built_in()) {
    text = fmt::format(
        "a crossbar of {}, {}: {} between any two, {} each way, {:g} Gflop/s each",
        counted(facts.hosts, "host"),
        result.machine.spec.made_on_the_fly()
            ? fmt::format("made on the fly because no {} was given", flag_of("platform"))
            : "as named",
        human_time(facts.latency_s), human_rate(facts.bandwidth_bytes_per_s),
        facts.speed_flops_per_s / 1e9);
  } else {
    text = fmt::format("{}, {} of {} used", facts.name, facts.hosts_used,
                       counted(facts.hosts, "host"));
    if (const auto& cluster = result.machine.files.cluster;
        cluster != nullptr && !cluster->rails_in_words().empty()) {
      text += "; " + cluster->rails_in_words();
    }
  }
  if (const HostSource* origin = result.machine.host_source.get()) {
    return text + "; " + hosts_in_words(*origin, result.machine.spec.placement_seed.has_value());
  }
  if (result.machine.mapping.ranks_per_host > 1) {
    text += fmt::format(
        "; {} per host, placed {}", counted(result.machine.mapping.ranks_per_host, "rank"),
        result.machine.mapping.placement == Placement::cyclic ? "cyclically" : "in blocks");
  }
  if (result.machine.mapping.hosts_per_switch > 0) {
    text += fmt::format("; hosts taken in turn from switches of {} hosts",
                        human_count(result.machine.mapping.hosts_per_switch));
  }
  if (result.machine.mapping.place_at_switch != nullptr) {
    text += "; hosts taken in turn from each switch";
  }
  return text;
}

void print_machine(const RunResult& result, const std::string& platform,
                   const std::string& symmetry, std::ostream& out) {
  print_result_field(out, "platform", platform);
  for (const std::string& note : result.described.facts.notes) {
    print_result_field(out, "  note", note);
  }
  if (result.machine.engine->has_network) {
    print_result_field(out, "engine", engine_in_words(result));
    if (result.machine.files.messages) {
      print_messages(result, out);
    } else {
      print_result_field(out, "network model",
                         fmt::format("{}: {}", result.machine.spec.network_model,
                                     model_in_words(result.machine.spec.network_model,
                                                    !result.machine.spec.changes.unshared)));
    }
  } else {
    print_result_field(
        out, "engine",
        "critical-path: the longest path under alpha, beta and gamma, with ports and cores; the "
        "network is not simulated");
  }
  if (!symmetry.empty()) {
    print_result_field(out, "symmetry", symmetry);
  }
  if (result.ops_simulated < result.ops) {
    print_result_field(
        out, "repetition",
        fmt::format("{} of {} were simulated; the other rounds repeat these exactly; {} simulates "
                    "every round",
                    human_count(result.ops_simulated), counted(result.ops, "operation"),
                    flag_of("all_rounds")));
  }
  print_result_field(
      out, "ports",
      result.machine.setup.ports == kUnlimitedPorts
          ? std::string("unlimited: a rank sends and receives any number of messages at a time")
          : fmt::format("{0}: a rank sends at most {1} and receives at most {1} at a time",
                        result.machine.setup.ports,
                        counted(result.machine.setup.ports, "message")));
  if (result.unlimited_ports_s) {
    print_result_field(
        out, "",
        fmt::format("with unlimited ports, which send the messages of a radix of {} at the same "
                    "time, the run takes {}; if ranks of the machine can do so, give {} unlimited",
                    result.problem.radix, human_time(*result.unlimited_ports_s), flag_of("ports")));
  }
  print_prices(result, out);
  if (!result.machine.spec.what_ifs.empty()) {
    print_result_field(out, "what if", what_ifs_in_words(result.machine));
  }
}

std::string alpha_in_words(const Prices& prices, const Machine& machine) {
  std::string text = "alpha " + human_time(prices.alpha_s);
  if (machine.files.messages) {
    const MessageModel model = message_model(machine);
    text += fmt::format(
        " (an eager message on the slowest route in use; above {}, a handshake of {} is added)",
        human_bytes(static_cast<std::uint64_t>(model.eager_bytes)), human_time(model.handshake_s));
  }
  return text;
}

void print_machine_briefly(const RunResult& result, const std::string& platform,
                           std::ostream& out) {
  constexpr std::size_t kKey = 10;
  const Machine& machine = result.machine;
  const Prices& prices = result.described.prices;
  print_field(out, kIndent, kKey, "platform", platform);
  for (const std::string& note : result.described.facts.notes) {
    print_field(out, kIndent, kKey, "", note);
  }
  std::string text =
      fmt::format("{}, beta {} per byte, gamma {} per byte", alpha_in_words(prices, machine),
                  human_time(prices.beta_s_per_byte), human_time(prices.gamma_s_per_byte));
  if (prices.copy_s_per_byte != 0) {
    text += fmt::format(", copies {} per byte", human_time(prices.copy_s_per_byte));
  }
  print_field(out, kIndent, kKey, "prices", text);
  text = result.comparison ? engine_in_words(result) : std::string(machine.engine->name);
  if (machine.engine->has_network && machine.spec.network_model != "hockney") {
    text += fmt::format("; network model {}", machine.spec.network_model);
  }
  if (machine.setup.ports != 1) {
    text += machine.setup.ports == kUnlimitedPorts ? "; ports unlimited"
                                                   : fmt::format("; {} ports", machine.setup.ports);
  }
  print_field(out, kIndent, kKey, "engine", text);
  if (!machine.spec.what_ifs.empty()) {
    print_field(out, kIndent, kKey, "what if", what_ifs_in_words(machine));
  }
}

}}  // namespace tutti::output
