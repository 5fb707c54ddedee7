// tutti platform KIND: writes SimGrid XML for a crossbar, SMP cluster, fat tree, torus, mesh or
// dragonfly. The kinds of platforms whose leaf switches are in groups are defined in
// platform_groups.cpp, and clusters of GPUs in platform_gpu.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "platforms/cluster_file.hpp"
#include "platforms/cluster_xml.hpp"
#include "platforms/dragonfly.hpp"
#include "platforms/fat_tree.hpp"
#include "platforms/single_switch.hpp"
#include "platforms/torus.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/platform_kind.hpp"
#include "src/formats/output_file.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace commands {

namespace {

// `one` and `other`: the user gave the option.
void refuse_together(bool one, std::string_view one_name, bool other, std::string_view other_name) {
  if (one && other) {
    throw UserError(
        fmt::format("{} and {} together: {} is only for a shape that tutti computes, but {} "
                    "describes the shape; give one of them",
                    one_name, other_name, one_name, other_name));
  }
}

// A crossbar, or an SMP cluster, which differs from it only in the number of cores of a host.
class SingleSwitchKind : public PlatformKind {
 public:
  explicit SingleSwitchKind(bool smp) : smp_(smp) {}

  void add_to(Command& command) override {
    if (smp_) {
      subcommand(command, "smp", "Multi-core hosts around one switch without contention")
          .add_note(
              "To place several ranks on each host, give --ranks-per-host to the command that uses "
              "the platform.");
    } else {
      subcommand(command, "crossbar", "Hosts around one switch without contention");
    }
    option("--hosts", hosts_, "COUNT", "Number of hosts", AsCount());
    add_common("2us", "a message between two hosts, half of it on each of the two links");
    add_cards(false);
    add_in_network();
  }
  [[nodiscard]] std::string xml() const override {
    constexpr std::uint32_t kCores = 16;
    const SingleSwitch platform{.hosts = hosts_or_refuse(""),
                                .route = link(2e-6),
                                .node = smp_ ? node(kCores) : node(),
                                .in_network = in_network(),
                                .note = note()};
    return with_cards_of(smp_ && cards() == 1 ? smp_to_xml(platform) : crossbar_to_xml(platform));
  }

 private:
  bool smp_;
};

class FatTreeKind : public PlatformKind {
 public:
  void add_to(Command& command) override {
    subcommand(command, "fat_tree", "Levels of switches above the hosts")
        .add_note(
            "Give --hosts for the tree with the fewest switches, or describe the tree:\n"
            "  --down 16,8 --up 1,4   8 switches of 16 hosts below 4 switches, one cable from\n"
            "                         each lower to each upper one\n"
            "Instead of several cables between two switches, write several upper switches: on the\n"
            "way up, SimGrid chooses among parallel cables by a message's destination, but on the\n"
            "way down by its source, so some cables stay idle while messages share others.");
    option("--hosts", hosts_, "COUNT", "Number of hosts", AsCount());
    option("--radix", radix_, "COUNT", "Ports of a switch [40]", AsCount());
    option("--oversubscription", oversubscription_, "RATIO",
           "Number of cables down per cable up at each switch below the top level [1]; above 1, "
           "the top level has less bandwidth",
           parse_plain_number);
    option("--down", down_, "LIST",
           "Number of children of a switch on each level, lowest level first; the product of these "
           "numbers is the number of hosts, times their --cards",
           AsCounts());
    option("--up", up_, "LIST",
           "Number of parents of a host, then of a switch on each level below the top, lowest "
           "level first; the first number is usually 1",
           AsCounts());
    option("--cables", cables_, "LIST",
           "Number of parallel cables to each parent, in the same order as --up [1,1,...]",
           AsCounts());
    add_common("1us", "each cable");
    add_cards(true);
    add_in_network();
  }
  [[nodiscard]] std::string xml() const override {
    const FatTree fat_tree = tree();
    check_leaves(fat_tree);
    return with_cards_of(to_xml(fat_tree));
  }
  [[nodiscard]] std::string warning() const override {
    if (!cables_ || std::ranges::all_of(tree().cables, [](auto count) { return count == 1; })) {
      return {};
    }
    const std::optional<FatTree> single = with_single_cables(tree());
    return fmt::format(
        "$cables {}: SimGrid chooses among parallel cables by a message's destination on the way "
        "up, but by its source on the way down, so some cables may stay idle while messages share "
        "others{}",
        cables_->text,
        single
            ? fmt::format("; $up {} without $cables has the same number of cables and avoids this",
                          fmt::join(single->up, ","))
            : "");
  }

