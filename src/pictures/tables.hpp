// Tables with the data of documents.
#pragma once

#include <vector>

#include "src/pictures/document.hpp"
#include "src/pictures/table.hpp"
#include "src/pictures/times_table.hpp"

namespace tutti::inline pictures {

[[nodiscard]] DataTable times_rows(const TimesTable& times);
// Returns tables of a decision's rules, of its cells with the reasons, and, if the decision was
// compared with a rule table, of that table's losses.
[[nodiscard]] std::vector<DataTable> decision_tables(const nlohmann::json& decision);
[[nodiscard]] std::vector<DataTable> validation_tables(const nlohmann::json& validation);
// Compares two runs: where their times go, and their rounds.
[[nodiscard]] std::vector<DataTable> contrast_tables(const nlohmann::json& contrast);
// Returns a table of similar objects, such as the rows of a query, with a column for each key.
[[nodiscard]] DataTable plain_table(const nlohmann::json& rows, std::string id, std::string title);

}  // namespace tutti::inline pictures
