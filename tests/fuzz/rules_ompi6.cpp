// libFuzzer target: no text may crash the reader of rule files in the ompi6 format.
#include "tests/fuzz/rules.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::read_as(fuzz::text_of(data, size), tutti::RuleFormat::ompi6);
  return 0;
}
