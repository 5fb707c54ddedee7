#include "tutti/proof.hpp"

#include "schedules/verify/verify.hpp"
#include "src/public_api/inside.hpp"

namespace tutti::v1 {

Proof prove(const v1::Schedule& schedule) {
  return guarded([&] {
    const Verdict verdict = verify(schedule.inside().schedule);
    Proof proof{verdict.proved(),
                verdict.order == OperandOrder::rank_order,
                verdict.bitwise_equal,
                verdict.bytes_lower_bound,
                {}};
    for (const tutti::Finding& finding : verdict.findings) {
      proof.findings.push_back({std::string(tutti::name(finding.kind)), finding.text});
    }
    return proof;
  });
}

}  // namespace tutti::v1
