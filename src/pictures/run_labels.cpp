// Names of runs and of rule tables, for tables and charts.
#include <map>
#include <set>

#include "src/pictures/tables.hpp"

namespace tutti { inline namespace pictures {

std::vector<std::string> run_names(const nlohmann::json& runs) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::string>> ways;
  for (const nlohmann::json& run : runs) {
    names.push_back(run.at("collective").get<std::string>() + '/' +
                    run.at("algorithm").get<std::string>());
    ways[names.back()].insert(run.value("options", ""));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string options = runs[i].value("options", "");
    if (ways[names[i]].size() > 1 && !options.empty()) {
      names[i] += ' ' + options;
    }
  }
  return names;
}

std::string label_of_run(const nlohmann::json& cell) {
  const nlohmann::json& run = cell.at("runs").is_object() ? cell.at("runs") : cell.at("choice");
  if (run.is_object()) {
    for (const char* const key : {"label", "algorithm", "library_algorithm"}) {
      if (run.contains(key)) {
        return run.at(key).get<std::string>();
      }
    }
  }
  return "";
}

std::string name_of_rival(const nlohmann::json& against) {
  const auto title = against.at("name").get<std::string>();
  return title.empty() ? against.at("file").get<std::string>() : title;
}

}}  // namespace tutti::pictures
