// Clusters of nodes with several GPUs. A switch, or links between pairs of GPUs, join the GPUs of a
// node. Network cards join the node to leaf switches.
//
// A GPU is a host of the file. The GPUs of a node have consecutive numbers. The file has the
// description below as properties of its only zone. Up to kMostListedGpus GPUs, the zone also has
// the hosts, links and routes, so that SimGrid loads it. Above, the zone has only the properties,
// and the hosts and links are created in SimGrid (simgrid/gpu_netzone.hpp).
//
// One link represents all cables between a leaf switch and the switches above it, as if traffic
// were spread evenly over these cables. So does the link from the switches of a pod to the switches
// above, and the link between two groups of a dragonfly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/cluster_cables.hpp"
#include "platforms/cluster_xml.hpp"

namespace tutti { inline namespace platforms {

inline constexpr std::uint32_t kMostGpus = 1U << 20U;
inline constexpr std::uint32_t kMostGpusOfNode = 1024;
inline constexpr std::uint32_t kMostListedGpus = 4096;
inline constexpr std::uint32_t kMostPlanes = 64;

// How cards are joined. rail: the cards of a unit with the same number are at one leaf switch, and
// switches above join the leaf switches with the same number. tree: all cards of a unit are at one
// leaf switch, and switches above join these. dragonfly: as tree, but a unit is a group, whose
// switches count as one leaf switch, and each two groups are joined.
enum class GpuFabric : std::uint8_t { rail, tree, dragonfly };

// All rates are those of one direction.
struct GpuPlatform {
  std::uint32_t nodes = 1;
  std::uint32_t gpus = 8;   // of a node
  std::uint32_t cards = 8;  // of a node; each belongs to gpus / cards GPUs with consecutive numbers
  // How the GPUs of a node are joined: "switch"; "mesh", a link between each two GPUs; or a list of
  // pairs with their number of cables, such as "0-1*4,0-2,1-3".
  std::string inner = "switch";
  double inner_bytes_per_s = 0;   // of a GPU at the switch, or of one cable of a pair
  double inner_s = 0;             // latency between two GPUs of a node that are joined directly
  double memory_bytes_per_s = 0;  // of copies within a GPU
  double pcie_bytes_per_s = 0;    // between a GPU and its card
  double card_bytes_per_s = 0;    // with all planes
  double card_s = 0;              // latency of a card, with the way from the GPU to it
  double switch_s = 0;            // latency of a leaf switch, or of a switch above
  GpuFabric fabric = GpuFabric::rail;
  // With rails, data for a GPU whose card is on another rail than the sender's: true: they cross
  // the sender's node, and leave it over a card of the receiver's rail (PXN); false: they leave
  // over the sender's card, and cross the receiver's node.
  bool rail_of_receiver = true;
  std::uint32_t unit = 1;        // nodes at the same leaf switches; divides `nodes`
  double trunk_bytes_per_s = 0;  // of all cables from a leaf switch to the switches above
  // Nodes below the same switches above the leaf switches; a multiple of `unit` that divides
  // `nodes`. One more level of switches joins the pods. 0: no pods, as in all dragonflies.
  std::uint32_t pod = 0;
  // Sum over all cables from the switches of a pod to the switches above; with rails, for each
  // rail.
  double pod_bytes_per_s = 0;
  double pair_bytes_per_s = 0;  // of all cables between two groups of a dragonfly
  double pair_s = 0;            // latency of a cable between two groups
  // Networks over which each card spreads its data evenly. A lost plane takes its share of the rate
  // of cards and trunks.
  std::uint32_t planes = 1;
  std::uint32_t lost_planes = 0;
  double speed_flops_per_s = 0;  // of a GPU; a reduction needs one flop per element
  // If the switch of a node reduces and multicasts: "yes", or the rate at which it reduces, as in
  // in_network_of(); otherwise "".
  std::string in_network;

  [[nodiscard]] std::uint32_t hosts() const { return nodes * gpus; }
  [[nodiscard]] std::uint32_t units() const { return unit == 0 ? 0 : nodes / unit; }
  [[nodiscard]] std::uint32_t pods() const { return pod == 0 ? 1 : nodes / pod; }
  // Returns the share of the rate of cards and trunks that lost planes leave.
  [[nodiscard]] double working_share() const {
    return planes == 0 ? 0 : 1 - static_cast<double>(lost_planes) / planes;
  }
  [[nodiscard]] bool reduces() const { return !in_network.empty(); }
  [[nodiscard]] bool has_rails() const { return fabric == GpuFabric::rail; }
  [[nodiscard]] bool has_units() const { return units() > 1; }
  [[nodiscard]] bool has_pods() const { return pods() > 1; }
  [[nodiscard]] bool has_pairs() const { return fabric == GpuFabric::dragonfly && units() > 1; }
  [[nodiscard]] std::uint32_t leaves_of_unit() const { return has_rails() ? cards : 1; }
  friend bool operator==(const GpuPlatform&, const GpuPlatform&) = default;
};

// One value of the description, as text.
struct GpuField {
  std::string_view name;
  std::string (*text)(const GpuPlatform&);
  // Returns false if the text is invalid.
  bool (*read)(const std::string& text, GpuPlatform&);
  // Returns whether the value has an effect. If not, the description does not have it.
  bool (*applies)(const GpuPlatform&) = [](const GpuPlatform&) { return true; };
};
[[nodiscard]] const std::vector<GpuField>& gpu_fields();

// Throws UserError, which names the fields, if the description is impossible.
void check(const GpuPlatform& platform);

// A link between the GPUs of a node.
struct InnerLink {
  static constexpr std::uint32_t kSwitch = 0xffffffffU;
  std::uint32_t from = 0;  // number of a GPU in its node, or kSwitch
  std::uint32_t to = 0;
  std::uint32_t cables = 1;
};

// The links within a node, and the path from each GPU to each other one.
struct InnerNetwork {
  std::vector<InnerLink> links;
  // The path from GPU i to GPU j is crossed[first[i * gpus + j]] up to crossed[first[i * gpus + j +
  // 1]]. It is one of the shortest.
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> crossed;
  std::uint32_t longest = 0;  // number of links of the longest path
};
// Throws UserError if the text of GpuPlatform::inner is invalid.
[[nodiscard]] InnerNetwork inner_network(const GpuPlatform& platform);

// Figures of each kind of links.
struct GpuLinkFigures {
  LinkFigures inner;  // of one cable
  LinkFigures memory;
  LinkFigures pcie;
  LinkFigures card;
  LinkFigures trunk;
  LinkFigures pod;
  LinkFigures pair;
  [[nodiscard]] const LinkFigures& of(ClusterLinkKind kind) const;
};
[[nodiscard]] GpuLinkFigures link_figures(const GpuPlatform& platform);

// Returns the text of a platform file, with a comment of these lines and the user's note. Throws
// UserError if the description is impossible.
[[nodiscard]] std::string to_xml(const GpuPlatform& platform,
                                 const std::vector<std::string>& description = {},
                                 const std::string& note = {});
// Returns whether the file has hosts, links and routes: there are at most kMostListedGpus GPUs, and
// not too many links.
[[nodiscard]] bool is_listed(const GpuPlatform& platform);
// Returns the text of a file with all hosts, links and routes, whatever their number, and without a
// comment. SimGrid chooses the routes with the fewest links.
[[nodiscard]] std::string gpu_zone_xml(const GpuPlatform& platform);

}}  // namespace tutti::platforms
