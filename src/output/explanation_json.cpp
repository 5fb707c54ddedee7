#include "src/output/explanation_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <ostream>
#include <utility>

#include "base/human.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/output/explanation_text.hpp"
#include "src/output/limit_gap_output.hpp"
#include "src/output/result_json.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/explain/explanation.hpp"

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

std::string_view name(Resource resource) {
  static constexpr std::array<std::string_view, 3> kNames{"outgoing_port", "incoming_port", "core"};
  return kNames[static_cast<std::size_t>(resource)];
}

// Adds to `json` where time was spent: for sharing, the name of the link; for cores, the number of
// the host. `link` is the number of this link or host.
void put_place(Json& json, Spending on, std::uint32_t link, const Explanation& explanation) {
  if (on == Spending::sharing) {
    const LinkInRun* const known = explanation.link(link);
    json["link"] = known != nullptr ? Json(known->link.name) : Json();
  } else if (on == Spending::cores) {
    json["host"] = link;
  }
}

// Adds to `json` the part of the message model that cost the time, and its parameters.
void put_part(Json& json, MessagePart part) {
  if (part != MessagePart::none) {
    json["part"] = name(part);
    json["parameters"] = Json::array();
    for (const std::string_view parameter : parameters_of(part)) {
      json["parameters"].push_back(parameter);
    }
  }
}

Json account_json(const Explanation& explanation) {
  const auto rows = rows_of(explanation.account, *explanation.run.schedule);
  return json_array(rows, [&](const AccountRow& row) {
    Json json;
    json["row"] = name(row.on);
    json["in_words"] = slowed_in_words(row.on, row.link, row.part, explanation);
    put_place(json, row.on, row.link, explanation);
    put_part(json, row.part);
    json["seconds"] = row.seconds;
    json["ops"] = row.ops;
    json["rounds"] = row.levels;
    return json;
  });
}

Json waits_json(const Explanation& explanation) {
  const auto rows = waits_of(explanation.account, *explanation.run.schedule);
  return json_array(rows, [&](const WaitRow& row) {
    Json json{{"in_words", wait_in_words(row, explanation)},
              {"resource", name(row.resource)},
              {"rank", row.rank},
              {"seconds", row.seconds},
              {"ops", row.ops},
              {"rounds", row.levels}};
    json["of_which"] = json_array(row.parts, [&](const RowPart& part) {
      Json one{{"row", name(part.on)}};
      put_place(one, part.on, part.link, explanation);
      put_part(one, part.part);
      one["seconds"] = part.seconds;
      return one;
    });
    return json;
  });
}

Json chain_json(const Explanation& explanation) {
  const Schedule& schedule = *explanation.run.schedule;
  return json_array(explanation.account.chain, [&](const ChainStep& step) {
    const Op& op = schedule.op(step.op);
    Json json{{"op", step.op},
              {"kind", op.is_comm()                  ? "message"
                       : calculates(schedule, op)    ? "calc"
                       : op.kind() == OpKind::reduce ? "reduce"
                                                     : "copy"},
              {"src", op.src()},
              {"dst", op.dst()},
              {"bytes", calculates(schedule, op) ? 0 : op.bytes()},
              {"round", op.label().level},
              {"from_s", step.from_s},
              {"until_s", step.until_s}};
    if (step.waiter != kNoOp) {
      json["held"] = name(step.resource);
      json["waited_for_by"] = step.waiter;
      json["waited_for_from_s"] = step.wait_from_s;
    }
    return json;
  });
}

Json waterfall_json(const Explanation& explanation) {
  Json steps = Json::array();
  for (const WaterfallStep& step : explanation.waterfall.steps) {
    Json json{{"kind", name(step.kind)}, {"what", step.what}};
    if (step.link != kNoLink) {
      put_place(json, step.what == in_words(Spending::cores) ? Spending::cores : Spending::sharing,
                step.link, explanation);
    }
    json["why"] = step.why;
    json["seconds"] = step.seconds;
    steps.push_back(std::move(json));
  }
  return {{"formula", or_null(explanation.waterfall.formula)}, {"steps", std::move(steps)}};
}

Json links_json(const Explanation& explanation) {
  const double total_s = explanation.account.total_s;
  return json_array(explanation.links, [&](const LinkInRun& link) -> Json {
    const LinkStatistics& figures = link.link.statistics;
    return {{"link", link.link.name},
            {"place", link.link.place.name},
            {"class", link.link.place.group},
            {"capacity_bytes_per_s", figures.capacity_bytes_per_s},
            {"bytes", figures.bytes},
            {"busy_s", figures.busy_s},
            {"busy_share", total_s == 0 ? 0 : figures.busy_s / total_s},
            {"most_at_once", figures.most_at_once},
            {"lost_on_chain_s", link.lost_on_chain_s},
            {"lost_s", figures.lost_s},
            {"rounds", link.link.levels},
            {"senders", link.link.senders},
            {"acknowledges", link.link.acknowledges},
            {"parallel_links", link.link.place.parallel.count}};
  });
}

Json ranks_json(const Explanation& explanation) {
  return json_array(explanation.slack.ranks, [&](const RankSlack& rank) -> Json {
    return {{"slack_s", rank.slack_s},
            {"busy_s", rank.busy_s},
            {"idle_s", explanation.account.total_s - rank.busy_s}};
  });
}

