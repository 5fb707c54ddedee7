// tutti platform KIND: SimGrid XML for a crossbar, SMP cluster, fat tree, torus or dragonfly.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/quantities.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/cluster_xml.hpp"
#include "platforms/dragonfly.hpp"
#include "platforms/fat_tree.hpp"
#include "platforms/single_switch.hpp"
#include "platforms/torus.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/formats/output_file.hpp"
#include "src/requests/command_help.hpp"
#include "src/requests/common_options.hpp"
#include "src/requests/file_roles.hpp"

namespace tutti {

// One subcommand. Its options are kept as text, to be judged by our own words.
class PlatformKind {
 public:
  virtual ~PlatformKind() = default;
  virtual void add_to(CLI::App& command) = 0;
  [[nodiscard]] virtual std::string xml() const = 0;

  [[nodiscard]] bool chosen() const { return app_ != nullptr && app_->parsed(); }
  [[nodiscard]] std::string output() const { return output_.value_or("-"); }

 protected:
  CLI::App& subcommand(CLI::App& command, const char* name, const char* about);
  // `of` says what a latency is the latency of.
  void add_common(const char* latency_default, const char* of);
  OptionText& option(const char* name, OptionText& text, const char* type, const std::string& help);

  [[nodiscard]] LinkFigures link(double latency_s) const;
  [[nodiscard]] NodeFigures node(std::uint32_t cores = 1) const;
  [[nodiscard]] std::string note() const { return note_.value_or(""); }
  void add_in_network();
  [[nodiscard]] std::string in_network() const;
  // Holds it against the number that the user gave, if any; throws UserError when it is another.
  void check_product(std::string_view kind, const std::string& product, std::uint64_t hosts) const;
  [[nodiscard]] std::uint64_t hosts_or_refuse(std::string_view instead) const;

  OptionText hosts_;

 private:
  CLI::App* app_ = nullptr;
  OptionText bandwidth_;
  OptionText latency_;
  OptionText speed_;
  OptionText cores_;
  OptionText loopback_bandwidth_;
  OptionText loopback_latency_;
  OptionText note_;
  OptionText output_;
  OptionText in_network_;
};

namespace {

constexpr std::string_view kNumberAccepted = "accepted is a number such as 2 or 1.5";

// A number as such, or nothing: no sign, no blanks, nothing behind it.
std::optional<double> plain_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

double parse_number(std::string_view what, std::string_view text) {
  const auto value = plain_number(text);
  if (!value) {
    throw UserError(fmt::format("{} '{}': not a number; {}", what, text, kNumberAccepted));
  }
  return *value;
}

// 1Gf, 500Mf, or a bare number of flops per second.
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
    throw UserError(
        fmt::format("{} '{}': not a speed; accepted is a number of flops per second such as 1Gf "
                    "or 500Mf",
                    what, text));
  }
  return *value * scale;
}

std::uint32_t count_or(std::string_view what, const OptionText& text, std::uint32_t otherwise) {
  return text ? parse_count(what, *text) : otherwise;
}

void refuse_together(const OptionText& one, std::string_view one_name, const OptionText& other,
                     std::string_view other_name) {
  if (one && other) {
    throw UserError(fmt::format("{} and {} together: {} chooses what {} gives; give one of them",
                                one_name, other_name, one_name, other_name));
  }
}

class CrossbarKind : public PlatformKind {
 public:
  void add_to(CLI::App& command) override {
    subcommand(command, "crossbar", "Hosts around one switch that never contends");
    option("--hosts", hosts_, "COUNT", "Number of hosts");
    add_common("2us", "a message between two hosts, half of it on each of the two links");
    add_in_network();
  }
  [[nodiscard]] std::string xml() const override {
    return crossbar_to_xml({.hosts = hosts_or_refuse(""),
                            .route = link(2e-6),
                            .node = node(),
                            .in_network = in_network(),
                            .note = note()});
  }
};

class SmpKind : public PlatformKind {
 public:
  void add_to(CLI::App& command) override {
    subcommand(command, "smp", "Hosts of several cores around one switch that never contends")
        .footer("Ranks share a host with --ranks-per-host, where the platform is used.");
    option("--hosts", hosts_, "COUNT", "Number of hosts");
    add_common("2us", "a message between two hosts, half of it on each of the two links");
    add_in_network();
  }
  [[nodiscard]] std::string xml() const override {
    constexpr std::uint32_t kCores = 16;
    return smp_to_xml({.hosts = hosts_or_refuse(""),
                       .route = link(2e-6),
                       .node = node(kCores),
                       .in_network = in_network(),
                       .note = note()});
  }
};

