// libFuzzer target: no text may crash the reader of profiles in CSV (tables of calls).
#include "tests/fuzz/profiles.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::profile_of(
      data, size, [](const std::string& text) { return tutti::profile_from_csv(text, "profile"); });
}
