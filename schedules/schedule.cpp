#include "schedules/schedule.hpp"

#include "schedules/dependency_graph.hpp"

namespace tutti {

Schedule::Schedule() = default;
Schedule::Schedule(Schedule&&) noexcept = default;
Schedule& Schedule::operator=(Schedule&&) noexcept = default;
Schedule::~Schedule() = default;

std::size_t Schedule::memory_bytes() const {
  return ops_.capacity() * sizeof(Op) + payloads_.capacity() * sizeof(Payload) +
         pool_.capacity() * sizeof(BlockPair) + 2 * (ops_.size() + 1) * sizeof(std::uint32_t) +
         2 * dependencies_ * sizeof(OpId);
}

}  // namespace tutti