 private:
  // Throws UserError if a leaf switch would have cards of several rails, or some of the cards of a
  // host.
  void check_leaves(const FatTree& tree) const {
    const std::uint64_t leaf = tree.down.front();
    const std::uint64_t hosts = hosts_of(tree) / cards();
    if (cards() == 1 || tree.down.size() == 1 || hosts_of(tree) % cards() != 0) {
      return;
    }
    if (rails() && hosts % leaf != 0) {
      throw UserError(fmt::format(
          "$card_wiring rail: leaf switches have {} cards, but a rail has {}, one for each host; "
          "their number must be a multiple of {}: give other numbers of $hosts or $down",
          leaf, hosts, leaf));
    }
    if (!rails() && leaf % cards() != 0) {
      throw UserError(fmt::format(
          "$cards {}: leaf switches have {} cards, which is not a multiple of {}, so that the "
          "cards of a host would be at several; give other numbers of $down, or $card_wiring "
          "rail",
          cards(), leaf, cards()));
    }
  }
  [[nodiscard]] FatTree tree() const {
    FatTree tree;
    if (down_) {
      refuse_together(radix_.has_value(), "$radix", true, "$down");
      refuse_together(oversubscription_.has_value(), "$oversubscription", true, "$down");
      tree.down = down_->value;
      if (!up_) {
        throw UserError(
            fmt::format("$down '{}' without $up: give the number of parents on each level as "
                        "well, such as $up 1,4",
                        down_->text));
      }
      tree.up = up_->value;
      tree.cables = cables_ ? cables_->value : std::vector<std::uint32_t>(tree.down.size(), 1);
      check_product("fat_tree", fmt::format("down {}", fmt::join(tree.down, ",")), hosts_of(tree));
    } else {
      refuse_without_down(up_, "$up");
      refuse_without_down(cables_, "$cables");
      constexpr std::uint32_t kRadix = 40;
      tree = fat_tree_for(hosts_or_refuse(", or $down, $up and $cables"), radix_.value_or(kRadix),
                          oversubscription_.value_or(1.0));
    }
    tree.link = link(1e-6);
    tree.node = node();
    tree.in_network = in_network();
    tree.note = note();
    return tree;
  }
  using Counts = ValueWithText<std::vector<std::uint32_t>>;
  static void refuse_without_down(const std::optional<Counts>& given, std::string_view name) {
    if (given) {
      throw UserError(
          fmt::format("{} '{}' without $down: give the number of children on each level as well, "
                      "such as $down 16,8",
                      name, given->text));
    }
  }

  std::optional<std::uint32_t> radix_;
  std::optional<double> oversubscription_;
  std::optional<Counts> down_;
  std::optional<Counts> up_;
  std::optional<Counts> cables_;
};

// A torus, or a mesh, which differs from it in that no links wrap around.
class TorusKind : public PlatformKind {
 public:
  explicit TorusKind(bool mesh) : mesh_(mesh) {}

  void add_to(Command& command) override {
    if (mesh_) {
      subcommand(command, "mesh", "Grid of hosts without wrap-around links and without switches")
          .add_note(
              "A message goes along the first dimension, then the second, and so on. The file "
              "lists the links of each route, so its size limits the number of hosts: 17 x 17 is "
              "possible, and 16 x 16 hosts make about 30 MB.");
    } else {
      subcommand(command, "torus", "Grid of hosts with wrap-around links, without switches");
    }
    option(mesh_ ? "--sides,--dims" : "--dims,--sides", dims_, "LIST",
           mesh_ ? "Hosts per dimension, such as 5,5" : "Hosts per dimension, such as 8,8,8",
           parse_sides);
    option("--hosts", hosts_, "COUNT",
           fmt::format("Instead of {}: the most cube-like {} of this number of hosts",
                       mesh_ ? "--sides" : "--dims", kind()),
           AsCount());
    option("--dimensions", dimensions_, "COUNT", "With --hosts: largest number of dimensions [3]",
           AsCount());
    add_common("1us", "each cable; the latency of a message is the sum over its route");
  }
  [[nodiscard]] std::string xml() const override {
    Torus torus;
    if (!dims_.empty()) {
      refuse_together(dimensions_.has_value(), "$dimensions", true, sides_option());
      torus.dims = dims_;
      std::uint64_t product = 1;
      for (const std::uint32_t dim : torus.dims) {
        product = std::min(product * dim, kMaxPlatformHosts + 1);
      }
      check_product(kind(), fmt::format("sides {}", fmt::join(torus.dims, ",")), product);
    } else {
      torus.dims = torus_sides(hosts_or_refuse(fmt::format(", or {}", sides_option())),
                               dimensions_.value_or(3), kind());
    }
    torus.link = link(1e-6);
    torus.node = node();
    torus.note = note();
    return mesh_ ? mesh_to_xml(torus) : to_xml(torus);
  }

 private:
  [[nodiscard]] const char* kind() const { return mesh_ ? "mesh" : "torus"; }
  [[nodiscard]] const char* sides_option() const { return mesh_ ? "$sides" : "$dims"; }

  static std::vector<std::uint32_t> parse_sides(std::string_view from, const std::string& text) {
    std::string sides = plain_ascii(text);
    if (sides.find(',') == std::string::npos) {
      std::ranges::replace(sides, 'x', ',');  // 4x4, as in --dims of other commands
    }
    return parse_counts(from, sides);
  }

