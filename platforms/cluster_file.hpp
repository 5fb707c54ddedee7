// Reads the platform files that can be simulated without SimGrid.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/cluster_platform.hpp"

namespace tutti { inline namespace platforms {

// Name of the <prop> with which a <cluster> declares switches that reduce and multicast.
inline constexpr std::string_view kInNetworkProperty = "tutti:in_network";
// Parses the value of kInNetworkProperty: "yes", or the rate at which a switch reduces ("50GBps").
// Returns nothing for any other value.
[[nodiscard]] std::optional<InNetwork> in_network_of(std::string_view value);

// Reads a file that contains a single <cluster> with numbers in a notation that xml_numbers.hpp can
// parse, and perhaps the property kInNetworkProperty, or groups of leaf switches in the format of
// grouped_file.hpp, or a route for each pair of hosts (explicit_file.hpp). All files that tutti
// writes are of these kinds, and so are most files written by hand. Returns null for any other
// file, whether valid or not; SimGrid then loads it and reports its errors.
[[nodiscard]] std::shared_ptr<const ClusterPlatform> read_cluster_file(
    const std::string& file, const std::string& network_model = "hockney");

// Like read_cluster_file(), for a text that check_platform_file() has returned, with its notes.
// `path` is the name of the file for error messages.
[[nodiscard]] std::shared_ptr<const ClusterPlatform> read_cluster_text(
    const std::string& xml, const std::string& path, std::vector<std::string> notes = {});

}}  // namespace tutti::platforms
