#include "src/output/algorithm_list.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "base/field_names.hpp"
#include "cost_models/published.hpp"
#include "schedules/options/option_type.hpp"
#include "src/formats/json_text.hpp"
#include "src/formats/text_table.hpp"
#include "src/rule_files/library_catalogue.hpp"
#include "src/rule_files/recommendations.hpp"

namespace tutti { inline namespace output {

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> options_of(const Algorithm& algorithm) {
  std::vector<std::string> names;
  if (has_root(algorithm.collective)) {
    names.push_back(flag_of("root"));
  }
  for (const OptionType* type : option_types()) {
    if (takes(algorithm, type->option)) {
      names.emplace_back(type->flag());
    }
    if (type->option == Option::block_sizes && takes(algorithm, type->option)) {
      names.push_back(
          flag_of(algorithm.collective == Collective::alltoallv ? "sizes" : "block_skew"));
    }
  }
  return names;
}

// Describes the operators for which the algorithm computes correct results; "" if the algorithm
// reduces nothing.
std::string operators_of(const Algorithm& algorithm) {
  if (!reduces(algorithm.collective)) {
    return "";
  }
  if (algorithm.order_kept.empty()) {
    return "commutative operators only";
  }
  if (algorithm.order_kept == "always") {
    return "any associative operator: operands stay in rank order";
  }
  return fmt::format("operands stay in rank order for {}; otherwise commutative operators only",
                     with_fields(algorithm.order_kept));
}

// Describes a published formula: "2(p-1) alpha + ...: any p, exact (Somebody, somewhere; section
// 2)".
std::string formula_in_words(const PublishedFormula& formula) {
  return fmt::format("{}: {}, {} ({}; {})", formula.formula, with_fields(formula.condition),
                     name(formula.account), formula.citation, formula.section);
}

std::string use_in_words(const CatalogueRow& row) {
  std::string text = row.id.empty() ? fmt::format("{} {}", row.family, row.name)
                                    : fmt::format("{} {} ({})", row.family, row.id, row.name);
  if (!row.since.empty()) {
    text += fmt::format(" from {}", row.since);
  }
  if (!row.only_on.empty()) {
    text += fmt::format(" for {}", row.only_on);
  }
  if (!row.options.empty()) {
    text += fmt::format(", as {}", row.options);
  }
  return text;
}

// Describes which libraries run an algorithm: "Open MPI 4 (ring); MPICH MPIR_Bcast_intra_tree from
// 4.1, as --tree kary --radix K". "" if there are no rows.
std::string uses_in_words(std::span<const CatalogueRow> rows) {
  std::string text;
  for (const CatalogueRow& row : rows) {
    text += (text.empty() ? "" : "; ") + use_in_words(row);
  }
  return text;
}

// Describes when to use an algorithm: "below 4 KiB (UCC's default scores); ...". "" if there are no
// recommendations.
std::string in_words(std::span<const Recommendation> recommendations) {
  std::string text;
  for (const Recommendation& each : recommendations) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", each.when, each.source);
  }
  return text;
}

Json catalogue_json(const CatalogueRow& row) {
  return {{"library", row.family},
          {"id", or_null(row.id)},
          {"name", row.name},
          {"since", or_null(row.since)},
          {"options", row.options},
          {"only_on_ranks", or_null(row.only_on)},
          {"lacking", or_null(row.lacking)}};
}

}  // namespace

void print_algorithm(std::ostream& out, const Algorithm& algorithm) {
  constexpr std::size_t kKey = 11;
  print_heading(out, algorithm.full_name());
  print_field(out, kIndent, kKey, "idea", with_fields(algorithm.idea));
  print_field(out, kIndent, kKey, "source", algorithm.source);
  print_field(out, kIndent, kKey, "cost",
              algorithm.cost.empty() ? "no closed form is known" : with_fields(algorithm.cost));
  for (const PublishedFormula& formula : published_formulas(algorithm.full_name())) {
    print_field(out, kIndent, kKey, formula.misprint() ? "misprint" : "published",
                formula_in_words(formula));
  }
  print_field(out, kIndent, kKey, "limits",
              algorithm.limits.empty()
                  ? "none"
                  : with_fields(fmt::format("not for {}", fmt::join(algorithm.limits, "; "))));
  if (!algorithm.remark.empty()) {
    print_field(out, kIndent, kKey, "remark", algorithm.remark);
  }
  if (algorithm.in_network()) {
    print_field(out, kIndent, kKey, "runs on",
                fmt::format("platforms with switches that reduce and multicast (tutti platform "
                            "{}), with the flow engine; not on MPI",
                            flag_of("in_network")));
  }
  if (const std::string operators = operators_of(algorithm); !operators.empty()) {
    print_field(out, kIndent, kKey, "operators", operators);
  }
  if (const std::string uses = uses_in_words(libraries_of(algorithm)); !uses.empty()) {
    print_field(out, kIndent, kKey, "run by", uses);
  }
  if (const std::string when = in_words(recommendations_of(algorithm)); !when.empty()) {
    print_field(out, kIndent, kKey, "meant for", when);
  }
  if (auto options = options_of(algorithm); !options.empty()) {
    for (const DefaultedNumber& number : algorithm.own_numbers) {
      const std::string_view flag = option_type(number.option).flag();
      for (std::string& option : options) {
        option += option == flag ? fmt::format(" [{}]", own_in_words(number)) : "";
      }
    }
    print_field(out, kIndent, kKey, "options", fmt::format("{}", fmt::join(options, ", ")));
  }
}

