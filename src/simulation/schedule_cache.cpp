#include "src/simulation/schedule_cache.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/machine_memory.hpp"

namespace tutti { inline namespace simulation {

namespace {

// A single schedule takes at most 1/kShare of the cache, so that each of several threads can keep
// one.
constexpr std::size_t kShare = 4;

// The memory of an operation, with its payload and dependencies, in bytes, and the number of
// operations for each pair of ranks. On many ranks, these are upper bounds for all algorithms whose
// operations do not depend on the size. They determine, before a schedule is built, whether it is
// too large for the cache; if so, it is built without payload.
constexpr std::size_t kBytesPerOp = 68;
constexpr std::size_t kOpsPerPair = 4;

}  // namespace

std::size_t ScheduleCache::usual_bytes() {
  constexpr std::size_t kMost = std::size_t{1} << 31U;
  return std::min(kMost, usable_memory_bytes() / 4);
}

ScheduleCache::ScheduleCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

ScheduleCache::Shape ScheduleCache::shape_of(const Algorithm& algorithm, const Problem& problem) {
  Shape shape{&algorithm, problem};
  shape.problem.bytes = 0;
  shape.problem.block_bytes = {};
  return shape;
}

std::size_t ScheduleCache::Hash::operator()(const Shape& shape) const {
  const std::hash<std::size_t> hash;
  return std::hash<const Algorithm*>()(shape.algorithm) ^
         hash(std::size_t{shape.problem.ranks} << 32U | shape.problem.root);
}

bool ScheduleCache::worth_keeping(const Algorithm& algorithm, const Problem& problem) const {
  const std::size_t pairs = std::size_t{problem.ranks} * problem.ranks;
  return algorithm.one_shape != nullptr && algorithm.one_shape(problem) &&
         pairs <= most_bytes_ / (kShare * kOpsPerPair * kBytesPerOp);
}

ScheduleCache::Place* ScheduleCache::expect(const Algorithm& algorithm, const Problem& problem) {
  if (!worth_keeping(algorithm, problem)) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  Place& place = places_[shape_of(algorithm, problem)];
  ++place.expected;
  return &place;
}

void ScheduleCache::finish(Place* place) noexcept {
  if (place == nullptr) {
    return;
  }
  std::optional<Schedule> dropped;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  --place->expected;
  if (place->kept.size() > place->expected) {
    dropped = std::move(place->kept.back());
    place->kept.pop_back();
    bytes_ -= dropped->memory_bytes();
  }
}

ScheduleCache::Place* ScheduleCache::expect_more_like(const Algorithm& algorithm,
                                                      const Problem& problem) {
  Shape shape = shape_of(algorithm, problem);
  const std::lock_guard lock(mutex_);
  if (const auto at = places_.find(shape); at != places_.end()) {
    return &at->second;
  }
  places_.clear();
  bytes_ = 0;
  if (!worth_keeping(algorithm, problem)) {
    return nullptr;
  }
  Place& place = places_[std::move(shape)];
  place.expected = 2;
  return &place;
}

std::optional<Schedule> ScheduleCache::take_kept(Place& place) {
  const std::lock_guard lock(mutex_);
  if (place.kept.empty()) {
    return std::nullopt;
  }
  std::optional<Schedule> schedule = std::move(place.kept.back());
  place.kept.pop_back();
  bytes_ -= schedule->memory_bytes();
  return schedule;
}

Schedule ScheduleCache::take(Place* place, const Algorithm& algorithm, const Problem& problem,
                             Detail detail) {
  if (place == nullptr) {
    return make_schedule(algorithm, problem, detail);
  }
  if (auto schedule = take_kept(*place)) {
    check(algorithm, problem);
    schedule->resize(problem, algorithm.layout(problem));
    return std::move(*schedule);
  }
  const bool again = [&] {
    const std::lock_guard lock(mutex_);
    return place->expected > 1;
  }();
  return make_schedule(algorithm, problem, again ? Detail::payload : detail);
}

void ScheduleCache::give_back(Place* place, Schedule schedule) noexcept {
  if (place == nullptr || !schedule.has_payload()) {
    return;
  }
  const std::size_t bytes = schedule.memory_bytes();
  const std::lock_guard lock(mutex_);
  // The run that gives the schedule back still counts as expected.
  if (place->kept.size() + 1 >= place->expected || bytes_ + bytes > most_bytes_) {
    return;
  }
  try {
    place->kept.push_back(std::move(schedule));
    bytes_ += bytes;
  } catch (const std::bad_alloc&) {  // not kept; the run itself has succeeded
  }
}

std::size_t ScheduleCache::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}}  // namespace tutti::simulation
