#include "src/experiments/profiles/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/quantities.hpp"
#include "base/text_lines.hpp"
#include "schedules/problem.hpp"
#include "src/experiments/profiles/profile_text.hpp"

namespace tutti { inline namespace experiments {

namespace {

constexpr double kMostCalls = 1e18;

std::string lower_without_mpi(std::string_view word) {
  return lower_case(word.starts_with("MPI_") ? word.substr(4) : word);
}

}  // namespace

void refuse_profile(const ProfilePlace& place, std::string_view text) {
  throw UserError(
      fmt::format("'{}', line {}: {}", shortened(printable(place.file)), place.line, text));
}

double profile_number(const ProfilePlace& place, std::string_view what, std::string_view text) {
  const auto value = parsed_number<double>(text);
  if (!value || !std::isfinite(*value) || *value < 0 || *value > kMostCalls) {
    refuse_profile(place, fmt::format("{} '{}': must be a number, 0 or more", what,
                                      shortened(printable(text))));
  }
  return *value;
}

std::uint32_t profile_ranks(const ProfilePlace& place, std::string_view what,
                            std::string_view text) {
  const auto value = parsed_number<std::uint32_t>(text);
  if (!value || *value == 0 || *value > kMostRanks) {
    refuse_profile(place, fmt::format("{} '{}': must be a whole number from 1 to {}", what,
                                      shortened(printable(text)), kMostRanks));
  }
  return *value;
}

std::optional<Collective> collective_of_call(std::string_view word) {
  return collective_meant(word);
}

bool is_nonblocking_collective(std::string_view word) {
  const std::string name = lower_without_mpi(word);
  return name.starts_with('i') && collective_named(name.substr(1)).has_value();
}

bool says_bytes_of_a_part(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
    case Collective::bcast:
    case Collective::reduce:
    case Collective::scan:
    case Collective::exscan:
    case Collective::barrier:
      return false;
    default:
      return true;
  }
}

void ProfileCounts::add(const ProfilePlace& place, Collective collective, std::uint32_t ranks,
                        double bytes, double calls) {
  if (bytes > static_cast<double>(kMostBytes)) {
    refuse_profile(place, fmt::format("{} of {:.6g} bytes; the maximum is {}", name(collective),
                                      bytes, human_bytes(kMostBytes)));
  }
  if (calls == 0) {
    return;
  }
  const auto whole = static_cast<std::uint64_t>(std::llround(bytes));
  if (ranks == 1) {
    leave_out("on one rank", calls);
  } else if (whole == 0 && collective != Collective::barrier) {
    leave_out("without data", calls);
  } else {
    calls_[{collective, ranks, collective == Collective::barrier ? 0 : whole}] += calls;
  }
}

void ProfileCounts::assume(std::string text) {
  if (std::ranges::find(assumed_, text) == assumed_.end()) {
    assumed_.push_back(std::move(text));
  }
}

namespace {

// Maximum number of sizes of one collective on one number of ranks. There is a limit because each
// size is simulated.
constexpr std::size_t kMostSizes = 48;
// If there are more sizes than kMostSizes, at most this many are kept between a size and its
// double.
constexpr double kToADoubling = 4;

// Replaces calls with similar sizes by calls with their mean size. All calls must be of the same
// collective on the same number of ranks.
std::vector<ProfileCalls> with_fewer_sizes(const std::vector<ProfileCalls>& calls) {
  std::vector<ProfileCalls> fewer;
  long last = std::numeric_limits<long>::min();
  double sum_bytes = 0;
  for (const ProfileCalls& each : calls) {
    const long place = std::lround(kToADoubling * std::log2(static_cast<double>(each.bytes)));
    if (place != last) {
      fewer.push_back({each.collective, each.ranks, each.bytes, 0});
      sum_bytes = 0;
      last = place;
    }
    ProfileCalls& one = fewer.back();
    one.calls += each.calls;
    sum_bytes += each.calls * static_cast<double>(each.bytes);
    constexpr std::uint64_t kElement = 8;
    const auto mean = static_cast<std::uint64_t>(sum_bytes / one.calls);
    one.bytes = std::max<std::uint64_t>(mean / kElement * kElement, kElement);
  }
  return fewer;
}

}  // namespace

Profile ProfileCounts::profile(std::string_view path, std::string form) const {
  Profile profile;
  profile.file = path;
  profile.form = std::move(form);
  profile.assumed = assumed_;
  for (auto at = calls_.begin(); at != calls_.end();) {
    const auto [collective, ranks, least] = at->first;
    std::vector<ProfileCalls> alike;
    for (; at != calls_.end() && std::get<0>(at->first) == collective &&
           std::get<1>(at->first) == ranks;
         ++at) {
      alike.push_back({collective, ranks, std::get<2>(at->first), at->second});
    }
    if (alike.size() > kMostSizes) {
      profile.assumed.push_back(
          fmt::format("{} on {} is called with {} sizes; sizes within a quarter of a doubling are "
                      "replaced by their mean",
                      name(collective), counted(ranks, "rank"), human_count(alike.size())));
      alike = with_fewer_sizes(alike);
    }
    profile.calls.insert(profile.calls.end(), alike.begin(), alike.end());
  }
  for (const auto& [why, calls] : left_out_) {
    profile.assumed.push_back(fmt::format(
        "left out: {} {}", counted(static_cast<std::uint64_t>(std::llround(calls)), "call"), why));
  }
  if (profile.calls.empty()) {
    throw UserError(
        fmt::format("'{}': this is {} with no calls to collectives that tutti supports{}{}",
                    shortened(printable(path)), profile.form, profile.assumed.empty() ? "" : "; ",
                    fmt::join(profile.assumed, "; ")));
  }
  return profile;
}

Profile read_profile(const std::string& path) {
  const FileText file(path, kProfileFile);
  return profile_from_text(file.view(), path);
}

Profile profile_from_text(std::string_view text, const std::string& path) {
  if (is_ipm_log(text)) {
    return profile_from_ipm(text, path);
  }
  if (is_mpip_report(text)) {
    return profile_from_mpip(text, path);
  }
  if (is_ompi_monitoring(text)) {
    return profile_from_ompi_monitoring(text, path);
  }
  if (is_ti_trace(text)) {
    return profile_from_ti({{path, std::string(text)}}, path);
  }
  return is_ti_list(text) ? profile_from_ti_list(text, path) : profile_from_csv(text, path);
}

}}  // namespace tutti::experiments
