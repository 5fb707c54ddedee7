// libFuzzer target: no bytes may crash the reader of Chakra's traces. The input is the traces of
// one or two ranks; the first byte is the share of the first one.
#include "src/interchange/chakra.hpp"

#include <array>

#include "tests/fuzz/schedules.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::string text = fuzz::text_of(data + 1, size - 1);
  static_cast<void>(tutti::is_chakra(text));
  const std::size_t first = text.size() * data[0] / 255;
  const std::array<std::string_view, 2> texts{std::string_view(text).substr(0, first),
                                              std::string_view(text).substr(first)};
  const std::array<std::string, 2> names{"fuzz", "fuzz"};
  fuzz::may_refuse([&] {
    const tutti::ChakraFiles read = tutti::parse_chakra(texts, names);
    const tutti::Application made =
        application_of(read.nodes, "fuzz", [](tutti::NodeId) { return std::string("a node"); });
    fuzz::prove(made.schedule, 100'000);
  });
  return 0;
}
