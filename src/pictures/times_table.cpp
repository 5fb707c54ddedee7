#include "src/pictures/times_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/error.hpp"

namespace tutti { inline namespace pictures {

namespace {

using Json = nlohmann::json;

struct Entry {
  std::string collective;
  std::string machine;
  std::string algorithm;
  std::optional<std::string> options;
  std::uint32_t ranks = 0;
  std::uint64_t bytes = 0;
  TimesCell cell;
};

std::optional<double> number(const Json& json, const char* key) {
  const auto at = json.find(key);
  return at != json.end() && at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

std::string text(const Json& json, const char* key) {
  const auto at = json.find(key);
  return at != json.end() && at->is_string() ? at->get<std::string>() : std::string();
}

// Returns the name of the platform. Crossbars that were made for different numbers of ranks count
// as one machine, and have the same name.
std::string platform_of(const Json& json) {
  constexpr std::string_view kCrossbar = "crossbar:";
  std::string platform = text(json, "platform");
  return platform.starts_with(kCrossbar) &&
                 platform.find_first_not_of("0123456789", kCrossbar.size()) == std::string::npos
             ? "crossbar"
             : platform;
}

// Reads the times of a cell, with their range from `ties`, whose member names begin with `prefix`.
TimesCell cell_of(const Json& json, const Json& ties, const std::string& prefix) {
  TimesCell cell{number(json, "simulated_s"),
                 number(json, "exact_s"),
                 number(json, "published_s"),
                 std::nullopt,
                 number(json, "bound_s"),
                 number(json, "of_limit"),
                 {}};
  if (!cell.simulated_s) {
    return cell;
  }
  const auto least_s = number(ties, (prefix + "least_s").c_str());
  const auto median_s = number(ties, (prefix + "median_s").c_str());
  const auto most_s = number(ties, (prefix + "most_s").c_str());
  cell.ranged = least_s && median_s && most_s
                    ? ranged_time(*cell.simulated_s, {1, 0, *least_s, *median_s, *most_s})
                    : RangedTime{*cell.simulated_s};
  cell.simulated_s = cell.ranged.seconds;
  return cell;
}

Entry entry_of(const Json& json, std::string machine) {
  Entry entry;
  entry.collective = text(json, "collective");
  entry.machine = std::move(machine);
  const std::string file = text(json, "file");
  entry.algorithm = file.empty() ? text(json, "algorithm") : file;
  if (json.contains("options")) {
    entry.options = text(json, "options");
  }
  entry.ranks = json.at("ranks").get<std::uint32_t>();
  entry.bytes = json.at("bytes").get<std::uint64_t>();
  return entry;
}

std::vector<Entry> of_comparison(const Json& json) {
  std::vector<Entry> entries;
  const auto add = [&entries](const Json& result) {
    if (!number(result, "simulated_s")) {
      return;
    }
    Entry entry =
        entry_of(result, fmt::format("{}, engine {}", platform_of(result), text(result, "engine")));
    entry.cell = cell_of(result, result.contains("ties") ? result.at("ties") : Json(), "");
    entries.push_back(std::move(entry));
  };
  if (json.is_array()) {
    std::for_each(json.begin(), json.end(), add);
  } else {
    add(json);
  }
  return entries;
}

std::vector<Entry> of_query(const Json& json) {
  std::vector<Entry> entries;
  if (text(json, "view") != "cells") {
    return entries;
  }
  for (const Json& row : json.at("rows")) {
    if (text(row, "status") != "done") {
      continue;
    }
    std::string machine = fmt::format("{}, engine {}", platform_of(row), text(row, "engine"));
    for (const char* const key : {"prices", "placement"}) {
      const std::string more = text(row, key);
      if (!more.empty() && more != "block") {
        machine += ", " + more;
      }
    }
    const auto per_host = row.at("ranks_per_host").get<std::uint32_t>();
    if (per_host > 1) {
      machine += fmt::format(", {} ranks per host", per_host);
    }
    Entry entry = entry_of(row, std::move(machine));
    entry.cell = cell_of(row, row, "ties_");
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Entry> of_validation(const Json& json) {
  std::vector<Entry> entries;
  for (const Json& run : json.at("runs")) {
    Entry entry = entry_of(run, "real MPI");
    entry.cell = cell_of(run, Json::object(), "");
    entry.cell.measured_s = number(run, "measured_s");
    entries.push_back(std::move(entry));
  }
  return entries;
}

// Reads the times of NCCL's model or, for grouped calls, the simulated times.
std::vector<Entry> of_nccl(const Json& json) {
  std::vector<Entry> entries;
  for (const Json& cell : json.at("cells")) {
    Entry entry;
    entry.collective = text(cell, "collective");
    entry.ranks = cell.at("ranks").get<std::uint32_t>();
    entry.bytes = cell.at("bytes").get<std::uint64_t>();
    const auto add = [&](std::string algorithm, double curve_s, std::optional<double> square_s,
                         std::optional<double> bound_s) {
      entry.algorithm = std::move(algorithm);
      entry.cell = {};
      entry.cell.simulated_s = curve_s;
      entry.cell.measured_s = square_s;
      entry.cell.bound_s = bound_s;
      entry.cell.ranged = RangedTime{curve_s};
      entries.push_back(entry);
    };
    if (const Json& grouped = cell.at("grouped"); grouped.is_object()) {
      entry.machine = fmt::format("{}, sends and receives", text(cell, "gpu"));
      if (const auto simulated_s = number(grouped, "simulated_s")) {
        add(text(grouped.at("schedule"), "algorithm"), *simulated_s, std::nullopt,
            number(grouped, "bound_s"));
      }
      continue;
    }
    entry.machine = fmt::format("{}, by the model of {} {}", text(cell, "gpu"),
                                text(cell, "library"), text(cell, "release"));
    for (const Json& way : cell.at("ways")) {
      if (const auto time_us = number(way, "time_us")) {
        entry.options = text(way, "protocol");
        add(text(way, "algorithm"), *time_us / 1e6, number(way, "simulated_s"), std::nullopt);
      }
    }
  }
  return entries;
}

// True if the times differ only by rounding. The commands that compare algorithms use the same
// limit.
bool same_time(double time_s, double least_s) {
  constexpr double kRounding = 1e-9;
  return time_s - least_s <= kRounding * least_s;
}

template <typename Value>
std::optional<std::size_t> place_of(const std::vector<Value>& sorted, const Value& value) {
  const auto at = std::ranges::lower_bound(sorted, value);
  return at != sorted.end() && *at == value
             ? std::optional(static_cast<std::size_t>(at - sorted.begin()))
             : std::nullopt;
}

// Finds the algorithm and the options of `way` in the table. If options are unknown, the table must
// have the algorithm only once.
std::optional<std::size_t> same_way(const TimesTable& table, const TimesTable::Way& way) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < table.ways.size(); ++i) {
    const TimesTable::Way& own = table.ways[i];
    const bool known = own.options && way.options;
    if (own.algorithm == way.algorithm && (!known || *own.options == *way.options)) {
      if (found) {
        return std::nullopt;
      }
      found = i;
    }
  }
  return found;
}

// Builds the table of one collective and machine.
TimesTable table_of(const std::vector<const Entry*>& entries) {
  TimesTable table;
  table.collective = entries.front()->collective;
  table.machine = entries.front()->machine;
  // Options become part of the name only if an algorithm was run with several sets of options.
  std::map<std::string, std::set<std::optional<std::string>>> ways;
  for (const Entry* const entry : entries) {
    ways[entry->algorithm].insert(entry->options);
  }
  const auto label = [&](const Entry& entry) {
    return ways[entry.algorithm].size() == 1 || entry.options.value_or("").empty()
               ? entry.algorithm
               : entry.algorithm + ' ' + *entry.options;
  };
  std::map<std::string, std::size_t> number;
  std::set<std::uint32_t> ranks;
  std::set<std::uint64_t> sizes;
  for (const Entry* const entry : entries) {
    if (number.try_emplace(label(*entry), table.algorithms.size()).second) {
      table.algorithms.push_back(label(*entry));
      table.ways.push_back({entry->algorithm, entry->options});
    }
    ranks.insert(entry->ranks);
    sizes.insert(entry->bytes);
  }
  table.ranks.assign(ranks.begin(), ranks.end());
  table.sizes_bytes.assign(sizes.begin(), sizes.end());
  constexpr double kMostCells = 2e7;
  const double cells = static_cast<double>(table.ranks.size()) *
                       static_cast<double>(table.sizes_bytes.size()) *
                       static_cast<double>(table.algorithms.size());
  if (cells > kMostCells) {
    throw UserError(
        fmt::format("{} numbers of ranks, {} sizes and {} algorithms are too many for one table; "
                    "give results with fewer of them",
                    table.ranks.size(), table.sizes_bytes.size(), table.algorithms.size()));
  }
  table.cells.resize(table.ranks.size() * table.sizes_bytes.size() * table.algorithms.size());
  for (const Entry* const entry : entries) {
    table.cells[table.index(*place_of(table.ranks, entry->ranks),
                            *place_of(table.sizes_bytes, entry->bytes), number.at(label(*entry)))] =
        entry->cell;
  }
  return table;
}

std::vector<Entry> entries_of(const Document& document) {
  switch (document.kind) {
    case DocumentKind::comparison:
      return of_comparison(document.json);
    case DocumentKind::query:
      return of_query(document.json);
    case DocumentKind::validation:
      return of_validation(document.json);
    case DocumentKind::nccl:
      return of_nccl(document.json);
    default:
      return {};
  }
}

}  // namespace

std::optional<double> TimesTable::bound_s(std::size_t rank, std::size_t size) const {
  std::optional<double> least_s;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    if (const auto own_s = cell(rank, size, i).bound_s; own_s && (!least_s || *own_s < *least_s)) {
      least_s = own_s;
    }
  }
  return least_s;
}

std::vector<Winner> winners(const TimesTable& table) {
  const std::size_t count = table.algorithms.size();
  std::vector<Winner> found(table.ranks.size() * table.sizes_bytes.size());
  std::vector<std::size_t> firsts(count);
  const auto time = [&](std::size_t cell, std::size_t algorithm) {
    return table.cells[cell * count + algorithm].simulated_s;
  };
  for (std::size_t cell = 0; cell < found.size(); ++cell) {
    std::optional<double> least_s;
    for (std::size_t i = 0; i < count; ++i) {
      if (const auto own = time(cell, i); own && (!least_s || *own < *least_s)) {
        least_s = own;
      }
    }
    Winner& winner = found[cell];
    for (std::size_t i = 0; i < count; ++i) {
      const auto own = time(cell, i);
      if (own && same_time(*own, *least_s)) {
        winner.equals.push_back(i);
        ++firsts[i];
      } else if (own && (!winner.second || *own < *time(cell, *winner.second))) {
        winner.second = i;
      }
    }
    if (winner.second && *least_s > 0) {
      const RangedTime& best = table.cells[cell * count + winner.equals.front()].ranged;
      winner.margin = *time(cell, *winner.second) / best.seconds - 1;
      for (std::size_t i = 0; i < count; ++i) {
        const auto own = time(cell, i);
        if (own && !same_time(*own, *least_s) &&
            level_within_ties(best, table.cells[cell * count + i].ranged)) {
          winner.margin = 0;
        }
      }
    }
  }
  for (Winner& winner : found) {
    const auto best =
        std::max_element(winner.equals.begin(), winner.equals.end(),
                         [&](std::size_t a, std::size_t b) { return firsts[a] < firsts[b]; });
    if (best != winner.equals.end()) {
      winner.best = *best;
      winner.equals.erase(best);
    }
  }
  return found;
}

std::vector<TimesTable> times_of(const Document& document) {
  const std::vector<Entry> entries = entries_of(document);
  std::map<std::pair<std::string, std::string>, std::vector<const Entry*>> apart;
  std::vector<const std::vector<const Entry*>*> in_order;
  for (const Entry& entry : entries) {
    auto& those = apart[{entry.collective, entry.machine}];
    if (those.empty()) {
      in_order.push_back(&those);
    }
    those.push_back(&entry);
  }
  std::vector<TimesTable> tables;
  for (const auto* const those : in_order) {
    tables.push_back(table_of(*those));
    if (document.kind == DocumentKind::nccl && !document.json.at("cells")[0].at("ways").empty()) {
      tables.back().curves = "modelled";
      tables.back().squares = "simulated";
    }
  }
  return tables;
}

void add_measured(TimesTable& table, const Document& validation) {
  for (const TimesTable& other : times_of(validation)) {
    if (other.collective != table.collective) {
      continue;
    }
    for (std::size_t i = 0; i < other.algorithms.size(); ++i) {
      const auto to = same_way(table, other.ways[i]);
      for (std::size_t cell = 0; to && cell < other.ranks.size() * other.sizes_bytes.size();
           ++cell) {
        const std::size_t rank = cell / other.sizes_bytes.size();
        const std::size_t size = cell % other.sizes_bytes.size();
        const auto to_rank = place_of(table.ranks, other.ranks[rank]);
        const auto to_size = place_of(table.sizes_bytes, other.sizes_bytes[size]);
        const auto measured_s = other.cell(rank, size, i).measured_s;
        if (to_rank && to_size && measured_s) {
          table.cells[table.index(*to_rank, *to_size, *to)].measured_s = measured_s;
        }
      }
    }
  }
}

}}  // namespace tutti::pictures
