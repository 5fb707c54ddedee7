// tutti platform dragonfly_plus, slingshot and islands: writes platforms whose leaf switches are in
// groups, which may have different sizes. With --map, a file lists the hosts of a real machine and
// their groups.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/plural.hpp"
#include "base/quantities.hpp"
#include "platforms/grouped.hpp"
#include "platforms/single_switch.hpp"
#include "src/commands/platform_kind.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/node_map.hpp"

namespace tutti { inline namespace commands {

namespace {

// Bandwidth of an InfiniBand HDR cable, 200 Gb/s, in bytes per second.
constexpr double kHdr = 25e9;
constexpr std::uint32_t kMostCables = 65536;

// Properties in which the three kinds of platforms in this file differ.
struct GroupedDesign {
  const char* name;
  const char* about;
  const char* trunk_default;
  // Number of switches on the route between two hosts that are on different leaves of the same
  // group.
  double switches_in_group;
  // Number of switches on the route between two hosts in different groups.
  double switches_between;
  // True if each group has one link for all traffic to other groups; false if there are cables
  // between each pair of groups.
  bool tapered;
};

constexpr GroupedDesign kDragonflyPlus{
    "dragonfly_plus",
    "Groups of leaves below spines (dragonfly+), with cables between all pairs of groups",
    "as many as the hosts of a leaf",
    3,
    4,
    false};
constexpr GroupedDesign kSlingshot{
    "slingshot",
    "Groups of switches joined all to all (Slingshot), with cables between all pairs of groups",
    "one to each of the other leaves of the group",
    2,
    4,
    false};
constexpr GroupedDesign kIslands{"islands",
                                 "Islands, each a fat tree, below a core that can be tapered",
                                 "as many as the hosts of a leaf",
                                 3,
                                 5,
                                 true};

class GroupedKind : public PlatformKind {
 public:
  explicit GroupedKind(const GroupedDesign& design) : design_(design) {}

  void add_to(Command& command) override {
    subcommand(command, design_.name, design_.about)
        .add_note(
            "One link represents all cables between two switches or two groups, as if traffic were "
            "spread evenly over these cables.");
    option("--groups", groups_, "COUNT", "Number of groups", AsCount());
    option("--leaves", leaves_, "COUNT", "Number of leaf switches in each group", AsCount());
    option("--nodes", nodes_, "COUNT", "Number of hosts on each leaf switch", AsCount());
    option("--map", map_, "FILE",
           "File with the hosts of a machine, instead of --groups, --leaves and --nodes: CSV with "
           "the columns host, leaf and group");
    option("--machine", machine_, "NAME",
           "With --map: only rows with this value in the column machine");
    option("--trunk-cables", trunk_cables_, "COUNT",
           fmt::format("Cables from a leaf into its group [{}]", design_.trunk_default),
           AsCount<kMostCables>());
    if (design_.tapered) {
      option("--taper", taper_, "RATIO",
             "Ratio of the bandwidth of the largest group's hosts to the bandwidth out of a group "
             "[1]",
             parse_plain_number);
    } else {
      option("--group-cables", group_cables_, "COUNT",
             "Cables between two groups [as many as --trunk-cables]", AsCount<kMostCables>());
      option("--routing", routing_, "HOW",
             "minimal [default]: two groups use only the cables between them; adaptive: detours "
             "over other groups add bandwidth, up to that of all cables of a group",
             AsWord<routings>());
      option("--detours", detours_, "RATIO",
             "With --routing adaptive: bandwidth between two groups, as a multiple of that of the "
             "cables between them [2]",
             parse_plain_number);
    }
    add_common("0.5us", "a host's cable, including its two ends", "200Gbps", "each host's cable");
    const OptionGroup figures = numbers();
    figures.add("--cable-bw", cable_bytes_per_s_, "RATE",
                "Bandwidth of each cable between switches [200Gbps]", AsRate());
    figures.add("--switch-lat", switch_s_, "TIME", "Latency of a switch [0.13us]", AsTime());
    figures.add("--group-lat", group_s_, "TIME",
                "Latency of the cables between two groups [0.15us]", AsTime());
  }

  [[nodiscard]] std::string xml() const override {
    GroupedPlatform platform;
    platform.kind = design_.name;
    platform.groups = hosts_in_groups();
    platform.node = node();
    if (!platform.node.loopback) {
      platform.node.loopback = kSharedMemory;
    }
    platform.note = note();
    const double switch_s = switch_s_;
    const double group_s = group_s_;
    const double cable = cable_bytes_per_s_;
    platform.cable = link(0.5e-6, kHdr);
    platform.cable.latency_s += switch_s / 2;
    const std::uint32_t trunk_cables =
        cables("$trunk_cables", trunk_cables_, default_trunk(platform.groups));
    platform.trunk = {(design_.switches_in_group - 1) / 2 * switch_s, trunk_cables * cable};
    platform.description = describe(platform.groups, trunk_cables, cable);
    if (platform.groups.size() > 1) {
      add_between(platform, trunk_cables, cable,
                  (design_.switches_between - design_.switches_in_group) * switch_s + group_s);
    }
    return to_xml(platform);
  }

 private:
  static std::array<std::string_view, 2> routings() { return {"minimal", "adaptive"}; }

  std::uint32_t cables(std::string_view what, const std::optional<std::uint32_t>& given,
                       std::uint32_t otherwise) const {
    const std::uint32_t count = given.value_or(otherwise);
    if (count == 0) {
      throw UserError(fmt::format("{}: {} is 0; at least 1 cable is needed", design_.name, what));
    }
    return count;
  }

