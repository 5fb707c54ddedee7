#include "src/pictures/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/human.hpp"

namespace tutti {

namespace {

using Json = nlohmann::json;

DataCell words(std::string text) { return {std::nullopt, std::move(text)}; }

DataCell time(const std::optional<double>& seconds) {
  // One unit in a column, so that sizes can be compared at a glance.
  return seconds ? DataCell{*seconds * 1e6, fmt::format("{:.4g}", *seconds * 1e6)} : DataCell{};
}

DataCell time(const Json& json) {
  return time(json.is_number() ? std::optional(json.get<double>()) : std::nullopt);
}

DataCell size(std::uint64_t bytes) { return {static_cast<double>(bytes), human_bytes(bytes)}; }

DataCell number(double value) { return {value, fmt::format("{:.6g}", value)}; }

DataCell percent(const Json& share) {
  return share.is_number()
             ? DataCell{100 * share.get<double>(), fmt::format("{:.3g}", 100 * share.get<double>())}
             : DataCell{};
}

std::string label_of(const Json& candidate) {
  const auto label = candidate.find("label");
  return (label != candidate.end() ? *label : candidate.at("algorithm")).get<std::string>();
}

}  // namespace

DataTable times_rows(const TimesTable& times) {
  DataTable table{fmt::format("times-{}", times.collective),
                  fmt::format("{} on {}", times.collective, times.machine),
                  {{"ranks", "", true},
                   {"size", "", true},
                   {"algorithm", "", false},
                   {"simulated", "us", true},
                   {"slower than the best", "%", true},
                   {"exact formula", "us", true},
                   {"published formula", "us", true},
                   {"measured", "us", true}},
                  {}};
  for (std::size_t rank = 0; rank < times.ranks.size(); ++rank) {
    for (std::size_t at = 0; at < times.sizes_bytes.size(); ++at) {
      const Winner best = winner(times, rank, at);
      for (std::size_t i = 0; i < times.algorithms.size(); ++i) {
        const TimesCell& cell = times.cell(rank, at, i);
        if (!cell.simulated_s && !cell.measured_s) {
          continue;
        }
        Json behind;
        if (best.best && cell.simulated_s && *times.cell(rank, at, *best.best).simulated_s > 0) {
          behind = *cell.simulated_s / *times.cell(rank, at, *best.best).simulated_s - 1;
        }
        table.rows.push_back({number(times.ranks[rank]), size(times.sizes_bytes[at]),
                              words(times.algorithms[i]), time(cell.simulated_s), percent(behind),
                              time(cell.exact_s), time(cell.published_s), time(cell.measured_s)});
      }
    }
  }
  return table;
}

std::vector<DataTable> decision_tables(const Json& decision) {
  const Json& candidates = decision.at("candidates");
  const auto collective = decision.at("collective").get<std::string>();
  DataTable rules{"rules",
                  "Rules for " + collective,
                  {{"ranks", "", true},
                   {"from size", "", true},
                   {"algorithm", "", false},
                   {"segment", "", true}},
                  {}};
  for (const Json& rule : decision.at("decisions")) {
    const Json& segment = rule.at("segment_bytes");
    rules.rows.push_back({number(rule.at("ranks").get<double>()),
                          size(rule.at("from_bytes").get<std::uint64_t>()),
                          words(label_of(candidates.at(rule.at("candidate").get<std::size_t>()))),
                          segment.is_number() ? size(segment.get<std::uint64_t>()) : DataCell{}});
  }
  DataTable cells{"cells",
                  "Each cell, and why",
                  {{"ranks", "", true},
                   {"size", "", true},
                   {"best", "", false},
                   {"second", "", false},
                   {"second slower by", "%", true},
                   {"why", "", false}},
                  {}};
  const auto named = [&](const Json& index) {
    return words(index.is_number() ? label_of(candidates.at(index.get<std::size_t>())) : "");
  };
  for (const Json& cell : decision.at("cells")) {
    cells.rows.push_back({number(cell.at("ranks").get<double>()),
                          size(cell.at("bytes").get<std::uint64_t>()), named(cell.at("best")),
                          named(cell.at("second")), percent(cell.at("margin")),
                          words(cell.at("reason").get<std::string>())});
  }
  std::vector<DataTable> tables{std::move(rules), std::move(cells)};
  if (const Json& against = decision.at("against"); against.is_object()) {
    DataTable losses{"losses",
                     "What " + against.at("name").get<std::string>() + " loses",
                     {{"ranks", "", true},
                      {"size", "", true},
                      {"runs", "", false},
                      {"time", "us", true},
                      {"best", "us", true},
                      {"loss", "%", true}},
                     {}};
    for (const Json& cell : against.at("cells")) {
      const Json& runs = cell.at("runs").is_object() ? cell.at("runs") : cell.at("choice");
      losses.rows.push_back(
          {number(cell.at("ranks").get<double>()), size(cell.at("bytes").get<std::uint64_t>()),
           words(runs.is_object() ? label_of(runs) : ""), time(cell.at("seconds")),
           time(cell.at("best_s")), percent(cell.at("loss"))});
    }
    tables.push_back(std::move(losses));
  }
  return tables;
}

std::vector<DataTable> validation_tables(const Json& validation) {
  const Json& runs = validation.at("runs");
  DataTable all{"runs",
                "Runs",
                {{"algorithm", "", false},
                 {"ranks", "", true},
                 {"size", "", true},
                 {"measured", "us", true},
                 {"simulated", "us", true},
                 {"error", "%", true}},
                {}};
  const auto named = [](const Json& run) {
    return run.at("collective").get<std::string>() + '/' + run.at("algorithm").get<std::string>();
  };
  for (const Json& run : runs) {
    all.rows.push_back({words(named(run)), number(run.at("ranks").get<double>()),
                        size(run.at("bytes").get<std::uint64_t>()), time(run.at("measured_s")),
                        time(run.at("simulated_s")), percent(run.at("error"))});
  }
  DataTable ranking{"ranking",
                    "Which is the fastest: simulated, and measured",
                    {{"ranks", "", true},
                     {"size", "", true},
                     {"simulation picks", "", false},
                     {"really fastest", "", false},
                     {"the pick loses", "%", true},
                     {"right", "", false}},
                    {}};
  for (const Json& cell : validation.at("cells")) {
    const Json& picked = runs.at(cell.at("picked").get<std::size_t>());
    const Json& fastest = runs.at(cell.at("fastest").get<std::size_t>());
    ranking.rows.push_back({number(picked.at("ranks").get<double>()),
                            size(picked.at("bytes").get<std::uint64_t>()), words(named(picked)),
                            words(named(fastest)), percent(cell.at("loss")),
                            words(cell.at("right").get<bool>() ? "yes" : "no")});
  }
  return {std::move(all), std::move(ranking)};
}

DataTable plain_table(const Json& rows, std::string id, std::string title) {
  DataTable table{std::move(id), std::move(title), {}, {}};
  for (const Json& row : rows) {
    for (const auto& [key, value] : row.items()) {
      const auto same = [&key = key](const DataColumn& column) { return column.name == key; };
      if (!value.is_structured() &&
          std::none_of(table.columns.begin(), table.columns.end(), same)) {
        table.columns.push_back({key, "", value.is_number()});
      }
    }
  }
  for (const Json& row : rows) {
    std::vector<DataCell> cells;
    for (const DataColumn& column : table.columns) {
      const auto value = row.find(column.name);
      cells.push_back(value == row.end() || value->is_null() ? DataCell{}
                      : value->is_number()                   ? number(value->get<double>())
                      : value->is_string()                   ? words(value->get<std::string>())
                                                             : words(value->dump()));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace tutti
