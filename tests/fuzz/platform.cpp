// libFuzzer target: no file may crash the look at a platform before SimGrid sees it.
#include "platforms/unmodelled.hpp"
#include "platforms/xml_check.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/scratch_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::ScratchFile file(fuzz::text_of(data, size));
  fuzz::may_refuse([] { tutti::check_platform_file(fuzz::ScratchFile::path()); });
  fuzz::may_refuse([] { (void)tutti::unmodelled_feature(fuzz::ScratchFile::path()); });
  return 0;
}
