#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "src/pictures/recorded_run.hpp"

namespace tutti { inline namespace pictures {

namespace {

struct Part {
  std::string words;
  double seconds;
};

void add(std::vector<Part>& parts, std::string words, double seconds) {
  const auto known = std::find_if(parts.begin(), parts.end(),
                                  [&](const Part& part) { return part.words == words; });
  if (known == parts.end()) {
    parts.push_back({std::move(words), seconds});
  } else {
    known->seconds += seconds;
  }
}

// Maps the name of each link to its class, such as "leaf down-links", which tells readers more than
// the name.
std::map<std::string, std::string> classes_of_links(const nlohmann::json& links) {
  std::map<std::string, std::string> classes;
  for (const nlohmann::json& link : links) {
    classes[link.at("name").get<std::string>()] = link.at("group").get<std::string>();
  }
  return classes;
}

// Describes a part of the time. If the time was lost on a link, the text names the class of the
// link; otherwise it is the value of the key `name`.
std::string words_of(const nlohmann::json& part, const char* name,
                     const std::map<std::string, std::string>& classes) {
  const auto link = part.find("link");
  if (link != part.end() && link->is_string()) {
    const auto known = classes.find(link->get<std::string>());
    return known == classes.end() || known->second.empty() ? "slowed by sharing links"
                                                           : "slowed by sharing " + known->second;
  }
  return part.at(name).get<std::string>();
}

// Returns the waterfall's first subtotal and the differences that follow it; empty if there are no
// differences.
std::vector<Part> from_formula(const nlohmann::json& explanation,
                               const std::map<std::string, std::string>& classes) {
  const auto waterfall = explanation.find("waterfall");
  std::vector<Part> parts;
  if (waterfall == explanation.end() || waterfall->is_null()) {
    return parts;
  }
  for (const nlohmann::json& step : waterfall->at("steps")) {
    const auto kind = step.at("kind").get<std::string>();
    const double seconds = step.at("seconds").get<double>();
    if (kind == "subtotal" && parts.empty()) {
      parts.push_back({step.at("what").get<std::string>(), seconds});
    } else if (kind == "difference" && !parts.empty()) {
      add(parts, words_of(step, "what", classes), seconds);
    }
  }
  return parts.size() > 1 ? parts : std::vector<Part>();
}

std::vector<Part> from_account(const nlohmann::json& explanation,
                               const std::map<std::string, std::string>& classes) {
  std::vector<Part> parts;
  for (const nlohmann::json& row : explanation.at("account")) {
    add(parts, words_of(row, "in_words", classes), row.at("seconds").get<double>());
  }
  return parts;
}

}  // namespace

std::string account_line(const nlohmann::json& explanation, const nlohmann::json& links) {
  if (!explanation.is_object()) {
    return "";
  }
  const double total_s = explanation.at("total_s").get<double>();
  if (total_s <= 0) {
    return "";
  }
  const auto classes = classes_of_links(links);
  std::vector<Part> parts = from_formula(explanation, classes);
  // The first subtotal stays in front. The other parts are sorted by how much time they cost or
  // save.
  const std::ptrdiff_t kept = parts.empty() ? 0 : 1;
  if (parts.empty()) {
    parts = from_account(explanation, classes);
  }
  std::stable_sort(parts.begin() + kept, parts.end(), [](const Part& a, const Part& b) {
    return std::abs(a.seconds) > std::abs(b.seconds);
  });
  constexpr std::size_t kMost = 4;
  if (parts.size() > kMost) {
    double rest_s = 0;
    for (std::size_t i = kMost - 1; i < parts.size(); ++i) {
      rest_s += parts[i].seconds;
    }
    parts.resize(kMost - 1);
    parts.push_back({"all else", rest_s});
  }
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  const auto& [unit_s, unit] = *std::find_if(
      kUnits.begin(), kUnits.end() - 1, [&](const auto& known) { return total_s >= known.first; });
  // The total has four digits. Each part has the same number of decimals, so that the parts add up.
  const int digits =
      std::clamp(3 - static_cast<int>(std::floor(std::log10(total_s / unit_s))), 0, 3);
  // Leaves out parts that would be printed as 0.
  const double least_s = 0.5 * std::pow(10, -digits) * unit_s;
  const auto is_nothing = [&](const Part& part) { return std::abs(part.seconds) < least_s; };
  parts.erase(std::remove_if(parts.begin() + kept, parts.end(), is_nothing), parts.end());
  std::string line = fmt::format("{:.{}f} {} =", total_s / unit_s, digits, unit);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool less = parts[i].seconds < 0;
    line += fmt::format("{} {:.{}f} {}",
                        less     ? " \u2212"
                        : i == 0 ? ""
                                 : " +",
                        std::abs(parts[i].seconds) / unit_s, digits, parts[i].words);
  }
  return line;
}

}}  // namespace tutti::pictures
