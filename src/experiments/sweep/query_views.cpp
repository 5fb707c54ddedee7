#include "src/experiments/sweep/query_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/rule_files/rule_file.hpp"
#include "src/simulation/run_result.hpp"

namespace tutti { inline namespace experiments {

namespace {

using Json = nlohmann::ordered_json;

// Returns the label of a row: "circulant --skips sqrt".
std::string label_of(const CellRow& row) {
  return row.key.options.empty() ? row.key.algorithm
                                 : fmt::format("{} {}", row.key.algorithm, row.key.options);
}

// Returns the label of a row without its segment size: "pipeline --tree binary" for "pipeline
// --segment 8192 --tree binary".
std::string label_without_segment(const CellRow& row) {
  std::string label = label_of(row);
  constexpr std::string_view kSegment = " --segment ";
  const auto at = label.find(kSegment);
  if (at != std::string::npos) {
    label.erase(at, std::min(label.find(' ', at + kSegment.size()), label.size()) - at);
  }
  return label;
}

// Returns the question that a row answers: its key without the algorithm and its options. Rows with
// equal questions are compared with each other.
CellKey question_of(const CellRow& row) {
  CellKey key = row.key;
  key.algorithm.clear();
  key.options.clear();
  return key;
}

auto reading_order(const CellRow& row) {
  const CellKey& key = row.key;
  // For a reader, crossbars with different numbers of hosts are one platform.
  const std::string platform =
      key.platform_id.starts_with("crossbar:") ? "crossbar" : row.platform + key.platform_id;
  return std::tuple(key.collective, platform, key.engine, key.network_model, key.ports,
                    key.ranks_per_host, key.placement, key.prices, key.element_bytes, key.root,
                    key.version, key.ranks, key.bytes, key.platform_id, key.algorithm, key.options);
}

Json setting_of(const CellRow& row) {
  const CellKey& key = row.key;
  return {{"collective", key.collective},
          {"platform", row.platform},
          {"platform_id", key.platform_id},
          {"engine", key.engine},
          {"network_model", key.network_model},
          {"ports", key.ports == 0 ? Json("unlimited") : Json(key.ports)},
          {"ranks_per_host", key.ranks_per_host},
          {"placement", key.placement},
          {"prices", key.prices},
          {"element_bytes", key.element_bytes},
          {"root", key.root},
          {"version", key.version},
          {"ranks", key.ranks},
          {"bytes", key.bytes}};
}

Json json_of(const std::string& text) { return text; }
Json json_of(CellStatus status) { return name(status); }
Json json_of(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

// Adds the limit of a row that is done, and how many times as long the run takes.
void put_limit(Json& json, const CellRow& row) {
  const Json figures = row.answer.figures.empty() ? Json() : Json::parse(row.answer.figures);
  const Json bound_s = figures.contains("bound_s") ? figures.at("bound_s") : Json();
  json["bound_s"] = bound_s;
  json["of_limit"] = bound_s.is_number() && row.simulated_s
                         ? json_of(of_limit(row.time(), bound_s.get<double>()))
                         : Json();
}

// Calls visit(together) for each question; `together` has the rows of the question, in the order of
// `rows`. The rows of one question must be adjacent in `rows`.
template <typename Visit>
void for_each_question(const std::vector<CellRow>& rows, Visit&& visit) {
  std::vector<const CellRow*> together;
  for (const CellRow& row : rows) {
    if (!together.empty() && question_of(*together.front()) != question_of(row)) {
      visit(together);
      together.clear();
    }
    together.push_back(&row);
  }
  if (!together.empty()) {
    visit(together);
  }
}

std::ptrdiff_t place_in_list(const CellKey& key) {
  const auto all = algorithms();
  return std::find_if(all.begin(), all.end(),
                      [&](const Algorithm* each) {
                        return name(each->collective) == key.collective &&
                               each->name == key.algorithm;
                      }) -
         all.begin();
}

// Returns the rows that have a time, fastest first.
std::vector<const CellRow*> by_time(std::vector<const CellRow*> rows) {
  std::erase_if(rows, [](const CellRow* row) { return !row->simulated_s; });
  std::stable_sort(rows.begin(), rows.end(), [](const CellRow* a, const CellRow* b) {
    return a->time().seconds < b->time().seconds;
  });
  // Sort the rows whose times equal the best time up to rounding in the order of 'tutti list', with
  // users' programs at the end.
  const auto last = std::find_if(rows.begin(), rows.end(), [&](const CellRow* row) {
    return differs(row->time().seconds, rows.front()->time().seconds);
  });
  std::stable_sort(rows.begin(), last, [](const CellRow* a, const CellRow* b) {
    return place_in_list(a->key) < place_in_list(b->key);
  });
  return rows;
}

// Returns how much longer a run takes than the best run, as a share of the best time; 0 if the
// difference is a rounding error, or if ties may account for it.
double loss_of(const RangedTime& time, const RangedTime& best) {
  return best.seconds > 0 && differs(time.seconds, best.seconds) && !level_within_ties(time, best)
             ? time.seconds / best.seconds - 1
             : 0;
}

// Writes the time by which rows are ranked, and the range of this time. For the name "simulated",
// the keys are "simulated_s", "simulated_least_s", "simulated_most_s".
void put_time(Json& json, const std::string& name, const std::optional<RangedTime>& time) {
  json[name + "_s"] = time ? Json(time->seconds) : Json();
  json[name + "_least_s"] = time ? Json(time->least_s()) : Json();
  json[name + "_most_s"] = time ? Json(time->most_s()) : Json();
}

// The choice whose loss is shown, among the rows of one question.
struct Chosen {
  bool asked = true;             // false if the question is left out of the view
  const CellRow* row = nullptr;  // row of the choice; null if there is none
  std::string algorithm;
  std::string options;
  std::string message;     // why there is no row
  bool not_there = false;  // true if the choice can run, but is not in the database
};

std::string place_of(const CellRow& row) {
  return fmt::format("p = {}, n = {}", row.key.ranks,
                     human_bytes(static_cast<std::uint64_t>(row.key.bytes)));
}

bool is_meant(const CellRow& row, const std::string& against) {
  return against == label_of(row) || against == row.key.algorithm ||
         against == fmt::format("{}/{}", row.key.collective, row.key.algorithm) ||
         against == fmt::format("{}/{}", row.key.collective, label_of(row));
}

Chosen chosen_by_name(const std::vector<const CellRow*>& together, const std::string& against,
                      std::set<std::string>& labels) {
  Chosen chosen;
  for (const CellRow* row : together) {
    if (is_meant(*row, against)) {
      labels.insert(label_of(*row));
      chosen.row = chosen.row == nullptr ? row : chosen.row;
    }
  }
  chosen.asked = chosen.row != nullptr;
  return chosen;
}

// Returns the texts that CellKey::options may have for the run in a database. An unsegmented run
// may be stored with a segment as long as the vector, or without a segment size.
std::vector<std::string> options_of(const Case& run) {
  std::vector<std::string> texts{options_text(*run.algorithm, run.problem)};
  if (run.problem.segment_bytes == run.problem.bytes) {
    Problem uncut = run.problem;
    uncut.segment_bytes = 0;
    texts.push_back(options_text(*run.algorithm, uncut));
  }
  return texts;
}

Chosen chosen_by_table(const std::vector<const CellRow*>& together,
                       const std::vector<DecisionTable>& tables) {
  const CellKey& key = together.front()->key;
  Chosen chosen;
  const auto table = std::find_if(tables.begin(), tables.end(), [&](const DecisionTable& each) {
    return name(each.collective) == key.collective;
  });
  if (table == tables.end()) {
    chosen.asked = false;
    return chosen;
  }
  Problem problem;
  problem.collective = table->collective;
  problem.ranks = static_cast<std::uint32_t>(key.ranks);
  problem.bytes = static_cast<std::uint64_t>(key.bytes);
  problem.element_bytes = static_cast<std::uint32_t>(key.element_bytes);
  const auto choice =
      look_up(*table, problem.ranks, problem.bytes, problem.element_bytes,
              nodes_of(problem.ranks, static_cast<std::uint32_t>(key.ranks_per_host)));
  if (!choice) {
    chosen.message = "the table has no rule for this case";
    return chosen;
  }
  ProblemTemplate asked;
  asked.element_bytes = problem.element_bytes;
  asked.ranks_per_host = static_cast<std::uint32_t>(key.ranks_per_host);
  if (key.root != 0) {
    asked.root = static_cast<Rank>(key.root);
  }
  const TableRun run = table_run(*table, *choice->choice, asked, problem);
  chosen.algorithm = in_words(run.choice);
  if (!run.what) {
    chosen.message = run.refusal;
    return chosen;
  }
  chosen.algorithm = run.what->algorithm->name;
  const std::vector<std::string> texts = options_of(*run.what);
  chosen.options = texts.front();
  for (const CellRow* row : together) {
    if (row->key.algorithm == chosen.algorithm &&
        std::find(texts.begin(), texts.end(), row->key.options) != texts.end()) {
      chosen.row = row;
      return chosen;
    }
  }
  chosen.not_there = true;
  return chosen;
}

using Choose = std::function<Chosen(const std::vector<const CellRow*>&)>;

// Totals of the view 'losses'.
struct Losses {
  // Number of cells that are left out, because their sizes lie between those of a grid.
  std::size_t between = 0;
  std::size_t questions = 0;
  std::size_t judged = 0;
  double sum = 0;
  double worst = -1;
  std::string worst_at;
  std::size_t not_there = 0;
  std::string first_not_there;
};

Losses add_losses(const std::vector<CellRow>& rows, const Choose& choose,
                  std::optional<double> more_than, QueryTable& table) {
  Losses losses;
  for_each_question(rows, [&](const std::vector<const CellRow*>& together) {
    const auto ran = by_time(together);
    const Chosen chosen = ran.empty() ? Chosen{} : choose(together);
    if (ran.empty() || !chosen.asked) {
      return;
    }
    // Decisions add many sizes near the size at which the times of two choices cross. Leave these
    // sizes out, because they would outweigh all other sizes.
    if (std::all_of(ran.begin(), ran.end(), [](const CellRow* row) { return is_between(*row); })) {
      ++losses.between;
      return;
    }
    ++losses.questions;
    const CellRow& best = *ran.front();
    if (chosen.not_there) {
      if (losses.not_there++ == 0) {
        losses.first_not_there =
            fmt::format("{}{}{} at {}", chosen.algorithm, chosen.options.empty() ? "" : " ",
                        chosen.options, place_of(best));
      }
      return;
    }
    const std::optional<RangedTime> time = chosen.row != nullptr && chosen.row->simulated_s
                                               ? std::optional(chosen.row->time())
                                               : std::nullopt;
    std::optional<double> loss;
    if (time) {
      loss = loss_of(*time, best.time());
      ++losses.judged;
      losses.sum += *loss;
      if (*loss > losses.worst) {
        losses.worst = *loss;
        losses.worst_at = place_of(best);
      }
    }
    if (more_than && loss && *loss <= *more_than) {
      return;
    }
    Json json = setting_of(best);
    json["algorithm"] = chosen.row != nullptr ? chosen.row->key.algorithm : chosen.algorithm;
    json["options"] = chosen.row != nullptr ? chosen.row->key.options : chosen.options;
    put_time(json, "simulated", time);
    json["best_algorithm"] = best.key.algorithm;
    json["best_options"] = best.key.options;
    put_time(json, "best", best.time());
    json["loss"] = json_of(loss);
    json["message"] = chosen.row != nullptr ? chosen.row->answer.message : chosen.message;
    table.rows.push_back(std::move(json));
  });
  return losses;
}

std::string summary_of(const Losses& losses, std::size_t listed, const std::string& who) {
  std::string text;
  if (losses.judged > 0) {
    text = fmt::format(
        "{} of {} cells listed; over all cells that ran, {} loses {:.1f} % on average, {:.1f} % at "
        "worst ({})",
        listed, losses.questions, printable(who),
        100 * losses.sum / static_cast<double>(losses.judged), 100 * losses.worst,
        printable(losses.worst_at));
  }
  if (losses.between > 0) {
    text +=
        fmt::format("{}left out: {} at sizes that 'tutti decide' tried between the requested ones",
                    text.empty() ? "" : "\n", counted(losses.between, "cell"));
  }
  if (losses.not_there > 0) {
    text += fmt::format(
        "{}{} not judged: the database lacks the table's choice, such as {}; 'tutti decide --db' "
        "with --against adds it",
        text.empty() ? "" : "\n", counted(losses.not_there, "cell"),
        printable(losses.first_not_there));
  }
  return text;
}

}  // namespace

bool is_of(const std::vector<CellRow>& rows, const std::string& algorithm) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const CellRow& row) { return is_meant(row, algorithm); });
}

