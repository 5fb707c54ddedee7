#include "src/formats/call_size.hpp"

#include <fmt/format.h>

#include "base/human.hpp"

namespace tutti::inline formats {

bool benchmarks_count_blocks(Collective collective) {
  return owns_parts(collective) && collective != Collective::reduce_scatter;
}

std::string block_in_words(std::uint64_t bytes, std::uint32_t ranks) {
  return human_bytes((bytes + ranks - 1) / ranks);
}

std::string call_size(Collective collective, std::uint64_t bytes, std::uint32_t ranks) {
  const std::string size = human_bytes(bytes);
  return owns_parts(collective)
             ? fmt::format("{} ({} for each rank)", size, block_in_words(bytes, ranks))
             : size;
}

}  // namespace tutti::inline formats
