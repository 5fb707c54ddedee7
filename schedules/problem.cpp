#include "schedules/problem.hpp"

#include <algorithm>
#include <numeric>

namespace tutti { inline namespace schedules {

Problem::Problem() = default;
Problem::Problem(const Problem&) = default;
Problem::Problem(Problem&&) noexcept = default;
Problem& Problem::operator=(const Problem&) = default;
Problem& Problem::operator=(Problem&&) noexcept = default;
Problem::~Problem() = default;
bool operator==(const Problem&, const Problem&) = default;

std::uint64_t Problem::vector_bytes() const {
  if (collective != Collective::alltoallv) {
    return bytes;
  }
  return block_bytes.empty()
             ? bytes * ranks
             : std::accumulate(block_bytes.begin(), block_bytes.end(), std::uint64_t{0});
}

std::optional<std::uint64_t> largest_buffer(const std::vector<std::uint64_t>& block_bytes,
                                            std::uint32_t ranks) {
  std::uint64_t most = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    for (std::uint32_t other = 0; other < ranks; ++other) {
      sent += block_bytes[std::size_t{rank} * ranks + other];
      received += block_bytes[std::size_t{other} * ranks + rank];
      if (sent > kMaxMessageBytes || received > kMaxMessageBytes) {
        return std::nullopt;
      }
    }
    most = std::max({most, sent, received});
  }
  return most;
}

}}  // namespace tutti::schedules
