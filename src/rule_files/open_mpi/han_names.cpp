// Source: coll_han_component.c, coll_han_module.c and coll_han_algorithms.c at v4.1.4, v5.0.6 and
// main.
#include <algorithm>
#include <array>

#include "base/line_reader.hpp"
#include "base/text_words.hpp"
#include "src/rule_files/open_mpi/han_rules.hpp"

namespace tutti { inline namespace rule_files {

namespace {

using enum Collective;

constexpr int kMain = 600;

// A collective that coll/han implements.
struct HanHas {
  Collective collective;
  int since;                                   // first release that implements it: 401 is 4.1
  std::array<std::string_view, 3> algorithms;  // names that rules for 5.0 and later may use
  std::size_t count;                           // number of names in `algorithms`
};
constexpr std::array kHanHas{
    HanHas{barrier, 401, {"simple"}, 1},
    HanHas{bcast, 401, {"intra", "simple"}, 2},
    HanHas{reduce, 401, {"intra", "simple", "reproducible"}, 3},
    HanHas{allreduce, 401, {"intra", "simple", "reproducible"}, 3},
    HanHas{scatter, 401, {"intra", "simple"}, 2},
    HanHas{gather, 401, {"intra", "simple"}, 2},
    HanHas{allgather, 401, {"intra", "simple"}, 2},
    HanHas{scatterv, kMain, {"intra"}, 1},
    HanHas{gatherv, kMain, {"intra"}, 1},
    HanHas{alltoall, kMain, {"smsc"}, 1},
    HanHas{alltoallv, kMain, {"smsc"}, 1},
};

constexpr std::array<std::string_view, 8> kComponents{"self", "basic", "libnbc", "tuned",
                                                      "sm",   "adapt", "han",    "xhc"};

const HanHas* find(Collective collective, int release) {
  const auto found = std::find_if(kHanHas.begin(), kHanHas.end(), [&](const HanHas& each) {
    return each.collective == collective && each.since <= release;
  });
  return found == kHanHas.end() ? nullptr : &*found;
}

}  // namespace

bool han_has(Collective collective, int release) { return find(collective, release) != nullptr; }

// Source: mca_coll_han_allreduce_intra_dynamic() at v4.1.0 to v4.1.8.
bool han_lets_go(Collective collective, int release) {
  return collective != allreduce || release >= 500;
}

std::span<const std::string_view> han_algorithms(Collective collective, int release) {
  const HanHas* const has = find(collective, release);
  if (has == nullptr || release < 500) {
    return {};
  }
  return {has->algorithms.data(), has->count};
}

bool han_component(std::string_view name, int release) {
  const std::size_t known = kComponents.size() - (release < kMain ? 1 : 0);
  return std::find(kComponents.begin(), kComponents.begin() + static_cast<std::ptrdiff_t>(known),
                   name) != kComponents.begin() + static_cast<std::ptrdiff_t>(known);
}

bool names_a_component(std::string_view text) {
  for (LineReader lines(text); lines.next();) {
    const std::string_view content = lines.without_comment();
    if (std::ranges::any_of(words_in(content, kWhiteSpace),
                            [](std::string_view word) { return han_component(word, kMain); })) {
      return true;
    }
  }
  return false;
}

}}  // namespace tutti::rule_files
