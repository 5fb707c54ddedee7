#include "cost_models/nccl/speeds.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

namespace tutti { inline namespace cost_models {

namespace {

constexpr std::array kIntra80{40.0F, 30.0F, 20.0F, 18.0F, 15.0F, 12.0F, 10.0F,
                              9.0F,  7.0F,  6.0F,  5.0F,  4.0F,  3.0F};
constexpr std::array kInter80{48.0F, 30.0F, 28.0F, 24.0F, 20.0F, 18.0F, 15.0F, 12.0F, 10.0F, 9.0F,
                              7.0F,  6.0F,  5.0F,  4.0F,  3.0F,  2.4F,  1.2F,  0.24F, 0.12F};
constexpr std::array kIntra90{60.0F, 50.0F, 40.0F, 30.0F, 24.0F, 20.0F,
                              15.0F, 12.0F, 11.0F, 6.0F,  3.0F};
constexpr std::array kInter90{48.0F, 45.0F, 42.0F, 40.0F, 30.0F, 24.0F, 22.0F, 20.0F, 17.5F,
                              15.0F, 12.0F, 6.0F,  3.0F,  2.4F,  1.2F,  0.24F, 0.12F};
constexpr std::array kIntra100{90.0F, 80.0F, 70.0F, 60.0F, 50.0F, 45.0F,
                               40.0F, 30.0F, 24.0F, 20.0F, 19.0F, 18.0F};
constexpr std::array kInter100{96.0F, 90.2F, 86.0F, 80.0F, 48.0F, 47.9F, 45.1F, 45.0F,
                               42.0F, 40.0F, 30.0F, 24.0F, 22.0F, 20.0F, 17.5F, 15.0F,
                               12.0F, 6.0F,  3.0F,  2.4F,  1.2F,  0.24F, 0.12F};

using Patch = std::pair<int, int>;
constexpr Patch kNoEnd{std::numeric_limits<int>::max(), 0};

// Bandwidths that only the releases from `from` to the one before `until` have.
struct OfSome {
  int capability;  // 90 for 9.0 and higher, 100 for 10.0 and higher
  bool between;
  float gb_per_s;
  Patch from;
  Patch until = kNoEnd;
};
constexpr std::array kOfSome{
    OfSome{90, true, 22.0F, {19, 3}},           OfSome{90, false, 11.0F, {21, 5}},
    OfSome{100, false, 18.0F, {27, 3}},         OfSome{100, true, 45.0F, {25, 1}, {27, 5}},
    OfSome{100, true, 47.9F, {27, 3}, {27, 5}}, OfSome{100, true, 48.0F, {25, 1}, {27, 3}},
    OfSome{100, true, 48.0F, {27, 5}},          OfSome{100, true, 45.1F, {27, 5}},
    OfSome{100, true, 96.0F, {27, 6}},          OfSome{100, false, 45.0F, {29, 2}},
    OfSome{100, true, 80.0F, {29, 7}},          OfSome{100, true, 86.0F, {30, 3}},
    OfSome{100, true, 90.2F, {31, 2}},
};

int generation(int capability) { return capability >= 100 ? 100 : capability >= 90 ? 90 : 80; }

bool has(int of_generation, bool between, float speed, Patch release) {
  bool limited = false;
  for (const OfSome& some : kOfSome) {
    if (some.capability == of_generation && some.between == between && some.gb_per_s == speed) {
      if (release >= some.from && release < some.until) {
        return true;
      }
      limited = true;
    }
  }
  return !limited;
}

}  // namespace

std::vector<float> nccl_speeds(int capability, bool between, const NcclRelease& release) {
  // Before 2.25, Blackwell has the bandwidths of Hopper.
  const int of = generation(release.formulas.blackwell ? capability : std::min(capability, 90));
  const std::span<const float> all =
      of == 100  ? between ? std::span<const float>(kInter100) : std::span<const float>(kIntra100)
       : of == 90 ? between ? std::span<const float>(kInter90) : std::span<const float>(kIntra90)
       : between ? std::span<const float>(kInter80)
                 : std::span<const float>(kIntra80);
  std::vector<float> speeds;
  for (const float speed : all) {
    if (has(of, between, speed, {release.minor, release.patch})) {
      speeds.push_back(speed);
    }
  }
  return speeds;
}

double nccl_link_share(int capability, const NcclRelease& release) {
  const Patch patch{release.minor, release.patch};
  switch (generation(capability)) {
    case 100:
      return patch < Patch{27, 5} ? 40.0 / 40.1 : 1;
    case 90:
      return patch < Patch{20, 3} ? 20.0 / 20.6 : 1;
    default:
      return 1;
  }
}

}}  // namespace tutti::cost_models
