#include "schedules/verify/structure.hpp"

#include <fmt/format.h>

#include "schedules/notation/print.hpp"
#include "schedules/verify/events.hpp"

namespace tutti { inline namespace schedules {

namespace {

// Position of an event in the witness execution. The order of the moments puts recv_post before
// send_done, as in the rendezvous protocol.
std::uint64_t place(OpEvent event) {
  return std::uint64_t{event.op} * 4 + static_cast<std::uint64_t>(event.moment);
}

}  // namespace

void check_termination(const Schedule& schedule, Findings& findings) {
  for (OpId id = 0; id < schedule.size(); ++id) {
    const bool is_comm = schedule.op(id).is_comm();
    for (const Moment moment :
         {Moment::send_post, Moment::recv_post, Moment::send_done, Moment::recv_done}) {
      if (!is_comm && moment != Moment::send_post) {
        break;
      }
      const OpEvent event{id, moment};
      for_each_event_before(schedule, event, [&](OpEvent before) {
        if (place(before) >= place(event)) {
          findings.add(FindingKind::termination, id, [&] {
            return fmt::format("{} waits for {}, which waits for it in turn",
                               label_text(schedule.op(id)), label_text(schedule.op(before.op)));
          });
        }
      });
    }
  }
}

void check_locality(const Schedule& schedule, Findings& findings) {
  for (OpId id = 0; id < schedule.size(); ++id) {
    const Op& op = schedule.op(id);
    for (const OpId before : schedule.predecessors(id)) {
      if (!op.shares_rank(schedule.op(before))) {
        findings.add(FindingKind::locality, id, [&] {
          return fmt::format(
              "{} comes after {}, but no rank takes part in both, so no MPI rank could wait for "
              "it; connect them by a chain of operations that ends at rank {}{}",
              label_text(op), label_text(schedule.op(before)), op.src(),
              op.is_comm() ? fmt::format(" or {}", op.dst()) : "");
        });
      }
    }
  }
}

}}  // namespace tutti::schedules
