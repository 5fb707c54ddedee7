#include "src/requests/machine_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/human.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/shell_word.hpp"
#include "base/text_lines.hpp"
#include "platforms/network_models.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/hosts.hpp"
#include "src/requests/parameters.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"
#include "src/simulation/rank_groups.hpp"

namespace tutti { inline namespace requests {

namespace {

constexpr std::uint32_t kMostPorts = 1'000'000;
constexpr std::uint32_t kMostCrossbarHosts = 8'000'000;

// Replaces the platform's prices by those in the file of --parameters. Throws UserError if an
// option also sets one of these prices, because it would be unclear which value applies. Returns
// the size of the largest eager message, if the file contains it.
std::optional<std::uint64_t> take_parameters(const MachineOptions& options, const Parameters* read,
                                             OpenedMachine& opened, Messages& messages) {
  const auto refuse_price = [](const auto& price, std::string_view name) {
    if (price) {
      throw UserError(fmt::format("{} '{}': $parameters already has this price; leave one out",
                                  name, price->text));
    }
  };
  refuse_price(options.alpha_s, "$alpha");
  refuse_price(options.beta_s_per_byte, "$beta");
  refuse_price(options.gamma_s_per_byte, "$gamma");
  refuse_price(options.copy, "$copy_cost");
  const Parameters parameters = read != nullptr ? *read : read_parameters(*options.parameters);
  opened.spec.parameters = *options.parameters;
  parameters.put_into(opened.files);
  if (parameters.messages) {
    return std::nullopt;
  }
  if (!parameters.doubts.empty()) {
    messages.warning(fmt::format("$parameters '{}' is marked as a poor fit: {}",
                                 *options.parameters, parameters.doubts.front()));
  }
  const Prices& prices = parameters.prices();
  opened.spec.prices = {prices.alpha_s, prices.beta_s_per_byte, prices.gamma_s_per_byte};
  opened.spec.copy.s_per_byte = prices.copy_s_per_byte;
  return parameters.eager_bytes;
}

// The size of an eager message, or `calibrated`.
std::optional<std::uint64_t> parse_eager(std::string_view from, const std::string& text) {
  return text == "calibrated" ? std::nullopt : std::optional(parse_bytes(from, text));
}

CopyPrice parse_copy_price(std::string_view from, const std::string& text) {
  return text == "gamma" ? CopyPrice{.as_gamma = true}
                         : CopyPrice{.s_per_byte = parse_s_per_byte(from, text)};
}

// Returns the values of --engine, each with its meaning.
std::vector<std::pair<std::string, std::string>> engine_choices() {
  std::vector<std::pair<std::string, std::string>> choices{
      {"auto", "flow where it is exact, simgrid otherwise"}};
  for (const EngineType* engine : engine_types()) {
    choices.emplace_back(engine->name, engine->idea);
    if (engine->by_simgrid) {
      choices.emplace_back("both", "flow, compared with simgrid");
    }
  }
  return choices;
}

std::vector<std::string> engine_words() {
  std::vector<std::string> names;
  for (auto& [choice, idea] : engine_choices()) {
    names.push_back(std::move(choice));
  }
  return names;
}

std::vector<std::string> network_model_names() {
  return {network_models().begin(), network_models().end()};
}

// Returns the values of --placement, except random:SEED.
std::vector<std::string> placement_names() {
  std::vector<std::string> names;
  for (const Placement placement : kPlacements) {
    names.emplace_back(name(placement));
  }
  return names;
}

PlacementChoice parse_placement(std::string_view from, const std::string& text) {
  constexpr std::string_view kRandom = "random:";
  constexpr std::uint32_t kMostSeed = 0xffffffffU;
  if (text.starts_with(kRandom)) {
    return {.seed = parse_count(fmt::format("{} random", from), text.substr(kRandom.size()),
                                kMostSeed)};
  }
  if (const auto placement = placement_named(text)) {
    return {.placement = *placement};
  }
  std::vector<std::string> words = placement_names();
  words.emplace_back("random:SEED");
  throw UserError(fmt::format("{} '{}': {}", from, text, accepted_words(text, words)));
}

std::vector<std::pair<std::string_view, SymmetryUse>> symmetry_uses() {
  std::vector<std::pair<std::string_view, SymmetryUse>> uses;
  for (const std::string_view word : kSymmetryUses) {
    uses.emplace_back(word, *symmetry_use_named(word));
  }
  return uses;
}

std::string engine_help() {
  std::string help;
  for (const auto& [choice, idea] : engine_choices()) {
    help += fmt::format("{}{}{}: {}", help.empty() ? "" : "; ", choice,
                        choice == "auto" ? " [default]" : "", idea);
  }
  return help;
}

// True if the file can be read as that of --parameters.
bool are_parameters(const std::string& path) {
  try {
    (void)read_parameters(path);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

// Throws UserError if the file of --platform is JSON.
void refuse_json_as_platform(const std::string& path) {
  if (content_of_file(path) == FileContent::json) {
    throw UserError(fmt::format(
        "$platform '{}': {}, not a platform in XML{}", path, in_words(FileContent::json),
        are_parameters(path) ? "; write $parameters " + shell_path(path) : ""));
  }
}

constexpr std::string_view kCrossbarPrefix = "crossbar:";

// Parses crossbar:HOSTS[,bw=RATE][,lat=TIME].
Crossbar parse_crossbar(const std::string& text) {
  Crossbar crossbar;
  std::vector<std::string_view> parts =
      split(std::string_view(text).substr(kCrossbarPrefix.size()), ',');
  crossbar.hosts = parse_count("$platform crossbar", parts.front(), kMostCrossbarHosts);
  parts.erase(parts.begin());
  if (crossbar.hosts == 0) {
    throw UserError(fmt::format("$platform '{}': a crossbar must have at least 1 host", text));
  }
  std::vector<std::string_view> keys;
  for (const std::string_view part : parts) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view key = part.substr(0, equals);
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) {
      throw UserError(fmt::format("$platform '{}': {} is given twice; give it once", text, key));
    }
    keys.push_back(key);
    if (key == "bw") {
      crossbar.bandwidth_bytes_per_s = parse_rate("$platform crossbar, bw", value);
    } else if (key == "lat") {
      crossbar.latency_s = parse_time_s("$platform crossbar, lat", value);
    } else {
      throw UserError(fmt::format(
          "$platform '{}': '{}' is unknown; write crossbar:HOSTS,bw=RATE,lat=TIME", text, part));
    }
  }
  return crossbar;
}

}  // namespace

std::uint32_t parse_ports(std::string_view from, const std::string& text) {
  if (text == "unlimited") {
    return kUnlimitedPorts;
  }
  const std::uint32_t ports = parse_count(from, text, kMostPorts);
  if (ports == 0) {
    throw UserError(fmt::format("{} '0': must be at least 1, or unlimited", from));
  }
  return ports;
}

void MachineOptions::add_to(Command& app, bool with_engine) {
  const OptionGroup machine(app, kMachineGroup);
  const OptionGroup prices(app, kPricesGroup);
  machine
      .add("--platform", platform, "FILE",
           "SimGrid platform file in XML, or crossbar:HOSTS,bw=10Gbps,lat=1us [a crossbar with "
           "as many hosts as needed]")
      .usual();
  if (with_engine) {
    machine.add("--engine", engine, "NAME", engine_help(), AsWord<engine_words>()).usual();
    machine.add("--engine-tolerance", tolerance, "SHARE",
                "With --engine both: largest allowed difference between the engines in a start or "
                "end time, as a share of the total time [0.000001]",
                AsNumber());
    machine.add(
        "--symmetry", symmetry, "MODE",
        "auto [default]: simulate one rank for each class of equivalent ranks where possible; "
        "off: never; on: fail if not possible",
        AsWord<symmetry_uses>());
    machine.flag("--all-rounds", all_rounds,
                 "Simulate every round [rounds that only repeat earlier ones, as in a ring, are "
                 "left out where the result is the same]");
    machine.add(
        "--network-model", network_model, "NAME",
        "Model of the network: hockney [default] (latency plus size over bandwidth; messages "
        "share links), or SimGrid's lv08, smpi or ib",
        AsWord<network_model_names>());
  }
  machine
      .add("--ports", ports, "COUNT",
           "How many messages a rank can send at a time, and how many it can receive at a time: a "
           "number or unlimited [1]",
           parse_ports)
      .words({"1", "unlimited"})
      .usual();
  machine
      .add("--placement", placement, "HOW",
           "Host of each rank. block [default]: consecutive ranks share a host; cyclic: ranks go "
           "to the hosts in turn; switch, or by-switch: like block, but the hosts come from the "
           "leaf switches in turn; random:SEED: like block, but on randomly drawn hosts, in the "
           "platform's order, as a scheduler assigns them",
           parse_placement)
      .words(placement_names())
      .usual();
  machine.add("--hosts", hosts, "FILE|LIST",
              "Hosts of the platform on which the ranks run, in order: names or lists as in Slurm, "
              "such as node[001-064],gpu7; or a file: CSV with columns rank and host, one host per "
              "line, or an Open MPI rankfile [the platform's first hosts]");
  prices.add("--alpha", alpha_s, "TIME", "Time to start a message, such as 2us", AsTime());
  prices.add("--beta", beta_s_per_byte, "PRICE",
             "Time to transfer a byte, such as 0.8ns, or a rate, such as 10Gbps", AsPricePerByte());
  prices.add("--gamma", gamma_s_per_byte, "PRICE",
             "Time to reduce a byte, such as 0.1ns, or a rate, such as 10GBps", AsPricePerByte());
  prices.add("--copy-cost", copy, "PRICE",
             "Time to copy a byte within a rank, such as 0.05ns; or a rate, or gamma (the time to "
             "reduce a byte) [0]",
             parse_copy_price);
  prices
      .add("--parameters", parameters, "FILE",
           "File that replaces these prices: prices for each message size, as 'tutti-mpi "
           "calibrate' measures them, or a model of how an MPI library sends messages, as 'tutti "
           "fit' writes it")
      .usual();
  machine.flag("--after-barrier", after_barrier,
               "Start each rank when it leaves a barrier, and report the longest call of any rank, "
               "as benchmarks do; needs --parameters with a file that 'tutti fit' wrote");
  machine.add("--eager", eager_bytes, "BYTES",
              "Largest eager message, one that is sent without waiting for its receiver: a size, "
              "or calibrated (the size in --parameters) [no message is eager]",
              parse_eager);
}

namespace {

// Takes the options of the engine and the network. Throws UserError if one has no effect.
void take_engine(const MachineOptions& options, MachineSpec& spec) {
  spec.engine = options.engine.value_or(spec.engine);
  if (options.tolerance) {
    spec.engine_tolerance = options.tolerance->value;
    if (!spec.both_engines()) {
      throw UserError(
          fmt::format("$engine_tolerance '{}': needs $engine=both", options.tolerance->text));
    }
  }
  spec.symmetry = options.symmetry.value_or(spec.symmetry);
  spec.all_rounds |= options.all_rounds;
  if (options.network_model) {
    const EngineType* const engine = find_engine(spec.engine);
    if (engine != nullptr && !engine->has_network) {
      throw UserError(
          fmt::format("$network_model '{}': the engine {} does not simulate the network; leave "
                      "the option out, or use $engine=simgrid",
                      *options.network_model, spec.engine));
    }
    spec.network_model = *options.network_model;
  }
}

// Takes the platform and the hosts of the ranks.
void take_platform(const MachineOptions& options, OpenedMachine& opened) {
  MachineSpec& spec = opened.spec;
  if (const auto& platform = options.platform) {
    if (platform->empty()) {
      throw UserError("$platform '': write the path of a SimGrid platform file, or crossbar:HOSTS");
    }
    spec.crossbar_named = platform->starts_with(kCrossbarPrefix);
    if (spec.crossbar_named) {
      spec.source.crossbar = parse_crossbar(*platform);
    } else {
      spec.source.file = *platform;
      try {
        open_platform(spec, opened.files);
      } catch (const UserError&) {
        refuse_json_as_platform(*platform);
        throw;
      }
    }
  }
  if (const auto& placement = options.placement) {
    spec.placement = placement->value.placement;
    spec.placement_seed = placement->value.seed;
    if (options.hosts && (spec.placement_seed || spec.placement != Placement::block)) {
      throw UserError(
          fmt::format("$placement '{}': $hosts already determines the host of each rank; leave "
                      "one of them out",
                      placement->text));
    }
    spec.placement_given = fmt::format("$placement '{}'", placement->text);
  }
  if (options.hosts) {
    spec.hosts = SharedHosts(new NamedHosts(read_hosts(*options.hosts)));
  }
}

// Takes the prices, and the options whose meaning depends on the file of --parameters.
void take_prices(const MachineOptions& options, const Parameters* read, OpenedMachine& opened,
                 Messages& messages) {
  MachineSpec& spec = opened.spec;
  const auto take = [](std::optional<double>& price, const auto& option) {
    if (option) {
      price = option->value;
    }
  };
  take(spec.prices.alpha_s, options.alpha_s);
  take(spec.prices.beta_s_per_byte, options.beta_s_per_byte);
  take(spec.prices.gamma_s_per_byte, options.gamma_s_per_byte);
  if (options.copy) {
    spec.copy = options.copy->value;
  }
  std::optional<std::uint64_t> calibrated;
  if (options.parameters) {
    calibrated = take_parameters(options, read, opened, messages);
  }
  spec.after_barrier = options.after_barrier;
  if (spec.after_barrier && !opened.files.messages) {
    throw UserError(
        "$after_barrier: needs $parameters FILE with a message model, as 'tutti fit' writes it");
  }
  if (const auto& eager = options.eager_bytes) {
    if (opened.files.messages) {
      throw UserError(fmt::format(
          "$eager '{}': $parameters already has an eager size; leave one out", eager->text));
    }
    spec.eager_bytes = eager->value ? eager->value : calibrated;
    if (!spec.eager_bytes) {
      throw UserError(fmt::format(
          "$eager '{}': needs $parameters FILE with a measured eager size; or write a size",
          eager->text));
    }
  }
}

}  // namespace

std::optional<std::string> MachineOptions::platform_file() const {
  return platform && !platform->starts_with(kCrossbarPrefix) ? platform : std::nullopt;
}

OpenedMachine MachineOptions::open(Messages& messages, const Parameters* read) const {
  OpenedMachine opened;
  take_engine(*this, opened.spec);
  take_platform(*this, opened);
  take_prices(*this, read, opened, messages);
  opened.spec.ports = ports;
  what_if.apply(opened);
  return opened;
}

void take_groups_from(const OpenedMachine& machine, ProblemTemplate& problem) {
  if (problem.options.values().groups.known()) {
    return;
  }
  problem.place_groups = [machine, per_host = problem.ranks_per_host](Problem& each) {
    if (!each.groups.known()) {
      place_groups(machine.machine(each.ranks, per_host, each.element_bytes), each);
    }
  };
}

}}  // namespace tutti::requests
