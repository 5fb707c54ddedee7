// libFuzzer target: no text may crash the reader of parameter files (--parameters), and accepted
// parameters must be usable.
#include "src/requests/parameters.hpp"

#include <cmath>
#include <sstream>

#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::may_refuse([&] {
    const tutti::Parameters parameters = tutti::parse_parameters(fuzz::text_of(data, size));
    const tutti::CostCurve& curve = parameters.curves.within_node.one_way;
    for (const std::uint64_t bytes :
         {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{1} << 43U}) {
      const double seconds = curve.at(bytes, 1e6).seconds(bytes);
      fuzz::require(std::isfinite(seconds) && seconds >= 0, "a time is negative or not finite");
    }
    std::ostringstream out;
    write_parameters(parameters, out);
    const tutti::Parameters again = tutti::parse_parameters(out.str());
    fuzz::require(again.eager_bytes == parameters.eager_bytes,
                  "parameters change when they are written and read again");
  });
  return 0;
}
