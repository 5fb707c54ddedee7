// Writes platforms that consist of one SimGrid <cluster>, with a comment that describes the
// platform. SimGrid 3.32 to 4.1 can read the XML.
//
// Every link is split duplex: traffic in one direction does not slow the other. Numbers are written
// such that SimGrid reads back the same double or a neighbouring one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti { inline namespace platforms {

// The flow engine simulates platforms of this size. SimGrid's own limit is that of
// platform_size.hpp.
inline constexpr std::uint64_t kMaxPlatformHosts = std::uint64_t{1} << 20U;
inline constexpr std::uint64_t kMaxPlatformCables = std::uint64_t{1} << 22U;

struct LinkFigures {
  double latency_s = 1e-6;
  double bandwidth_bytes_per_s = 1.25e9;  // in each direction
};

struct NodeFigures {
  // A reduction needs one flop per element. 1e9 flops per second mean 8 GB of doubles per second,
  // about the rate at which a server core sums arrays in memory.
  double speed_flops_per_s = 1e9;  // speed of one core
  std::uint32_t cores = 1;
  // The link for messages between two ranks on one host. Without a loopback, SimGrid sends these
  // messages over the network.
  std::optional<LinkFigures> loopback;
};

struct ClusterTag {
  std::string kind;  // id of the cluster, such as "fat_tree"; also the beginning of error messages
  std::string topology;  // SimGrid's name of the topology, such as "FAT_TREE"; empty for one switch
  std::string topo_parameters;  // empty if `topology` is empty
  std::uint64_t hosts = 0;
  LinkFigures link;
  NodeFigures node;
  std::string in_network;  // value of kInNetworkProperty; empty: the property is not written
  std::vector<std::string> description;  // lines of the comment above the platform
  std::string note;  // the user's comment below the description; any number of lines
};

// Returns the text of the whole file. Throws UserError if a figure is impossible.
[[nodiscard]] std::string cluster_xml(const ClusterTag& cluster);

// Each of these functions throws UserError if a value is impossible. The message begins with `kind`
// and names the value.
void check_hosts(std::string_view kind, std::uint64_t hosts);
void check_link(std::string_view kind, const LinkFigures& link);
void check_node(std::string_view kind, const NodeFigures& node);

// Returns the comment above the platform: the description line by line, and the user's note. Throws
// UserError if the note has control characters.
[[nodiscard]] std::string platform_comment(std::string_view kind,
                                           const std::vector<std::string>& description,
                                           const std::string& note);

// These functions format values with units such that SimGrid can read them: "200Gbps", "0.5us",
// "1Gf".
[[nodiscard]] std::string bandwidth_text(double bytes_per_s);
[[nodiscard]] std::string latency_text(double seconds);
[[nodiscard]] std::string speed_text(double flops_per_s);

}}  // namespace tutti::platforms
