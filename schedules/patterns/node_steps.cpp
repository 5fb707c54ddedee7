#include "schedules/patterns/node_steps.hpp"

namespace tutti { inline namespace schedules {

void NodeSteps::emit(ScheduleBuilder& builder) const {
  constexpr BlockSet kAll{0, 1};
  builder.reserve(steps_.size(), 4 * steps_.size());
  Phases phases(builder, 2 * std::size_t{most_});
  std::uint32_t phase = 0;
  for (const Step& step : steps_) {
    for (; phase < step.phase; ++phase) {
      phases.next();
    }
    const Move move{kAll, step.from, step.into};
    switch (step.kind) {
      case OpKind::comm:
        phases.comm(step.src, step.dst, move, step.segment);
        break;
      case OpKind::reduce:
        phases.reduce(step.dst, move, Operand::left, step.segment);
        break;
      case OpKind::copy:
        phases.copy(step.dst, move, step.segment);
        break;
    }
  }
}

}}  // namespace tutti::schedules