void sort_for_reading(std::vector<CellRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const CellRow& a, const CellRow& b) {
    return reading_order(a) < reading_order(b);
  });
}

QueryTable cells_view(const std::vector<CellRow>& rows) {
  QueryTable table{"cells", {}, {}};
  std::size_t refused = 0;
  std::size_t failed = 0;
  for (const CellRow& row : rows) {
    Json json = setting_of(row);
    json["algorithm"] = row.key.algorithm;
    json["options"] = row.key.options;
    for_each_value(row, [&json](const char* column, const auto& value) {
      // These columns are not for people; the numbers in `figures` and `effort` follow below.
      constexpr std::array<std::string_view, 5> kLeftOut{"refusal", "pattern", "figures", "effort",
                                                         "schedule"};
      if (std::ranges::find(kLeftOut, column) == kLeftOut.end()) {
        json[column] = json_of(value);
      }
    });
    put_limit(json, row);
    refused += row.answer.status == CellStatus::refused ? 1 : 0;
    failed += row.answer.status == CellStatus::failed ? 1 : 0;
    for (const std::string& part : {row.answer.figures, row.answer.effort}) {
      if (!part.empty()) {
        const Json figures = Json::parse(part);
        for (const auto& [key, value] : figures.items()) {
          if (!json.contains(key) && value.is_primitive()) {
            json[key] = value;
          }
        }
      }
    }
    table.rows.push_back(std::move(json));
  }
  table.summary = fmt::format("{}: {} done, {} refused, {} failed", counted(rows.size(), "cell"),
                              rows.size() - refused - failed, refused, failed);
  return table;
}

