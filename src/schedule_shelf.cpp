#include "src/schedule_shelf.hpp"

#include <utility>

#include "files/machine_memory.hpp"

namespace tutti {

namespace {

// A single schedule takes no more than this share of the shelf: that of several, for each thread.
constexpr std::size_t kShare = 4;

// More than any algorithm of one shape takes on many ranks: bytes of an operation with its payload
// and dependencies, and operations for each pair of ranks. Known before a schedule is made, so that
// a large one is made without payload.
constexpr std::size_t kBytesPerOp = 68;
constexpr std::size_t kOpsPerPair = 4;

}  // namespace

std::size_t ScheduleShelf::quarter_of_memory() { return physical_memory_bytes() / 4; }

ScheduleShelf::ScheduleShelf(std::size_t most_bytes) : most_bytes_(most_bytes) {}

ScheduleShelf::Shape ScheduleShelf::shape_of(const Algorithm& algorithm, const Problem& problem) {
  Shape shape{&algorithm, problem};
  shape.problem.bytes = 0;
  shape.problem.block_bytes = {};
  return shape;
}

std::size_t ScheduleShelf::Hash::operator()(const Shape& shape) const {
  const std::hash<std::size_t> hash;
  return std::hash<const Algorithm*>()(shape.algorithm) ^
         hash(std::size_t{shape.problem.ranks} << 32U | shape.problem.root);
}

bool ScheduleShelf::worth_keeping(const Algorithm& algorithm, const Problem& problem) const {
  const std::size_t pairs = std::size_t{problem.ranks} * problem.ranks;
  return algorithm.one_shape != nullptr && algorithm.one_shape(problem) &&
         pairs <= most_bytes_ / (kShare * kOpsPerPair * kBytesPerOp);
}

void ScheduleShelf::expect(const Algorithm& algorithm, const Problem& problem) {
  if (worth_keeping(algorithm, problem)) {
    const std::lock_guard lock(mutex_);
    ++places_[shape_of(algorithm, problem)].expected;
  }
}

void ScheduleShelf::over(const Algorithm& algorithm, const Problem& problem) {
  if (!worth_keeping(algorithm, problem)) {
    return;
  }
  std::optional<Schedule> dropped;  // once the lock is open
  const std::lock_guard lock(mutex_);
  const auto at = places_.find(shape_of(algorithm, problem));
  Place& place = at->second;
  --place.expected;
  if (place.kept.size() > place.expected) {
    dropped = std::move(place.kept.back());
    place.kept.pop_back();
    bytes_ -= dropped->memory_bytes();
  }
  if (place.expected == 0) {
    places_.erase(at);
  }
}

void ScheduleShelf::expect_more_like(const Algorithm& algorithm, const Problem& problem) {
  Shape shape = shape_of(algorithm, problem);
  const std::lock_guard lock(mutex_);
  if (!places_.contains(shape)) {
    places_.clear();
    bytes_ = 0;
    if (worth_keeping(algorithm, problem)) {
      places_[std::move(shape)].expected = 2;
    }
  }
}

std::optional<Schedule> ScheduleShelf::take_kept(const Shape& shape) {
  const std::lock_guard lock(mutex_);
  const auto at = places_.find(shape);
  if (at == places_.end() || at->second.kept.empty()) {
    return std::nullopt;
  }
  std::optional<Schedule> schedule = std::move(at->second.kept.back());
  at->second.kept.pop_back();
  bytes_ -= schedule->memory_bytes();
  return schedule;
}

Schedule ScheduleShelf::take(const Algorithm& algorithm, const Problem& problem, Detail detail) {
  if (!worth_keeping(algorithm, problem)) {
    return make_schedule(algorithm, problem, detail);
  }
  const Shape shape = shape_of(algorithm, problem);
  if (auto schedule = take_kept(shape)) {
    check(algorithm, problem);
    schedule->resize(problem, algorithm.layout(problem));
    return std::move(*schedule);
  }
  const bool again = [&] {
    const std::lock_guard lock(mutex_);
    const auto at = places_.find(shape);
    return at != places_.end() && at->second.expected > 1;
  }();
  return make_schedule(algorithm, problem, again ? Detail::payload : detail);
}

void ScheduleShelf::give_back(const Algorithm& algorithm, Schedule schedule) {
  if (!worth_keeping(algorithm, schedule.problem()) || !schedule.has_payload()) {
    return;
  }
  const std::size_t bytes = schedule.memory_bytes();
  const std::lock_guard lock(mutex_);
  const auto at = places_.find(shape_of(algorithm, schedule.problem()));
  // The run that gives it back is expected itself until it is over.
  if (at == places_.end() || at->second.kept.size() + 1 >= at->second.expected ||
      bytes_ + bytes > most_bytes_) {
    return;
  }
  bytes_ += bytes;
  at->second.kept.push_back(std::move(schedule));
}

std::size_t ScheduleShelf::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace tutti
