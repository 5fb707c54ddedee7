#include "src/formats/call_size.hpp"

#include <fmt/format.h>

#include "base/human.hpp"

namespace tutti::inline formats {

namespace {

// Returns the size of the largest block as text: "64 bytes".
std::string block_in_words(std::uint64_t bytes, std::uint32_t ranks) {
  return human_bytes((bytes + ranks - 1) / ranks);
}

std::vector<TableColumn> after_call(Collective collective, std::vector<TableColumn> columns) {
  columns.insert(columns.begin(), {{"p", true},
                                   {"n", true, 0, collective != Collective::barrier},
                                   {"block", true, 0, owns_parts(collective)}});
  return columns;
}

}  // namespace

bool benchmarks_count_blocks(Collective collective) {
  return owns_parts(collective) && collective != Collective::reduce_scatter;
}

std::string call_size(Collective collective, std::uint64_t bytes, std::uint32_t ranks) {
  const std::string size = human_bytes(bytes);
  return owns_parts(collective)
             ? fmt::format("{} ({} for each rank)", size, block_in_words(bytes, ranks))
             : size;
}

std::string ranks_and_size(Collective collective, std::uint64_t bytes, std::uint32_t ranks) {
  return collective == Collective::barrier
             ? fmt::format("p = {}", ranks)
             : fmt::format("p = {}, n = {}", ranks, call_size(collective, bytes, ranks));
}

CallTable::CallTable(Collective collective, std::vector<TableColumn> columns)
    : table_(after_call(collective, std::move(columns))) {}

void CallTable::add(std::uint32_t ranks, std::uint64_t bytes, std::vector<std::string> cells,
                    Style style, std::size_t styled) {
  cells.insert(cells.begin(),
               {fmt::format("{}", ranks), human_bytes(bytes), block_in_words(bytes, ranks)});
  table_.add(std::move(cells), style, styled + 3);
}

}  // namespace tutti::inline formats
