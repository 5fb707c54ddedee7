#include "src/requests/placement_option.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/quantities.hpp"
#include "src/simulation/machine.hpp"

namespace tutti::inline requests {

std::vector<std::string> placement_names() {
  std::vector<std::string> names;
  for (const Placement placement : {Placement::block, Placement::cyclic, Placement::by_switch}) {
    names.emplace_back(name(placement));
  }
  return names;
}

PlacementSaid parse_placement(const std::string& text) {
  constexpr std::string_view kRandom = "random:";
  constexpr std::uint32_t kMostSeed = 0xffffffffU;
  if (text.starts_with(kRandom)) {
    return {Placement::block,
            parse_count("--placement random", text.substr(kRandom.size()), kMostSeed)};
  }
  if (const auto placement = placement_named(text)) {
    return {*placement, {}};
  }
  std::vector<std::string> words = placement_names();
  words.emplace_back("random:SEED");
  throw UserError(fmt::format("--placement '{}': {}", text, accepted_words(text, words)));
}

}  // namespace tutti::inline requests