class FatTreeKind : public PlatformKind {
 public:
  void add_to(CLI::App& command) override {
    subcommand(command, "fat_tree", "Levels of switches above the hosts")
        .footer(
            "Either give --hosts, and the tree of fewest switches is chosen, or all of it:\n"
            "  --down 16,8 --up 1,4 --cables 1,2   8 switches of 16 hosts below 4 switches,\n"
            "                                      2 cables from each lower to each upper one");
    option("--hosts", hosts_, "COUNT", "Number of hosts");
    option("--radix", radix_, "COUNT", "Ports of a switch [40]");
    option("--oversubscription", oversubscription_, "RATIO",
           "Cables down to cables up below the top level [1]; more makes a thin top");
    option("--down", down_, "LIST",
           "Per level, hosts' first: children of a switch; they multiply to the hosts");
    option("--up", up_, "LIST", "Per level: parents of a host or switch; 1 first");
    option("--cables", cables_, "LIST", "Per level: parallel cables to each parent [1,1,...]");
    add_common("1us", "each cable");
    add_in_network();
  }
  [[nodiscard]] std::string xml() const override {
    FatTree tree;
    if (down_) {
      refuse_together(radix_, "--radix", down_, "--down");
      refuse_together(oversubscription_, "--oversubscription", down_, "--down");
      tree.down = parse_counts("--down", *down_);
      if (!up_) {
        throw UserError(fmt::format(
            "--down '{}' without --up: give the parents per level as well, such as --up 1,4",
            *down_));
      }
      tree.up = parse_counts("--up", *up_);
      tree.cables = cables_ ? parse_counts("--cables", *cables_)
                            : std::vector<std::uint32_t>(tree.down.size(), 1);
      check_product("fat_tree", fmt::format("down {}", fmt::join(tree.down, ",")), hosts_of(tree));
    } else {
      refuse_without_down(up_, "--up");
      refuse_without_down(cables_, "--cables");
      constexpr std::uint32_t kRadix = 40;
      tree = fat_tree_for(
          hosts_or_refuse(", or --down, --up and --cables"), count_or("--radix", radix_, kRadix),
          oversubscription_ ? parse_number("--oversubscription", *oversubscription_) : 1.0);
    }
    tree.link = link(1e-6);
    tree.node = node();
    tree.in_network = in_network();
    tree.note = note();
    return to_xml(tree);
  }

 private:
  void refuse_without_down(const OptionText& text, std::string_view name) const {
    if (text) {
      throw UserError(
          fmt::format("{} '{}' without --down: give the children per level as well", name, *text));
    }
  }

  OptionText radix_;
  OptionText oversubscription_;
  OptionText down_;
  OptionText up_;
  OptionText cables_;
};

class TorusKind : public PlatformKind {
 public:
  void add_to(CLI::App& command) override {
    subcommand(command, "torus", "A grid of hosts whose ends are joined; no switches");
    option("--dims", dims_, "LIST", "Hosts per dimension, such as 8,8,8");
    option("--hosts", hosts_, "COUNT", "In place of --dims: the most cube-like torus of so many");
    option("--dimensions", dimensions_, "COUNT", "With --hosts: at most so many dimensions [3]");
    add_common("1us", "each cable");
  }
  [[nodiscard]] std::string xml() const override {
    Torus torus;
    if (dims_) {
      refuse_together(dimensions_, "--dimensions", dims_, "--dims");
      torus.dims = parse_counts("--dims", *dims_);
      std::uint64_t product = 1;
      for (const std::uint32_t dim : torus.dims) {
        product = std::min(product * dim, kMaxPlatformHosts + 1);
      }
      check_product("torus", fmt::format("dims {}", fmt::join(torus.dims, ",")), product);
    } else {
      torus.dims =
          torus_sides(hosts_or_refuse(", or --dims"), count_or("--dimensions", dimensions_, 3));
    }
    torus.link = link(1e-6);
    torus.node = node();
    torus.note = note();
    return to_xml(torus);
  }

