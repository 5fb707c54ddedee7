// libFuzzer target: no text may crash the reader of rule files in the tutti format.
#include "tests/fuzz/rules.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read_as(fuzz::text_of(data, size), tutti::RuleFormat::tutti);
  return 0;
}
