#include "sim/mpi/plan/admission.hpp"

#include <fmt/format.h>

#include "base/field_names.hpp"
#include "schedules/verify/verify.hpp"

namespace tutti::mpi {

std::optional<Refusal> refusal(const Schedule& schedule, const Element& element) {
  if (schedule.switches() > 0) {
    return Refusal{RefusalKind::problem,
                   "the schedule uses switches, but MPI has only ranks; 'tutti simulate' runs it "
                   "on a platform that declares switches"};
  }
  const Verdict verdict = verify(schedule);
  if (!verdict.proved()) {
    for (const Finding& finding : verdict.findings) {
      if (finding.kind != FindingKind::claim) {
        return Refusal{RefusalKind::proof,
                       fmt::format("the schedule is not run, because its proof fails ({}): {}",
                                   name(finding.kind), finding.text)};
      }
    }
    return Refusal{RefusalKind::proof, "the schedule is not run, because its proof fails"};
  }
  if (!element.commutative() && verdict.order == OperandOrder::commutative_only) {
    return Refusal{
        RefusalKind::order,
        fmt::format(
            "$op {} does not commute, and this schedule does not combine the ranks' contributions "
            "in rank order; 'tutti verify' says which algorithms do",
            name(element.op))};
  }
  return std::nullopt;
}

}  // namespace tutti::mpi