 private:
  OptionText dims_;
  OptionText dimensions_;
};

class DragonflyKind : public PlatformKind {
 public:
  void add_to(CLI::App& command) override {
    subcommand(command, "dragonfly", "Groups of routers, cables between all pairs of groups")
        .footer(
            "Either give --hosts, and a balanced dragonfly is chosen, or all of it:\n"
            "  --groups 8 --routers 16 --nodes 8 --group-cables 10");
    option("--hosts", hosts_, "COUNT", "Number of hosts");
    option("--taper", taper_, "RATIO",
           "With --hosts: bandwidth between groups for so much of what their hosts send [1]");
    option("--groups", groups_, "COUNT", "Groups; at most as many as --routers");
    option("--chassis", chassis_, "COUNT", "Chassis of a group [1]");
    option("--routers", routers_, "COUNT", "Routers of a chassis, all wired to each other");
    option("--nodes", nodes_, "COUNT", "Hosts of a router");
    option("--group-cables", group_cables_, "COUNT", "Cables between two groups [1]");
    option("--chassis-cables", chassis_cables_, "COUNT",
           "Cables between routers in the same place of two chassis [1]");
    option("--router-cables", router_cables_, "COUNT", "Cables between two routers [1]");
    add_common("1us", "each cable");
  }
  [[nodiscard]] std::string xml() const override {
    Dragonfly dragonfly;
    if (groups_ || routers_ || nodes_ || chassis_) {
      if (!groups_ || !routers_ || !nodes_) {
        throw UserError("dragonfly: --groups, --routers and --nodes go together; one is missing");
      }
      refuse_together(taper_, "--taper", groups_, "--groups");
      dragonfly.groups = parse_count("--groups", *groups_);
      dragonfly.chassis = count_or("--chassis", chassis_, 1);
      dragonfly.routers = parse_count("--routers", *routers_);
      dragonfly.nodes = parse_count("--nodes", *nodes_);
      check_hosts_of(dragonfly);
    } else {
      refuse_together(taper_, "--taper", group_cables_, "--group-cables");
      dragonfly = dragonfly_for(hosts_or_refuse(", or --groups, --routers and --nodes"),
                                taper_ ? parse_number("--taper", *taper_) : 1.0);
    }
    dragonfly.group_cables = count_or("--group-cables", group_cables_, dragonfly.group_cables);
    dragonfly.chassis_cables = count_or("--chassis-cables", chassis_cables_, 1);
    dragonfly.router_cables = count_or("--router-cables", router_cables_, 1);
    dragonfly.link = link(1e-6);
    dragonfly.node = node();
    dragonfly.note = note();
    return to_xml(dragonfly);
  }

 private:
  void check_hosts_of(const Dragonfly& d) const {
    std::uint64_t product = d.groups;
    for (const std::uint32_t count : {d.chassis, d.routers, d.nodes}) {
      product = std::min(product * count, kMaxPlatformHosts + 1);
    }
    check_product("dragonfly",
                  fmt::format("{} groups x {} chassis x {} routers x {} nodes", d.groups, d.chassis,
                              d.routers, d.nodes),
                  product);
  }

  OptionText taper_;
  OptionText groups_;
  OptionText chassis_;
  OptionText routers_;
  OptionText nodes_;
  OptionText group_cables_;
  OptionText chassis_cables_;
  OptionText router_cables_;
};

}  // namespace

CLI::App& PlatformKind::subcommand(CLI::App& command, const char* name, const char* about) {
  app_ = command.add_subcommand(name, about);
  app_->footer("");  // not that of all kinds
  return *app_;
}

OptionText& PlatformKind::option(const char* name, OptionText& text, const char* type,
                                 const std::string& help) {
  app_->add_option(name, text, help)->type_name(type)->group("Shape");
  return text;
}

