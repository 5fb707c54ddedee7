#include "src/pictures/run_names.hpp"

#include <map>
#include <set>

namespace tutti::inline pictures {

std::vector<std::string> run_names(const nlohmann::json& runs) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::string>> ways;
  for (const nlohmann::json& run : runs) {
    names.push_back(run.at("collective").get<std::string>() + '/' +
                    run.at("algorithm").get<std::string>());
    ways[names.back()].insert(run.value("options", ""));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (ways[names[i]].size() > 1) {
      const std::string options = runs[i].value("options", "");
      names[i] += options.empty() ? "" : ' ' + options;
    }
  }
  return names;
}

}  // namespace tutti::inline pictures
