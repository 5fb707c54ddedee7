#include "platforms/profile_check.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/file_text.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"

namespace tutti { inline namespace platforms {

namespace {

enum class ProfileOf : std::uint8_t { bandwidth, latency, speed, state };

struct ProfileUse {
  const char* name;  // an attribute of links and hosts, or a kind of <trace_connect>
  ProfileOf what;
};
constexpr std::array kProfileAttributes{ProfileUse{"bandwidth_file", ProfileOf::bandwidth},
                                        ProfileUse{"latency_file", ProfileOf::latency},
                                        ProfileUse{"availability_file", ProfileOf::speed},
                                        ProfileUse{"speed_file", ProfileOf::speed},
                                        ProfileUse{"state_file", ProfileOf::state}};
constexpr std::array kTraceKinds{
    ProfileUse{"BANDWIDTH", ProfileOf::bandwidth}, ProfileUse{"LATENCY", ProfileOf::latency},
    ProfileUse{"SPEED", ProfileOf::speed},         ProfileUse{"POWER", ProfileOf::speed},
    ProfileUse{"LINK_AVAIL", ProfileOf::state},    ProfileUse{"HOST_AVAIL", ProfileOf::state}};

struct ProfileLine {
  double time_s = 0;
  double value = 0;
  std::string_view value_text;
};

std::optional<ProfileLine> profile_line(std::string_view line) {
  line = trimmed(line);
  const std::size_t blank = line.find_first_of(" \t");
  if (blank == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view value_text = trimmed(line.substr(blank));
  const auto time_s = parsed_number<double>(line.substr(0, blank));
  const auto value = parsed_number<double>(value_text);
  return time_s && value ? std::optional(ProfileLine{*time_s, *value, value_text}) : std::nullopt;
}

std::string fault_in_value(ProfileOf what, const ProfileLine& line) {
  const std::string value = printable(line.value_text);
  switch (what) {
    case ProfileOf::bandwidth:
    case ProfileOf::speed:
      return std::isfinite(line.value) && line.value > 0
                 ? ""
                 : fmt::format("a {} of {}; it must be more than 0",
                               what == ProfileOf::speed ? "speed" : "bandwidth", value);
    case ProfileOf::latency:
      return std::isfinite(line.value) && line.value >= 0
                 ? ""
                 : fmt::format("a latency of {}; it must be 0 or more", value);
    case ProfileOf::state:
      break;
  }
  return "";
}

std::string fault_in(ProfileOf what, std::string_view text) {
  std::optional<ProfileLine> before;
  std::string_view line;
  for (std::size_t number = 1; next_line(text, line); ++number) {
    const auto read = profile_line(line);
    if (!read) {
      continue;
    }
    std::string fault = fault_in_value(what, *read);
    if (what == ProfileOf::state && before && before->time_s == read->time_s &&
        (before->value > 0) != (read->value > 0)) {
      fault = fmt::format("switched on and off at the same time, {} s", read->time_s);
    }
    if (!fault.empty()) {
      return fmt::format("line {}: {}", number, fault);
    }
    before = read;
  }
  return "";
}

// Returns the text of a profile; "" if there is no such file. SimGrid looks in the working
// directory first, then in the folder of the platform.
std::string profile_text(const std::string& name, const std::string& platform) {
  namespace fs = std::filesystem;
  for (const fs::path& path : {fs::path(name), fs::path(platform).parent_path() / name}) {
    if (std::error_code error; fs::is_regular_file(path, error)) {
      return read_file(path.string(), kPlatformFile);
    }
  }
  return "";
}

std::string named(const char* name, const std::string& fault) {
  return fault.empty() ? "" : fmt::format("the profile '{}', {}", printable(name), fault);
}

}  // namespace

std::string fault_in_profiles(const pugi::xml_node& node, const std::string& file) {
  for (const ProfileUse& use : kProfileAttributes) {
    const char* const name = node.attribute(use.name).value();
    if (*name == '\0') {
      continue;
    }
    if (const std::string fault = fault_in(use.what, profile_text(name, file)); !fault.empty()) {
      return named(name, fault);
    }
  }
  const auto kind =
      std::ranges::find(kTraceKinds, std::string_view(node.attribute("kind").value()),
                        [](const ProfileUse& use) { return std::string_view(use.name); });
  if (std::string_view(node.name()) != "trace_connect" || kind == kTraceKinds.end()) {
    return "";
  }
  const char* const name = node.attribute("trace").value();
  const pugi::xml_node trace = node.parent().find_child_by_attribute("trace", "id", name);
  const std::string trace_file = trace.attribute("file").value();
  return named(name, fault_in(kind->what, trace_file.empty() ? std::string(trace.text().get())
                                                             : profile_text(trace_file, file)));
}

}}  // namespace tutti::platforms
