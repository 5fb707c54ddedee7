// Cache of schedules. If the operations of an algorithm do not depend on the size, a run of the
// same problem at another size reuses an earlier schedule and only changes its byte counts.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "schedules/algorithm.hpp"

namespace tutti { inline namespace simulation {

// Thread-safe. A shape is a problem without its size. A caller owns the schedule that it takes, so
// two threads that run the same shape have a schedule each. Callers announce their runs beforehand,
// so that the cache keeps only schedules that another run will use.
class ScheduleCache {
 public:
  // `most_bytes`: limit for all kept schedules; by default a quarter of the machine's memory, but
  // at most 2 GiB. The schedules of one shape on a few thousand ranks would need more with their
  // payload; making them again takes a small share of the time to run them.
  explicit ScheduleCache(std::size_t most_bytes = usual_bytes());

  // The schedules of one shape that are in the cache. A null Place* means that the schedules of a
  // run are not cached.
  struct Place {
    std::size_t expected = 0;
    std::vector<Schedule> kept;
  };

  // expect() announces a run, and finish() ends it, whether or not the run took a schedule.
  [[nodiscard]] Place* expect(const Algorithm& algorithm, const Problem& problem);
  void finish(Place* place) noexcept;
  // Use this in place of expect() and finish() if the runs are not known beforehand, but runs of
  // one shape follow each other. Expects this run and one more of its shape. For a new shape, drops
  // the places of all other shapes, so pointers to these places become invalid.
  [[nodiscard]] Place* expect_more_like(const Algorithm& algorithm, const Problem& problem);

  // Returns a schedule as make_schedule() does, from the cache if possible. If another run of the
  // shape is expected, a new schedule includes its payload, without which the cache cannot keep it.
  [[nodiscard]] Schedule take(Place* place, const Algorithm& algorithm, const Problem& problem,
                              Detail detail);
  // Puts a schedule back into the cache after its use. Drops it if no other run needs it, or if it
  // is too large.
  void give_back(Place* place, Schedule schedule) noexcept;

  // Bytes of all schedules that are kept now.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  // A problem without its size, and the algorithm that solves it.
  struct Shape {
    const Algorithm* algorithm;
    Problem problem;

    friend bool operator==(const Shape&, const Shape&) = default;
  };
  struct Hash {
    std::size_t operator()(const Shape& shape) const;
  };
  static std::size_t usual_bytes();
  [[nodiscard]] static Shape shape_of(const Algorithm& algorithm, const Problem& problem);
  [[nodiscard]] bool worth_keeping(const Algorithm& algorithm, const Problem& problem) const;
  [[nodiscard]] std::optional<Schedule> take_kept(Place& place);

  std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::unordered_map<Shape, Place, Hash> places_;
};

}}  // namespace tutti::simulation
