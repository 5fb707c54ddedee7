// JSON (src/formats/schemas/tutti-decide-2.schema.json) and CSV output of decisions.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/field_names.hpp"
#include "src/experiments/decisions/decision.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/made_by.hpp"
#include "src/output/decision_rules.hpp"
#include "src/output/decision_text.hpp"
#include "src/output/result_json.hpp"
#include "src/output/sure_text.hpp"
#include "src/rule_files/decision_json.hpp"
#include "src/simulation/engines/engine_type.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

std::string_view name(CandidateTime::State state) {
  switch (state) {
    case CandidateTime::State::none:
      return "unknown";
    case CandidateTime::State::timed:
      return "timed";
    case CandidateTime::State::refused:
      return "refused";
    case CandidateTime::State::beaten:
      return "beaten";
    case CandidateTime::State::too_large:
      return "too_large";
  }
  return "";
}

// Returns how much slower `second` is than `best`, as a share of the time of `best`; 0 if the two
// are level within ties.
double margin(const CandidateTime& best, const CandidateTime& second) {
  return is_level(best, second) ? 0 : second.seconds / best.seconds - 1;
}

Json ties_json(const RangedTime& time) {
  return time.ties_matter() ? Json{{"least_s", time.least_s()}, {"most_s", time.most_s()}} : Json();
}

const std::string& label_of(const Decision& decision, std::size_t candidate) {
  return decision.candidates[candidate].contender.label;
}

Json loss_json(const RankDecision& each) {
  return {{"ranks", each.ranks},
          {"mean", each.loss.mean},
          {"most", each.loss.most},
          {"most_at_bytes", each.loss.worst == nullptr ? Json() : Json(each.loss.worst->bytes)}};
}

Json cell_json(const Decision& decision, const TimedCell& cell) {
  Json json;
  json["ranks"] = decision.ranks[cell.rank_index];
  json["bytes"] = cell.bytes;
  json["on_grid"] = cell.on_grid;
  const auto best = cell.best();
  const auto second = cell.second();
  json["best"] = best ? Json(label_of(decision, *best)) : Json();
  json["equal"] =
      json_array(cell.equals(), [&](std::size_t equal) { return label_of(decision, equal); });
  json["second"] = second ? Json(label_of(decision, *second)) : Json();
  json["margin"] =
      best && second && cell.times[*best].seconds > 0
          ? Json(cell.level_within_ties() ? 0 : margin(cell.times[*best], cell.times[*second]))
          : Json();
  json["bound_s"] = or_null(cell.bound_s);
  json["of_limit"] = best ? or_null(cell.of_limit(cell.times[*best].seconds)) : Json();
  json["reason"] = best && second ? reason(cell.times[*best], cell.times[*second],
                                           in_words(decision.candidates[*second], 0))
                                  : "";
  json["times"] = Json::array();
  for (std::size_t i = 0; i < cell.times.size(); ++i) {
    const CandidateTime& time = cell.times[i];
    Json one;
    one["candidate"] = label_of(decision, i);
    one["state"] = name(time.state);
    one["seconds"] = time.timed() ? Json(time.seconds) : Json();
    one["ties"] = time.timed() ? ties_json(time.time()) : Json();
    one["at_least_s"] = time.state == CandidateTime::State::beaten ? Json(time.seconds) : Json();
    one["segment_bytes"] = time.segment_bytes > 0 && time.segment_bytes < cell.bytes
                               ? Json(time.segment_bytes)
                               : Json();
    one["parts"] =
        time.timed() && (decision.by == TimedBy::simulation || decision.by == TimedBy::longest_path)
            ? spent_json(time.parts)
            : Json();
    one["refused"] =
        time.state == CandidateTime::State::refused ? Json(with_fields(time.refusal)) : Json();
    json["times"].push_back(std::move(one));
  }
  json["cuts"] = Json::array();
  for (const SegmentTime& recut : cell.recuts) {
    if (recut.state == SegmentTime::State::timed) {
      json["cuts"].push_back(
          {{"candidate", label_of(decision, recut.way.candidate)},
           {"segment_bytes", recut.way.segment_bytes > 0 ? Json(recut.way.segment_bytes) : Json()},
           {"seconds", recut.seconds},
           {"ties", ties_json(recut.time())}});
    }
  }
  return json;
}

Json judgement_json(const Decision& decision, const Judgement& judgement) {
  Json json;
  json["file"] = judgement.rival;
  json["name"] = judgement.title;
  json["mean_loss"] = or_null(judgement.mean_loss());
  json["judged"] = judgement.judged();
  const TableCell* worst = judgement.worst();
  json["worst"] = worst == nullptr ? Json()
                                   : Json{{"ranks", decision.ranks[worst->rank_index]},
                                          {"bytes", worst->bytes},
                                          {"loss", *worst->loss()}};
  json["cells"] = Json::array();
  for (const TableCell& cell : judgement.cells) {
    json["cells"].push_back({{"ranks", decision.ranks[cell.rank_index]},
                             {"bytes", cell.bytes},
                             {"choice", cell.choice ? choice_json(*cell.choice) : Json()},
                             {"runs", cell.seconds ? choice_json(cell.runs) : Json()},
                             {"refused", or_null(with_fields(cell.refusal))},
                             {"seconds", or_null(cell.seconds)},
                             {"ties", cell.seconds ? ties_json(cell.time()) : Json()},
                             {"best_s", cell.best.seconds},
                             {"loss", or_null(cell.loss())}});
  }
  return json;
}

}  // namespace

