#include "src/output/comparison_json.hpp"

#include <nlohmann/json.hpp>

#include <ostream>

#include "schedules/run_words.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/output/result_json.hpp"
#include "src/output/sure_text.hpp"

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

// Returns the fastest algorithm of a cell, and the algorithms that count as equally fast. The
// fields of the algorithm are null if no algorithm has a time.
Json best_json(const Comparison& comparison, const WinnerMap& winners, std::size_t rank,
               std::size_t size) {
  const std::size_t rank_index = winners.ranks()[rank];
  const std::size_t size_index = winners.sizes()[size];
  const CellWinners& cell = winners.at(rank, size);
  const auto label = [&](std::size_t contender) { return comparison.contenders[contender].label; };
  const auto best = winners.shown(rank, size);
  const RunResult* const result =
      best ? comparison.run(rank_index, size_index, *best).outcome.result() : nullptr;
  const auto if_any = [&](const auto& value_of) {
    return result != nullptr ? Json(value_of()) : Json();
  };
  Json json;
  json["ranks"] = comparison.ranks[rank_index];
  // With --sizes skewed, the size of a run is more than what the user gave.
  json["bytes"] = best ? comparison.run(rank_index, size_index, *best).problem.bytes
                       : comparison.sizes_bytes[size_index];
  json["label"] = if_any([&] { return label(*best); });
  json["algorithm"] = if_any([&] { return result->algorithm->name; });
  json["options"] = if_any([&] { return options_text(*result->algorithm, result->problem); });
  json["time_s"] = if_any([&] { return cell.best.seconds; });
  json["least_s"] = if_any([&] { return cell.best.least_s(); });
  json["most_s"] = if_any([&] { return cell.best.most_s(); });
  json["bound_s"] = if_any([&] { return or_null(result->bound_s); });
  json["of_limit"] = if_any([&] { return or_null(result->of_limit()); });
  json["equally_fast"] = Json::array();
  for (const auto* contenders : {&cell.who, &cell.level}) {
    for (const std::size_t contender : *contenders) {
      if (contender != best) {
        json["equally_fast"].push_back(label(contender));
      }
    }
  }
  json["second"] = cell.second ? Json(label(*cell.second)) : Json();
  json["margin"] = or_null(cell.margin());
  return json;
}

}  // namespace

void write_comparison_json(const Comparison& comparison, const WinnerMap& winners,
                           const std::optional<SureChoices>& sure, std::ostream& out) {
  Json json;
  json["schema"] = "tutti-comparison/1";
  json["collective"] = name(comparison.collective);
  json["cells"] = json_array(comparison.runs, result_row_json);
  json["best"] = Json::array();
  for (std::size_t rank = 0; rank < winners.ranks().size(); ++rank) {
    for (std::size_t size = 0; size < winners.sizes().size(); ++size) {
      json["best"].push_back(best_json(comparison, winners, rank, size));
    }
  }
  if (sure) {
    json["sure"] = sure_json(*sure, comparison.ranks,
                             [&](std::size_t i) { return comparison.contenders[i].label; });
  }
  write_document(json, 2, out);
}

}}  // namespace tutti::output
