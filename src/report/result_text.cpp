// The result of a run for people.
#include "src/report/result_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "base/human.hpp"
#include "base/printable.hpp"
#include "schedules/run_words.hpp"
#include "simulation/engines/engine_type.hpp"
#include "simulation/machine.hpp"
#include "simulation/run_result.hpp"
#include "src/formats/text_table.hpp"

namespace tutti {

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kKeyWidth = 20;

void field(std::ostream& out, std::string_view key, std::string_view text) {
  print_field(out, kIndent, kKeyWidth, key, text);
}

std::string_view model_in_words(const std::string& model) {
  if (model == "hockney") {
    return "latency of the route, then the bytes over its narrowest link; links that several "
           "messages use are shared";
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

}  // namespace

std::string platform_in_words(const RunResult& result) {
  const PlatformFacts& facts = result.described.facts;
  std::string text;
  if (result.machine.built_in()) {
    text = fmt::format("a crossbar of {}, {}: {} between any two, {} each way, {:g} Gflop/s each",
                       counted(facts.hosts, "host"),
                       result.machine.made_on_the_fly()
                           ? "made on the fly because no --platform was given"
                           : "as named",
                       human_time(facts.latency_s), human_rate(facts.bandwidth_bytes_per_s),
                       facts.speed_flops_per_s / 1e9);
  } else {
    text = fmt::format("{}, {} of {} used", facts.name, facts.hosts_used,
                       counted(facts.hosts, "host"));
  }
  if (result.machine.mapping.ranks_per_host > 1) {
    text += fmt::format(
        "; {} to a host, placed {}", counted(result.machine.mapping.ranks_per_host, "rank"),
        result.machine.mapping.placement == Placement::cyclic ? "cyclically" : "in blocks");
  }
  if (result.machine.mapping.hosts_per_switch > 0) {
    text += fmt::format("; hosts dealt out over switches of {}",
                        human_count(result.machine.mapping.hosts_per_switch));
  }
  return text;
}

namespace {

void print_prices(const RunResult& result, std::ostream& out) {
  const Prices& prices = result.described.prices;
  const PriceOverrides& overrides = result.machine.overrides;
  const PlatformFacts& facts = result.described.facts;
  // --parameters gives all of them, and takes none of them beside it.
  const bool measured = !result.machine.parameters_file.empty();
  const auto given = [measured](std::string_view option) {
    return fmt::format("given with {}", measured ? "--parameters" : option);
  };
  const auto from = [&](bool overridden, std::string_view option, const std::string& otherwise) {
    return overridden ? given(option) + ", in place of the platform's" : otherwise;
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
  field(out, "alpha (start-up)",
        fmt::format("{} per message; {}", human_time(prices.alpha_s),
                    from(overrides.alpha_s.has_value(), "--alpha", latency)));
  field(out, "beta (transfer)",
        fmt::format("{}; {}", per_byte(prices.beta_s_per_byte),
                    from(overrides.beta_s_per_byte.has_value(), "--beta", bandwidth)));
  field(out, "gamma (reduction)",
        fmt::format("{}; {}", per_byte(prices.gamma_s_per_byte),
                    from(overrides.gamma_s_per_byte.has_value(), "--gamma",
                         fmt::format("one operation of the host per {}-byte element",
                                     result.problem.element_bytes))));
  if (prices.copy_s_per_byte != 0) {
    field(out, "local copies",
          fmt::format("{}; {}", per_byte(prices.copy_s_per_byte), given("--copy-cost")));
  }
}

}  // namespace

std::vector<std::string> gap_reasons(const RunResult& result, bool formula, bool with_sizes) {
  std::vector<std::string> found;
  const PlatformFacts& facts = result.described.facts;
  if (formula && !result.even_blocks()) {
    const std::string sizes =
        with_sizes ? fmt::format(" ({} to {})", human_bytes(result.smallest_block_bytes),
                                 human_bytes(result.largest_block_bytes))
                   : "";
    found.push_back(fmt::format("blocks are uneven{}, where formulas have equal ones", sizes));
  }
  if (formula && result.machine.setup.ports != 1) {
    found.emplace_back("formulas have one port per rank: one message out and one in at a time");
  }
  if (formula && result.described.prices.copy_s_per_byte != 0) {
    found.emplace_back("formulas leave local copies out");
  }
  if (formula && result.machine.setup.curves) {
    found.emplace_back("formulas have one line for all sizes, not the measured pieces");
  }
  if (formula && result.machine.setup.disturbance.late()) {
    found.emplace_back("formulas have all ranks begin at once");
  }
  if (formula && result.machine.setup.disturbance.jitter > 0) {
    found.emplace_back("formulas have equal times for equal messages, and here they vary");
  }
  if (formula && result.machine.setup.eager_bytes >= 0) {
    found.emplace_back("formulas let a message wait for its receiver, and its sender for its end");
  }
  if (result.machine.engine->has_network) {
    if (result.machine.network_model != "hockney") {
      found.push_back(fmt::format("the network model {} is not plain alpha-beta",
                                  result.machine.network_model));
    }
    if (result.machine.mapping.ranks_per_host > 1) {
      found.emplace_back("ranks of one host share its links, and reach each other without them");
    }
    if (facts.fastest_latency_s != facts.latency_s ||
        facts.widest_bandwidth_bytes_per_s != facts.bandwidth_bytes_per_s) {
      found.emplace_back("routes differ, and alpha and beta are those of the slowest");
    }
    if (facts.fastest_speed_flops_per_s != facts.speed_flops_per_s) {
      found.emplace_back("hosts differ in speed, and gamma is that of the slowest");
    }
    const bool plain =
        result.machine.network_model == "hockney" && result.machine.mapping.ranks_per_host == 1;
    if (plain && result.chain.network_s > 0 &&
        differs(result.simulated_s + result.chain.network_s, result.simulated_s)) {
      found.emplace_back("messages share links, of which formulas know nothing");
    } else if (plain && result.simulated_s > result.longest_path_s) {
      found.emplace_back(
          "where messages take unequal times, they meet ports in another order, and may wait "
          "longer");
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
  const std::string runs =
      fmt::format("in {} with starts moved by parts in 1e-12", counted(ties.runs, "run"));
  if (tie_spread(result) <= kTiesMatter) {
    return fmt::format("hardly matter: {} to {} {}", human_time(ties.least_s),
                       human_time(ties.most_s), runs);
  }
  return fmt::format("{} to {}, {:.2g} % apart, {}", human_time(ties.least_s),
                     human_time(ties.most_s), 100 * tie_spread(result), runs);
}

std::string repeats_in_words(const RunResult& result) {
  const Repeats& repeats = result.repeats;
  return fmt::format("{} to {} in {}, of which this is the median, with seed {}",
                     human_time(repeats.least_s), human_time(repeats.most_s),
                     counted(repeats.runs, "run"), repeats.seed);
}

std::string disagreement_in_words(const RunResult& result) {
  const EngineComparison comparison = result.comparison.value_or(EngineComparison{});
  return fmt::format(
      "{}: flow and simgrid disagree: operation {} is {:.1e} of the total apart, where {:g} is "
      "tolerated; totals {:.12g} s and {:.12g} s",
      run_in_words(result.algorithm->full_name(), *result.algorithm, result.problem), comparison.op,
      comparison.worst, comparison.tolerance, result.simulated_s, comparison.simgrid_total_s);
}

namespace {

std::string engine_in_words(const RunResult& result) {
  const Machine& machine = result.machine;
  if (result.comparison) {
    const EngineComparison& comparison = *result.comparison;
    return fmt::format(
        "flow and simgrid, which {}: their times of an operation are {:.1e} of the total apart at "
        "most (tolerance {:g}); simgrid took {}",
        comparison.agrees() ? "agree" : "DISAGREE", comparison.worst, comparison.tolerance,
        human_time(comparison.simgrid_wall_s));
  }
  std::string chosen;
  if (machine.engine_asked == "auto") {
    chosen = ", chosen by auto";
    chosen += machine.auto_reason.empty() ? "" : " because " + machine.auto_reason;
  }
  return fmt::format("{}{}: {}", machine.engine->name, chosen, machine.engine->in_words);
}

std::string symmetry_in_words(const RunResult& result) {
  if (!result.symmetry) {
    return {};
  }
  const bool turned = *result.symmetry == Symmetry::rotation;
  if (result.classes == 1) {
    return fmt::format(
        "one rank was simulated for all {}, which are alike (rank r becomes {}); "
        "--symmetry off simulates each",
        human_count(result.problem.ranks), turned ? "r + k mod p" : "r xor k");
  }
  return fmt::format(
      "{} ranks were simulated for all {}, each for {} that are alike, as are the links on their "
      "ways (rank r becomes {}); --symmetry off simulates each",
      human_count(result.classes), human_count(result.problem.ranks),
      human_count(result.problem.ranks / result.classes),
      turned ? fmt::format("r + {} k mod p", result.classes) : "r xor k, for some k");
}

std::string reasons(const RunResult& result, bool formula) {
  return fmt::format("{}", fmt::join(gap_reasons(result, formula, true), "; "));
}

// One line of the comparison: how far `seconds` is from the simulated time.
std::string against_run(const RunResult& result, double seconds) {
  const auto error = relative_error(seconds, result.simulated_s);
  return error ? fmt::format("{} simulated", human_difference(*error)) : "simulated is 0 s";
}

void print_prediction(const RunResult& result, std::ostream& out, std::string_view key,
                      double seconds, std::string_view formula) {
  field(out, key, fmt::format("{:<13} {}", human_time(seconds), against_run(result, seconds)));
  if (!formula.empty()) {
    field(out, "", formula);
  }
}

// Formulas of the algorithm that don't hold for this problem, so that nobody looks for them in
// vain.
void print_formulas_of_others(const RunResult& result, std::ostream& out) {
  bool known = false;
  if (result.file.empty()) {  // nobody published a formula for what a file holds
    for (const PublishedFormula& other : published_formulas(result.algorithm->full_name())) {
      if (!other.misprint()) {
        field(out, known ? "" : "published",
              fmt::format("none for this run: {} is for {} ({}, {})", other.formula,
                          other.condition, other.citation, other.section));
        known = true;
      }
    }
  }
  if (!known) {
    field(out, "published", "no formula is known to have been published");
  }
}

void print_published(const RunResult& result, std::ostream& out) {
  if (result.main_published() == nullptr) {
    print_formulas_of_others(result, out);
  }
  for (const PublishedCost& cost : result.published) {
    print_prediction(result, out, cost.misprint() ? "published, wrong" : "published", cost.seconds,
                     cost.formula);
    field(out, "", fmt::format("for: {}", cost.condition));
    field(out, "", fmt::format("from: {}; {}", cost.citation, cost.section));
    if (cost.account == Account::approximate || cost.account == Account::bound) {
      field(out, "",
            fmt::format("note: {}{}{}", name(cost.account), cost.remark.empty() ? "" : ": ",
                        cost.remark));
    } else if (!cost.remark.empty()) {
      field(out, "", fmt::format("note: {}", cost.remark));
    }
  }
}

void print_times(const RunResult& result, std::ostream& out) {
  field(out, "simulated", human_time(result.simulated_s));
  if (result.ties.runs > 0 &&
      (result.machine.setup.ties.most_ops == 0 || tie_spread(result) > kTiesMatter)) {
    field(out, "  ties", ties_in_words(result));
  }
  if (result.repeats.runs > 0) {
    field(out, "  repeated", repeats_in_words(result));
  }
  if (!result.machine.engine->has_network) {
    field(out, "longest path", "the same: engine critical-path was asked for");
  } else {
    print_prediction(result, out, "longest path", result.longest_path_s, "");
    if (differs(result.longest_path_s, result.simulated_s)) {
      if (const std::string why = reasons(result, false); !why.empty()) {
        field(out, "", "why: " + why);
      }
    }
  }
  if (result.exact_s) {
    print_prediction(result, out, "exact cost", *result.exact_s, result.algorithm->cost);
    if (differs(*result.exact_s, result.simulated_s)) {
      if (const std::string why = reasons(result, true); !why.empty()) {
        field(out, "", "why: " + why);
      }
    }
  } else {
    field(out, "exact cost",
          result.machine.setup.disturbance.any()
              ? "no closed form is known for ranks that are late or times that vary"
              : "no closed form is known for this problem");
  }
  print_published(result, out);
}

struct Part {
  std::string_view name;
  double seconds;
  std::optional<double> bound_s;
};

void print_parts(const RunResult& result, std::ostream& out) {
  const CriticalChain& chain = result.chain;
  const Part parts[] = {
      {"start-up (alpha)", chain.startup_s, result.bounds.latency_s},
      {"transfer (beta)", chain.transfer_s, result.bounds.bandwidth_s},
      {"reduction (gamma)", chain.reduce_s, result.bounds.reduction_s},
      {"local copies", chain.copy_s, std::nullopt},
      {"network, beyond", chain.network_s, std::nullopt},
      {"waiting", chain.waiting_s, std::nullopt},
  };
  for (const Part& part : parts) {
    if (part.seconds == 0 && part.bound_s.value_or(0) == 0) {
      continue;
    }
    std::string text =
        fmt::format("{:<13} {:5.1f} %", human_time(part.seconds),
                    result.simulated_s == 0 ? 0 : 100 * part.seconds / result.simulated_s);
    if (part.bound_s && *part.bound_s > 0) {
      text += fmt::format("   {:<13} {:.4g} x", human_time(*part.bound_s),
                          part.seconds / *part.bound_s);
    } else if (part.bound_s) {
      text += "   0 s";
    }
    out << fmt::format("  {:<20}{}\n", part.name, text);
  }
}

}  // namespace

void warn_of_ties(const RunResult& result, std::string_view hint, std::ostream& err) {
  if (result.ties.runs > 0 && tie_spread(result) > kTiesMatter) {
    err << fmt::format("tutti: the total hangs on ties: {}{}\n", ties_in_words(result), hint);
  }
}

void print_machine(const RunResult& result, const std::string& platform,
                   const std::string& symmetry, std::ostream& out) {
  field(out, "platform", platform);
  for (const std::string& note : result.described.facts.notes) {
    field(out, "  note", note);
  }
  if (result.machine.engine->has_network) {
    field(out, "engine", engine_in_words(result));
    field(out, "network model",
          fmt::format("{}: {}", result.machine.network_model,
                      model_in_words(result.machine.network_model)));
  } else {
    field(
        out, "engine",
        "critical-path: the longest path under alpha, beta and gamma, with ports and one core per "
        "rank; the network is not simulated");
  }
  if (!symmetry.empty()) {
    field(out, "symmetry", symmetry);
  }
  field(out, "ports",
        result.machine.setup.ports == kUnlimitedPorts
            ? std::string("unlimited: a rank sends and receives any number of messages at a time")
            : fmt::format("{0}: a rank sends at most {1} and receives at most {1} at a time",
                          result.machine.setup.ports,
                          counted(result.machine.setup.ports, "message")));
  print_prices(result, out);
  if (!result.machine.what_ifs.empty()) {
    field(out, "what if", fmt::format("{}", fmt::join(result.machine.what_ifs, "; ")));
  }
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
      fmt::format("alpha {}, beta {} per byte, gamma {} per byte", human_time(prices.alpha_s),
                  human_time(prices.beta_s_per_byte), human_time(prices.gamma_s_per_byte));
  if (prices.copy_s_per_byte != 0) {
    text += fmt::format(", copies {} per byte", human_time(prices.copy_s_per_byte));
  }
  print_field(out, kIndent, kKey, "prices", text);
  text = result.comparison ? engine_in_words(result) : std::string(machine.engine->name);
  if (machine.engine->has_network && machine.network_model != "hockney") {
    text += fmt::format("; network model {}", machine.network_model);
  }
  if (machine.setup.ports != 1) {
    text += machine.setup.ports == kUnlimitedPorts ? "; ports unlimited"
                                                   : fmt::format("; {} ports", machine.setup.ports);
  }
  print_field(out, kIndent, kKey, "engine", text);
  if (!machine.what_ifs.empty()) {
    print_field(out, kIndent, kKey, "what if",
                fmt::format("{}", fmt::join(machine.what_ifs, "; ")));
  }
}

void print_result(const RunResult& result, std::ostream& out) {
  const Problem& problem = result.problem;
  print_heading(
      out, fmt::format("{}{} ({} of {})", result.file.empty() ? "" : result.file + ": ",
                       run_in_words(result.algorithm->full_name(), *result.algorithm, problem),
                       counted(problem.elements(), "element"), human_bytes(problem.element_bytes)));
  out << '\n';

  print_machine(result, platform_in_words(result), symmetry_in_words(result), out);
  if (result.takes(Option::segment) && result.unproved.empty()) {
    field(out, "segments",
          result.best_segment
              ? result.best_segment->in_words()
              : fmt::format("{} at most, {} of them", counted(result.largest_block_bytes, "byte"),
                            human_count(result.blocks)));
  }
  if (!result.unproved.empty()) {
    field(out, "unproved", result.unproved);
  }
  field(out, "schedule",
        fmt::format("{}, {} in {}, {} sent, {} reduced, {}", counted(result.ops, "operation"),
                    counted(result.messages, "message"), counted(result.rounds, "round"),
                    human_bytes(result.bytes_sent), human_bytes(result.bytes_reduced),
                    result.dependencies == 1
                        ? std::string("1 dependency")
                        : fmt::format("{} dependencies", human_count(result.dependencies))));

  out << "\nHow long it takes\n";
  print_times(result, out);

  out << fmt::format("\nWhere the time goes, on the chain of {} that ends last\n",
                     counted(result.chain_ops, "operation"));
  out << fmt::format("  {:<20}{:<13} {:>7}   {:<13} {}\n", "", "time", "share", "lower bound",
                     "factor");
  print_parts(result, out);
  if (result.chain.network_s != 0) {
    field(out, "",
          "network, beyond: what messages took more than each would alone on its own route");
  }

  out << "\nWhat the simulation took\n";
  field(out, "wall clock",
        fmt::format("{} {}, load platform {}, simulate {}",
                    result.algorithm->emits() ? "emit" : "read", human_time(result.emit_wall_s),
                    human_time(result.load_wall_s), human_time(result.simulate_wall_s)));
  field(out, "peak memory", human_bytes(result.peak_rss_bytes));
}

}  // namespace tutti
