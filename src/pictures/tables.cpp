#include "src/pictures/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/human.hpp"

namespace tutti { inline namespace pictures {

namespace {

using Json = nlohmann::json;

DataColumn texts(std::string name) { return {std::move(name), "", false}; }
DataColumn numbers(std::string name, std::string unit = "") {
  return {std::move(name), std::move(unit), true};
}

DataCell words(std::string text) { return {std::nullopt, std::move(text)}; }

DataCell time(const std::optional<double>& seconds) {
  // All times of a column have the same unit, so that they can be compared at a glance.
  if (!seconds) {
    return {};
  }
  const double us = *seconds * 1e6;
  const double size = std::abs(us);
  constexpr double kMost = 9e15;
  const bool whole = size >= 1000 && size < kMost;
  return {us,
          whole ? (us < 0 ? "-" : "") + human_count(static_cast<std::uint64_t>(std::llround(size)))
                : fmt::format("{:.4g}", us)};
}

// Returns a cell with the time, and with its range if ties matter.
DataCell time(const TimesCell& cell) {
  DataCell found = time(cell.simulated_s);
  if (cell.simulated_s && cell.ranged.ties_matter()) {
    found.text = fmt::format("{}..{}", time(std::optional(cell.ranged.least_s())).text,
                             time(std::optional(cell.ranged.most_s())).text);
  }
  return found;
}

std::optional<double> number_or_none(const Json& json) {
  return json.is_number() ? std::optional(json.get<double>()) : std::nullopt;
}

DataCell time(const Json& json) { return time(number_or_none(json)); }

DataCell size(std::uint64_t bytes) { return {static_cast<double>(bytes), human_bytes(bytes)}; }
DataCell size(const Json& bytes) { return size(bytes.get<std::uint64_t>()); }

DataCell number(double value) { return {value, fmt::format("{:.6g}", value)}; }
DataCell number(const Json& json) { return number(json.get<double>()); }

DataCell factor(const std::optional<double>& value) {
  return value ? DataCell{*value, human_factor(*value)} : DataCell{};
}

DataCell percent(const Json& share) {
  if (!share.is_number()) {
    return {};
  }
  const double value = 100 * share.get<double>();
  return {value, value < 1000 ? fmt::format("{:.3g}", value)
                              : human_count(static_cast<std::uint64_t>(std::llround(value)))};
}

}  // namespace

DataTable times_rows(const TimesTable& times) {
  DataTable table{
      fmt::format("times-{}", times.collective),
      fmt::format("{} on {}", times.collective, times.machine),
      {numbers("ranks"), numbers("size"), texts("algorithm"), numbers("simulated", "us"),
       numbers("x limit"), numbers("slower than the best", "%"), numbers("exact formula", "us"),
       numbers("published formula", "us"), numbers("measured", "us")}};
  const std::vector<Winner> all = winners(times);
  for (std::size_t rank = 0; rank < times.ranks.size(); ++rank) {
    for (std::size_t at = 0; at < times.sizes_bytes.size(); ++at) {
      const Winner& best = all[rank * times.sizes_bytes.size() + at];
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
                              words(times.algorithms[i]), time(cell), factor(cell.of_limit),
                              percent(behind), time(cell.exact_s), time(cell.published_s),
                              time(cell.measured_s)});
      }
    }
  }
  return table;
}

std::vector<DataTable> step_tables(const Json& step) {
  std::vector<DataTable> tables{
      {"statements",
       "What each statement takes",
       {numbers("line"), numbers("times"), numbers("computing", "us"), numbers("exposed", "us"),
        numbers("hidden", "us"), texts("statement")}}};
  for (const Json& row : step.at("rows")) {
    const Json& spent = row.at("last");
    tables.back().rows.push_back({number(row.at("line")), number(row.at("times")),
                                  time(spent.at("computing_s")), time(spent.at("exposed_s")),
                                  time(spent.at("hidden_s")),
                                  words(row.at("statement").get<std::string>())});
  }
  if (step.at("changes").empty()) {
    return tables;
  }
  tables.push_back(
      {"changes",
       "What if, each simulated",
       {numbers("step", "us"), numbers("shorter by", "us"), texts("where"), texts("change")}});
  for (const Json& change : step.at("changes")) {
    const Json& row = change.at("row");
    const std::string where =
        row.is_number()
            ? fmt::format(
                  "line {}",
                  step.at("rows").at(row.get<std::size_t>()).at("line").get<std::uint64_t>())
        : change.at("group").is_null() ? "platform"
                                       : "group " + change.at("group").get<std::string>();
    tables.back().rows.push_back({time(change.at("total_s")), time(change.at("won_s")),
                                  words(where), words(change.at("in_words").get<std::string>())});
  }
  return tables;
}

