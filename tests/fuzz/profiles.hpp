// Code shared by the fuzz targets that test readers of profiles.
#pragma once

#include "src/experiments/profiles/profile_text.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace fuzz {

// Reads the input with `read`, and checks that an accepted profile has calls, and that the numbers
// in these calls are valid.
template <typename Read>
int profile_of(const std::uint8_t* data, std::size_t size, Read&& read) {
  const std::string text = text_of(data, size);
  may_refuse([&] {
    const tutti::Profile profile = read(text);
    require(!profile.calls.empty(), "an accepted profile has no calls");
    for (const tutti::ProfileCalls& each : profile.calls) {
      require(each.calls > 0 && each.calls < 1e40, "the number of calls is invalid");
      require(each.ranks > 1, "a call has fewer than two ranks");
      require((each.bytes == 0) == (each.collective == tutti::Collective::barrier),
              "a call has no bytes, or a barrier has bytes");
    }
  });
  may_refuse([&] { (void)tutti::is_ti_list(text); });
  return 0;
}

}  // namespace fuzz
