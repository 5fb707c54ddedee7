#include "src/commands/platform_kind.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <system_error>

#include "base/error.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "platforms/cards.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/single_switch.hpp"
#include "src/commands/option_group.hpp"

namespace tutti { inline namespace commands {

namespace {

// Parses a number without a unit. Returns nothing if `text` is not a finite number, or has other
// characters before or after the number.
std::optional<double> plain_number(std::string_view text) {
  const auto value = parsed_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

// Parses a speed, such as 1Gf or 500Mf, and returns it in flops per second. A number without a unit
// is in flops per second. `what` is the name of the option, for error messages.
double parse_speed(std::string_view what, std::string_view text) {
  constexpr std::string_view kPrefixes = "kMGTP";
  std::string_view number = text;
  double scale = 1;
  if (number.ends_with('f')) {
    number.remove_suffix(1);
    const auto prefix = number.empty() ? std::string_view::npos : kPrefixes.find(number.back());
    if (prefix != std::string_view::npos) {
      number.remove_suffix(1);
      scale = std::pow(1000.0, static_cast<double>(prefix + 1));
    }
  }
  const auto value = plain_number(number);
  if (!value) {
    throw UserError(fmt::format("{} '{}': not a speed; write flops per second such as 1Gf or 500Mf",
                                what, text));
  }
  return *value * scale;
}

}  // namespace

double parse_plain_number(std::string_view what, std::string_view text) {
  const auto value = plain_number(text);
  if (!value) {
    throw UserError(
        fmt::format("{} '{}': not a number; write a number such as 2 or 1.5", what, text));
  }
  return *value;
}

std::uint32_t count_or(std::string_view what, const OptionText& text, std::uint32_t otherwise) {
  return text ? parse_count(what, *text) : otherwise;
}

bool PlatformKind::chosen() const { return command_ != nullptr && command_->chosen(); }

Command& PlatformKind::subcommand(Command& command, const char* name, const char* about) {
  command_ = &command.add_command(name, about);
  return *command_;
}

void PlatformKind::option(const char* name, OptionText& text, const char* type,
                          const std::string& help, const char* group) {
  OptionGroup(*command_, group).add(name, text, type, help);
}

void PlatformKind::add_common(const char* latency_default, const char* of,
                              const char* bandwidth_default, const char* links) {
  const OptionGroup figures(*command_, "Numbers");
  figures.add("--bw", bandwidth_, "RATE",
              fmt::format("Bandwidth of {} in each direction, such as 200Gbps or 25GBps [{}]",
                          links, bandwidth_default));
  figures.add("--lat", latency_, "TIME",
              fmt::format("Latency of {}, such as 500ns or 1us [{}]", of, latency_default));
  figures.add("--speed", speed_, "FLOPS",
              "Speed of a core, such as 1Gf or 500Mf; a core reduces one element per flop [1Gf]");
  figures.add("--cores", cores_, "COUNT", "Number of cores of a host [1; smp: 16]");
  figures.add("--loopback-bw", loopback_bandwidth_, "RATE",
              "Bandwidth between two ranks of a host [80Gbps if a host has several cores, "
              "otherwise that of the network]");
  figures.add("--loopback-lat", loopback_latency_, "TIME",
              "Latency between two ranks of a host [0.3us if a host has several cores, otherwise "
              "that of the network]");
  const OptionGroup written(*command_, "Output");
  written.add("--note", note_, "TEXT",
              "Note to write into the file, such as the source of the numbers");
  written.add("-o,--output", output_, kWrittenFile, "File to write the XML to [standard output]");
}

LinkFigures PlatformKind::link(double latency_s, double bandwidth_bytes_per_s) const {
  LinkFigures figures;
  figures.bandwidth_bytes_per_s = bandwidth_bytes_per_s;
  figures.latency_s = latency_ ? parse_time_s("--lat", *latency_) : latency_s;
  if (bandwidth_) {
    figures.bandwidth_bytes_per_s = parse_rate("--bw", *bandwidth_);
  }
  return figures;
}

NodeFigures PlatformKind::node(std::uint32_t cores) const {
  NodeFigures figures;
  figures.cores = count_or("--cores", cores_, cores == 1 ? cards() : cores);
  if (figures.cores % cards() != 0) {
    throw UserError(fmt::format(
        "--cards {}: the {} cores of a host (--cores) cannot be divided evenly among its cards",
        cards(), figures.cores));
  }
  figures.cores /= cards();
  if (speed_) {
    figures.speed_flops_per_s = parse_speed("--speed", *speed_);
  }
  if (figures.cores > 1 || loopback_bandwidth_ || loopback_latency_) {
    figures.loopback = kSharedMemory;
    if (loopback_bandwidth_) {
      figures.loopback->bandwidth_bytes_per_s = parse_rate("--loopback-bw", *loopback_bandwidth_);
    }
    if (loopback_latency_) {
      figures.loopback->latency_s = parse_time_s("--loopback-lat", *loopback_latency_);
    }
  }
  return figures;
}

void PlatformKind::add_cards(bool rails) {
  option("--cards,--rails", cards_, "COUNT",
         "Number of network cards of a host; with several, the file has one host for each card and "
         "the cores beside it, and --ranks-per-host is the number of ranks per card [1]");
  if (rails) {
    option(
        "--card-wiring", card_wiring_, "WORD",
        "leaf: all cards of a host are at the same leaf switch; rail: cards with the same number "
        "share leaf switches [leaf]");
  }
}

std::uint32_t PlatformKind::cards() const {
  return cards_ ? parse_positive_count("--cards", *cards_, kMostCards / 2) : 1;
}

std::string PlatformKind::with_cards_of(const std::string& network) const {
  const std::string wiring = card_wiring_.value_or("leaf");
  if (wiring != "leaf" && wiring != "rail") {
    throw UserError(fmt::format("--card-wiring '{}': write leaf or rail", wiring));
  }
  if (cards() == 1) {
    if (card_wiring_) {
      throw UserError(
          fmt::format("--card-wiring '{}' has no effect with one card; give --cards 2", wiring));
    }
    return network;
  }
  if (!in_network().empty()) {
    throw UserError("--in-network with --cards: not supported; leave one of them out");
  }
  Cards cards_of_host{.of_host = cards(), .rails = wiring == "rail", .memory = kSharedMemory};
  if (loopback_bandwidth_) {
    cards_of_host.memory.bandwidth_bytes_per_s = parse_rate("--loopback-bw", *loopback_bandwidth_);
  }
  if (loopback_latency_) {
    cards_of_host.memory.latency_s = parse_time_s("--loopback-lat", *loopback_latency_);
  }
  return with_cards(network, cards_of_host);
}

void PlatformKind::add_in_network() {
  option("--in-network", in_network_, "RATE",
         "Let switches reduce and multicast: yes, no, or the rate at which a switch reduces, such "
         "as 50GBps [no]",
         "Numbers");
}

std::string PlatformKind::in_network() const {
  const std::string text = in_network_.value_or("no");
  if (text != "no" && !in_network_of(text)) {
    throw UserError(fmt::format(
        "--in-network '{}': write yes, no, or the rate at which a switch reduces, such as 50GBps",
        text));
  }
  return text == "no" ? "" : text;
}

void PlatformKind::check_product(std::string_view kind, const std::string& product,
                                 std::uint64_t hosts) const {
  if (hosts_ && hosts_or_refuse("") != hosts && hosts <= kMaxPlatformHosts) {
    throw UserError(fmt::format(
        "{}: {} multiply to {} {}, but --hosts is {}{}; give one of the two, or make them equal",
        kind, product, hosts, cards() == 1 ? "hosts" : "cards", *hosts_,
        cards() == 1 ? std::string() : fmt::format(" with {} cards each", cards())));
  }
}

std::uint64_t PlatformKind::hosts_or_refuse(std::string_view instead) const {
  if (!hosts_) {
    throw UserError(fmt::format("how many hosts? Give --hosts, such as --hosts 128{}", instead));
  }
  return parse_count("--hosts", *hosts_) * std::uint64_t{cards()};
}

}}  // namespace tutti::commands
