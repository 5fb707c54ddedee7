// Schedules between runs of one shape: of an algorithm whose operations do not depend on the size,
// the same problem at another size takes the schedule of the last one, with other bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "schedules/algorithm.hpp"

namespace tutti::inline simulation {

// For any number of threads. A schedule that is taken belongs to who took it: two threads that run
// the same shape have one each. It is told beforehand which runs there will be, so that it keeps
// nothing that nobody will ask for.
class ScheduleCache {
 public:
  // `most_bytes`: of all that it keeps. By default a quarter of the machine's memory.
  explicit ScheduleCache(std::size_t most_bytes = quarter_of_memory());

  // Where schedules of one shape lie; null where those of a run are not for the cache.
  struct Place {
    std::size_t expected = 0;
    std::vector<Schedule> kept;
  };

  // One more run to come; one less, whether or not it took a schedule.
  [[nodiscard]] Place* expect(const Algorithm& algorithm, const Problem& problem);
  void over(Place* place) noexcept;
  // In place of both where nobody knows what is to come, but runs of a shape follow each other:
  // this one, then one more of its shape, and none of any other. Places of others are gone.
  [[nodiscard]] Place* expect_more_like(const Algorithm& algorithm, const Problem& problem);

  // As make_schedule(); but from the cache, or with the payload that makes it fit for it, where
  // another run of the shape is expected.
  [[nodiscard]] Schedule take(Place* place, const Algorithm& algorithm, const Problem& problem,
                              Detail detail);
  // What was taken, when it is used no more. Dropped where nobody will need it or it is too large.
  void give_back(Place* place, Schedule schedule) noexcept;

  // What it keeps now takes so much.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  // A problem without its size, and who solves it.
  struct Shape {
    const Algorithm* algorithm;
    Problem problem;

    friend bool operator==(const Shape&, const Shape&) = default;
  };
  struct Hash {
    std::size_t operator()(const Shape& shape) const;
  };
  static std::size_t quarter_of_memory();
  [[nodiscard]] static Shape shape_of(const Algorithm& algorithm, const Problem& problem);
  [[nodiscard]] bool worth_keeping(const Algorithm& algorithm, const Problem& problem) const;
  [[nodiscard]] std::optional<Schedule> take_kept(Place& place);

  std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::unordered_map<Shape, Place, Hash> places_;
};

}  // namespace tutti::inline simulation
