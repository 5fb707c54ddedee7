// Counts the findings of each kind, and keeps the texts of the first few of each kind.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedules/verify/verify.hpp"

namespace tutti { inline namespace schedules {

class Findings {
 public:
  explicit Findings(std::size_t per_kind) : per_kind_(per_kind) {}

  // Adds a finding. Findings may be added in any order. They are listed in ascending order of
  // `key`, which is mostly the operation's id, because users should repair the first finding in the
  // schedule first. Calls text() only if the finding has one of the smallest keys so far.
  template <typename Text>
  void add(FindingKind kind, std::uint64_t key, Text&& text) {
    const auto index = static_cast<std::size_t>(kind);
    ++counts_[index];
    auto& kept = kept_[index];
    if (per_kind_ == 0 || (kept.size() == per_kind_ && key >= kept.back().first)) {
      return;
    }
    if (kept.size() == per_kind_) {
      kept.pop_back();
    }
    const auto at =
        std::upper_bound(kept.begin(), kept.end(), key,
                         [](std::uint64_t k, const auto& other) { return k < other.first; });
    kept.emplace(at, key, text());
  }

  void write_to(Verdict& verdict) && {
    verdict.counts = counts_;
    for (std::size_t kind = 0; kind < kFindingKinds; ++kind) {
      for (auto& [key, text] : kept_[kind]) {
        verdict.findings.push_back({static_cast<FindingKind>(kind), std::move(text)});
      }
    }
  }

 private:
  std::size_t per_kind_;
  std::array<std::size_t, kFindingKinds> counts_{};
  std::array<std::vector<std::pair<std::uint64_t, std::string>>, kFindingKinds> kept_;
};

}}  // namespace tutti::schedules
