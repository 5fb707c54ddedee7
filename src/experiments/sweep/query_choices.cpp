#include "src/experiments/sweep/query_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "schedules/run_words.hpp"
#include "src/experiments/decisions/table_run.hpp"
#include "src/rule_files/rule_file.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr const char* kMakeChoices =
    "CREATE TABLE choices (question INTEGER PRIMARY KEY, chosen TEXT, chosen_options TEXT, "
    "other_options TEXT, why_not TEXT)";

struct QueryChoice {
  std::string algorithm;
  std::string options;
  std::string other_options;
  std::string refusal;
};

QueryChoice choice_in(const DecisionTable& table, const ProblemTemplate& in_view,
                      const Problem& problem) {
  const auto rule = look_up(table, problem.ranks, problem.bytes, problem.element_bytes,
                            nodes_of(problem.ranks, in_view.ranks_per_host));
  if (!rule) {
    return {"", "", "", "the table has no rule for this case"};
  }
  const TableRun run = table_run(table, *rule->choice, in_view, problem);
  if (!run.what) {
    return {in_words(run.choice), "", "", run.refusal};
  }
  const Algorithm& algorithm = *run.what->algorithm;
  QueryChoice choice{std::string(algorithm.name), options_text(algorithm, run.what->problem), "",
                     ""};
  choice.other_options = choice.options;
  // An unsegmented run may be stored with a segment as long as the vector, or without a segment
  // size.
  if (run.what->problem.segment_bytes == run.what->problem.bytes) {
    Problem uncut = run.what->problem;
    uncut.segment_bytes = 0;
    choice.other_options = options_text(algorithm, uncut);
  }
  return choice;
}

}  // namespace

std::string is_algorithm(const std::string& parameter) {
  return parameter +
         " IN (label, algorithm, collective || '/' || algorithm, collective || '/' || label)";
}

bool has_algorithm(Database& runs, const std::string& algorithm) {
  Statement statement(runs, "SELECT 1 FROM runs WHERE " + is_algorithm("?1"));
  statement.bind(1, algorithm);
  return statement.step();
}

std::string choose_algorithm(Database& runs, const std::string& against) {
  runs.run(kMakeChoices);
  const std::string meant = " FROM runs WHERE contenders > 0 AND " + is_algorithm("?1");
  Statement choose(runs,
                   "INSERT INTO choices SELECT question, algorithm, options, options, '' FROM "
                   "(SELECT *, min(position)" +
                       meant + " GROUP BY question)");
  choose.bind(1, against);
  choose.run();
  Statement select(runs, "SELECT DISTINCT label" + meant + " ORDER BY label");
  select.bind(1, against);
  std::vector<std::string> labels;
  while (select.step()) {
    labels.push_back(select.text(0));
  }
  if (labels.empty()) {
    throw UserError(fmt::format(
        "$against '{}': neither an algorithm of a matching cell nor a file with a decision table",
        against));
  }
  if (labels.size() > 1) {
    throw UserError(fmt::format(
        "$against '{}': this algorithm was run with several sets of options; choose one of '{}'",
        against, fmt::join(labels, "', '")));
  }
  return labels.front();
}

void choose_by_file(Database& runs, const std::string& file) {
  const std::vector<DecisionTable> tables = read_tables(file);
  runs.run(kMakeChoices);
  Statement add(runs, "INSERT INTO choices VALUES (?1, ?2, ?3, ?4, ?5)");
  Statement questions(runs,
                      "SELECT question, collective, ranks, bytes, element_bytes, ranks_per_host, "
                      "root FROM runs WHERE rank = 1 AND contenders > 0 ORDER BY question");
  bool any = false;
  while (questions.step()) {
    const auto table = std::ranges::find(
        tables, questions.text(1), [](const DecisionTable& each) { return name(each.collective); });
    if (table == tables.end()) {
      continue;
    }
    any = true;
    Problem problem;
    problem.collective = table->collective;
    problem.ranks = static_cast<std::uint32_t>(questions.integer(2));
    problem.bytes = static_cast<std::uint64_t>(questions.integer(3));
    problem.element_bytes = static_cast<std::uint32_t>(questions.integer(4));
    ProblemTemplate in_view;
    in_view.element_bytes = problem.element_bytes;
    in_view.ranks_per_host = static_cast<std::uint32_t>(questions.integer(5));
    if (questions.integer(6) != 0) {
      in_view.root = static_cast<Rank>(questions.integer(6));
    }
    const QueryChoice choice = choice_in(*table, in_view, problem);
    add.bind(1, questions.integer(0));
    add.bind(2, choice.algorithm);
    add.bind(3, choice.options);
    add.bind(4, choice.other_options);
    add.bind(5, choice.refusal);
    add.run();
  }
  if (!any) {
    std::vector<std::string_view> there;
    std::ranges::transform(tables, std::back_inserter(there),
                           [](const DecisionTable& each) { return name(each.collective); });
    throw UserError(
        fmt::format("$against '{}': the file has no table for the collective of a matching cell; "
                    "its tables: {}",
                    file, there.empty() ? "none" : fmt::format("{}", fmt::join(there, ", "))));
  }
}

}}  // namespace tutti::experiments
