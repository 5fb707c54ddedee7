// Algorithms state in words which problems they refuse, and on which problems they keep the order
// of operands. Here each such condition is implemented a second time, as a predicate. The tests
// compare the predicates with the problems that the algorithms refuse, with the order that they
// promise, and with the order that the proof finds.
#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>

#include "schedules/options/option_type.hpp"
#include "schedules/patterns/arithmetic.hpp"
#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::test_conditions {

namespace {

using Meaning = bool (*)(const Problem&);

bool has_one_within(const Problem& p) {
  return !p.within.standard() && p.within.levels.front().size() == 1;
}
bool has_two_within(const Problem& p) {
  return !p.within.standard() && p.within.levels.front().size() == 2;
}

std::vector<std::uint32_t> smallest_groups(const Problem& p) {
  return p.groups.levels.empty()
             ? GroupLevel{GroupLevel::Kind::consecutive, p.ranks_per_node, {}}.of_ranks(p.ranks)
             : p.groups.levels.front().of_ranks(p.ranks);
}

// Returns true if there is only one level of groups, and its groups differ in size.
bool has_unequal_groups(const Problem& p) {
  std::map<std::uint32_t, std::uint32_t> sizes;
  for (const std::uint32_t group : smallest_groups(p)) {
    ++sizes[group];
  }
  return p.groups.levels.size() <= 1 &&
         std::any_of(sizes.begin(), sizes.end(),
                     [&](const auto& one) { return one.second != sizes.begin()->second; });
}

// Returns the number of levels at which the group of rank 0 contains more than one group of the
// level below (at the lowest level, more than one rank). All ranks together form the group of one
// more level at the top. Every group must consist of consecutive ranks.
std::uint32_t stages_of_rank_0(const Problem& p) {
  std::uint32_t stages = 0;
  std::vector<std::uint32_t> inner(p.ranks);
  std::iota(inner.begin(), inner.end(), 0U);
  const auto count = [&](const std::vector<std::uint32_t>& outer) {
    std::set<std::uint32_t> together;
    for (Rank rank = 0; rank < p.ranks; ++rank) {
      if (outer[rank] == outer[0]) {
        together.insert(inner[rank]);
      }
    }
    stages += together.size() > 1 ? 1 : 0;
    inner = outer;
  };
  count(smallest_groups(p));
  for (std::size_t level = 1; level < p.groups.levels.size(); ++level) {
    count(p.groups.levels[level].of_ranks(p.ranks));
  }
  count(std::vector<std::uint32_t>(p.ranks, 0));
  return stages;
}

bool consecutive_groups(const Problem& p) {
  return std::all_of(p.groups.levels.begin(), p.groups.levels.end(), [&](const GroupLevel& level) {
    const std::vector<std::uint32_t> groups = level.of_ranks(p.ranks);
    return std::is_sorted(groups.begin(), groups.end());
  });
}

const std::map<std::string_view, Meaning> kLimitWords{
    {"fewer elements than ranks", [](const Problem& p) { return p.elements() < p.ranks; }},
    {"fewer elements than p'",
     [](const Problem& p) { return p.elements() < power_of_two_below(p.ranks); }},
    {"fewer elements than ranks with $cuts open_mpi",
     [](const Problem& p) { return p.cuts == Cuts::open_mpi && p.elements() < p.ranks; }},
    {"more than two $channels per dimension",
     [](const Problem& p) {
       return p.channels > 2 * (p.dims.sizes.empty() ? 2 : p.dims.sizes.size());
     }},
    {"an odd number of ranks above 1",
     [](const Problem& p) { return p.ranks % 2 == 1 && p.ranks > 1; }},
    {"$cuts mpich", [](const Problem& p) { return p.cuts == Cuts::mpich; }},
    {"$cuts open_mpi", [](const Problem& p) { return p.cuts == Cuts::open_mpi; }},
    {"$radix 1", [](const Problem& p) { return p.radix == 1; }},
    {"a $segment larger than the vector",
     [](const Problem& p) { return p.segment_bytes > p.bytes; }},
    {"a $segment larger than the vector, except with $cuts open_mpi",
     [](const Problem& p) { return p.cuts != Cuts::open_mpi && p.segment_bytes > p.bytes; }},
    {"$radix with $tree binary, binomial or doubling",
     [](const Problem& p) {
       return p.radix != 0 &&
              (p.tree == Tree::binary || p.tree == Tree::binomial || p.tree == Tree::doubling);
     }},
    {"$radix 1 with a k-nomial $tree",
     [](const Problem& p) {
       return p.radix == 1 &&
              (p.tree == Tree::knomial || p.tree == Tree::knomial_1 || p.tree == Tree::knomial_2);
     }},
    {"a $segment larger than the vector, with $cuts even",
     [](const Problem& p) { return p.cuts == Cuts::even && p.segment_bytes > p.bytes; }},
    {"halves that are empty, or shorter than a segment, with $cuts open_mpi",
     [](const Problem& p) {
       const std::uint64_t half = p.elements() / 2 * p.element_bytes;
       return p.cuts == Cuts::open_mpi && (half == 0 || p.segment_bytes > half);
     }},
    {"$parts with an algorithm that cannot run",
     [](const Problem& p) {
       return to_text(p.parts) == "linear+scatter_allgather" && p.elements() < p.ranks;
     }},
    {"$cuts that apply to neither of $parts",
     [](const Problem& p) { return p.parts.standard() && p.cuts != Cuts::even; }},
    {"$groups of more than one level", [](const Problem& p) { return p.groups.levels.size() > 1; }},
    {"$groups of ranks that are not consecutive",
     [](const Problem& p) { return p.groups.levels.size() == 1 && !consecutive_groups(p); }},
    {"groups that differ in size or pattern", has_unequal_groups},
    {"groups of unequal size", has_unequal_groups},
    {"$composition mpich_beta",
     [](const Problem& p) { return p.composition == HierarchyForm::mpich_beta; }},
    {"$within algorithms of collectives other than reduce and bcast",
     [](const Problem& p) { return to_text(p.within) == "ring+ring"; }},
    {"$within algorithms of collectives other than reduce_scatter and allgather",
     [](const Problem& p) { return to_text(p.within) == "linear+linear"; }},
    {"$within algorithms of collectives other than bcast", has_two_within},
    {"$within algorithms of collectives other than reduce", has_two_within},
    {"$within algorithms of collectives other than scatter and allgather", has_one_within},
    {"$within algorithms of collectives other than reduce_scatter and gather", has_one_within},
    {"$within algorithms of collectives other than gather and bcast", has_one_within},
    {"$within algorithms of collectives other than allgather", has_two_within},
    {"$parts with individual block sizes",
     [](const Problem& p) { return !p.parts.standard() && !p.block_bytes.empty(); }},
};

void give(Problem& problem, std::string_view option, std::string_view value) {
  const auto all = option_types();
  const auto type = std::ranges::find(all, option, &OptionType::word);
  REQUIRE(type != all.end());
  (*type)->parse(option, value, problem);
}

// Conditions that no problem with few ranks and a single changed option meets. The function of each
// condition changes a problem so that the problem meets it.
const std::map<std::string_view, void (*)(Problem&)> kFarOff{
    {"$radix 1", [](Problem& p) { p.radix = 1; }},
    {"$radix 1 with a k-nomial $tree",
     [](Problem& p) {
       p.radix = 1;
       p.tree = Tree::knomial;
     }},
    {"$radix with $tree binary, binomial or doubling",
     [](Problem& p) {
       p.radix = 3;
       p.tree = Tree::binary;
     }},
    {"more than two $channels per dimension", [](Problem& p) { p.channels = 9; }},
    {"$parts with an algorithm that cannot run",
     [](Problem& p) { give(p, "parts", "pipeline:1048576+linear"); }},
    {"$parts with individual block sizes",
     [](Problem& p) {
       p.block_bytes.assign(p.ranks, p.bytes / p.ranks);
       give(p, "parts", "linear+linear");
     }},
    {"$dims whose product is not p", [](Problem& p) { give(p, "dims", "3x5"); }},
    {"$fallback linear with $cuts open_mpi",
     [](Problem& p) {
       give(p, "fallback", "linear");
       give(p, "cuts", "open_mpi");
     }},
    {"more segments than can be numbered",
     [](Problem& p) {
       p.bytes = std::uint64_t{1} << 40U;
       p.segment_bytes = p.element_bytes;
     }},
    {"$cards_per_node that does not divide $cores_per_node",
     [](Problem& p) {
       p.ranks_per_node = 4;
       p.cards = 3;
     }},
    {"$groups that do not match the ranks", [](Problem& p) { give(p, "groups", "0-3/4-8"); }},
    {"$groups that do not nest", [](Problem& p) { give(p, "groups", "0-3/4-7,0-1/2-7"); }},
    {"$groups that need a platform if none is given",
     [](Problem& p) { give(p, "groups", "host"); }},
};

// Conditions on the algorithms that a hierarchy runs within its groups. The first text is only the
// common beginning of several conditions.
constexpr std::string_view kOtherParts = "$within algorithms of collectives other than ";
constexpr std::string_view kIdleParts = "parts that cannot run";

// Returns true if `algorithm` refuses some value of the option $within, and fits() is true for the
// text of the reason.
template <typename Fits>
bool refuses_parts(const Algorithm& algorithm, Problem problem, Fits&& fits) {
  std::set<std::string> names;
  for (const Algorithm* each : algorithms()) {
    names.insert(std::string(each->name));
  }
  std::set<std::string> tried = names;
  for (const std::string& name : names) {
    tried.insert(name + ":radix=1");
    tried.insert(name + ":1048576");
    tried.insert(name + ":1048576+binomial");
    for (const char* other : {"binomial", "ring", "circulant", "pairwise"}) {
      tried.insert(fmt::format("{}+{}", name, other));
    }
  }
  return std::ranges::any_of(tried, [&](const std::string& parts) {
    give(problem, "within", parts);
    const std::optional<Sentence> why = algorithm.refusal(problem);
    return why && fits(why->text);
  });
}

const std::map<std::string_view, Meaning> kOrderWords{
    {"", [](const Problem&) { return false; }},
    {"always", [](const Problem&) { return true; }},
    {"groups of consecutive ranks", consecutive_groups},
    {"root 0", [](const Problem& p) { return p.root == 0; }},
    {"root 0, if there is one group, or every group has one rank",
     [](const Problem& p) {
       const std::vector<std::uint32_t> groups = smallest_groups(p);
       const std::uint32_t count = std::ranges::max(groups) + 1;
       return p.root == 0 && (count == 1 || count == p.ranks);
     }},
    {"p = 1, or an even number of ranks",
     [](const Problem& p) { return p.ranks == 1 || p.ranks % 2 == 0; }},
    {"root 0 of an even number of ranks, root p-1 of an odd one, or p = 2",
     [](const Problem& p) {
       return p.ranks == 2 || p.root == (p.ranks % 2 == 0 ? 0 : p.ranks - 1);
     }},
    {"p <= 2", [](const Problem& p) { return p.ranks <= 2; }},
    {"p <= 2, or p = 3 with root 2, or with root 1 and one block",
     [](const Problem& p) {
       // This formula is correct only for the small vectors of these tests.
       const bool one_block = p.segment_bytes == 0 || p.segment_bytes >= p.bytes;
       return p.ranks <= 2 || (p.ranks == 3 && (p.root == 2 || (p.root == 1 && one_block)));
     }},
    {"p <= 4", [](const Problem& p) { return p.ranks <= 4; }},
    {"p < 8", [](const Problem& p) { return p.ranks < 8; }},
    {"p <= 2, or p = 4 and an even root",
     [](const Problem& p) { return p.ranks <= 2 || (p.ranks == 4 && p.root % 2 == 0); }},
    {"roots whose subtrees all consist of consecutive ranks, such as 0 and 2 of 4",
     [](const Problem& p) {
       // All such roots by number of ranks, for up to 33 ranks and for 64. Numbers of ranks up to
       // 33 that are not listed have no such root.
       static const std::map<std::uint32_t, std::vector<Rank>> kRoots{
           {1, {0}},      {2, {0, 1}},    {4, {0, 2}},   {6, {1, 4}},   {8, {2, 6}},
           {12, {2, 8}},  {14, {2, 9}},   {16, {2, 10}}, {24, {6, 18}}, {28, {8, 22}},
           {30, {9, 24}}, {32, {10, 26}}, {64, {10, 42}}};
       const auto roots = kRoots.find(p.ranks);
       return roots != kRoots.end() && std::ranges::count(roots->second, p.root) == 1;
     }},
    {"p <= 3", [](const Problem& p) { return p.ranks <= 3; }},
    {"$operands by_rank with $fold neighbours, or with p = p'",
     [](const Problem& p) {
       return p.operands == Operands::by_rank &&
              (p.fold == Fold::neighbours || std::has_single_bit(p.ranks));
     }},
    {"root 0, if $tree is chain, binomial or knomial_1, if p = 2, or if all other ranks are "
     "children of the root in $tree binary, kary or knomial",
     [](const Problem& p) {
       const std::uint32_t k = p.radix != 0 ? p.radix : p.tree == Tree::knomial ? 4 : 2;
       return p.root == 0 &&
              (p.tree == Tree::chain || p.tree == Tree::binomial || p.tree == Tree::knomial_1 ||
               p.ranks == 2 || (p.tree == Tree::binary && p.ranks == 3) ||
               (p.tree == Tree::kary && p.ranks <= k + 1) ||
               (p.tree == Tree::knomial && p.ranks <= k));
     }},
    {"root p-1, if every ring passes the ranks in their order",
     [](const Problem& p) {
       // A ring that enters nodes of two ranks at the first one passes both in their order. All
       // rings do if the last node has a single rank.
       return p.root == p.ranks - 1 &&
              (p.ranks <= p.ranks_per_node || p.ranks_per_node == 1 ||
               (p.ranks_per_node == 2 && p.ranks % 2 == 1) ||
               (p.ranks_per_node == 2 && (p.cards == 1 || p.channels == 1 || p.elements() <= 1) &&
                p.ring_order != RingOrder::crossed));
     }},
    {"linear skips", [](const Problem& p) { return p.skips.scheme == Skips::Scheme::linear; }},
    {"linear skips, or p <= 3",
     [](const Problem& p) { return p.skips.scheme == Skips::Scheme::linear || p.ranks <= 3; }},
    {"p = K^m, or p < K",
     [](const Problem& p) {
       const std::uint32_t radix = p.radix == 0 ? 2 : p.radix;
       std::uint32_t power = 1;
       while (power < p.ranks) {
         power *= radix;
       }
       return power == p.ranks || p.ranks < radix;
     }},
    {"p < K^2",
     [](const Problem& p) {
       const std::uint32_t radix = p.radix == 0 ? 2 : p.radix;
       return p.ranks < radix * radix;
     }},
    // Only UCC's algorithms have this condition; their default radix is 4.
    {"p < 2 K", [](const Problem& p) { return p.ranks < 2 * (p.radix == 0 ? 4 : p.radix); }},
    {"parts that keep rank order, in groups of consecutive ranks", consecutive_groups},
    {"parts that keep rank order, in groups of consecutive ranks, with the root in the first group",
     [](const Problem& p) {
       const std::vector<std::uint32_t> groups = smallest_groups(p);
       return consecutive_groups(p) && groups[p.root] == groups[0];
     }},
    {"parts that keep rank order, in groups of consecutive ranks, with root 0 or mpich_alpha; with "
     "mpich_beta only if there is one group, or every group has one rank",
     [](const Problem& p) {
       if (p.composition == HierarchyForm::mpich_alpha) {
         return consecutive_groups(p);
       }
       return p.root == 0 && consecutive_groups(p) &&
              (p.composition == HierarchyForm::han || stages_of_rank_0(p) <= 1);
     }},
    // This function is only called with the default $parts, which keep the order: see
    // check_order().
    {"$parts whose reduction keeps rank order, such as the default",
     [](const Problem&) { return true; }},
};

template <typename Check>
void for_all_problems(const Algorithm& algorithm, std::uint32_t ranks, bool all_roots,
                      const std::vector<std::uint64_t>& counts, Check&& check) {
  std::vector<Rank> tried = roots(algorithm.collective, ranks);
  if (all_roots && has_root(algorithm.collective)) {
    tried.clear();
    for (Rank root = 0; root < ranks; ++root) {
      tried.push_back(root);
    }
  }
  for (const std::uint64_t elements : counts) {
    for (const Rank root : tried) {
      for (const Problem& problem :
           option_variants(algorithm, problem_of(algorithm.collective, ranks, elements, root))) {
        INFO(algorithm.full_name()
             << " p=" << ranks << " elements=" << elements << " root=" << root
             << " segment=" << problem.segment_bytes << " tree=" << name(problem.tree)
             << " skips=" << to_text(problem.skips) << " cuts=" << name(problem.cuts)
             << " parts=" << to_text(problem.parts) << " fold=" << static_cast<int>(problem.fold)
             << " blocks=" << problem.block_bytes.size());
        check(problem);
      }
    }
  }
}

bool has_empty_block(const BlockLayout& layout) {
  for (std::uint32_t block = 0; block < layout.blocks(); ++block) {
    if (layout.size_bytes(block) == 0) {
      return true;
    }
  }
  return false;
}

void check_order(const Algorithm& algorithm, std::uint32_t ranks, bool all_roots) {
  const auto words = kOrderWords.find(algorithm.order_kept);
  INFO("words: " << algorithm.order_kept);
  REQUIRE(words != kOrderWords.end());
  // Tries a vector of one element, which leaves blocks empty, and one with uneven blocks.
  for_all_problems(algorithm, ranks, all_roots, {1, 2 * ranks + 1}, [&](const Problem& problem) {
    if (refuses(algorithm, problem)) {
      return;
    }
    const OperandOrder order = verify(make_schedule(algorithm, problem), {}).order;
    const bool proved = order == OperandOrder::rank_order;
    const bool promised = algorithm.keeps_order != nullptr && algorithm.keeps_order(problem);
    CHECK(order != OperandOrder::none);
    // If some blocks are empty, the proof may find the other blocks in order by chance.
    const bool own_parts =
        problem.parts.standard() && problem.within.standard() && problem.across.standard();
    if (own_parts && !has_empty_block(algorithm.layout(problem))) {
      CHECK(promised == proved);
      CHECK(words->second(problem) == proved);
    } else {
      CHECK((!promised || proved));
    }
  });
}

}  // namespace

