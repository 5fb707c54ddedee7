#include "cost_models/nccl/release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "cost_models/nccl/constants.hpp"

namespace tutti { inline namespace cost_models {

namespace {

struct Number {
  int minor;
  int patch;
  friend constexpr auto operator<=>(const Number&, const Number&) = default;
};

// Sources: the tags of NVIDIA/nccl; for 2.31.2 and 2.32.3 see release.hpp.
constexpr std::array kNumbers{
    Number{19, 1}, Number{19, 3}, Number{19, 4}, Number{20, 3}, Number{20, 5}, Number{21, 5},
    Number{22, 3}, Number{23, 4}, Number{24, 3}, Number{25, 1}, Number{26, 2}, Number{26, 3},
    Number{26, 5}, Number{26, 6}, Number{27, 3}, Number{27, 5}, Number{27, 6}, Number{27, 7},
    Number{28, 3}, Number{28, 7}, Number{28, 9}, Number{29, 2}, Number{29, 3}, Number{29, 7},
    Number{30, 3}, Number{30, 4}, Number{30, 7}, Number{31, 2}, Number{32, 3},
};

// PyTorch 2.13 contains this release. Source: pytorch/pytorch, pull request 190386.
constexpr Number kDefault{29, 7};

NcclFormulas formulas_of(Number number) {
  const auto from = [&](int minor) { return number.minor >= minor; };
  NcclFormulas all;
  all.blackwell_known = !from(32);
  all.blackwell = from(25);
  all.mixed_cpus_like_amd = from(24);
  all.half_ring_ll = from(21);
  all.lone_gpus_expose_network = from(23);
  all.rings_of_lone_gpus_slow = !from(23);
  all.first_network_steps_overlap = from(23);
  all.gathers_keep_multicast = from(23);
  all.multicast_like_rings = from(28);
  all.multicast = from(28)   ? NcclMulticastModel::measured
                  : from(27) ? NcclMulticastModel::own_data
                             : NcclMulticastModel::slower_link;
  all.network_gather = from(27)   ? NcclNetworkGather::limited_by_cards
                       : from(20) ? NcclNetworkGather::scaled_by_gpus
                                  : NcclNetworkGather::none;
  all.gathers_between_nodes = from(27);
  all.multicast_gathers_limited = from(25);
  all.pat_share = from(24) ? .75 : from(23) ? .85 : 0;
  all.pat_needs_atomics = from(26);
  all.pat_base_first = !from(28);
  all.chain_needs_support = number >= Number{30, 7};
  all.chain_limited = from(28);
  all.direct_limited = from(23);
  all.ll128_on_every_gpu = from(27);
  all.ll128_between_generations = from(30);
  all.multicast_trees_corrected = from(29);
  all.trees_use_all_threads = from(22);
  all.tiny_trees_corrected = !from(22);
  all.calls_in_batch = from(30) ? 8 : from(23) ? 10 : from(22) ? 16 : 9;
  all.most_channels = from(25) ? 64 : 32;
  all.few_channels_doubled = from(20);
  all.chain_adds_channels = from(22);
  all.rings_match_multicast = from(20) && !from(28);
  all.copies_carry_calls = from(22);
  all.multicast_limited_by_rings = from(28);
  all.fewer_channels_of_one_domain = from(27);
  all.channels_by_card = from(30);
  all.multicast_of_two_gpus = number >= Number{28, 7};
  all.c2c_paths = from(27);
  all.own_models = from(31);
  all.rings_of_odd_cards = !from(20);
  all.crossing_gb_per_s = from(21) ? 0 : from(20) ? 24 : std::numeric_limits<float>::max();
  all.trees_through_cpus = !from(25) || from(29);
  all.pxn_over_c2c = from(28);
  return all;
}

std::vector<NcclRelease> make_releases() {
  std::vector<NcclRelease> all;
  for (const Number& number : kNumbers) {
    all.push_back({number.minor, number.patch, fmt::format("2.{}.{}", number.minor, number.patch),
                   "NCCL", formulas_of(number),
                   &nccl_constants::constants_of(number.minor, number.patch)});
  }
  return all;
}

std::string line_of(int minor) { return fmt::format("2.{}", minor); }

// Parses "2.27.5" or "2.27"; the patch is -1 if it is missing. Ignores letters before the number,
// and what follows "-" or "+".
std::optional<Number> parse(std::string_view text) {
  std::string_view rest = trimmed(text);
  rest.remove_prefix(std::min(rest.find_first_of("0123456789"), rest.size()));
  rest = rest.substr(0, rest.find_first_of("-+"));
  std::vector<int> parts;
  while (!rest.empty()) {
    int part = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), part);
    if (error != std::errc() || (end != rest.data() + rest.size() && *end != '.')) {
      return std::nullopt;
    }
    parts.push_back(part);
    const auto used = static_cast<std::size_t>(end - rest.data());
    rest.remove_prefix(std::min(used + 1, rest.size()));
  }
  if (parts.size() < 2 || parts.size() > 3 || parts[0] != 2) {
    return std::nullopt;
  }
  return Number{parts[1], parts.size() == 3 ? parts[2] : -1};
}

[[noreturn]] void refuse(std::string_view what, std::optional<Number> wanted,
                         std::string_view prefix) {
  const auto releases = nccl_releases();
  std::vector<std::string> patches;
  for (const NcclRelease& each : releases) {
    if (wanted && each.minor == wanted->minor) {
      patches.push_back(fmt::format("{}{}", prefix, each.name));
    }
  }
  const bool newer = wanted && *wanted > Number{releases.back().minor, releases.back().patch};
  if (!patches.empty() && !newer) {
    throw UserError(fmt::format("{}: there is no such release of NCCL 2.{}; expected {}", what,
                                wanted->minor, alternatives(patches)));
  }
  std::string which =
      newer
          ? fmt::format("did you mean '{}{}', the newest?", prefix, line_of(releases.back().minor))
          : fmt::format("expected {0}{1} to {0}{2}", prefix, line_of(releases.front().minor),
                        line_of(releases.back().minor));
  throw UserError(fmt::format("{}: tutti has the cost models of NCCL {} to {}; {}", what,
                              releases.front().name, releases.back().name, which));
}

}  // namespace

