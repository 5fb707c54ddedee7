// Settings of SimGrid that a platform file may contain in <config>: only those that define how the
// network, the hosts and SMPI are modelled. A file must not contain SimGrid's other settings, which
// write files, load plugins or stop the program.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti::inline platforms {

// Returns nothing if a setting is accepted. Otherwise returns the reason why it is refused, as the
// end of a sentence that begins with "<config> sets 'NAME'".
[[nodiscard]] std::optional<std::string> setting_refusal(std::string_view name,
                                                         std::string_view value);

}  // namespace tutti::inline platforms
