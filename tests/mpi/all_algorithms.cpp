// Runs every registered algorithm on the ranks of this job. Every byte of the result must be right,
// unless the algorithm refuses the problem because of one of its own limits. One job runs all
// cases, since starting a job takes longer than most cases. With up to 3 ranks, the job tries every
// root, every option value, and all types for a reduction of 1000 elements. With more ranks it
// tries a sample, since the ranks wait for a core most of the time. With the argument "few", which
// is meant for large jobs, it tries only one size, and a third of the algorithms: TUTTI_TEST_SEED
// repeats those of a run, and with TUTTI_ALL_CASES it tries all. With the argument "all", it tries
// everything with up to 5 ranks.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <random>
#include <set>
#include <string>
#include <string_view>

#include "schedules/registry.hpp"
#include "schedules/run_words.hpp"
#include "sim/mpi/byte_check.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/executor.hpp"
#include "sim/mpi/plan/admission.hpp"
#include "tests/sanitized.hpp"
#include "tests/schedules/problems.hpp"

namespace tutti::mpi { namespace {

constexpr std::uint64_t kLarge = 100003;

struct Totals {
  std::uint64_t right = 0;
  std::uint64_t wrong = 0;
  std::uint64_t refused = 0;
  std::uint64_t order_refused = 0;
  std::uint64_t order_right = 0;
};

class Suite {
 public:
  Suite(const World& world, std::string_view how)
      : world_(world),
        few_(how == "few"),
        small_(!kSanitized && world.ranks() <= (how == "all" ? 5 : 3)) {}

