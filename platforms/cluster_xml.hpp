// What all generated platforms have in common: one SimGrid <cluster>, written as XML that SimGrid
// 3.32 to 4.1 reads, with a comment that says what it is.
//
// Every link is split duplex: a cable carries one direction without slowing the other. Numbers are
// written so that SimGrid reads the double that was asked for, or its neighbour.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline platforms {

// Larger platforms load in SimGrid too, but nobody waits for a collective over them.
inline constexpr std::uint64_t kMaxPlatformHosts = 65536;
inline constexpr std::uint64_t kMaxPlatformCables = std::uint64_t{1} << 20U;

struct LinkFigures {
  double latency_s = 1e-6;
  double bandwidth_bytes_per_s = 1.25e9;  // in each direction
};

struct NodeFigures {
  // A reduction is one flop per element: 1e9 is 8 GB of doubles per second, about what one core
  // of a server adds from memory.
  double speed_flops_per_s = 1e9;  // of one core
  std::uint32_t cores = 1;
  // Between two ranks on one host. Without it, SimGrid sends them over the network.
  std::optional<LinkFigures> loopback;
};

struct ClusterTag {
  std::string kind;             // "fat_tree": the id of the cluster, and the subject of complaints
  std::string topology;         // SimGrid's word, "FAT_TREE"; empty for one switch
  std::string topo_parameters;  // empty where there is no topology
  std::uint64_t hosts = 0;
  LinkFigures link;
  NodeFigures node;
  std::string in_network;                // the value of kInNetworkProperty; empty: it declares none
  std::vector<std::string> description;  // one sentence or more per line of the comment
  std::string note;                      // the user's, below the description; may have lines
};

// The whole file. Throws UserError, one line, when a figure is impossible.
[[nodiscard]] std::string cluster_xml(const ClusterTag& cluster);

// Each throws UserError, which begins with the kind and names the value, unless it is possible.
void check_hosts(std::string_view kind, std::uint64_t hosts);
void check_link(std::string_view kind, const LinkFigures& link);
void check_node(std::string_view kind, const NodeFigures& node);

// What stands above the platform: the description line by line, and the user's note. Throws
// UserError for control characters in the note.
[[nodiscard]] std::string platform_comment(std::string_view kind,
                                           const std::vector<std::string>& description,
                                           const std::string& note);

// As SimGrid reads them: "200Gbps", "0.5us", "1Gf".
[[nodiscard]] std::string bandwidth_text(double bytes_per_s);
[[nodiscard]] std::string latency_text(double seconds);
[[nodiscard]] std::string speed_text(double flops_per_s);

}  // namespace tutti::inline platforms
