// Settings of SimGrid that a platform file may contain in <config>: only those that define how the
// network, the hosts and SMPI are modelled. SimGrid has other settings, which write files, load
// plugins or stop the program. A file must not set these.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti::inline platforms {

// Returns the reason why a setting is refused, as the end of a sentence that names the setting;
// nothing if it is accepted.
[[nodiscard]] std::optional<std::string> setting_refusal(std::string_view name,
                                                         std::string_view value);

}  // namespace tutti::inline platforms