bool is_rccl(std::string_view text) {
  return lower_case(trimmed(text)).starts_with(lower_case(rccl_release().library));
}

std::string NcclRelease::title() const { return fmt::format("{} {}", library, name); }

const NcclRelease& rccl_release() {
  static const NcclRelease only{21, 5, "2.21.5", "RCCL", {}, nullptr};
  return only;
}

std::span<const NcclRelease> nccl_releases() {
  static const std::vector<NcclRelease> all = make_releases();
  return all;
}

const NcclRelease& nccl_default_release() {
  return *std::ranges::find_if(nccl_releases(), [](const NcclRelease& each) {
    return Number{each.minor, each.patch} == kDefault;
  });
}

const std::vector<std::string>& nccl_release_lines() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> lines;
    for (const NcclRelease& each : nccl_releases()) {
      if (lines.empty() || lines.back() != line_of(each.minor)) {
        lines.push_back(line_of(each.minor));
      }
    }
    return lines;
  }();
  return all;
}

const NcclRelease& nccl_release_named(std::string_view what, std::string_view text,
                                      std::string_view prefix) {
  const std::optional<Number> wanted = parse(text);
  if (is_rccl(text)) {
    const NcclRelease& only = rccl_release();
    if (!wanted || wanted->minor != only.minor ||
        (wanted->patch >= 0 && wanted->patch != only.patch)) {
      throw UserError(fmt::format("{}: tutti has the cost model of one release of {}; expected {}",
                                  what, only.library, only.title()));
    }
    return only;
  }
  const NcclRelease* found = nullptr;
  for (const NcclRelease& each : nccl_releases()) {
    if (wanted && each.minor == wanted->minor &&
        (wanted->patch < 0 || each.patch == wanted->patch)) {
      found = &each;
    }
  }
  if (found == nullptr) {
    refuse(what, wanted, prefix);
  }
  return *found;
}

}}  // namespace tutti::cost_models