  [[nodiscard]] std::vector<GroupOfLeaves> hosts_in_groups() const {
    if (map_) {
      for (const auto& [given, name] :
           {std::pair{&groups_, "$groups"}, std::pair{&leaves_, "$leaves"},
            std::pair{&nodes_, "$nodes"}}) {
        if (*given) {
          throw UserError(fmt::format(
              "{} '{}': $map already lists the hosts; leave out one of the two", name, **given));
        }
      }
      return read_node_map(*map_, machine_);
    }
    if (machine_) {
      throw UserError(
          fmt::format("$machine '{}': needs $map FILE, whose rows it selects", *machine_));
    }
    if (!groups_ || !leaves_ || !nodes_) {
      throw UserError(
          fmt::format("{}: the hosts are missing; give $groups, $leaves and $nodes, or $map FILE",
                      design_.name));
    }
    return numbered_groups(design_.name, *groups_, *leaves_, *nodes_);
  }

  [[nodiscard]] std::uint32_t default_trunk(const std::vector<GroupOfLeaves>& groups) const {
    std::size_t most_leaves = 0;
    std::size_t most_hosts = 0;
    for (const GroupOfLeaves& group : groups) {
      most_leaves = std::max(most_leaves, group.leaves.size());
      for (const LeafOfHosts& leaf : group.leaves) {
        most_hosts = std::max(most_hosts, leaf.hosts.size());
      }
    }
    return static_cast<std::uint32_t>(
        design_.name == kSlingshot.name ? std::max<std::size_t>(most_leaves - 1, 1) : most_hosts);
  }

  [[nodiscard]] std::vector<std::string> describe(const std::vector<GroupOfLeaves>& groups,
                                                  std::uint32_t trunk_cables, double cable) const {
    std::size_t leaves = 0;
    std::size_t hosts = 0;
    for (const GroupOfLeaves& group : groups) {
      leaves += group.leaves.size();
      for (const LeafOfHosts& leaf : group.leaves) {
        hosts += leaf.hosts.size();
      }
    }
    return {fmt::format("{}: {} in {}, {}.", design_.name, number_of(hosts, "host"),
                        number_of(groups.size(), "group"),
                        leaves == 1 ? "1 leaf" : fmt::format("{} leaves", leaves)),
            fmt::format("A leaf reaches its group over {} of {}, as one link.",
                        number_of(trunk_cables, "cable"), bandwidth_text(cable))};
  }

  // Adds the links between groups to `platform`. `cable` is the bandwidth of a cable in bytes per
  // second. `latency_s`: the latency of a message to another group, less the latency of a message
  // to another leaf of its own group. `trunk_cables`: the default of --group-cables.
  void add_between(GroupedPlatform& platform, std::uint32_t trunk_cables, double cable,
                   double latency_s) const {
    const std::size_t others = platform.groups.size() - 1;
    if (design_.tapered) {
      const double taper = taper_;
      if (!(taper >= 1)) {
        throw UserError(
            fmt::format("{}: $taper is {}; it must be 1 (no taper) or more", design_.name, taper));
      }
      std::size_t most = 0;
      for (const GroupOfLeaves& group : platform.groups) {
        std::size_t hosts = 0;
        for (const LeafOfHosts& leaf : group.leaves) {
          hosts += leaf.hosts.size();
        }
        most = std::max(most, hosts);
      }
      const double bytes_per_s =
          static_cast<double>(most) * platform.cable.bandwidth_bytes_per_s / taper;
      platform.out = {latency_s / 2, bytes_per_s};
      platform.description.push_back(
          fmt::format("What leaves a group, and what enters it: {}, {:g} to 1.",
                      bandwidth_text(bytes_per_s), taper));
      return;
    }
    const std::uint32_t own = cables("$group_cables", group_cables_, trunk_cables);
    if (detours_ && routing_ == "minimal") {
      throw UserError(fmt::format(
          "$detours '{}': minimal routing has no detours; add $routing adaptive", detours_->text));
    }
    platform.pair = {latency_s, own * cable};
    platform.description.push_back(
        fmt::format("Two groups are joined by {}, as one link.", number_of(own, "cable")));
    if (routing_ == "adaptive") {
      const double detours = detours_ ? detours_->value : 2.0;
      if (!(detours >= 1)) {
        throw UserError(fmt::format("{}: $detours is {}; it must be 1 (no detours) or more",
                                    design_.name, detours));
      }
      platform.pair->bandwidth_bytes_per_s *= detours;
      platform.out = {0, static_cast<double>(others) * own * cable};
      platform.description.push_back(fmt::format(
          "Detours over other groups make that {:g} times as wide; all that leaves a group shares "
          "its {}.",
          detours, number_of(others * own, "cable")));
    }
  }

  const GroupedDesign& design_;
  std::optional<std::uint32_t> groups_;
  std::optional<std::uint32_t> leaves_;
  std::optional<std::uint32_t> nodes_;
  std::optional<std::string> map_;  // path of a file
  std::optional<std::string> machine_;
  std::optional<std::uint32_t> trunk_cables_;
  std::optional<std::uint32_t> group_cables_;
  double taper_ = 1;
  std::string routing_ = "minimal";
  std::optional<ValueWithText<double>> detours_;
  double cable_bytes_per_s_ = kHdr;
  double switch_s_ = 0.13e-6;
  double group_s_ = 0.15e-6;
};

}  // namespace

std::vector<std::unique_ptr<PlatformKind>> grouped_kinds() {
  std::vector<std::unique_ptr<PlatformKind>> kinds;
  for (const GroupedDesign* design : {&kDragonflyPlus, &kSlingshot, &kIslands}) {
    kinds.push_back(std::make_unique<GroupedKind>(*design));
  }
  return kinds;
}

}}  // namespace tutti::commands
