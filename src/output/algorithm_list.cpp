#include "src/output/algorithm_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/field_names.hpp"
#include "cost_models/published.hpp"
#include "schedules/options/option_type.hpp"
#include "src/formats/text_table.hpp"
#include "src/output/library_list.hpp"
#include "src/rule_files/library_catalogue.hpp"
#include "src/rule_files/recommendations.hpp"

namespace tutti::inline output {

namespace {

std::vector<std::string> options_of(const Algorithm& algorithm) {
  std::vector<std::string> names;
  if (has_root(algorithm.collective)) {
    names.emplace_back("--root");
  }
  for (const OptionType* type : option_types()) {
    if (takes(algorithm, type->option)) {
      names.emplace_back(type->flag());
    }
    if (type->option == Option::block_sizes && takes(algorithm, type->option)) {
      names.emplace_back(algorithm.collective == Collective::alltoallv ? "--sizes"
                                                                       : "--block-skew");
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
                "platforms with switches that reduce and multicast (tutti platform --in-network), "
                "with the flow engine; not on MPI");
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

nlohmann::ordered_json formula_json(const PublishedFormula& formula) {
  return {{"formula", formula.formula},       {"citation", formula.citation},
          {"section", formula.section},       {"holds_for", with_fields(formula.condition)},
          {"account", name(formula.account)}, {"remark", formula.remark}};
}

nlohmann::ordered_json algorithm_json(const Algorithm& algorithm) {
  nlohmann::ordered_json json;
  json["name"] = algorithm.full_name();
  json["collective"] = name(algorithm.collective);
  json["algorithm"] = algorithm.name;
  json["idea"] = with_fields(algorithm.idea);
  json["source"] = algorithm.source;
  json["cost"] = algorithm.cost.empty() ? nlohmann::ordered_json()
                                        : nlohmann::ordered_json(with_fields(algorithm.cost));
  json["published"] = nlohmann::ordered_json::array();
  for (const PublishedFormula& formula : published_formulas(algorithm.full_name())) {
    json["published"].push_back(formula_json(formula));
  }
  json["not_for"] = nlohmann::ordered_json::array();
  for (const std::string_view limit : algorithm.limits) {
    json["not_for"].push_back(with_fields(limit));
  }
  json["remark"] = algorithm.remark;
  json["options"] = options_of(algorithm);
  json["defaults"] = nlohmann::ordered_json::object();
  for (const DefaultedNumber& number : algorithm.own_numbers) {
    json["defaults"][std::string(option_type(number.option).flag())] = own_in_words(number);
  }
  if (algorithm.in_network()) {
    json["in_network"] = true;
  }
  json["libraries"] = nlohmann::ordered_json::array();
  for (const CatalogueRow& row : libraries_of(algorithm)) {
    json["libraries"].push_back(catalogue_json(row));
  }
  json["recommended"] = nlohmann::ordered_json::array();
  for (const Recommendation& each : recommendations_of(algorithm)) {
    json["recommended"].push_back(recommendation_json(each));
  }
  if (reduces(algorithm.collective)) {
    json["commutative_only"] = algorithm.order_kept.empty();
    json["rank_order_kept"] = algorithm.order_kept.empty()
                                  ? nlohmann::ordered_json()
                                  : nlohmann::ordered_json(with_fields(algorithm.order_kept));
  }
  return json;
}

}  // namespace tutti::inline output