QueryTable best_view(const std::vector<CellRow>& rows) {
  QueryTable table{"best", {}, {}};
  std::map<std::string, std::size_t> wins;
  for_each_question(rows, [&](const std::vector<const CellRow*>& together) {
    const auto ran = by_time(together);
    if (ran.empty()) {
      return;
    }
    Json json = setting_of(*ran[0]);
    json["algorithm"] = ran[0]->key.algorithm;
    json["options"] = ran[0]->key.options;
    const RangedTime best = ran[0]->time();
    put_time(json, "simulated", best);
    put_limit(json, *ran[0]);
    // As in comparisons, the second is the fastest algorithm that takes longer than the best by
    // more than a rounding error.
    const auto second = std::find_if(ran.begin(), ran.end(), [&](const CellRow* row) {
      return differs(row->time().seconds, best.seconds);
    });
    const bool two = second != ran.end();
    json["equal"] = Json::array();
    for (auto row = ran.begin() + 1; row != second; ++row) {
      json["equal"].push_back(label_of(**row));
    }
    json["second_algorithm"] = two ? Json((*second)->key.algorithm) : Json();
    json["second_options"] = two ? Json((*second)->key.options) : Json();
    put_time(json, "second", two ? std::optional((*second)->time()) : std::nullopt);
    json["margin"] = two ? Json(loss_of((*second)->time(), best)) : Json();
    json["contenders"] = ran.size();
    ++wins[label_of(*ran[0])];
    table.rows.push_back(std::move(json));
  });
  for (const auto& [label, count] : wins) {
    table.summary +=
        fmt::format("{}{} {}", table.summary.empty() ? "best: " : ", ", printable(label), count);
  }
  return table;
}

