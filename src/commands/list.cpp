// tutti list: shows every algorithm with its source, limits and cost, or all published formulas, or
// the algorithms of a library.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "schedules/registry.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/algorithm_list.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"
#include "src/rule_files/library_catalogue.hpp"
#include "src/simulation/formula_fit.hpp"

namespace tutti { inline namespace commands {

namespace {

// Returns the algorithms that `what` names: a single algorithm, or all algorithms of a collective.
// If `what` is empty, returns all algorithms.
std::vector<const Algorithm*> chosen_algorithms(const std::optional<std::string>& what) {
  if (what && what->find('/') != std::string::npos) {
    return {&algorithm_named(*what)};
  }
  std::vector<const Algorithm*> chosen;
  std::optional<Collective> collective;
  if (what) {
    collective = parse_collective(*what, {.algorithms = true});
  }
  for (const Algorithm* algorithm : algorithms()) {
    if (!collective || algorithm->collective == *collective) {
      chosen.push_back(algorithm);
    }
  }
  return chosen;
}

const LibraryVersion* parse_library_version(std::string_view from, const std::string& text) {
  return &library_version_named(from, text);
}

struct ListOptions {
  std::optional<std::string> collective;  // or the name of an algorithm
  std::optional<std::string> json;        // path of a file
  std::optional<ValueWithText<const LibraryVersion*>> library;
  bool formulas = false;
};

void print_formulas(const std::vector<FormulaFit>& fits, std::ostream& out) {
  constexpr std::size_t kKey = 11;
  std::string_view algorithm;
  for (const FormulaFit& fit : fits) {
    if (fit.formula.algorithm != algorithm) {
      algorithm = fit.formula.algorithm;
      out << StyledText{Style::heading, algorithm} << '\n';
    }
    print_field(out, kIndent, kKey, "formula", fit.formula.formula);
    print_field(out, kIndent, kKey, "from",
                fmt::format("{}; {}", fit.formula.citation, fit.formula.section));
    print_field(out, kIndent, kKey, "holds for", with_fields(fit.formula.condition));
    print_field(out, kIndent, kKey, "accuracy",
                fmt::format("{}; {}", name(fit.formula.account), deviation_in_words(fit)));
    if (!fit.formula.remark.empty()) {
      print_field(out, kIndent, kKey, "remark", fit.formula.remark);
    }
    out << '\n';
  }
  print_field(
      out, 0, 0, "",
      fmt::format("accuracy: exact, approximate or upper bound, as the source says, or misprint; "
                  "then the formula's largest deviation from the longest path of the schedule, "
                  "(formula - path) / path, over all p from {} to {} for which it holds, for about "
                  "1 MiB, a latency of 2 us, a bandwidth of 1.25 GB/s, and reductions at 8 GB/s",
                  kFewestFitted, kMostFitted));
}

int list_formulas(const ListOptions& options, const std::vector<const Algorithm*>& chosen,
                  Streams streams) {
  const std::vector<FormulaFit> fits = formula_fits(chosen);
  if (wrote_json(options.json, document_json(kFormulasDocument, fits), streams)) {
    return kExitOk;
  }
  print_formulas(fits, streams.out);
  print_legend(streams.out);
  return kExitOk;
}

int list_library(const ListOptions& options, Streams streams) {
  const LibraryVersion& version = *options.library->value;
  std::vector<CatalogueRow> rows = catalogue_of(version);
  if (options.collective) {
    const Collective collective = parse_collective(*options.collective);
    std::erase_if(rows, [&](const CatalogueRow& row) { return row.collective != collective; });
  }
  if (wrote_json(options.json, document_json(kLibraryDocument, LibraryAnswer{version, rows}),
                 streams)) {
    return kExitOk;
  }
  print_library(version, rows, streams.out);
  return kExitOk;
}

int list(const ListOptions& options, Streams streams) {
  if (options.library) {
    if (options.formulas) {
      throw UserError(
          fmt::format("$library '{}' and $formulas print different lists; give only one of them",
                      options.library->text));
    }
    return list_library(options, streams);
  }
  const auto chosen = chosen_algorithms(options.collective);
  if (options.formulas) {
    return list_formulas(options, chosen, streams);
  }
  const std::span<const Algorithm* const> all = chosen;
  if (options.json && wrote_json(options.json, document_json(kListDocument, all), streams)) {
    return kExitOk;
  }
  if (chosen.empty()) {
    streams.out << "no algorithm for " << options.collective.value_or("this") << " yet\n";
    return kExitOk;
  }
  if (!options.collective) {
    print_overview(streams.out, chosen);
    streams.out << '\n';
    print_field(streams.out, 0, 0, "",
                fmt::format("{} algorithms for {} collectives; tutti list COLLECTIVE or "
                            "COLLECTIVE/ALGORITHM shows details",
                            chosen.size(), kCollectives.size()));
    return kExitOk;
  }
  for (const Algorithm* algorithm : chosen) {
    print_algorithm(streams.out, *algorithm);
    streams.out << '\n';
  }
  const bool unpublished = std::ranges::any_of(chosen, [](const Algorithm* each) {
    return each->source.find('[') != std::string_view::npos;
  });
  print_legend(streams.out);
  if (unpublished) {
    print_field(streams.out, 0, 0, "",
                "[...]: not published; see REFERENCES.md in tutti's sources");
  }
  return kExitOk;
}

}  // namespace

Action add_list(Command& app, Streams streams) {
  Command& command = app.add_command(
      "list", "List all algorithms: source, cost, limits, and which libraries use them");
  auto options = std::make_shared<ListOptions>();
  command
      .add_option(
          "collective", options->collective,
          "Collective or COLLECTIVE/ALGORITHM to show in detail [one line for each algorithm]")
      .type_name("COLLECTIVE");
  command.add_flag(
      "--formulas", options->formulas,
      "Show all published formulas, when they hold, and how far they deviate from the schedules");
  std::vector<std::string> libraries;
  for (const LibraryVersion& version : library_versions()) {
    libraries.emplace_back(version.name);
  }
  const OptionGroup group(command, "Options");
  group
      .add("--library", options->library, "NAME",
           "Show the algorithms of a library version, such as 'Open MPI 5.0', and their "
           "equivalents in tutti",
           parse_library_version)
      .words(libraries);
  group.add("--json", options->json, kWrittenFile, "Write the list as JSON; - is standard output");
  command.add_examples({"tutti list allgather/ring", "tutti list --formulas",
                        "tutti list bcast --library 'Open MPI 5.0'"});
  return [options, streams] { return list(*options, streams); };
}

}}  // namespace tutti::commands
