// What algorithms say of their conditions in words, against what they refuse, what they promise,
// and what the proof finds. The words that they use have their meaning here once more.
#include <catch2/catch.hpp>

#include <bit>
#include <map>
#include <string>

#include "schedules/patterns/arithmetic.hpp"
#include "schedules/registry.hpp"
#include "schedules/verify/verify.hpp"
#include "tests/schedules/problems.hpp"

using namespace tutti;

namespace {

using Meaning = bool (*)(const Problem&);

const std::map<std::string_view, Meaning> kLimitWords{
    {"fewer elements than ranks", [](const Problem& p) { return p.elements() < p.ranks; }},
    {"fewer elements than p'",
     [](const Problem& p) { return p.elements() < power_of_two_below(p.ranks); }},
    {"fewer elements than ranks with --cuts open_mpi",
     [](const Problem& p) { return p.cuts == Cuts::open_mpi && p.elements() < p.ranks; }},
    {"--cuts mpich", [](const Problem& p) { return p.cuts == Cuts::mpich; }},
    {"a --segment larger than the vector",
     [](const Problem& p) { return p.segment_bytes > p.bytes; }},
    {"a --segment larger than the vector, but with --cuts open_mpi",
     [](const Problem& p) { return p.cuts != Cuts::open_mpi && p.segment_bytes > p.bytes; }},
    {"more segments than labels count", [](const Problem&) { return false; }},  // not with so few
    {"halves that are empty, or shorter than a segment, with --cuts open_mpi",
     [](const Problem& p) {
       const std::uint64_t half = p.elements() / 2 * p.element_bytes;
       return p.cuts == Cuts::open_mpi && (half == 0 || p.segment_bytes > half);
     }},
    {"--parts of which one cannot run",
     [](const Problem& p) {
       // Of nothing on few ranks Open MPI has a gather of its own, which tutti has not.
       return (to_text(p.parts) == "linear+scatter_allgather" && p.elements() < p.ranks) ||
              (p.parts.kind == TwoParts::Kind::open_mpi && p.collective == Collective::allgather &&
               p.elements() == 0 && p.ranks < 4);
     }},
    {"--cuts that neither of --parts takes",
     [](const Problem& p) { return p.parts.standard() && p.cuts != Cuts::even; }},
    {"--parts with sizes of single blocks",
     [](const Problem& p) { return !p.parts.standard() && !p.block_bytes.empty(); }},
};

const std::map<std::string_view, Meaning> kOrderWords{
    {"", [](const Problem&) { return false; }},
    {"always", [](const Problem&) { return true; }},
    {"root 0", [](const Problem& p) { return p.root == 0; }},
    {"p <= 3", [](const Problem& p) { return p.ranks <= 3; }},
    {"--fold neighbours, or p = p'",
     [](const Problem& p) { return p.fold == Fold::neighbours || std::has_single_bit(p.ranks); }},
    {"root 0 with --tree chain or binomial, or with p = 2",
     [](const Problem& p) {
       return p.root == 0 && (p.tree == Tree::chain || p.tree == Tree::binomial || p.ranks == 2);
     }},
    {"linear skips", [](const Problem& p) { return p.skips.scheme == Skips::Scheme::linear; }},
    {"linear skips, as all are for p <= 3",
     [](const Problem& p) { return p.skips.scheme == Skips::Scheme::linear || p.ranks <= 3; }},
    // Of other parts the algorithm knows it; the proof may find more.
    {"--parts whose reduction keeps it, as that of the default does",
     [](const Problem&) { return true; }},
};

bool is_refused(const Algorithm& algorithm, const Problem& problem) {
  return algorithm.refusal != nullptr && algorithm.refusal(problem).has_value();
}

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
  // Vectors of one element, of empty blocks among them, and of blocks that are uneven.
  for_all_problems(algorithm, ranks, all_roots, {1, 2 * ranks + 1}, [&](const Problem& problem) {
    if (is_refused(algorithm, problem)) {
      return;
    }
    const OperandOrder order = verify(make_schedule(algorithm, problem), {}).order;
    const bool proved = order == OperandOrder::rank_order;
    const bool promised = algorithm.keeps_order != nullptr && algorithm.keeps_order(problem);
    CHECK(order != OperandOrder::none);
    // Where blocks are empty, those that are not may be in order by chance.
    if (problem.parts.standard() && !has_empty_block(algorithm.layout(problem))) {
      CHECK(promised == proved);
      CHECK(words->second(problem) == proved);
    } else {
      CHECK((!promised || proved));
    }
  });
}

}  // namespace

TEST_CASE("what algorithms refuse is what they say in words, and nothing else") {
  for (const Algorithm* algorithm : algorithms()) {
    INFO(algorithm->full_name());
    CHECK((algorithm->refusal == nullptr) == algorithm->limits.empty());
    for (const std::string_view limit : algorithm->limits) {
      INFO(limit);
      REQUIRE(kLimitWords.count(limit) == 1);
    }
    for (const std::uint32_t ranks : rank_counts()) {
      for_all_problems(
          *algorithm, ranks, false, element_counts(algorithm->collective, ranks),
          [&](const Problem& problem) {
            const bool said =
                std::any_of(algorithm->limits.begin(), algorithm->limits.end(),
                            [&](std::string_view limit) { return kLimitWords.at(limit)(problem); });
            CHECK(is_refused(*algorithm, problem) == said);
          });
    }
  }
}

TEST_CASE("the order of operands is the one told, promised and proved") {
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

TEST_CASE("the order of operands is the one told, promised and proved, at every root", "[slow]") {
  for (const Algorithm* algorithm : algorithms()) {
    if (reduces(algorithm->collective) && has_root(algorithm->collective)) {
      for (std::uint32_t ranks = 2; ranks <= 33; ++ranks) {
        check_order(*algorithm, ranks, true);
      }
    }
  }
}
