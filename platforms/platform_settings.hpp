// Settings of SimGrid in the <config> of a platform file. SimGrid gets only those that define how
// messages and reductions are simulated. It never gets its other settings, which write files, load
// plugins or stop the program.
#pragma once

#include <string>
#include <string_view>

namespace tutti { inline namespace platforms {

struct SettingUse {
  std::string name;  // in SimGrid 3.32, for a name that may be of an older or newer version
  // True if the setting cannot change a result, so that SimGrid does not get it.
  bool ignored = false;
  // The end of a sentence that begins with "<config> sets 'NAME'"; empty if the setting is
  // accepted.
  std::string refusal = {};
};

// Returns what tutti does with a setting under a network model of network_models().
[[nodiscard]] SettingUse use_of_setting(std::string_view name, std::string_view value,
                                        std::string_view network_model);

}}  // namespace tutti::platforms
