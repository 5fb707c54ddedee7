// Reads the platform files that need no SimGrid.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "platforms/cluster_platform.hpp"

namespace tutti::inline platforms {

// The <prop> of a <cluster> that declares switches which reduce and multicast.
inline constexpr std::string_view kInNetworkProperty = "tutti:in_network";
// What its value declares: "yes", or how fast a switch reduces ("50GBps"); nothing for another.
[[nodiscard]] std::optional<InNetwork> in_network_of(std::string_view value);

// A file that has one <cluster> and nothing else, but for that <prop>, every number of it plainly
// written: what tutti itself writes, and most of what people write by hand. Or groups of leaf
// switches, in the form of grouped_file.hpp. Null for any other
// file, be it good or bad: SimGrid then says what it is, and this never what is wrong with it.
[[nodiscard]] std::shared_ptr<const ClusterPlatform> read_cluster_file(const std::string& file);

// Takes a text that has been looked at; `path` names it in messages.
[[nodiscard]] std::shared_ptr<const ClusterPlatform> read_cluster_text(const std::string& xml,
                                                                       const std::string& path);

}  // namespace tutti::inline platforms