DataTable nccl_table(const Json& answers) {
  const bool grouped = answers.at("cells").front().at("grouped").is_object();
  DataTable table{"nccl", answers.at("library").get<std::string>(), {}};
  table.columns = {texts("release"), numbers("ranks"), numbers("size"), texts("algorithm")};
  const auto add_columns = [&table](const std::string& of) {
    table.columns.insert(table.columns.end(),
                         {numbers(of, "us"), numbers("algbw", "GB/s"), numbers("busbw", "GB/s")});
  };
  if (!grouped) {
    table.columns.insert(table.columns.end(), {texts("protocol"), texts("chosen")});
    add_columns("NCCL's time");
  }
  add_columns("simulated");
  if (grouped) {
    table.columns.push_back(numbers("limit", "us"));
  }
  const auto rate = [](const Json& gb_per_s) {
    return gb_per_s.is_number() ? DataCell{gb_per_s, fmt::format("{:.2f}", gb_per_s.get<double>())}
                                : DataCell{};
  };
  for (const Json& cell : answers.at("cells")) {
    const std::vector<DataCell> head{words(cell.at("release").get<std::string>()),
                                     number(cell.at("ranks")), size(cell.at("bytes"))};
    if (grouped) {
      const Json& own = cell.at("grouped");
      auto& row = table.rows.emplace_back(head);
      row.insert(row.end(), {words(own.at("schedule").at("algorithm").get<std::string>()),
                             time(own.at("simulated_s")), rate(own.at("algbw_gb_per_s")),
                             rate(own.at("busbw_gb_per_s")), time(own.at("bound_s"))});
    }
    for (const Json& way : cell.at("ways")) {
      if (way.at("time_us").is_null()) {
        continue;
      }
      const Json& choice = cell.at("choice");
      const bool chosen = choice.is_object() && choice.at("algorithm") == way.at("algorithm") &&
                          choice.at("protocol") == way.at("protocol");
      auto& row = table.rows.emplace_back(head);
      row.insert(row.end(),
                 {words(way.at("algorithm").get<std::string>()),
                  words(way.at("protocol").get<std::string>()), words(chosen ? "yes" : ""),
                  time(std::optional(way.at("time_us").get<double>() / 1e6)),
                  rate(way.at("algbw_gb_per_s")), rate(way.at("busbw_gb_per_s")),
                  time(way.at("simulated_s")), rate(way.at("simulated_algbw_gb_per_s")),
                  rate(way.at("simulated_busbw_gb_per_s"))});
    }
  }
  return table;
}

namespace {

// Returns the text of a member, or "not known" if it is null.
DataCell known_words(const Json& text) {
  return words(text.is_string() ? text.get<std::string>() : std::string("not known"));
}

std::string joined(const Json& list, std::string_view separator) {
  std::string text;
  for (const Json& each : list) {
    text += (text.empty() ? "" : std::string(separator)) + each.get<std::string>();
  }
  return text;
}

// Returns a gain, as a factor: how many times as fast the library is with the rules.
DataCell gain_factor(const Json& gain) {
  const auto value = number_or_none(gain);
  return value ? DataCell{1 + *value, fmt::format("{:.3g}", 1 + *value)} : words("not known");
}

DataTable site_gains(const Json& site) {
  DataTable table{
      "gains",
      "What each collective gains",
      {texts("collective"), numbers("ranks per host"), numbers("up to p"), numbers("rules"),
       numbers("mean gain", "x"), numbers("smallest", "x"), numbers("largest", "x"),
       numbers("at p"), numbers("and size"), texts("with the rules"), texts("own choice")}};
  for (const Json& part : site.at("gains")) {
    const Json& most = part.at("most");
    const bool known = most.is_object();
    table.rows.push_back(
        {words(part.at("collective").get<std::string>()), number(part.at("ranks_per_host")),
         part.at("up_to_ranks").is_number() ? number(part.at("up_to_ranks")) : DataCell{},
         number(part.at("rules")), gain_factor(part.at("mean")),
         known ? gain_factor(part.at("least").at("gain")) : words("not known"),
         known ? gain_factor(most.at("gain")) : words("not known"),
         known ? number(most.at("ranks")) : DataCell{}, known ? size(most.at("bytes")) : DataCell{},
         known ? known_words(most.at("rules")) : DataCell{},
         known ? known_words(most.at("built_in")) : DataCell{}});
  }
  return table;
}

DataTable site_cells(const Json& site) {
  DataTable table{
      "site-cells",
      "Every call that was simulated, with and without the rules",
      {texts("collective"), numbers("ranks per host"), numbers("ranks"), numbers("size"),
       texts("with the rules"), numbers("with the rules", "us"), texts("own choice"),
       numbers("own choice", "us"), numbers("gain", "x"), texts("decided by")}};
  for (const Json& cell : site.at("cells")) {
    table.rows.push_back(
        {words(cell.at("collective").get<std::string>()), number(cell.at("ranks_per_host")),
         number(cell.at("ranks")), size(cell.at("bytes")), known_words(cell.at("rules")),
         time(cell.at("rules_s")), known_words(cell.at("built_in")), time(cell.at("built_in_s")),
         gain_factor(cell.at("gain")),
         words(cell.at("rules") == cell.at("built_in") ? "own choice" : "a rule")});
  }
  return table;
}

}  // namespace

