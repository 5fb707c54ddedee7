#include "tests/schedules/explore/proof.hpp"

#include "schedules/assemble.hpp"

namespace tutti::explore {

Schedule schedule_of(const Draft& draft) {
  ScheduleParts parts;
  parts.problem = draft.problem;
  parts.layout = draft.layout;
  for (const DraftOp& op : draft.ops) {
    std::uint64_t bytes = 0;
    for (const BlockPair& pair : op.pairs) {
      bytes += draft.layout.size_bytes(pair.from % draft.blocks());
    }
    const auto count = static_cast<std::uint32_t>(op.pairs.size());
    const bool pooled = count > 1;
    const BlockSet from{
        pooled ? static_cast<std::uint32_t>(parts.pool.size()) : op.pairs.front().from, count};
    if (pooled) {
      parts.pool.insert(parts.pool.end(), op.pairs.begin(), op.pairs.end());
    }
    parts.add({op.kind, op.src, op.dst, bytes, op.label, op.from, op.into, op.from_is, pooled},
              {from, pooled ? 0 : op.pairs.front().into}, op.after);
  }
  return assemble(std::move(parts));
}

Answer ask(const Draft& draft, const Claims& claims) {
  try {
    const Schedule schedule = schedule_of(draft);
    VerifyOptions options;
    options.claims = claims;
    const Verdict verdict = verify(schedule, options);
    const bool lost_order =
        claims.keeps_order.value_or(false) && verdict.order == OperandOrder::commutative_only;
    // verify() must also report a lost order as a broken claim.
    TUTTI_INVARIANT(!lost_order || !verdict.claims_hold());
    return {!verdict.proved() || lost_order,
            verdict.findings.empty() ? "" : verdict.findings.front().text, !verdict.claims_hold()};
  } catch (const UserError& error) {
    return {true, error.what(), true};
  }
}

}  // namespace tutti::explore