QueryTable times_view(const std::vector<CellRow>& rows) {
  QueryTable table{"times", {}, {}};
  // If an algorithm was run with several segment sizes, as by `tutti decide`, these sizes share one
  // column, which shows the best time of each cell.
  std::map<std::string, std::set<std::string>> segments;  // full labels, by label without segment
  for (const CellRow& row : rows) {
    segments[label_without_segment(row)].insert(label_of(row));
  }
  const auto column_of = [&segments](const CellRow& row) {
    const std::string rest = label_without_segment(row);
    return segments.at(rest).size() > 1 ? rest : label_of(row);
  };
  std::set<std::string> labels;
  std::size_t several = 0;
  for (const CellRow& row : rows) {
    labels.insert(column_of(row));
  }
  for (const auto& [rest, all] : segments) {
    several += all.size() > 1 ? 1 : 0;
  }
  for_each_question(rows, [&](const std::vector<const CellRow*>& together) {
    Json json = setting_of(*together.front());
    Json times = Json::object();
    for (const std::string& label : labels) {
      times[label] = nullptr;
    }
    for (const CellRow* row : together) {
      Json& time = times[column_of(*row)];
      if (row->simulated_s && (time.is_null() || row->time().seconds < time.get<double>())) {
        time = row->time().seconds;
      }
    }
    json["times_s"] = std::move(times);
    table.rows.push_back(std::move(json));
  });
  if (several > 0) {
    table.summary =
        "each cell shows the best of several segment sizes; --algorithm 'NAME --segment BYTES' "
        "shows one size";
  }
  return table;
}

