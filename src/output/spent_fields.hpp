// The fields of SpentTime in documents.
#pragma once

#include "src/output/common_fields.hpp"
#include "src/steps/account.hpp"

namespace tutti { inline namespace output {

inline constexpr auto kSpent = fields<SpentTime>({
    {"computing_s", member<&SpentTime::computing_s>},
    {"slowed_s", member<&SpentTime::slowed_s>,
     "Part of computing_s: by how much communication beside it makes it longer."},
    {"core_wait_s", member<&SpentTime::core_wait_s>,
     "Computing that waits for the core, on which a collective reduces."},
    {"exposed_s", member<&SpentTime::exposed_s>, "Communication for which computing waits."},
    {"hidden_s", member<&SpentTime::hidden_s>,
     "Communication beside computing or other communication."},
});

}}  // namespace tutti::output
