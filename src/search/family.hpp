// The interface of a family of schedules that tutti search tries.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/network.hpp"
#include "schedules/algorithm.hpp"
#include "schedules/schedule.hpp"
#include "src/simulation/machine.hpp"

namespace tutti { inline namespace search {

// Random numbers that are the same with every C++ library.
class SearchRandom {
 public:
  explicit SearchRandom(std::uint64_t seed) : bits_(seed) {}
  // Returns a number from 0 to below - 1.
  std::uint32_t below(std::uint32_t below) { return static_cast<std::uint32_t>(bits_() % below); }
  // Returns a number from 0 up to, but not including, 1.
  double fraction() { return static_cast<double>(bits_() >> 11U) * 0x1p-53; }
  template <typename Item>
  void shuffle(std::vector<Item>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[below(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  std::mt19937_64 bits_;
};

// An algorithm with options, for the goal's numbers of ranks and bytes, and its time on the
// goal's machine.
struct KnownCase {
  const Algorithm* algorithm = nullptr;
  Problem problem;
  double seconds = 0;
};

// Returns "allgather/bruck --radix 4".
[[nodiscard]] std::string with_options(const Algorithm& algorithm, const Problem& problem);

// The goal of a search: a fast schedule for the problem on the machine.
struct Goal {
  Problem problem;  // without options
  const Machine* machine = nullptr;
  std::shared_ptr<Network> network;
  std::vector<std::uint32_t> host_of_rank;
  // Algorithms for the collective and, for an allreduce, those for reduce_scatter and allgather;
  // the fastest first.
  std::vector<KnownCase> known;
  std::vector<KnownCase> reduce_scatters;
  std::vector<KnownCase> allgathers;
};

// A schedule that can be tried. Immutable, so that threads may share it.
class Draft {
 public:
  Draft() = default;
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  virtual ~Draft() = default;

  // Throws UserError if the candidate cannot be made.
  [[nodiscard]] virtual Schedule schedule(Detail detail) const = 0;
  // How the schedule is made, for people: "allreduce/ring in 2 parts, ...".
  [[nodiscard]] virtual std::string in_words() const = 0;
  // Returns a similar candidate.
  [[nodiscard]] virtual std::unique_ptr<const Draft> neighbour(SearchRandom& random) const = 0;
  // Returns the algorithm and the problem if the schedule is simply that of an algorithm, so that
  // one rank of each class may be simulated in place of all.
  [[nodiscard]] virtual std::optional<KnownCase> known_case() const { return std::nullopt; }
};

using Drafts = std::vector<std::unique_ptr<const Draft>>;

class Family {
 public:
  Family() = default;
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;
  virtual ~Family() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  // Returns the candidates to begin with, the most promising first. Empty if the family has nothing
  // for the goal.
  [[nodiscard]] virtual Drafts propose(SearchRandom& random) const = 0;
};

// The families, each in its own file. The goal must outlive the family.
[[nodiscard]] std::unique_ptr<Family> options_family(const Goal& goal);
[[nodiscard]] std::unique_ptr<Family> order_family(const Goal& goal);
[[nodiscard]] std::unique_ptr<Family> skips_family(const Goal& goal);
[[nodiscard]] std::unique_ptr<Family> phases_family(const Goal& goal);
[[nodiscard]] std::unique_ptr<Family> matching_family(const Goal& goal);
[[nodiscard]] std::unique_ptr<Family> trees_family(const Goal& goal);
[[nodiscard]] std::unique_ptr<Family> nodes_family(const Goal& goal);

}}  // namespace tutti::search
