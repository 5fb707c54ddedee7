// Clusters of nodes with several GPUs. A switch, or links between pairs of GPUs, join the GPUs of a
// node. Network cards join the node to leaf switches.
//
// A GPU is a host of the file. The GPUs of a node have consecutive numbers. The file has the
// description below as properties of its only zone. Up to kMostListedGpus GPUs, the zone also has
// the hosts, links and routes, so that SimGrid loads it. Above, the zone has only the properties,
// and SimGrid gets the text of gpu_zone_xml() instead.
//
// One link represents all cables between a leaf switch and the switches above it, as if traffic
// were spread evenly over these cables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/cluster_xml.hpp"

namespace tutti { inline namespace platforms {

inline constexpr std::uint32_t kMostGpus = 1U << 20U;
inline constexpr std::uint32_t kMostGpusOfNode = 1024;
inline constexpr std::uint32_t kMostListedGpus = 4096;

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
  double card_bytes_per_s = 0;
  double card_s = 0;    // latency of a card, with the way from the GPU to it
  double switch_s = 0;  // latency of a leaf switch, or of a switch above
  // True: the cards of a unit with the same number are at one leaf switch (a rail), and switches
  // above it join the leaf switches of a rail. False: all cards of a unit are at one leaf switch.
  bool rails = true;
  // With rails, data for a GPU whose card is on another rail than the sender's: true: they cross
  // the sender's node, and leave it over a card of the receiver's rail (PXN); false: they leave
  // over the sender's card, and cross the receiver's node.
  bool rail_of_receiver = true;
  std::uint32_t unit = 1;        // nodes at the same leaf switches; divides `nodes`
  double trunk_bytes_per_s = 0;  // of all cables from a leaf switch to the switches above
  double speed_flops_per_s = 0;  // of a GPU; a reduction needs one flop per element

  [[nodiscard]] std::uint32_t hosts() const { return nodes * gpus; }
  [[nodiscard]] std::uint32_t units() const { return nodes / unit; }
  [[nodiscard]] std::uint32_t leaves_of_unit() const { return rails ? cards : 1; }
  friend bool operator==(const GpuPlatform&, const GpuPlatform&) = default;
};

// One value of the description, as text.
struct GpuField {
  std::string_view name;
  std::string (*text)(const GpuPlatform&);
  // Returns false if the text is invalid.
  bool (*read)(const std::string& text, GpuPlatform&);
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
};
[[nodiscard]] GpuLinkFigures link_figures(const GpuPlatform& platform);

// Returns the text of a platform file, with a comment of these lines and the user's note. Throws
// UserError if the description is impossible.
[[nodiscard]] std::string to_xml(const GpuPlatform& platform,
                                 const std::vector<std::string>& description = {},
                                 const std::string& note = {});
// Returns the text of a file with all hosts, links and routes, and without a comment. SimGrid
// chooses the routes with the fewest links.
[[nodiscard]] std::string gpu_zone_xml(const GpuPlatform& platform);

}}  // namespace tutti::platforms
