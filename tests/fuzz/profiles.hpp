// Shared by the targets of the readers of profiles.
#pragma once

#include "src/experiments/profiles/profile_text.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace fuzz {

// An accepted profile must have calls, each kind only once, with numbers that can be simulated.
template <typename Read>
int profile_of(const std::uint8_t* data, std::size_t size, Read&& read) {
  const std::string text = text_of(data, size);
  may_refuse([&] {
    const tutti::Profile profile = read(text);
    require(!profile.calls.empty(), "a profile without calls");
    for (const tutti::ProfileCalls& each : profile.calls) {
      require(each.calls > 0 && each.calls < 1e40, "an invalid number of calls");
      require(each.ranks > 1, "a call with fewer than two ranks");
      require((each.bytes == 0) == (each.collective == tutti::Collective::barrier),
              "a call without bytes, or a barrier with bytes");
    }
  });
  may_refuse([&] { (void)tutti::is_ti_list(text); });
  return 0;
}

}  // namespace fuzz
