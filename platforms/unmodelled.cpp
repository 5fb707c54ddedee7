#include "platforms/unmodelled.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/file_text.hpp"
#include "platforms/xml_text.hpp"

namespace tutti::inline platforms {

namespace {

struct Feature {
  std::string_view name;
  std::string_view in_words;
};

constexpr std::array kAttributes{
    Feature{"bandwidth_file", "a profile of its bandwidth"},
    Feature{"latency_file", "a profile of its latency"},
    Feature{"availability_file", "a profile of its speed"},
    Feature{"speed_file", "a profile of its speed"},
    Feature{"state_file", "a trace of its failures"},
};

constexpr std::array kTags{
    Feature{"trace", "a trace of changes over time"},
    Feature{"trace_connect", "a trace of changes over time"},
    Feature{"config", "SimGrid settings"},
};

class Finder : public pugi::xml_tree_walker {
 public:
  bool for_each(pugi::xml_node& node) override {
    const std::string_view tag = node.name();
    for (const Feature& known : kTags) {
      if (tag == known.name) {
        return found(node, fmt::format("<{}>, {}", tag, known.in_words));
      }
    }
    for (const Feature& known : kAttributes) {
      if (const auto attribute = node.attribute(known.name.data())) {
        return found(node, fmt::format("<{}> with {}=\"{}\", {}", tag, known.name,
                                       attribute.value(), known.in_words));
      }
    }
    if (std::string_view(node.attribute("sharing_policy").value()) == "WIFI" ||
        ((tag == "zone" || tag == "AS") &&
         std::string_view(node.attribute("routing").value()) == "Wifi")) {
      return found(node, fmt::format("a WiFi <{}>", tag));
    }
    return true;
  }

  std::string feature;
  std::ptrdiff_t offset = 0;

 private:
  bool found(const pugi::xml_node& node, std::string what) {
    feature = std::move(what);
    offset = node.offset_debug();
    return false;
  }
};

}  // namespace

std::optional<std::string> unmodelled_feature(const std::string& file) {
  const std::string text = read_file(file, kPlatformFile);
  pugi::xml_document document;
  if (!parse_xml(document, text)) {
    return std::nullopt;
  }
  Finder finder;
  document.traverse(finder);
  if (finder.feature.empty()) {
    return std::nullopt;
  }
  return fmt::format("{} (line {})", finder.feature,
                     1 + std::count(text.begin(), text.begin() + finder.offset, '\n'));
}

}  // namespace tutti::inline platforms
