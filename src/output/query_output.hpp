// The results of database queries, as text, JSON and CSV.
#pragma once

#include <iosfwd>

#include "src/experiments/sweep/query_views.hpp"

namespace tutti { inline namespace output {

// Writes JSON of schema tutti-query/1.
void write_query_json(const QueryTable& table, std::ostream& out);
void write_query_csv(const QueryTable& table, std::ostream& out);
void print_query(const QueryTable& table, std::ostream& out);

}}  // namespace tutti::output