Json explanation_json(const Explanation& explanation) {
  Json json;
  json["schema"] = "tutti-explanation/1";
  json["result"] = result_json(explanation.run.result);
  json["total_s"] = explanation.account.total_s;
  json["sum_s"] = explanation.account.sum_s();
  put_limit(json, explanation);
  json["account"] = account_json(explanation);
  json["waits"] = waits_json(explanation);
  json["waterfall"] = waterfall_json(explanation);
  json["links"] = links_json(explanation);
  json["ranks"] = ranks_json(explanation);
  if (explanation.improvements) {
    json["improvements"] = Json::array();
    for (const Improvement& one : explanation.improvements->found) {
      json["improvements"].push_back({{"what", one.what},
                                      {"what_if", one.what_if},
                                      {"simulated_s", one.simulated_s},
                                      {"saved", one.saved},
                                      {"ties_s", one.ties_s},
                                      {"within_ties", one.within_ties}});
    }
  }
  json["chain"] = chain_json(explanation);
  json["op_slack_s"] = explanation.slack.op_s;
  json["slack_is_exact"] = explanation.slack.exact;
  return json;
}

template <typename Value>
Json both_json(const Both<Value>& both) {
  return Json::array({both.first, both.second});
}

TimelineCounter in_percent(LoadCurve&& curve, const LinkInRun& link) {
  for (auto& [at_s, load] : curve.values) {
    load *= 100;
  }
  return {fmt::format("load of {}, %", link.link.place.name), std::move(curve.values)};
}

}  // namespace

nlohmann::ordered_json explanation_summary_json(const Explanation& explanation) {
  Json json = explanation_json(explanation);
  for (const char* const key : {"result", "links", "chain", "op_slack_s"}) {
    json.erase(key);
  }
  return json;
}

void write_explanation_json(const Explanation& explanation, std::ostream& out) {
  write_document(explanation_json(explanation), 2, out);
}

void write_explained_result_json(const Explanation& explanation, std::ostream& out) {
  Json json = result_json(explanation.run.result);
  json["explanation"] = explanation_json(explanation);
  json["explanation"].erase("result");
  write_document(json, 2, out);
}

void write_contrast_json(const Contrast& contrast, const Explanation& first,
                         const Explanation& second, std::ostream& out) {
  Json json;
  json["schema"] = "tutti-contrast/1";
  json["account"] = Json::array();
  for (const Contrast::Row& row : contrast.rows) {
    json["account"].push_back({{"what", row.what}, {"seconds", both_json(row.seconds)}});
  }
  json["rounds"] = Json::array();
  for (const Contrast::Round& round : contrast.rounds) {
    const auto end = [](double end_s) { return end_s < 0 ? Json() : Json(end_s); };
    json["rounds"].push_back(
        {{"end_s", Json::array({end(round.end_s.first), end(round.end_s.second)})},
         {"messages", both_json(round.messages)},
         {"bytes", both_json(round.bytes)}});
  }
  json["links"] = Json::array();
  for (const Contrast::Link& link : contrast.links) {
    json["links"].push_back({{"link", link.name},
                             {"place", link.place},
                             {"bytes", both_json(link.bytes)},
                             {"lost_s", both_json(link.lost_s)}});
  }
  json["explanations"] = Json::array({explanation_json(first), explanation_json(second)});
  write_document(json, 2, out);
}

void write_links_csv(const Explanation& explanation, std::ostream& out) {
  write_csv_head(out);
  constexpr std::size_t kAllRuns = std::size_t{1} << 20U;
  const double total_s = explanation.account.total_s;
  out << "link,place,class,capacity_bytes_per_s,bytes,busy_s,busy_share,most_at_once,"
         "lost_on_chain_s,lost_s,rounds,senders,parallel_links\n";
  for (const LinkInRun& link : explanation.links) {
    const LinkStatistics& figures = link.link.statistics;
    out << fmt::format(
        "{},{},{},{:.9g},{},{:.9g},{:.6f},{},{:.9g},{:.9g},{},{},{}\n", csv_field(link.link.name),
        csv_field(link.link.place.name), csv_field(link.link.place.group),
        figures.capacity_bytes_per_s, figures.bytes, figures.busy_s,
        total_s == 0 ? 0 : figures.busy_s / total_s, figures.most_at_once, link.lost_on_chain_s,
        figures.lost_s, csv_field(runs_in_words(link.link.levels, kAllRuns)),
        csv_field(runs_in_words(link.link.senders, kAllRuns)), link.link.place.parallel.count);
  }
}

TimelineExtras timeline_extras(const Explanation& explanation) {
  TimelineExtras extras;
  const TimeAccount& account = explanation.account;
  auto piece = account.pieces.begin();
  for (std::uint32_t i = 0; i < account.chain.size(); ++i) {
    const ChainStep& step = account.chain[i];
    std::string spent;
    for (; piece != account.pieces.end() && piece->step == i; ++piece) {
      spent += fmt::format("{}{} {}{}", spent.empty() ? "" : ", ",
                           slowed_in_words(piece->on, piece->link, piece->part, explanation),
                           human_time(piece->seconds),
                           piece->waited_for ? " (while the next waited)" : "");
    }
    extras.chain.push_back({step.op, step.from_s, step.until_s, std::move(spent)});
  }
  for (LoadCurve& curve : load_curves(explanation)) {
    extras.loads.push_back(in_percent(std::move(curve), explanation.links[curve.link]));
  }
  return extras;
}

}}  // namespace tutti::output