namespace {

// Checks that `algorithm` refuses a problem that is made to meet the condition `limit`.
void check_far_off(const Algorithm& algorithm, std::string_view limit) {
  INFO(limit);
  Problem problem = problem_of(algorithm, 8, 64);
  REQUIRE(!refuses(algorithm, problem));
  if (limit == kIdleParts) {
    Problem few = problem_of(algorithm.collective, 6, 1);
    few.ranks_per_node = 3;
    REQUIRE(!refuses(algorithm, few));
    CHECK(refuses_parts(algorithm, few, [](const std::string& why) {
      return why.find("there is no ") == why.npos && why.find("expected ") == why.npos &&
             why.find(" takes no ") == why.npos;
    }));
  } else if (limit.starts_with(kOtherParts)) {
    CHECK(refuses_parts(algorithm, problem, [](const std::string& why) {
      return why.find("there is no ") != why.npos;
    }));
  } else {
    REQUIRE(kFarOff.contains(limit));
    kFarOff.at(limit)(problem);
    CHECK(refuses(algorithm, problem));
  }
}

}  // namespace

TEST_CASE("algorithms refuse exactly what their documented limits exclude") {
  for (const Algorithm* algorithm : algorithms()) {
    INFO(algorithm->full_name());
    CHECK((algorithm->refusal == nullptr) == algorithm->limits.empty());
    // Conditions that none of the problems below meets.
    std::set<std::string_view> unmet(algorithm->limits.begin(), algorithm->limits.end());
    for (const std::uint32_t ranks : rank_counts()) {
      for_all_problems(*algorithm, ranks, false, element_counts(algorithm->collective, ranks),
                       [&](const Problem& problem) {
                         bool printed = false;
                         for (const std::string_view limit : algorithm->limits) {
                           const auto words = kLimitWords.find(limit);
                           if (words != kLimitWords.end() && words->second(problem)) {
                             printed = true;
                             unmet.erase(limit);
                           }
                         }
                         CHECK(refuses(*algorithm, problem) == printed);
                       });
    }
    for (const std::string_view limit : unmet) {
      check_far_off(*algorithm, limit);
    }
  }
}

TEST_CASE("the documented, promised and proved orders of operands agree") {
  for (const Algorithm* algorithm : algorithms()) {
    INFO(algorithm->full_name());
    CHECK((algorithm->keeps_order == nullptr) == algorithm->order_kept.empty());
    if (!reduces(algorithm->collective)) {
      CHECK(algorithm->order_kept.empty());
      continue;
    }
    for (std::uint32_t ranks = 2; ranks <= 33; ++ranks) {
      check_order(*algorithm, ranks, false);
    }
  }
}

TEST_CASE("the documented, promised and proved orders of operands agree, at every root", "[slow]") {
  for (const Algorithm* algorithm : algorithms()) {
    if (reduces(algorithm->collective) && has_root(algorithm->collective)) {
      for (std::uint32_t ranks = 2; ranks <= 33; ++ranks) {
        check_order(*algorithm, ranks, true);
      }
    }
  }
}

}  // namespace tutti::test_conditions
