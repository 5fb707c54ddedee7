// Settings of SimGrid that a platform file may bring along, in <config>: those that say how the
// network, the hosts and SMPI are modelled, and nothing else. SimGrid has others, which write
// files, load plugins or stop the program; these are for whoever runs it, and not for a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tutti::inline platforms {

// Why SimGrid is not given this setting, as the end of a sentence that names it; nothing where it
// is.
[[nodiscard]] std::optional<std::string> setting_refusal(std::string_view name,
                                                         std::string_view value);

}  // namespace tutti::inline platforms