std::vector<DataTable> site_tables(const Json& site) {
  DataTable install{"install",
                    "How the files are installed",
                    {texts("file"), numbers("ranks per host"), texts("collectives"),
                     texts("loaded with"), texts("for srun"), texts("decides before")}};
  for (const Json& file : site.at("files")) {
    install.rows.push_back(
        {words(file.at("file").get<std::string>()),
         file.at("ranks_per_host").is_number() ? number(file.at("ranks_per_host")) : words("any"),
         words(joined(file.at("collectives"), ", ")),
         words(file.at("loaded_with").get<std::string>()),
         words("export " + joined(file.at("environment"), " ")),
         words(file.at("decided_before").is_string() ? file.at("decided_before").get<std::string>()
                                                     : std::string())});
  }
  std::vector<DataTable> tables{site_gains(site)};
  if (!install.rows.empty()) {
    tables.push_back(std::move(install));
  }
  tables.push_back(site_cells(site));
  return tables;
}

std::vector<DataTable> decision_tables(const Json& decision) {
  const auto collective = decision.at("collective").get<std::string>();
  DataTable rules{"rules",
                  "Rules for " + collective,
                  {numbers("ranks"), numbers("from size"), texts("algorithm"), numbers("segment")}};
  bool any_segment = false;
  for (const Json& rule : decision.at("decisions")) {
    const Json& segment = rule.at("segment_bytes");
    any_segment = any_segment || segment.is_number();
    rules.rows.push_back({number(rule.at("ranks")), size(rule.at("from_bytes")),
                          words(rule.at("candidate").get<std::string>()),
                          segment.is_number() ? size(segment) : DataCell{}});
  }
  if (!any_segment) {
    rules.columns.pop_back();
    for (std::vector<DataCell>& row : rules.rows) {
      row.pop_back();
    }
  }
  DataTable cells{"cells",
                  "Each cell, and why",
                  {numbers("ranks"), numbers("size"), texts("best"), numbers("x limit"),
                   texts("second"), numbers("second slower by", "%"), texts("why")}};
  const auto named = [](const Json& label) {
    return words(label.is_string() ? label.get<std::string>() : "");
  };
  for (const Json& cell : decision.at("cells")) {
    cells.rows.push_back({number(cell.at("ranks")), size(cell.at("bytes")), named(cell.at("best")),
                          factor(number_or_none(cell.at("of_limit"))), named(cell.at("second")),
                          percent(cell.at("margin")), words(cell.at("reason").get<std::string>())});
  }
  std::vector<DataTable> tables{std::move(rules), std::move(cells)};
  if (const Json& against = decision.at("against"); against.is_object()) {
    DataTable losses{"losses",
                     "What " + name_of_rival(against) + " loses, worst first",
                     {numbers("ranks"), numbers("size"), texts("runs"), numbers("time", "us"),
                      numbers("best", "us"), numbers("loss", "%")}};
    std::vector<const Json*> worst_first;
    for (const Json& cell : against.at("cells")) {
      worst_first.push_back(&cell);
    }
    const auto loss = [](const Json* cell) {
      const Json& share = cell->at("loss");
      return share.is_number() ? share.get<double>() : -1;
    };
    std::stable_sort(worst_first.begin(), worst_first.end(),
                     [&](const Json* a, const Json* b) { return loss(a) > loss(b); });
    for (const Json* const each : worst_first) {
      const Json& cell = *each;
      losses.rows.push_back({number(cell.at("ranks")), size(cell.at("bytes")),
                             words(label_of_run(cell)), time(cell.at("seconds")),
                             time(cell.at("best_s")), percent(cell.at("loss"))});
    }
    tables.push_back(std::move(losses));
  }
  return tables;
}

