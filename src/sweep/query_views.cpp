#include "src/sweep/query_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "schedules/error.hpp"
#include "src/human.hpp"

namespace tutti {

namespace {

using Json = nlohmann::ordered_json;

// "circulant --skips sqrt"
std::string label_of(const CellRow& row) {
  return row.key.options.empty() ? row.key.algorithm
                                 : fmt::format("{} {}", row.key.algorithm, row.key.options);
}

// The same question asked of several algorithms.
CellKey question_of(const CellRow& row) {
  CellKey key = row.key;
  key.algorithm.clear();
  key.options.clear();
  return key;
}

auto reading_order(const CellRow& row) {
  const CellKey& key = row.key;
  // Crossbars of as many hosts as it takes are one platform to their reader.
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

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

// Calls visit(rows of one question, in the order given), question by question.
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

// Those that ran, fastest first.
std::vector<const CellRow*> by_time(std::vector<const CellRow*> rows) {
  std::erase_if(rows, [](const CellRow* row) { return !row->simulated_s; });
  std::stable_sort(rows.begin(), rows.end(), [](const CellRow* a, const CellRow* b) {
    return *a->simulated_s < *b->simulated_s;
  });
  return rows;
}

double loss_of(double time_s, double best_s) { return best_s > 0 ? time_s / best_s - 1 : 0; }

bool is_meant(const CellRow& row, const std::string& against) {
  return against == label_of(row) || against == row.key.algorithm ||
         against == fmt::format("{}/{}", row.key.collective, row.key.algorithm) ||
         against == fmt::format("{}/{}", row.key.collective, label_of(row));
}

}  // namespace

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
    json["status"] = name(row.answer.status);
    json["message"] = row.answer.message;
    json["simulated_s"] = or_null(row.simulated_s);
    json["longest_path_s"] = or_null(row.longest_path_s);
    json["exact_s"] = or_null(row.exact_s);
    json["published_s"] = or_null(row.published_s);
    json["recorded_at"] = row.recorded_at;
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
    json["simulated_s"] = *ran[0]->simulated_s;
    const bool two = ran.size() > 1;
    json["second_algorithm"] = two ? Json(ran[1]->key.algorithm) : Json();
    json["second_options"] = two ? Json(ran[1]->key.options) : Json();
    json["second_s"] = two ? Json(*ran[1]->simulated_s) : Json();
    json["margin"] = two ? Json(loss_of(*ran[1]->simulated_s, *ran[0]->simulated_s)) : Json();
    json["contenders"] = ran.size();
    ++wins[label_of(*ran[0])];
    table.rows.push_back(std::move(json));
  });
  for (const auto& [label, count] : wins) {
    table.summary += fmt::format("{}{} {}", table.summary.empty() ? "best: " : ", ", label, count);
  }
  return table;
}

QueryTable times_view(const std::vector<CellRow>& rows) {
  QueryTable table{"times", {}, {}};
  std::set<std::string> labels;
  for (const CellRow& row : rows) {
    labels.insert(label_of(row));
  }
  for_each_question(rows, [&](const std::vector<const CellRow*>& together) {
    Json json = setting_of(*together.front());
    Json times = Json::object();
    for (const std::string& label : labels) {
      times[label] = nullptr;
    }
    for (const CellRow* row : together) {
      times[label_of(*row)] = or_null(row->simulated_s);
    }
    json["times_s"] = std::move(times);
    table.rows.push_back(std::move(json));
  });
  return table;
}

QueryTable losses_view(const std::vector<CellRow>& rows, const std::string& against,
                       std::optional<double> more_than) {
  QueryTable table{"losses", {}, {}};
  std::set<std::string> labels;
  std::size_t questions = 0;
  std::size_t judged = 0;
  double sum = 0;
  double worst = -1;
  std::string worst_at;
  for_each_question(rows, [&](const std::vector<const CellRow*>& together) {
    const auto ran = by_time(together);
    const auto chosen = std::find_if(together.begin(), together.end(),
                                     [&](const CellRow* row) { return is_meant(*row, against); });
    if (ran.empty() || chosen == together.end()) {
      return;
    }
    ++questions;
    for (const CellRow* row : together) {
      if (is_meant(*row, against)) {
        labels.insert(label_of(*row));
      }
    }
    const CellRow& best = *ran.front();
    std::optional<double> loss;
    if ((*chosen)->simulated_s) {
      loss = loss_of(*(*chosen)->simulated_s, *best.simulated_s);
      ++judged;
      sum += *loss;
      if (*loss > worst) {
        worst = *loss;
        worst_at = fmt::format("p = {}, n = {}", best.key.ranks,
                               human_bytes(static_cast<std::uint64_t>(best.key.bytes)));
      }
    }
    if (more_than && loss && *loss <= *more_than) {
      return;
    }
    Json json = setting_of(best);
    json["algorithm"] = (*chosen)->key.algorithm;
    json["options"] = (*chosen)->key.options;
    json["simulated_s"] = or_null((*chosen)->simulated_s);
    json["best_algorithm"] = best.key.algorithm;
    json["best_options"] = best.key.options;
    json["best_s"] = *best.simulated_s;
    json["loss"] = or_null(loss);
    json["message"] = (*chosen)->answer.message;
    table.rows.push_back(std::move(json));
  });
  if (questions == 0) {
    throw UserError(fmt::format("--against '{}': no cell that fits is of that algorithm", against));
  }
  if (labels.size() > 1) {
    throw UserError(fmt::format("--against '{}': it was run in several ways; say which: '{}'",
                                against, fmt::join(labels, "', '")));
  }
  if (judged > 0) {
    table.summary = fmt::format(
        "{} of {} cells listed; over all that ran, {} loses {:.1f} % in the mean, {:.1f} % at "
        "worst "
        "({})",
        table.rows.size(), questions, *labels.begin(), 100 * sum / static_cast<double>(judged),
        100 * worst, worst_at);
  }
  return table;
}

}  // namespace tutti
