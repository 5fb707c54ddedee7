#include "platforms/platform_files.hpp"

#include <pugixml.hpp>

#include <array>
#include <filesystem>
#include <set>

#include "base/error.hpp"
#include "base/file_text.hpp"
#include "base/file_use.hpp"

namespace tutti::inline platforms {

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

}  // namespace

std::vector<std::string> platform_files(const std::string& file) {
  std::vector<std::string> files;
  std::set<fs::path> seen;
  add(file, files, seen);
  return files;
}

}  // namespace tutti::inline platforms