DataTable bounds_table(const Json& bounds) {
  DataTable table{"bounds",
                  "Bounds, and what they follow from",
                  {texts("collective"), numbers("ranks"), numbers("size"),
                   numbers("at least", "us"), texts("decided by"), texts("certificate")}};
  constexpr std::array<std::string_view, 4> kKinds{"bytes", "rounds", "ports", "reductions"};
  for (const std::string_view kind : kKinds) {
    table.columns.push_back(numbers(std::string(kind), "us"));
  }
  for (const Json& bound : bounds.at("bounds")) {
    const Json& decided_by = bound.at("decided_by");
    std::vector<DataCell> row{words(bound.at("collective").get<std::string>()),
                              number(bound.at("ranks")), size(bound.at("bytes")),
                              time(bound.at("bound_s")),
                              words(decided_by.is_string() ? decided_by.get<std::string>() : "")};
    std::vector<DataCell> times(kKinds.size());
    std::string why = "no limit";
    for (const Json& part : bound.at("parts")) {
      const Json& certificate = part.at("certificate");
      const auto kind = std::ranges::find(kKinds, part.at("kind").get<std::string>());
      if (certificate.is_object() && kind != kKinds.end()) {
        times[static_cast<std::size_t>(kind - kKinds.begin())] = time(part.at("bound_s"));
      }
      if (certificate.is_object() && part.at("kind") == decided_by) {
        why = certificate.at("words").get<std::string>();
      }
    }
    row.push_back(words(std::move(why)));
    row.insert(row.end(), times.begin(), times.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<DataTable> validation_tables(const Json& validation) {
  const Json& runs = validation.at("runs");
  DataTable all{"runs",
                "Runs",
                {texts("algorithm"), numbers("ranks"), numbers("size"), numbers("measured", "us"),
                 numbers("simulated", "us"), numbers("error", "%")}};
  const std::vector<std::string> names = run_names(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Json& run = runs[i];
    all.rows.push_back({words(names[i]), number(run.at("ranks")), size(run.at("bytes")),
                        time(run.at("measured_s")), time(run.at("simulated_s")),
                        percent(run.at("error"))});
  }
  DataTable ranking{"ranking",
                    "Which is the fastest: simulated, and measured",
                    {numbers("ranks"), numbers("size"), texts("simulation picks"),
                     texts("really fastest"), numbers("the pick loses", "%"), texts("right")}};
  for (const Json& cell : validation.at("cells")) {
    const auto picked_run = cell.at("picked").get<std::size_t>();
    const auto fastest_run = cell.at("fastest").get<std::size_t>();
    const Json& picked = runs.at(picked_run);
    (void)runs.at(fastest_run);  // throws if there is no such run
    ranking.rows.push_back({number(picked.at("ranks")), size(picked.at("bytes")),
                            words(names[picked_run]), words(names[fastest_run]),
                            percent(cell.at("loss")),
                            words(cell.at("right").get<bool>() ? "yes" : "no")});
  }
  return {std::move(all), std::move(ranking)};
}

std::vector<DataTable> contrast_tables(const Json& contrast) {
  std::vector<std::string> names;
  for (const Json& explanation : contrast.at("explanations")) {
    names.push_back(explanation.at("result").at("algorithm").get<std::string>());
  }
  const bool alike = names.at(0) == names.at(1);  // if so, only options or machines differ
  const std::string first = alike ? "first" : names[0];
  const std::string second = alike ? "second" : names[1];
  DataTable account{"account",
                    "Where the time goes in both",
                    {texts("what"), numbers(first, "us"), numbers(second, "us"),
                     numbers("second minus first", "us")}};
  for (const Json& row : contrast.at("account")) {
    const auto one = row.at("seconds").at(0).get<double>();
    const auto other = row.at("seconds").at(1).get<double>();
    account.rows.push_back({words(row.at("what").get<std::string>()), time(std::optional(one)),
                            time(std::optional(other)), time(std::optional(other - one))});
  }
  DataTable rounds{"rounds",
                   "When each round is over",
                   {numbers("round"), numbers(first, "us"), numbers(second, "us"),
                    numbers("messages of " + first), numbers("messages of " + second),
                    numbers("bytes of " + first), numbers("bytes of " + second)}};
  for (const Json& row : contrast.at("rounds")) {
    const auto both = [&](const char* key, std::size_t which) { return row.at(key).at(which); };
    rounds.rows.push_back({number(static_cast<double>(rounds.rows.size())), time(both("end_s", 0)),
                           time(both("end_s", 1)), number(both("messages", 0)),
                           number(both("messages", 1)), size(both("bytes", 0)),
                           size(both("bytes", 1))});
  }
  return {std::move(account), std::move(rounds)};
}

DataTable plain_table(const Json& rows, std::string id, std::string title) {
  DataTable table{std::move(id), std::move(title), {}};
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
                      : value->is_number()                   ? number(*value)
                      : value->is_string()                   ? words(value->get<std::string>())
                                                             : words(value->dump()));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}}  // namespace tutti::pictures
