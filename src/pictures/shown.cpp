#include "src/pictures/shown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "src/pictures/charts.hpp"
#include "src/pictures/tables.hpp"

namespace tutti { inline namespace pictures {

namespace {

using Json = nlohmann::json;

// Draws a picture at both widths. `draw(width)` returns a Picture.
template <typename Draw>
void add_picture(DocumentView& shown, Draw&& draw) {
  Picture picture = draw(kWide);
  picture.narrow_svg = svg_in_page(draw(kNarrow));
  shown.pictures.push_back(std::move(picture));
}

void add_why(DocumentView& shown, const Json& explanation, const std::string& title,
             const Json& links) {
  if (!explanation.is_object()) {
    return;
  }
  add_picture(shown,
              [&](double width) { return waterfall_chart(explanation, title, links, width); });
  add_picture(shown, [&](double width) { return account_chart(explanation, title, width); });
  if (const auto limit = explanation.find("limit");
      limit != explanation.end() && limit->is_object() && !limit->at("parts").empty()) {
    add_picture(shown, [&](double width) { return gap_chart(explanation, title, width); });
  }
  if (const auto found = explanation.find("improvements");
      found != explanation.end() && found->is_array() && !found->empty()) {
    add_picture(shown, [&](double width) { return improvements_chart(explanation, title, width); });
  }
}

std::string title_of_result(const Json& result) {
  return fmt::format("{}/{} on {}, {}", result.at("collective").get<std::string>(),
                     result.at("algorithm").get<std::string>(),
                     counted(result.at("ranks").get<std::uint32_t>(), "rank"),
                     human_bytes(result.at("bytes").get<std::uint64_t>()));
}

void show_run(DocumentView& shown, const Json& recording) {
  shown.title = recording.at("title").get<std::string>();
  if (const Json& merged = recording.at("merged"); merged.is_object()) {
    shown.notes.push_back(
        fmt::format("{} are too many to draw one by one: all operations of a round between two "
                    "groups of {} ranks are drawn as one.",
                    counted(merged.at("operations").get<std::uint64_t>(), "operation"),
                    merged.at("ranks_per_group").get<std::uint32_t>()));
  }
  shown.pictures.push_back(space_time(recording));
  const Json& network = recording.at("network");
  add_why(shown, recording.at("explanation"), shown.title,
          network.is_object() ? network.at("links") : Json());
}

// Shows the bounds over sizes, and the network with the certificate of the largest size.
void show_bounds(DocumentView& shown, const Json& document) {
  const Json& bounds = document.at("bounds");
  std::set<std::string> collectives;
  std::map<std::uint32_t, std::set<std::uint64_t>> sizes;
  std::map<std::pair<std::string, std::uint32_t>, const Json*> largest;
  for (const Json& bound : bounds) {
    const auto collective = bound.at("collective").get<std::string>();
    const auto ranks = bound.at("ranks").get<std::uint32_t>();
    collectives.insert(collective);
    if (const auto bytes = bound.at("bytes").get<std::uint64_t>(); bytes > 0) {
      sizes[ranks].insert(bytes);
    }
    const Json*& known = largest[{collective, ranks}];
    if (known == nullptr || known->at("bytes") <= bound.at("bytes")) {
      known = &bound;
    }
  }
  for (const auto& [ranks, different] : sizes) {
    if (different.size() > 1) {
      add_picture(shown,
                  [&, of = ranks](double width) { return limits_chart(document, of, width); });
    }
  }
  constexpr std::size_t kMostCuts = 24;
  std::size_t drawn = 0;
  std::size_t left_out = 0;
  for (const Json& bound : bounds) {
    const Json& ranks = bound.at("ranks");
    if (largest.at({bound.at("collective").get<std::string>(), ranks.get<std::uint32_t>()}) !=
        &bound) {
      continue;
    }
    const Json& networks = document.at("networks");
    const auto network = std::find_if(networks.begin(), networks.end(),
                                      [&](const Json& one) { return one.at("ranks") == ranks; });
    if (network == networks.end() || drawn == kMostCuts) {
      ++left_out;
      continue;
    }
    add_picture(shown, [&](double width) { return cut_chart(bound, *network, width); });
    drawn += shown.pictures.back().only_in_files ? 0 : 1;
  }
  if (left_out > 0) {
    shown.notes.push_back(fmt::format(
        "{} not drawn on the network: there are more than {}, or the network is too large.",
        left_out == 1 ? "1 bound is" : fmt::format("{} bounds are", left_out), kMostCuts));
  }
  constexpr std::size_t kMostNamed = 4;
  shown.title = "Lower bounds: " + (collectives.size() > kMostNamed
                                        ? counted(collectives.size(), "collective")
                                        : fmt::format("{}", fmt::join(collectives, ", ")));
  shown.title += bounds.empty() ? "" : what_if_of(bounds.front());
  shown.tables.push_back(bounds_table(document));
}

void show_times(DocumentView& shown, const Document& document, std::span<const Document> beside) {
  std::string collectives;
  for (TimesTable& times : times_of(document)) {
    for (const Document& other : beside) {
      if (other.kind == DocumentKind::validation && &other != &document) {
        add_measured(times, other);
      }
    }
    if (times.algorithms.size() > 1) {
      add_picture(shown, [&](double width) { return winners_map(times, width); });
    }
    for (std::size_t rank = 0; rank < times.ranks.size(); ++rank) {
      add_picture(shown, [&](double width) { return times_chart(times, rank, width); });
    }
    shown.tables.push_back(times_rows(times));
    if (collectives.find(times.collective) == std::string::npos) {
      collectives += (collectives.empty() ? "" : ", ") + times.collective;
    }
  }
  shown.title = "Comparison: " + collectives;
}

// Shows the times of NCCL's algorithms, with a mark where its choice changes.
void show_nccl(DocumentView& shown, const Document& document) {
  show_times(shown, document, {});
  const Json& cells = document.json.at("cells");
  shown.title = fmt::format("{}: {}", document.json.at("library").get<std::string>(),
                            cells.front().at("collective").get<std::string>());
  shown.tables = {nccl_table(document.json)};
  if (const Json& kernels = cells.front().at("not_covered"); !kernels.empty()) {
    std::vector<std::string> names = kernels.get<std::vector<std::string>>();
    shown.notes.push_back(
        fmt::format("Not covered: for buffers in symmetric windows, NCCL may run {} instead.",
                    fmt::join(names, ", ")));
  }
  for (const Json& cell : cells) {
    for (const Json& note : cell.at("notes")) {
      const auto text = note.get<std::string>();
      if (std::ranges::find(shown.notes, text) == shown.notes.end()) {
        shown.notes.push_back(text);
      }
    }
  }
}

// Shows the rules of a site: what they gain, how they are installed, and what they leave out.
void show_site(DocumentView& shown, const Json& site) {
  shown.title = fmt::format("Rules for {}", site.at("library").get<std::string>());
  constexpr std::size_t kMostMaps = 24;
  std::size_t left_out = 0;
  for (const Json& part : site.at("gains")) {
    if (part.at("known") == 0) {
      shown.notes.push_back(fmt::format(
          "{} with {} on each host: the time of the library's own choice is not known, so no rule "
          "is written.",
          part.at("collective").get<std::string>(),
          counted(part.at("ranks_per_host").get<std::uint32_t>(), "rank")));
    } else if (shown.pictures.size() == kMostMaps) {
      ++left_out;
    } else {
      add_picture(shown, [&](double width) { return gain_map(site, part, width); });
    }
  }
  if (left_out > 0) {
    shown.notes.push_back(
        fmt::format("{} more maps are left out; the table has all cells.", left_out));
  }
  if (site.at("files").empty()) {
    shown.notes.emplace_back(
        "There is no file to install: no rule is faster than the library's own choice.");
  }
  if (site.at("folder").is_null() && !site.at("files").empty()) {
    shown.notes.emplace_back(
        "In the commands, RULES is the folder that 'tutti decide --library NAME -o FOLDER' "
        "writes.");
  }
  for (const char* const key : {"applies_to", "left_out"}) {
    for (const Json& sentence : site.at(key)) {
      std::string text = sentence.get<std::string>() + ".";
      if (key == std::string_view("left_out")) {
        text.insert(0, "Left out: ");
      } else if (text.front() >= 'a' && text.front() <= 'z') {
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
      }
      shown.notes.push_back(std::move(text));
    }
  }
  shown.notes.emplace_back(
      "Times are simulated: measure with and without the rules before you install them.");
  shown.tables = site_tables(site);
}

// Shows each output with the answer, and what several outputs show together.
void show_doctor(DocumentView& shown, const Json& report) {
  const Json& outputs = report.at("outputs");
  shown.title = outputs.size() == 1 ? outputs.front().at("headline").get<std::string>()
                                    : fmt::format("{} outputs", outputs.size());
  if (!report.at("together").empty()) {
    shown.tables.push_back(symptoms_table(report.at("together"), "Together"));
  }
  for (const Json& output : outputs) {
    if (outputs.size() > 1) {
      shown.notes.push_back(fmt::format("{}: {}.", output.at("file").get<std::string>(),
                                        output.at("headline").get<std::string>()));
    }
    if (output.at("rows").size() > 1) {
      add_picture(shown, [&](double width) { return doctor_chart(output, width); });
    }
    for (DataTable& table : doctor_tables(output)) {
      shown.tables.push_back(std::move(table));
    }
  }
}

// Shows the streams of a step over time, and what each statement takes.
void show_step(DocumentView& shown, const Json& step) {
  const auto title = step.at("name").get<std::string>();
  shown.title = title.empty() ? "Training step" : title;
  if (step.at("streams").empty()) {
    shown.notes.emplace_back(
        "With --streams, the document has what the streams do, for a picture.");
  } else {
    add_picture(shown, [&](double width) { return streams_chart(step, width); });
  }
  shown.notes.push_back(fmt::format(
      "The step takes {}: {} computing and {} exposed communication at rank {}, which ends last.",
      human_time(step.at("total_s").get<double>()),
      human_time(step.at("last").at("computing_s").get<double>()),
      human_time(step.at("last").at("exposed_s").get<double>()),
      step.at("last_rank").get<std::uint64_t>()));
  shown.tables = step_tables(step);
}

DocumentView shown_unchecked(const Document& document, std::span<const Document> beside) {
  DocumentView shown;
  const Json& json = document.json;
  switch (document.kind) {
    case DocumentKind::run:
      show_run(shown, json);
      break;
    case DocumentKind::comparison:
      show_times(shown, document, beside);
      break;
    case DocumentKind::query:
      if (json.at("view") == std::string_view("cells")) {
        show_times(shown, document, beside);
        shown.title = "Results: " + document.source;
      } else {
        shown.title = document.source;
        shown.tables.push_back(plain_table(json.at("rows"), "rows", document.source));
      }
      break;
    case DocumentKind::decision:
      shown.title = "Decision: " + json.at("collective").get<std::string>();
      add_picture(shown, [&](double width) { return decision_map(json, width); });
      if (json.at("against").is_object()) {
        add_picture(shown, [&](double width) { return loss_map(json, width); });
      }
      shown.tables = decision_tables(json);
      break;
    case DocumentKind::validation:
      shown.title = "Simulation compared with real MPI";
      add_picture(shown, [&](double width) { return agreement_chart(json, width); });
      add_picture(shown, [&](double width) { return error_chart(json, width); });
      shown.tables = validation_tables(json);
      for (const Json& busy : json.at("too_busy")) {
        shown.notes.push_back(busy.get<std::string>());
      }
      break;
    case DocumentKind::explanation:
      shown.title = title_of_result(json.at("result"));
      add_why(shown, json, shown.title, json.at("links"));
      break;
    case DocumentKind::contrast:
      shown.title = "Two runs compared";
      for (const Json& explanation : json.at("explanations")) {
        add_why(shown, explanation, title_of_result(explanation.at("result")),
                explanation.at("links"));
      }
      shown.tables = contrast_tables(json);
      break;
    case DocumentKind::bound:
      show_bounds(shown, json);
      break;
    case DocumentKind::nccl:
      show_nccl(shown, document);
      break;
    case DocumentKind::doctor:
      show_doctor(shown, json);
      break;
    case DocumentKind::step:
      show_step(shown, json);
      break;
    case DocumentKind::site:
      show_site(shown, json);
      break;
    case DocumentKind::schedule:
      shown.title = title_of_result(json);
      shown.pictures.push_back(round_diagram(json));
      break;
  }
  return shown;
}

}  // namespace

DocumentView shown_of(const Document& document, std::span<const Document> beside) {
  try {
    return shown_unchecked(document, beside);
  } catch (const UserError& error) {
    throw UserError(fmt::format("{}: {}", document.source, error.what()));
  } catch (const Json::exception& error) {  // an index out of range, or a number that is too large
    throw UserError(fmt::format("{}: inconsistent data ({})", document.source, error.what()));
  }
}

}}  // namespace tutti::pictures
