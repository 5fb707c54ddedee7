// Tables with the data of documents, which a page can sort.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "src/pictures/times_table.hpp"

namespace tutti { inline namespace pictures {

struct DataCell {
  std::optional<double> number;  // the key for sorting; if absent, the text is the key
  std::string text;              // the text that is shown
};

struct DataColumn {
  std::string name;
  std::string unit;  // "us"; "" if there is no unit
  bool of_numbers = false;
};

struct DataTable {
  std::string id;
  std::string title;
  std::vector<DataColumn> columns;
  std::vector<std::vector<DataCell>> rows = {};
};

[[nodiscard]] DataTable times_rows(const TimesTable& times);
// Returns tables of a decision's rules, of its cells with the reasons, and, if the decision was
// compared with a rule table, of that table's losses.
[[nodiscard]] std::vector<DataTable> decision_tables(const nlohmann::json& decision);
// Returns tables of an entry of "outputs" of a tutti-doctor/1 document: its sizes, and its
// symptoms.
[[nodiscard]] std::vector<DataTable> doctor_tables(const nlohmann::json& output);
// Returns a table of symptoms of a tutti-doctor/1 document.
[[nodiscard]] DataTable symptoms_table(const nlohmann::json& symptoms, const std::string& title);
// Returns tables of a site's rules: the gains of each collective, how the files are installed, and
// all cells.
[[nodiscard]] std::vector<DataTable> site_tables(const nlohmann::json& site);
// Returns a table of the times of NCCL's model and of their simulated times or, for grouped calls,
// of the simulated times.
[[nodiscard]] DataTable nccl_table(const nlohmann::json& answers);
// Returns a table of lower bounds with their certificates in words.
[[nodiscard]] DataTable bounds_table(const nlohmann::json& bounds);
[[nodiscard]] std::vector<DataTable> validation_tables(const nlohmann::json& validation);
// Returns tables of a tutti-step/1 document: what each statement takes, and the changes, if any.
[[nodiscard]] std::vector<DataTable> step_tables(const nlohmann::json& step);
// Compares two runs: where their times go, and their rounds.
[[nodiscard]] std::vector<DataTable> contrast_tables(const nlohmann::json& contrast);
// Returns a table of similar objects, such as the rows of a query, with a column for each key.
[[nodiscard]] DataTable plain_table(const nlohmann::json& rows, std::string id, std::string title);

// Returns a name for each run of a validation: "allreduce/ring", or "allreduce/circulant --skips
// sqrt" if the algorithm was run with several sets of options.
[[nodiscard]] std::vector<std::string> run_names(const nlohmann::json& runs);
// Returns the label of the algorithm that a rule table runs in a cell of a decision's "against"; ""
// if it is unknown.
[[nodiscard]] std::string label_of_run(const nlohmann::json& cell);
// Returns the title of the table that a decision is compared with or, if it has none, its file or
// the library.
[[nodiscard]] std::string name_of_rival(const nlohmann::json& against);

}}  // namespace tutti::pictures
