// Draws lower bounds over the size, with a curve for each collective.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/human.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/curves_drawing.hpp"

namespace tutti { inline namespace pictures {

using Json = nlohmann::json;

Picture limits_chart(const Json& bounds, std::uint32_t ranks, double width) {
  std::vector<Curve> curves;
  std::set<std::uint64_t> sizes;
  std::string csv = "collective,ranks,bytes,bound_s,decided_by\n";
  std::string platform;
  std::string what_if;
  std::string collectives;
  for (const Json& bound : bounds.at("bounds")) {
    if (bound.at("ranks") != ranks) {
      continue;
    }
    const auto name = bound.at("collective").get<std::string>();
    const auto bytes = bound.at("bytes").get<std::uint64_t>();
    const auto bound_s = bound.at("bound_s").get<double>();
    platform = bound.at("platform").get<std::string>();
    what_if = what_if_of(bound);
    csv +=
        fmt::format("{},{},{},{},{}\n", name, ranks, bytes, bound_s,
                    bound.at("decided_by").is_string() ? bound.at("decided_by").get<std::string>()
                                                       : std::string());
    if (bytes == 0) {
      continue;
    }
    sizes.insert(bytes);
    if (bound_s <= 0) {
      continue;
    }
    auto curve = std::ranges::find(curves, name, &Curve::label);
    if (curve == curves.end()) {
      curves.push_back({name, {}, std::min(curves.size(), kSeriesColours)});
      curve = curves.end() - 1;
      collectives += (collectives.empty() ? "" : ", ") + name;
    }
    curve->points.emplace_back(static_cast<double>(bytes), bound_s);
  }
  for (Curve& curve : curves) {
    std::sort(curve.points.begin(), curve.points.end());
  }
  Picture picture = begun(
      "bound", fmt::format("limits {} {}", ranks, platform),
      fmt::format("Lower bounds on {}, {}{}", counted(ranks, "rank"), platform, what_if), width);
  picture.csv = std::move(csv);
  picture.alt =
      fmt::format("Lower bounds over size, both logarithmic: {}. {}.", picture.title, collectives);
  draw_curves(picture, std::move(curves), {sizes.begin(), sizes.end()}, {});
  return picture;
}

}}  // namespace tutti::pictures
