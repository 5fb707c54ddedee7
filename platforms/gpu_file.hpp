// Reads clusters of GPUs in the form of gpu_platform.hpp.
#pragma once

#include <pugixml.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "platforms/cluster_platform.hpp"
#include "platforms/gpu_platform.hpp"

namespace tutti { inline namespace platforms {

// Beginning of the names of the zone's properties.
inline constexpr std::string_view kGpuProperty = "tutti:gpu:";
inline constexpr std::string_view kGpuRouting = "DijkstraCache";  // of the zone

// Returns the description in a platform; nothing if it has none. Throws UserError if a property is
// unknown, missing or invalid, or if the description is impossible.
[[nodiscard]] std::optional<GpuPlatform> gpu_description(const pugi::xml_node& platform);
// Returns the description in a file; nothing if it has none. Throws UserError as above, and if the
// file cannot be read.
[[nodiscard]] std::optional<GpuPlatform> read_gpu_description(const std::string& file);
// True if the text is a platform with only the description, without hosts. SimGrid cannot load it.
[[nodiscard]] bool is_only_description(const std::string& xml);

// Returns, in words, that the hosts, links or routes of a file differ from its description; nothing
// if it has no description.
[[nodiscard]] std::optional<std::string> why_gpus_unknown(const std::string& file);

[[nodiscard]] Cluster cluster_of(const GpuPlatform& platform);
// Returns the platform; nothing if it has no description, or has other contents than to_xml() would
// write for its description. In the second case, only SimGrid knows the routes.
[[nodiscard]] std::optional<Cluster> read_gpu(const pugi::xml_node& platform);

}}  // namespace tutti::platforms
