#include "platforms/platform_files.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <array>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/file_use.hpp"

namespace tutti { inline namespace platforms {

namespace {

namespace fs = std::filesystem;

class FindNames : public pugi::xml_tree_walker {
 public:
  bool for_each(pugi::xml_node& node) override {
    for (const char* attribute : kFileAttributes) {
      if (const auto value = node.attribute(attribute)) {
        names.emplace_back(value.value());
      }
    }
    return true;
  }
  std::vector<std::string> names;
};

// Returns the names of the files to which `file` refers. Profiles and other files that are not XML
// refer to no files.
std::vector<std::string> names_in(const std::string& file) {
  pugi::xml_document document;
  FindNames find;
  try {
    const FileText text(file, kPlatformFile);
    if (document.load_buffer(text.view().data(), text.view().size())) {
      document.traverse(find);
    }
  } catch (const UserError&) {
    return {};
  }
  return find.names;
}

void add(const fs::path& file, std::vector<std::string>& files, std::set<fs::path>& seen) {
  std::error_code error;
  if (!seen.insert(fs::weakly_canonical(file, error)).second) {
    return;
  }
  register_input(file.string());
  files.push_back(file.string());
  for (const std::string& name : names_in(file.string())) {
    // SimGrid looks in the working directory first, then in the folder of the platform.
    for (const fs::path& candidate : {fs::path(name), file.parent_path() / name}) {
      if (fs::exists(candidate, error)) {
        add(candidate, files, seen);
        break;
      }
    }
  }
}

// Finds the profile with which a platform switches a host or a link on and off. Links of a
// <cluster> or <peer> have names that begin with the id of a host, or are made from its prefix.
class FindSwitch : public pugi::xml_tree_walker {
 public:
  explicit FindSwitch(std::string_view name) : name_(name) {}

  bool for_each(pugi::xml_node& node) override {
    const std::string_view tag = node.name();
    const std::string_view trace = node.attribute("trace").value();
    if (tag == "trace_connect" && is_named(node.attribute("element").value()) &&
        std::string_view(node.attribute("kind").value()).ends_with("_AVAIL")) {
      by = fmt::format(" by the <trace> '{}'", trace);
    } else if (const auto profile = node.attribute("state_file"); profile && holds(node)) {
      by = fmt::format(" by {}", profile.value());
    }
    return by.empty();
  }
  std::string by;

 private:
  // True for the name itself, and for the two directions of a split-duplex link.
  [[nodiscard]] bool is_named(std::string_view id) const {
    return !id.empty() && name_.starts_with(id) &&
           (name_.size() == id.size() || name_.substr(id.size()) == "_UP" ||
            name_.substr(id.size()) == "_DOWN");
  }
  [[nodiscard]] bool holds(const pugi::xml_node& node) const {
    const std::string_view prefix = node.attribute("prefix").value();
    return is_named(node.attribute("id").value()) || (std::string_view(node.name()) == "cluster" &&
                                                      !prefix.empty() && name_.starts_with(prefix));
  }

  std::string_view name_;
};

}  // namespace

std::string switched_by(const std::string& file, std::string_view name) {
  const std::string text = read_file(file, kPlatformFile);
  pugi::xml_document document;
  FindSwitch find(name);
  if (document.load_buffer(text.data(), text.size())) {
    document.traverse(find);
  }
  return find.by;
}

std::vector<std::string> platform_files(const std::string& file) {
  std::vector<std::string> files;
  std::set<fs::path> seen;
  add(file, files, seen);
  return files;
}

}}  // namespace tutti::platforms