Json decision_machine_json(const Decision& decision) {
  if (!decision.facts) {
    return nullptr;
  }
  const Machine& machine = decision.machines.front();
  const Prices& prices = decision.facts->prices;
  Json json{{"platform", machine.spec.made_on_the_fly() ? "crossbar" : decision.facts->facts.name},
            {"engine", decision.by == TimedBy::simulation ? Json(machine.engine->name) : Json()},
            {"network_model", machine.spec.network_model},
            {"ports", machine.setup.ports == kUnlimitedPorts ? Json("unlimited")
                                                             : Json(machine.setup.ports)},
            {"ranks_per_host", machine.mapping.ranks_per_host},
            {"alpha_s", prices.alpha_s},
            {"beta_s_per_byte", prices.beta_s_per_byte},
            {"gamma_s_per_byte", prices.gamma_s_per_byte}};
  if (machine.hosts_said != nullptr && decision.placements() == 1) {
    json["hosts"] = machine.hosts_said->from;
  }
  if (!machine.spec.what_ifs.empty()) {
    json["what_if"] = machine.spec.what_ifs;
  }
  return json;
}

void write_decision_json(const Decision& decision, std::ostream& out) {
  Json json;
  json["schema"] = "tutti-decide/2";
  json["collective"] = name(decision.collective);
  json["by"] = name(decision.by);
  json["machine"] = decision_machine_json(decision);
  json["element_bytes"] = decision.element_bytes;
  json["tolerance"] = decision.limits.tolerance;
  json["rules_at_most"] = or_null(decision.limits.at_most);
  json["crossover"] = decision.crossover;
  json["ranks"] = decision.ranks;
  json["sizes_bytes"] = decision.sizes_bytes;
  json["candidates"] = json_array(decision.candidates, [](const Candidate& candidate) {
    Json one = choice_json(candidate.choice);
    one["label"] = candidate.contender.label;
    return one;
  });
  json["left_out"] = decision.left_out;
  json["too_busy_runs"] = decision.too_busy_runs;
  json["decisions"] = Json::array();
  json["losses"] = Json::array();
  json["cells"] = Json::array();
  for (const RankDecision& each : decision.decisions) {
    for (std::size_t i = 0; i < each.intervals.size(); ++i) {
      const SizeInterval& interval = each.intervals[i];
      json["decisions"].push_back(
          {{"ranks", each.ranks},
           {"from_bytes", interval.from_bytes},
           {"candidate", label_of(decision, interval.candidate)},
           {"segment_bytes", interval.segment_bytes > 0 ? Json(interval.segment_bytes) : Json()},
           {"crossover_after", interval.after_bytes},
           {"crossover_by", interval.by_bytes},
           {"reason", lead_in_words(decision, each, i)}});
    }
    json["losses"].push_back(loss_json(each));
    for (const TimedCell& cell : each.cells) {
      json["cells"].push_back(cell_json(decision, cell));
    }
  }
  json["against"] = decision.judgement ? judgement_json(decision, *decision.judgement) : Json();
  if (decision.placements() > 1) {
    json["placements"] = placements_json(decision);
  }
  if (decision.sure) {
    json["sure"] = sure_json(*decision.sure, decision.ranks,
                             [&](std::size_t i) { return label_of(decision, i); });
  }
  json["wall_s"] = decision.wall_s;
  write_document(json, 1, out);
}

void write_decision_csv(const Decision& decision, std::ostream& out) {
  write_csv_head(out);
  out << "collective,ranks,bytes,on_grid,algorithm,";
  for (const OptionType* type : choice_options()) {
    out << type->json_key << ',';
  }
  out << "segment_bytes,state,seconds,best,ties_least_s,ties_most_s\n";
  for (const RankDecision& each : decision.decisions) {
    for (const TimedCell& cell : each.cells) {
      const auto best = cell.best();
      for (std::size_t i = 0; i < cell.times.size(); ++i) {
        const CandidateTime& time = cell.times[i];
        const Choice& choice = decision.candidates[i].choice;
        fmt::print(out, "{},{},{},{},{},", name(decision.collective), each.ranks, cell.bytes,
                   cell.on_grid ? 1 : 0,
                   csv_field(choice.left_to_library ? choice.library_algorithm : choice.algorithm));
        for (const OptionType* type : choice_options()) {
          out << csv_field(choice.options.text(type->option)) << ',';
        }
        const bool ties = time.timed() && time.time().ties_matter();
        // An uncut vector is written as one segment of its whole size, because an empty field would
        // mean the default segment size.
        const bool uncut = time.segment_bytes == 0 || time.segment_bytes > cell.bytes;
        fmt::print(out, "{},{},{},{},{},{}\n",
                   !uncut                        ? std::to_string(time.segment_bytes)
                   : decision.candidates[i].cuts ? std::to_string(cell.bytes)
                                                 : "",
                   name(time.state), time.timed() ? Json(time.seconds).dump() : "",
                   best == i ? 1 : 0, ties ? Json(time.time().least_s()).dump() : "",
                   ties ? Json(time.time().most_s()).dump() : "");
      }
    }
  }
}

}}  // namespace tutti::output