QueryTable losses_view(const std::vector<CellRow>& rows, const std::string& against,
                       std::optional<double> more_than) {
  QueryTable table{"losses", {}, {}};
  std::set<std::string> labels;
  const Losses losses = add_losses(
      rows, [&](const auto& together) { return chosen_by_name(together, against, labels); },
      more_than, table);
  if (losses.questions == 0) {
    throw UserError(fmt::format(
        "--against '{}': neither an algorithm of a matching cell nor a file with a decision table",
        against));
  }
  if (labels.size() > 1) {
    throw UserError(fmt::format(
        "--against '{}': this algorithm was run with several sets of options; choose one of '{}'",
        against, fmt::join(labels, "', '")));
  }
  table.summary = summary_of(losses, table.rows.size(), *labels.begin());
  return table;
}

QueryTable table_losses_view(const std::vector<CellRow>& rows, const std::string& file,
                             std::optional<double> more_than) {
  const std::vector<DecisionTable> tables = read_tables(file);
  QueryTable table{"losses", {}, {}};
  const Losses losses = add_losses(
      rows, [&](const auto& together) { return chosen_by_table(together, tables); }, more_than,
      table);
  if (losses.questions == 0) {
    std::vector<std::string_view> there;
    there.reserve(tables.size());
    for (const DecisionTable& each : tables) {
      there.push_back(name(each.collective));
    }
    throw UserError(
        fmt::format("--against '{}': the file has no table for the collective of a matching cell; "
                    "its tables: {}",
                    file, there.empty() ? "none" : fmt::format("{}", fmt::join(there, ", "))));
  }
  table.summary = summary_of(losses, table.rows.size(), file);
  return table;
}

}}  // namespace tutti::experiments
