#include "src/formats/call_size.hpp"

#include <fmt/format.h>

#include "base/human.hpp"

namespace tutti { inline namespace formats {

namespace {

// Returns the size of the largest block.
std::uint64_t block_bytes(std::uint64_t bytes, std::uint32_t ranks) {
  return (bytes + ranks - 1) / ranks;
}

// Returns the size that OSU's benchmark reports for the call, in bytes.
std::uint64_t benchmark_bytes(Collective collective, std::uint64_t bytes, std::uint32_t ranks) {
  return benchmarks_count_blocks(collective) ? block_bytes(bytes, ranks) : bytes;
}

std::string benchmark_of(Collective collective) { return fmt::format("osu_{}", name(collective)); }

std::vector<TableColumn> after_call(Collective collective, std::vector<TableColumn> columns,
                                    bool benchmark) {
  columns.insert(columns.begin(),
                 {{"p", true},
                  {"n", true, 0, collective != Collective::barrier},
                  {"block", true, 0, owns_parts(collective)},
                  {benchmark_of(collective), true, 0, benchmark && owns_parts(collective)}});
  return columns;
}

}  // namespace

bool benchmarks_count_blocks(Collective collective) {
  return owns_parts(collective) && collective != Collective::reduce_scatter;
}

std::string call_size(Collective collective, std::uint64_t bytes, std::uint32_t ranks) {
  const std::string size = human_bytes(bytes);
  return owns_parts(collective)
             ? fmt::format("{} ({} for each rank)", size, human_bytes(block_bytes(bytes, ranks)))
             : size;
}

std::string call_size_and_benchmark(Collective collective, std::uint64_t bytes,
                                    std::uint32_t ranks) {
  std::string text = call_size(collective, bytes, ranks);
  if (owns_parts(collective)) {
    text.insert(text.size() - 1, fmt::format("; {} calls this {}", benchmark_of(collective),
                                             benchmark_bytes(collective, bytes, ranks)));
  }
  return text;
}

std::string ranks_and_size(Collective collective, std::uint64_t bytes, std::uint32_t ranks) {
  return collective == Collective::barrier
             ? fmt::format("p = {}", ranks)
             : fmt::format("p = {}, n = {}", ranks, call_size(collective, bytes, ranks));
}

CallTable::CallTable(Collective collective, std::vector<TableColumn> columns, bool benchmark)
    : collective_(collective), table_(after_call(collective, std::move(columns), benchmark)) {}

void CallTable::add(std::uint32_t ranks, std::uint64_t bytes, std::vector<std::string> cells,
                    Style style, std::size_t styled) {
  cells.insert(cells.begin(), {fmt::format("{}", ranks), human_bytes(bytes),
                               human_bytes(block_bytes(bytes, ranks)),
                               fmt::format("{}", benchmark_bytes(collective_, bytes, ranks))});
  table_.add(std::move(cells), style, styled + 4);
}

}}  // namespace tutti::formats
