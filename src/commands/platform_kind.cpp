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
#include "src/commands/shared_options.hpp"

namespace tutti { inline namespace commands {

namespace {

// Parses a speed, such as 1Gf or 500Mf, and returns it in flops per second. A number without a unit
// is in flops per second. `what` is the name of the option, for error messages.
double parse_speed(std::string_view what, const std::string& text) {
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

bool parse_card_wiring(std::string_view from, const std::string& text) {
  if (text != "leaf" && text != "rail") {
    throw UserError(fmt::format("{} '{}': write leaf or rail", from, text));
  }
  return text == "rail";
}

// Returns "" for `no`.
std::string parse_in_network(std::string_view from, const std::string& text) {
  if (text != "no" && !in_network_of(text)) {
    throw UserError(
        fmt::format("{} '{}': write yes, no, or the rate at which a switch reduces, such as 50GBps",
                    from, text));
  }
  return text == "no" ? "" : text;
}

}  // namespace

std::optional<double> plain_number(std::string_view text) {
  const auto value = parsed_number<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

double parse_plain_number(std::string_view what, const std::string& text) {
  const auto value = plain_number(text);
  if (!value) {
    throw UserError(
        fmt::format("{} '{}': not a number; write a number such as 2 or 1.5", what, text));
  }
  return *value;
}

bool PlatformKind::chosen() const { return command_ != nullptr && command_->chosen(); }

Command& PlatformKind::subcommand(Command& command, const char* name, const char* about) {
  command_ = &command.add_command(name, about);
  return *command_;
}

void PlatformKind::add_common(const char* latency_default, const char* of,
                              const char* bandwidth_default, const char* links) {
  const OptionGroup figures = numbers();
  figures.add("--bw", bandwidth_bytes_per_s_, "RATE",
              fmt::format("Bandwidth of {} in each direction, such as 200Gbps or 25GBps [{}]",
                          links, bandwidth_default),
              AsRate());
  figures.add("--lat", latency_s_, "TIME",
              fmt::format("Latency of {}, such as 500ns or 1us [{}]", of, latency_default),
              AsTime());
  add_speed("a core", "1Gf");
  figures.add("--cores", cores_, "COUNT", "Number of cores of a host [1; smp: 16]", AsCount());
  figures.add("--loopback-bw", loopback_bytes_per_s_, "RATE",
              "Bandwidth between two ranks of a host [80Gbps if a host has several cores, "
              "otherwise that of the network]",
              AsRate());
  figures.add("--loopback-lat", loopback_latency_s_, "TIME",
              "Latency between two ranks of a host [0.3us if a host has several cores, otherwise "
              "that of the network]",
              AsTime());
  add_output();
}

void PlatformKind::add_speed(const char* of, const char* speed_default) {
  numbers().add("--speed", speed_flops_per_s_, "FLOPS",
                fmt::format("Speed of {}, such as 1Gf or 500Mf; {} reduces one element per flop "
                            "[{}]",
                            of, of, speed_default),
                parse_speed);
}

void PlatformKind::add_output() {
  const OptionGroup written(*command_, "Output");
  written.add("--note", note_, "TEXT",
              "Note to write into the file, such as the source of the numbers");
  written.add("-o,--output", output_, kWrittenFile, "File to write the XML to [standard output]");
}

LinkFigures PlatformKind::link(double latency_s, double bandwidth_bytes_per_s) const {
  LinkFigures figures;
  figures.bandwidth_bytes_per_s = bandwidth_bytes_per_s_.value_or(bandwidth_bytes_per_s);
  figures.latency_s = latency_s_.value_or(latency_s);
  return figures;
}

void PlatformKind::put_loopback(LinkFigures& loopback) const {
  loopback.bandwidth_bytes_per_s = loopback_bytes_per_s_.value_or(loopback.bandwidth_bytes_per_s);
  loopback.latency_s = loopback_latency_s_.value_or(loopback.latency_s);
}

NodeFigures PlatformKind::node(std::uint32_t cores) const {
  NodeFigures figures;
  figures.cores = cores_.value_or(cores == 1 ? cards() : cores);
  if (figures.cores % cards() != 0) {
    throw UserError(fmt::format(
        "$cards {}: the {} cores of a host ($cores) cannot be divided evenly among its cards",
        cards(), figures.cores));
  }
  figures.cores /= cards();
  figures.speed_flops_per_s = speed(figures.speed_flops_per_s);
  if (figures.cores > 1 || loopback_bytes_per_s_ || loopback_latency_s_) {
    figures.loopback = kSharedMemory;
    put_loopback(*figures.loopback);
  }
  return figures;
}

void PlatformKind::add_cards(bool rails) {
  option(
      "--cards,--rails", cards_, "COUNT",
      "Number of network cards of a host; with several, the file has one host for each card, with "
      "that card's share of the cores, and --ranks-per-host is the number of ranks per card [1]",
      AsPositiveCount<kMostCards / 2>());
  if (rails) {
    option(
        "--card-wiring", rails_, "WORD",
        "leaf: all cards of a host are at the same leaf switch; rail: cards with the same number "
        "share leaf switches [leaf]",
        parse_card_wiring);
  }
}

std::string PlatformKind::with_cards_of(const std::string& network) const {
  if (cards() == 1) {
    if (rails_) {
      throw UserError(fmt::format("$card_wiring '{}' has no effect with one card; give $cards 2",
                                  rails_->text));
    }
    return network;
  }
  if (!in_network().empty()) {
    throw UserError("$in_network with $cards: not supported; leave one of them out");
  }
  Cards cards_of_host{.of_host = cards(), .rails = rails(), .memory = kSharedMemory};
  put_loopback(cards_of_host.memory);
  return with_cards(network, cards_of_host);
}

void PlatformKind::add_in_network() {
  numbers().add("--in-network", in_network_, "RATE",
                "Let switches reduce and multicast: yes, no, or the rate at which a switch "
                "reduces, such as 50GBps [no]",
                parse_in_network);
}

void PlatformKind::check_product(std::string_view kind, const std::string& product,
                                 std::uint64_t hosts) const {
  if (hosts_ && hosts_or_refuse("") != hosts && hosts <= kMaxPlatformHosts) {
    throw UserError(fmt::format(
        "{}: {} multiply to {} {}, but $hosts is {}{}; give one of the two, or make them equal",
        kind, product, hosts, cards() == 1 ? "hosts" : "cards", *hosts_,
        cards() == 1 ? std::string() : fmt::format(" with {} cards each", cards())));
  }
}

std::uint64_t PlatformKind::hosts_or_refuse(std::string_view instead) const {
  if (!hosts_) {
    throw UserError(
        fmt::format("the number of hosts is missing; give $hosts, such as $hosts 128{}", instead));
  }
  return *hosts_ * std::uint64_t{cards()};
}

}}  // namespace tutti::commands
