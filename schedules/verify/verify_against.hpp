// The proof of a schedule whose ranks must end with something else than its collective demands.
#pragma once

#include <functional>

#include "schedules/verify/findings.hpp"
#include "schedules/verify/replay.hpp"
#include "schedules/verify/result.hpp"
#include "schedules/verify/verify.hpp"

namespace tutti { inline namespace schedules {

// Looks at the values with which all ranks end, and adds a finding for each that is wrong.
using ResultChecker = std::function<Result(Replay&, Findings&)>;

// Verifies like verify(), but with the given contract, which says what each rank has at the start,
// and with the given check of the values at the end. The schedule must have payload.
[[nodiscard]] Verdict verify_against(const Schedule& schedule, const Contract& contract,
                                     const VerifyOptions& options, const ResultChecker& check);

}}  // namespace tutti::schedules
