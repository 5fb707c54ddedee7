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
#include "src/output/common_fields.hpp"
#include "src/rule_files/library_catalogue.hpp"
#include "src/rule_files/recommendations.hpp"

namespace tutti { inline namespace output {

namespace {

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
      out << (before == nullptr ? "" : "\n")
          << StyledText{Style::heading, name(algorithm->collective)} << '\n';
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

std::string deviation_in_words(const FormulaFit& fit) {
  constexpr double kEqual = 1e-9;
  if (!fit.deviation) {
    return "not compared";
  }
  if (std::fabs(*fit.deviation) <= kEqual) {
    return "equal";
  }
  return fmt::format("{:+.1f} % at p = {}", 100 * *fit.deviation, fit.ranks);
}

namespace { namespace list_fields {

using Formula = PublishedFormula;

constexpr auto kFormula = fields<Formula>({
    kCitationFields,
    {"remark", member<&Formula::remark>},
});

std::optional<std::string> if_any(std::string_view text) { return text_if_any(std::string(text)); }

constexpr auto kCatalogue = fields<CatalogueRow>({
    {"library", member<&CatalogueRow::family>, not_empty},
    {"id", [](const CatalogueRow& row) { return if_any(row.id); },
     "Number that the library gives the algorithm. null if the library does not number its "
     "algorithms."},
    {"name", member<&CatalogueRow::name>, not_empty},
    {"since", [](const CatalogueRow& row) { return if_any(row.since); },
     "First version that has the algorithm. null if all known versions have it."},
    {"options", member<&CatalogueRow::options>,
     "Options with which tutti's algorithm is the same. Empty if none are needed."},
    {"only_on_ranks", [](const CatalogueRow& row) { return if_any(row.only_on); },
     "Numbers of ranks that the algorithm supports. null if it supports all."},
    {"lacking", [](const CatalogueRow& row) { return if_any(row.lacking); },
     "Why tutti has no equivalent. null if it has one."},
});

constexpr auto kRecommendation = fields<Recommendation>({
    {"when", member<&Recommendation::when>, not_empty,
     "Condition in words. Sizes are those of the largest buffer of a rank, unless the text says "
     "that they are those of blocks."},
    {"source", member<&Recommendation::source>, not_empty},
});

std::vector<std::string> limits_of(const Algorithm& algorithm) {
  std::vector<std::string> limits;
  for (const auto& limit : algorithm.limits) {
    limits.push_back(with_fields(limit));
  }
  return limits;
}

std::vector<std::pair<std::string, std::string>> defaults_of(const Algorithm& algorithm) {
  std::vector<std::pair<std::string, std::string>> defaults;
  for (const DefaultedNumber& number : algorithm.own_numbers) {
    defaults.emplace_back(option_type(number.option).flag(), own_in_words(number));
  }
  return defaults;
}

constexpr auto kAlgorithm = fields<Algorithm>({
    {"name", [](const Algorithm& each) { return each.full_name(); },
     like("^[a-z_0-9]+/[a-z_0-9]+$")},
    {"collective", [](const Algorithm& each) { return name(each.collective); }},
    {"algorithm", [](const Algorithm& each) { return std::string_view(each.name); }},
    {"idea", [](const Algorithm& each) { return with_fields(each.idea); }, not_empty},
    {"source", [](const Algorithm& each) { return std::string_view(each.source); }, not_empty},
    {"cost", [](const Algorithm& each) { return text_if_any(with_fields(each.cost)); },
     "Exact cost as a formula. null if no closed form is known."},
    {"published", kFormula,
     [](const Algorithm& each) { return published_formulas(each.full_name()); },
     "Published formulas, including misprints."},
    {"not_for", from<limits_of>, not_empty,
     "Descriptions of the cases that the algorithm refuses."},
    {"remark", [](const Algorithm& each) { return std::string_view(each.remark); },
     "How the source differs from this schedule: limits of its own, or an error. Empty if the two "
     "agree."},
    {"options", from<options_of>, like("^--")},
    {"defaults", from<defaults_of>, not_empty,
     "The algorithm's own defaults for numeric options, by option."},
    {"in_network", [](const Algorithm& each) { return value_if(each.in_network(), true); },
     absent | only_true,
     "Switches take part: the algorithm runs on platforms that declare such switches, and not on "
     "MPI. Absent for other algorithms."},
    {"libraries", kCatalogue, [](const Algorithm& each) { return libraries_of(each); },
     "Libraries that run the algorithm, and their names for it."},
    {"recommended", kRecommendation, [](const Algorithm& each) { return recommendations_of(each); },
     "Recommendations on when to use the algorithm, by its authors or by libraries that run it."},
    {"commutative_only",
     [](const Algorithm& each) {
       return value_if(reduces(each.collective), each.order_kept.empty());
     },
     absent, "True if operands never stay in rank order. Only for collectives that reduce."},
    {"rank_order_kept",
     [](const Algorithm& each) {
       return value_if(reduces(each.collective), text_if_any(with_fields(each.order_kept)));
     },
     "When operands stay in rank order: \"always\", or a condition. null if never. Only for "
     "collectives that reduce."},
});

constexpr auto kList = fields<std::span<const Algorithm* const>>({
    {"algorithms", kAlgorithm, [](const std::span<const Algorithm* const>& all) { return all; }},
});

constexpr auto kLibraryRow = fields<CatalogueRow>({
    {"collective", [](const CatalogueRow& row) { return name(row.collective); }},
    kCatalogue,
    {"tutti",
     [](const CatalogueRow& row) {
       return row.algorithm.empty()
                  ? std::nullopt
                  : std::optional(fmt::format("{}/{}", name(row.collective), row.algorithm));
     },
     "Name of the equivalent algorithm in tutti, with its collective. null if there is none."},
});

constexpr auto kLibrary = fields<LibraryAnswer>({
    {"library", [](const LibraryAnswer& of) -> const auto& { return of.version.name; }, not_empty,
     "Name and version of the library."},
    {"algorithms", kLibraryRow, member<&LibraryAnswer::rows>},
});

constexpr auto kFormulaFit = fields<FormulaFit>({
    {"algorithm", [](const FormulaFit& fit) { return fit.formula.algorithm; },
     like("^[a-z_]+/[a-z_]+$")},
    {kFormula, member<&FormulaFit::formula>},
    {"deviation", member<&FormulaFit::deviation>, any_sign,
     "Relative error of the formula that is largest in magnitude, (formula - path) / path, where "
     "path is the longest path of the schedule. null if the formula holds for none of the numbers "
     "of ranks."},
    {"deviation_at_ranks",
     [](const FormulaFit& fit) { return value_if(fit.deviation.has_value(), fit.ranks); },
     "Number of ranks with this error. null if there is none."},
    {"deviation_in_words", from<deviation_in_words>},
});

constexpr auto kFormulas = fields<std::vector<FormulaFit>>({
    {"ranks",
     [](const std::vector<FormulaFit>&) {
       return std::array{kFewestFitted, kMostFitted};
     },
     at_least(1), "Smallest and largest number of ranks for which deviations are computed."},
    {"formulas", kFormulaFit,
     [](const std::vector<FormulaFit>& fits) -> const auto& { return fits; }},
});

}}  // namespace ::list_fields

extern const DocumentOf<std::span<const Algorithm* const>> kListDocument{
    {"tutti-list/1", "algorithms, as written by tutti list --json", list_fields::kList.view()}};
extern const DocumentOf<LibraryAnswer> kLibraryDocument{
    {"tutti-library/1", "algorithms of a library, as written by tutti list --library --json",
     list_fields::kLibrary.view()}};
extern const DocumentOf<std::vector<FormulaFit>> kFormulasDocument{
    {"tutti-formulas/1",
     "published formulas compared with schedules, as written by tutti list --formulas --json",
     list_fields::kFormulas.view()}};

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