  bool mesh_;
  std::vector<std::uint32_t> dims_;
  std::optional<std::uint32_t> dimensions_;
};

class DragonflyKind : public PlatformKind {
 public:
  void add_to(Command& command) override {
    subcommand(command, "dragonfly", "Groups of routers, with cables between all pairs of groups")
        .add_note(
            "Give --hosts for a balanced dragonfly, or describe it:\n"
            "  --groups 8 --routers 16 --nodes 8 --group-cables 10");
    option("--hosts", hosts_, "COUNT", "Number of hosts", AsCount());
    option("--taper", taper_, "RATIO",
           "With --hosts: bandwidth between groups, as a share of what their hosts can send [1]",
           parse_plain_number);
    option("--groups", groups_, "COUNT", "Number of groups; at most as many as --routers",
           AsCount());
    option("--chassis", chassis_, "COUNT", "Number of chassis in each group [1]", AsCount());
    option("--routers", routers_, "COUNT",
           "Number of routers in each chassis, all wired to each other", AsCount());
    option("--nodes", nodes_, "COUNT", "Number of hosts on each router", AsCount());
    option("--group-cables", group_cables_, "COUNT", "Cables between two groups [1]", AsCount());
    option("--chassis-cables", chassis_cables_, "COUNT",
           "Cables between routers at the same position in two chassis [1]", AsCount());
    option("--router-cables", router_cables_, "COUNT", "Cables between two routers [1]", AsCount());
    add_common("1us", "each cable");
  }
  [[nodiscard]] std::string xml() const override {
    Dragonfly dragonfly;
    if (groups_ || routers_ || nodes_ || chassis_) {
      if (!groups_ || !routers_ || !nodes_) {
        throw UserError("dragonfly: $groups, $routers and $nodes must be given together");
      }
      refuse_together(taper_.has_value(), "$taper", true, "$groups");
      dragonfly.groups = *groups_;
      dragonfly.chassis = chassis_.value_or(1);
      dragonfly.routers = *routers_;
      dragonfly.nodes = *nodes_;
      check_hosts_of(dragonfly);
    } else {
      refuse_together(taper_.has_value(), "$taper", group_cables_.has_value(), "$group_cables");
      dragonfly =
          dragonfly_for(hosts_or_refuse(", or $groups, $routers and $nodes"), taper_.value_or(1.0));
    }
    dragonfly.group_cables = group_cables_.value_or(dragonfly.group_cables);
    dragonfly.chassis_cables = chassis_cables_.value_or(1);
    dragonfly.router_cables = router_cables_.value_or(1);
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

  std::optional<double> taper_;
  std::optional<std::uint32_t> groups_;
  std::optional<std::uint32_t> chassis_;
  std::optional<std::uint32_t> routers_;
  std::optional<std::uint32_t> nodes_;
  std::optional<std::uint32_t> group_cables_;
  std::optional<std::uint32_t> chassis_cables_;
  std::optional<std::uint32_t> router_cables_;
};

using Kinds = std::vector<std::unique_ptr<PlatformKind>>;

int write_platform(const Kinds& kinds, Streams streams) {
  for (const auto& kind : kinds) {
    if (kind->chosen()) {
      const std::string xml = kind->xml();
      check_ending("$output", kind->output(), kPlatformKind);
      OutputFile file(kind->output(), streams.out);
      file.stream() << xml;
      file.commit();
      if (const std::string warning = kind->warning(); !warning.empty()) {
        streams.messages.warning(warning);
      }
      return kExitOk;
    }
  }
  throw UserError(
      "which kind of platform? Give crossbar, smp, fat_tree, torus, mesh, dragonfly, "
      "dragonfly_plus, slingshot, islands or gpu, such as 'tutti platform fat_tree --hosts 128'");
}

}  // namespace

Action add_platform(Command& app, Streams streams) {
  Command& command = app.add_command(
      "platform",
      "Write a SimGrid platform: fat tree, torus, dragonfly, ...; ready-made platforms, with their "
      "sources, are in platforms/ and examples/supercomputers/platforms/");
  command.make_commands_optional();
  command.add_examples(
      {"tutti platform fat_tree --hosts 128 --bw 200Gbps --lat 0.35us -o tree.xml",
       "tutti platform dragonfly_plus --groups 8 --leaves 16 --nodes 10 -o cells.xml",
       "tutti platform torus --help"});
  auto kinds = std::make_shared<Kinds>();
  kinds->push_back(std::make_unique<SingleSwitchKind>(false));
  kinds->push_back(std::make_unique<SingleSwitchKind>(true));
  kinds->push_back(std::make_unique<FatTreeKind>());
  kinds->push_back(std::make_unique<TorusKind>(false));
  kinds->push_back(std::make_unique<TorusKind>(true));
  kinds->push_back(std::make_unique<DragonflyKind>());
  for (auto& kind : grouped_kinds()) {
    kinds->push_back(std::move(kind));
  }
  kinds->push_back(gpu_kind());
  for (const auto& kind : *kinds) {
    kind->add_to(command);
  }
  return [kinds, streams] { return write_platform(*kinds, streams); };
}

}}  // namespace tutti::commands
