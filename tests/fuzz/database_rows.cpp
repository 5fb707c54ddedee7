// libFuzzer target: no row with a valid checksum may crash the code that uses the rows of a
// database. The input is a row as text, which row_text.hpp reads.
#include <sstream>

#include "schedules/registry.hpp"
#include "src/experiments/sweep/cell_table.hpp"
#include "src/experiments/sweep/query_runs.hpp"
#include "src/experiments/sweep/query_views.hpp"
#include "src/experiments/sweep/result_store.hpp"
#include "src/output/query_output.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/row_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tutti::CellRow row = fuzz::row_of(fuzz::text_of(data, size));
  (void)checksum_of(row);
  (void)cell_name(row.key);
  if (fault_in(row) || fault_in(row.answer)) {
    return 0;
  }
  fuzz::may_refuse([&row] {
    tutti::CellRow other = row;
    other.key.algorithm += "x";
    tutti::Database runs = tutti::query_runs({row, other});
    std::ostringstream out;
    for (const tutti::QueryTable& table :
         {tutti::cells_view(runs), tutti::best_view(runs), tutti::times_view(runs),
          tutti::losses_view(runs, row.key.algorithm, std::nullopt)}) {
      write_query_json(table, out);
      write_query_csv(table, out);
      print_query(table, out);
    }
  });
  fuzz::may_refuse([&row] {
    const tutti::Machine machine;
    tutti::Case cell{&tutti::algorithm_named("allreduce/ring"), {}, &machine};
    cell.problem.ranks = 4;
    cell.problem.bytes = 64;
    (void)outcome_of(cell, row.answer);
  });
  return 0;
}
