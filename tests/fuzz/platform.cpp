// libFuzzer target: no file may crash the code that checks a platform before SimGrid reads it, or
// the code that computes the routes of platforms that tutti models itself.
#include <cstdint>
#include <utility>

#include "platforms/cluster_file.hpp"
#include "platforms/xml_check.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/scratch_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::ScratchFile file(fuzz::text_of(data, size));
  fuzz::may_refuse([] { tutti::check_platform_file(fuzz::ScratchFile::path()); });
  fuzz::may_refuse([] {
    if (const auto cluster = tutti::read_cluster_file(fuzz::ScratchFile::path())) {
      const std::uint32_t last = cluster->host_count() - 1;
      for (const auto& [from, to] : {std::pair{0U, last}, {last, 0U}, {last / 2, last}, {0U, 0U}}) {
        for (const std::uint32_t link : cluster->links_between(from, to)) {
          (void)cluster->link_name(link);
          (void)cluster->link_place(link);
        }
      }
    }
  });
  return 0;
}
