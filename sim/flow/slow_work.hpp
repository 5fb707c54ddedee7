// Local work whose speed depends on what else is under way at its rank (SlowComputing).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "schedules/op.hpp"
#include "sim/engine.hpp"
#include "sim/event_queue.hpp"

namespace tutti { inline namespace sim {

class SlowWork {
 public:
  // `slow` and `pool` must outlive this object.
  SlowWork(const SlowComputing& slow, std::uint32_t ranks, IdPool& pool)
      : slow_(slow),
        works_(ranks),
        busy_(std::size_t{ranks} * slow.factors.size(), 0),
        ends_(pool) {}

  [[nodiscard]] bool slows(OpId id) const { return slow_.change[id] == SlowComputing::kSlowed; }
  // Begins an operation of a rank that takes `work_s` while no stream is busy.
  void start(OpId id, Rank rank, double now_s, double work_s) {
    works_[rank].op = id;
    push(works_[rank], now_s, work_s);
  }
  // Applies the end of an operation without duration, which may start or end other work.
  void change(OpId id, Rank rank, double now_s) {
    const std::int16_t change = slow_.change[id];
    if (change == 0 || change == SlowComputing::kSlowed) {
      return;
    }
    const std::size_t streams = slow_.factors.size();
    std::uint32_t* const busy = busy_.data() + rank * streams;
    busy[static_cast<std::size_t>(std::abs(change)) - 1] += change > 0 ? 1U : ~0U;
    double factor = 1;
    for (std::size_t stream = 0; stream < streams; ++stream) {
      factor = busy[stream] > 0 ? std::max(factor, slow_.factors[stream]) : factor;
    }
    Work& work = works_[rank];
    if (factor != work.factor) {
      const double left_s = (work.end_s - now_s) / work.factor;
      work.factor = factor;
      if (work.op != kNoOp) {
        push(work, now_s, std::max(left_s, 0.0));
      }
    }
  }

  // Time of the next end; infinity if there is none.
  [[nodiscard]] double next_s() { return ends_.next_s(IsPresent{*this}); }
  // Calls ended(id) for each operation that ends by `until_s`.
  template <typename Ended>
  void pop_until(double until_s, Ended&& ended) {
    ends_.pop_until(until_s, IsPresent{*this},
                    [&](std::uint32_t rank) { ended(std::exchange(works_[rank].op, kNoOp)); });
  }

 private:
  // The operation that a rank works on.
  struct Work {
    OpId op = kNoOp;
    double end_s = 0;
    double factor = 1;
  };
  // An event is the end of a rank's operation, unless it has been replaced by a later one.
  struct IsPresent {
    const SlowWork& of;
    bool operator()(const Event& event) const {
      const Work& work = of.works_[event.id];
      return work.op != kNoOp && work.end_s == event.at_s;
    }
  };

  void push(Work& work, double now_s, double left_s) {
    const auto rank = static_cast<std::uint32_t>(&work - works_.data());
    work.end_s = ends_.push(now_s, left_s * work.factor, rank);
  }

  const SlowComputing& slow_;
  std::vector<Work> works_;          // by rank
  std::vector<std::uint32_t> busy_;  // by rank and stream: works under way
  EventQueue ends_;
};

}}  // namespace tutti::sim