void PlatformKind::add_common(const char* latency_default, const char* of) {
  constexpr const char* kFigures = "Figures";
  const auto add = [this](const char* name, OptionText& text, const char* type,
                          const std::string& help, const char* group) {
    app_->add_option(name, text, help)->type_name(type)->group(group);
  };
  add("--bw", bandwidth_, "RATE",
      "Bandwidth of each link in each direction: 200Gbps, 25GBps [10Gbps]", kFigures);
  add("--lat", latency_, "TIME", fmt::format("Latency of {}: 500ns, 1us [{}]", of, latency_default),
      kFigures);
  add("--speed", speed_, "FLOPS",
      "Of a core; a reduction is one flop per element: 1Gf, 500Mf [1Gf]", kFigures);
  add("--cores", cores_, "COUNT", "Cores of a host [1; smp: 16]", kFigures);
  add("--loopback-bw", loopback_bandwidth_, "RATE",
      "Bandwidth between two ranks of a host [with several cores 80Gbps, else the network's]",
      kFigures);
  add("--loopback-lat", loopback_latency_, "TIME",
      "Latency between two ranks of a host [with several cores 0.3us, else the network's]",
      kFigures);
  add("--note", note_, "TEXT", "Goes into the file: where the numbers come from", "Output");
  add("-o,--output", output_, kWrittenFile, "Where to write the XML [standard output]", "Output");
}

LinkFigures PlatformKind::link(double latency_s) const {
  LinkFigures figures;
  figures.latency_s = latency_ ? parse_time_s("--lat", *latency_) : latency_s;
  if (bandwidth_) {
    figures.bandwidth_bytes_per_s = parse_rate("--bw", *bandwidth_);
  }
  return figures;
}

NodeFigures PlatformKind::node(std::uint32_t cores) const {
  NodeFigures figures;
  figures.cores = count_or("--cores", cores_, cores);
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

void PlatformKind::add_in_network() {
  app_->add_option("--in-network", in_network_,
                   "Switches reduce and multicast: yes, or how fast each of them reduces, 50GBps "
                   "[no]")
      ->type_name("RATE")
      ->group("Figures");
}

std::string PlatformKind::in_network() const {
  const std::string text = in_network_.value_or("no");
  if (text != "no" && !in_network_of(text)) {
    throw UserError(fmt::format(
        "--in-network '{}': accepted is yes, no, or how fast a switch reduces, such as 50GBps",
        text));
  }
  return text == "no" ? "" : text;
}

void PlatformKind::check_product(std::string_view kind, const std::string& product,
                                 std::uint64_t hosts) const {
  if (hosts_ && parse_count("--hosts", *hosts_) != hosts && hosts <= kMaxPlatformHosts) {
    throw UserError(
        fmt::format("{}: {} multiply to {} hosts, but --hosts is {}; they must be equal", kind,
                    product, hosts, *hosts_));
  }
}

std::uint64_t PlatformKind::hosts_or_refuse(std::string_view instead) const {
  if (!hosts_) {
    throw UserError(fmt::format("how many hosts? Give --hosts, such as --hosts 128{}", instead));
  }
  return parse_count("--hosts", *hosts_);
}

namespace {

using Kinds = std::vector<std::unique_ptr<PlatformKind>>;

int write_platform(const Kinds& kinds, Streams streams) {
  for (const auto& kind : kinds) {
    if (kind->chosen()) {
      const std::string xml = kind->xml();
      OutputFile file(kind->output(), streams.out);
      file.stream() << xml;
      file.commit();
      return kExitOk;
    }
  }
  throw UserError(
      "which kind of platform? There are crossbar, smp, fat_tree, torus and dragonfly, such as "
      "'tutti platform fat_tree --hosts 128'");
}

}  // namespace

Action add_platform(CLI::App& app, Streams streams) {
  CLI::App* command = app.add_subcommand(
      "platform",
      "Write a SimGrid platform: fat tree, torus, dragonfly, ...; ready-made ones, with "
      "their sources, are in the folder platforms/");
  command->require_subcommand(0, 1);
  add_examples(*command,
               {"tutti platform fat_tree --hosts 128 --bw 200Gbps --lat 0.35us -o tree.xml",
                "tutti platform torus --dims 8,8,8 --bw 5GBps --lat 0.25us -o torus.xml",
                "tutti platform torus --help"});
  auto kinds = std::make_shared<Kinds>();
  kinds->push_back(std::make_unique<CrossbarKind>());
  kinds->push_back(std::make_unique<SmpKind>());
  kinds->push_back(std::make_unique<FatTreeKind>());
  kinds->push_back(std::make_unique<TorusKind>());
  kinds->push_back(std::make_unique<DragonflyKind>());
  for (const auto& kind : *kinds) {
    kind->add_to(*command);
  }
  return [kinds, streams] { return write_platform(*kinds, streams); };
}

}  // namespace tutti