  void run() {
    constexpr std::size_t kShare = 3;
    const bool all = !few_ || std::getenv("TUTTI_ALL_CASES") != nullptr;
    const std::size_t seed = all ? 0 : drawn_seed();
    for (std::size_t number = 0; const Algorithm* algorithm : algorithms()) {
      turn_ = 7 * number++;  // varies the type and the number of tags between algorithms
      if (!all && number % kShare != seed % kShare) {
        continue;
      }
      for (const std::uint64_t elements : sizes(algorithm->collective)) {
        for (const Rank root : roots_for(algorithm->collective, elements)) {
          const std::vector<Element> chosen = elements_for(*algorithm, elements, root);
          for (const Element& element : chosen) {
            Problem problem = problem_of(algorithm->collective, world_.ranks(), elements, root);
            problem.element_bytes = element.bytes();
            problem.bytes = elements * element.bytes();
            const bool last_root = !has_root(algorithm->collective) || root == world_.ranks() - 1;
            const bool vary = elements == 1000 && last_root && &element == &chosen.front();
            one(*algorithm, problem, element);
            if (vary) {
              vary_options(*algorithm, problem, element);
            }
          }
        }
      }
    }
  }

  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  // Returns the same number on all ranks: TUTTI_TEST_SEED, or a new one, which rank 0 prints.
  [[nodiscard]] std::size_t drawn_seed() const {
    const char* const given = std::getenv("TUTTI_TEST_SEED");
    unsigned long long seed =
        given == nullptr ? std::random_device()() : std::strtoull(given, nullptr, 10);
    MPI_Bcast(&seed, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    if (world_.first()) {
      fmt::print("TUTTI_TEST_SEED={}: a third of the algorithms\n", seed);
    }
    return seed;
  }

  // Runs a variant of the problem for each value of each option. With many ranks, runs only every
  // fourth variant.
  void vary_options(const Algorithm& algorithm, const Problem& problem, const Element& element) {
    std::size_t turn = 0;
    for (const Problem& variant : option_variants(algorithm, problem)) {
      if (variant != problem && (small_ || turn++ % 4 == 0)) {
        one(algorithm, variant, element);
      }
    }
  }

  [[nodiscard]] std::set<std::uint64_t> sizes(Collective collective) const {
    if (collective == Collective::barrier) {
      return {0};
    }
    if (few_) {
      return {1000};
    }
    if (kSanitized) {
      return {0, world_.ranks() + 1U, 1000};
    }
    return {0, 1, world_.ranks() - 1U, world_.ranks() + 1U, 1000, kLarge};
  }

  // Returns the roots to try. If small_ is set, and for 1000 elements unless few_ or kSanitized is
  // set, these are all ranks. Otherwise they are the first and the last rank, and for kLarge
  // elements also a rank in between.
  [[nodiscard]] std::vector<Rank> roots_for(Collective collective, std::uint64_t elements) const {
    if (!has_root(collective) || small_ || (elements == 1000 && !few_ && !kSanitized)) {
      return roots(collective, world_.ranks());
    }
    std::vector<Rank> chosen{0, world_.ranks() - 1};
    if (elements == kLarge) {
      chosen.insert(chosen.begin() + 1, static_cast<Rank>(1 + turn_ % (world_.ranks() - 2)));
    }
    return chosen;
  }

  // Returns the types and operators to try: all of them for a reduction if that is cheap, otherwise
  // the next one in turn. For most reductions, adds a product of matrices, which does not commute.
  [[nodiscard]] std::vector<Element> elements_for(const Algorithm& algorithm,
                                                  std::uint64_t elements, Rank root) {
    using enum NumberType;
    using enum Operator;
    if (!reduces(algorithm.collective)) {
      constexpr std::array kTypes{int32, int64, float32, float64};
      return {{kTypes[turn_++ % kTypes.size()], sum}};
    }
    static const std::vector<Element> kAll{{int64, sum},    {float64, sum}, {int32, max},
                                           {float32, sum},  {int32, prod},  {int64, bxor},
                                           {float64, prod}, {int64, min},   {float32, max},
                                           {int32, band},   {int64, bor},   {int32, sum}};
    std::vector<Element> chosen{kAll[turn_++ % kAll.size()]};
    if (small_ && elements == 1000 && root == 0) {
      chosen = kAll;
    }
    if (elements != kLarge || root == 0) {
      chosen.push_back({turn_ % 2 == 0 ? int32 : int64, matrix});
    }
    return chosen;
  }

  void one(const Algorithm& algorithm, const Problem& problem, const Element& element) {
    const std::string what =
        fmt::format("{} p={} elements={} root={} {} {} {}", algorithm.full_name(), problem.ranks,
                    problem.elements(), problem.root, name(element.type), name(element.op),
                    options_text(algorithm, problem));
    try {
      check(algorithm, problem);
    } catch (const UserError& error) {
      if (!refuses(algorithm, problem)) {
        complain(what,
                 std::string("refused, but not for a limit of the algorithm: ") + error.what());
      }
      ++totals_.refused;
      return;
    }
    const Schedule schedule = make_schedule(algorithm, problem);
    if (schedule.switches() > 0) {
      const auto refused = refusal(schedule, element);
      if (!refused || refused->kind != RefusalKind::problem) {
        complain(what, "not refused, although switches take part");
      }
      ++totals_.refused;
      return;
    }
    const bool keeps_order = algorithm.keeps_order != nullptr && algorithm.keeps_order(problem);
    // refusal() proves the schedule, with the same result on all ranks. If only an error message
    // depends on the result, rank 0 alone calls it. With an operator that does not commute, all
    // ranks need the result, because an algorithm may keep the order of operands by chance, without
    // promising it.
    std::string why;
    if (world_.first() || !element.commutative()) {
      why = refusal(schedule, element).value_or(Refusal{}).text;
    }
    if (!why.empty() && (element.commutative() || keeps_order)) {
      complain(what, "refused: " + why);
    }
    const bool in_order = element.commutative() || why.empty();
    if (!in_order) {
      ++totals_.order_refused;
      return;
    }
    const ElementHandles handles(element);
    // In every third case, only one or two tags are available, as in an MPI library with few tags.
    const std::uint64_t tags = turn_ % 3 == 0 ? 1 + turn_ % 2 : 0;
    Executor executor(schedule, world_, handles, tags);
    const ByteCheck bytes(schedule, world_, handles, CheckKind::full);
    // Runs twice without a barrier in between: messages of one run must not be received in the
    // other run.
    executor.reset_buffers();
    executor.run();
    executor.reset_buffers();
    executor.run();
    const std::string wrong = bytes.wrong_here(executor.work());
    if (!wrong.empty()) {
      complain(what, wrong);
      return;
    }
    ++totals_.right;
    totals_.order_right += element.commutative() ? 0 : 1;
  }

  void complain(const std::string& what, const std::string& text) {
    ++totals_.wrong;
    if (totals_.wrong < 20) {
      fmt::print("{}: {}\n", what, text);
      std::fflush(stdout);
    }
  }

  const World& world_;
  bool few_;
  // True if all roots, types and option values are tried.
  bool small_;
  Totals totals_;
  std::size_t turn_ = 0;
};

int run_suite(std::string_view how) {
  const World world(kSanitized ? 600 : 60);
  Suite suite(world, how);
  const double start_s = now_s();
  suite.run();
  Totals totals = suite.totals();
  double wrong = 0;
  for (const double of_rank : world.gather({static_cast<double>(totals.wrong)})) {
    wrong += of_rank;
  }
  totals.wrong = std::max(totals.wrong, static_cast<std::uint64_t>(wrong));
  if (world.first()) {
    fmt::print(
        "p={}: {} cases right, {} refused with the algorithm's limit; matrix products: {} right, "
        "{} refused; {} complaints; {:.1f} s\n",
        world.ranks(), totals.right, totals.refused, totals.order_right, totals.order_refused,
        totals.wrong, now_s() - start_s);
  }
  return totals.right == 0 || totals.wrong > 0 ? 1 : 0;
}

}}  // namespace tutti::mpi

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int result = 1;
  try {
    result = tutti::mpi::run_suite(argc > 1 ? argv[1] : "");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return result;
}