void print_overview(std::ostream& out, std::span<const Algorithm* const> algorithms) {
  std::size_t longest = 0;
  for (const Algorithm* algorithm : algorithms) {
    longest = std::max(longest, algorithm->name.size());
  }
  const Algorithm* before = nullptr;
  for (const Algorithm* algorithm : algorithms) {
    if (before == nullptr || before->collective != algorithm->collective) {
      out << (before == nullptr ? "" : "\n") << Styled{Style::heading, name(algorithm->collective)}
          << '\n';
    }
    print_field(out, kIndent, longest + 2, algorithm->name, with_fields(algorithm->idea));
    before = algorithm;
  }
}

void print_legend(std::ostream& out) {
  print_field(out, 0, 0, "",
              "p: ranks; p': the largest power of two not above p; n: bytes in the largest buffer "
              "of a rank; lg: logarithm to base 2; alpha: seconds to start a message; beta: "
              "seconds per byte sent; gamma: seconds per byte reduced");
}

Json formula_json(const PublishedFormula& formula) {
  return {{"formula", formula.formula},       {"citation", formula.citation},
          {"section", formula.section},       {"holds_for", with_fields(formula.condition)},
          {"account", name(formula.account)}, {"remark", formula.remark}};
}

Json algorithm_json(const Algorithm& algorithm) {
  Json json;
  json["name"] = algorithm.full_name();
  json["collective"] = name(algorithm.collective);
  json["algorithm"] = algorithm.name;
  json["idea"] = with_fields(algorithm.idea);
  json["source"] = algorithm.source;
  json["cost"] = or_null(with_fields(algorithm.cost));
  json["published"] = json_array(published_formulas(algorithm.full_name()), formula_json);
  json["not_for"] =
      json_array(algorithm.limits, [](std::string_view limit) { return with_fields(limit); });
  json["remark"] = algorithm.remark;
  json["options"] = options_of(algorithm);
  json["defaults"] = Json::object();
  for (const DefaultedNumber& number : algorithm.own_numbers) {
    json["defaults"][std::string(option_type(number.option).flag())] = own_in_words(number);
  }
  if (algorithm.in_network()) {
    json["in_network"] = true;
  }
  json["libraries"] = json_array(libraries_of(algorithm), catalogue_json);
  json["recommended"] =
      json_array(recommendations_of(algorithm), [](const Recommendation& each) -> Json {
        return {{"when", each.when}, {"source", each.source}};
      });
  if (reduces(algorithm.collective)) {
    json["commutative_only"] = algorithm.order_kept.empty();
    json["rank_order_kept"] = or_null(with_fields(algorithm.order_kept));
  }
  return json;
}

Json library_json(const LibraryVersion& version, std::span<const CatalogueRow> rows) {
  Json json;
  json["schema"] = "tutti-library/1";
  json["library"] = version.name;
  json["algorithms"] = json_array(rows, [](const CatalogueRow& row) {
    Json one{{"collective", name(row.collective)}};
    one.update(catalogue_json(row));
    one["tutti"] = row.algorithm.empty()
                       ? Json()
                       : Json(fmt::format("{}/{}", name(row.collective), row.algorithm));
    return one;
  });
  return json;
}

void print_library(const LibraryVersion& version, std::span<const CatalogueRow> rows,
                   std::ostream& out) {
  print_heading(out, version.name);
  const bool numbered =
      std::ranges::any_of(rows, [](const CatalogueRow& row) { return !row.id.empty(); });
  Table table({{"collective"}, {"id", true, 0, numbered}, {"library's name"}, {"tutti's name"}});
  std::string_view last;
  for (const CatalogueRow& row : rows) {
    std::string ours = row.algorithm.empty() ? "none" : std::string(row.algorithm);
    if (!row.options.empty() && !row.algorithm.empty()) {
      ours += " " + row.options;
    }
    if (!row.only_on.empty()) {
      ours += fmt::format(", {}", row.only_on);
    }
    if (!row.lacking.empty()) {
      ours += fmt::format(": {}", row.lacking);
    }
    const std::string_view of = name(row.collective);
    table.add({of == last ? "" : std::string(of), row.id, std::string(row.name), ours});
    last = of;
  }
  table.print(out, 2);
  out << '\n';
  const auto known =
      std::ranges::count_if(rows, [](const CatalogueRow& row) { return !row.algorithm.empty(); });
  print_field(out, 0, 0, "",
              fmt::format("{} of {} have a counterpart in tutti", known, rows.size()));
}

}}  // namespace tutti::output
