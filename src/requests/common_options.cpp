#include "src/requests/common_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/error.hpp"
#include "base/human.hpp"
#include "base/machine_memory.hpp"
#include "base/nearest.hpp"
#include "base/quantities.hpp"
#include "schedules/options/option_type.hpp"
#include "schedules/patterns/composition.hpp"
#include "src/requests/file_roles.hpp"
#include "src/requests/rank_counts.hpp"
#include "src/requests/skewed_blocks.hpp"

namespace tutti {

namespace {

void refuse_unless_taken(const Algorithm& algorithm, const OptionText& given, Option option,
                         std::string_view name) {
  if (given && (algorithm.options & static_cast<unsigned>(option)) == 0) {
    throw UserError(fmt::format("{} takes no {}; 'tutti list {}' shows what it takes",
                                algorithm.full_name(), name, tutti::name(algorithm.collective)));
  }
}

}  // namespace

void ProblemOptions::add_to(CLI::App& app) {
  constexpr const char* kGroup = "What to run";
  app.add_option("-p,--ranks", ranks, "Number of ranks")->type_name("COUNT")->group(kGroup);
  app.add_option("-n,--bytes", bytes,
                 "Bytes in the largest buffer that any rank holds: 1000, 64K = 64KiB, 1MiB")
      ->type_name("SIZE")
      ->group(kGroup);
  app.add_option("--elem-bytes", element_bytes, "Bytes of an element [8]")
      ->type_name("SIZE")
      ->group(kGroup);
  app.add_option("--root", root, "Root of a collective that has one [0]")
      ->type_name("RANK")
      ->group(kGroup);
  app.add_option("--fold", fold,
                 "How ranks beyond a power of two are taken in: neighbours [default] or far")
      ->type_name("HOW")
      ->group(kGroup);
  app.add_option("--segment", segment,
                 "Bytes of a segment, for algorithms that pipeline; auto: the best by the model")
      ->type_name("SIZE")
      ->group(kGroup);
  app.add_option("--skips", skips,
                 "Skips of a circulant algorithm: halving [default], doubling, linear, sqrt, or a "
                 "list such as 5,3,2,1")
      ->type_name("SKIPS")
      ->group(kGroup);
  app.add_option("--tree", tree,
                 fmt::format("Of pipelined algorithms: {} [default], {} or {}", kTreeNames.front(),
                             fmt::join(kTreeNames.begin() + 1, kTreeNames.end() - 1, ", "),
                             kTreeNames.back()))
      ->type_name("NAME")
      ->group(kGroup);
  app.add_option("--cuts", cuts,
                 "Whose rounding cuts blocks and segments: even [default], open_mpi or mpich")
      ->type_name("WHOSE")
      ->group(kGroup);
  app.add_option(
         "--parts", parts,
         "Of algorithms made of two collectives, an algorithm for each: "
         "NAME[:TREE][:SEGMENT]+NAME[:TREE][:SEGMENT], or open_mpi: what that library calls")
      ->type_name("PARTS")
      ->group(kGroup);
  app.add_option("--block-bytes", block_bytes,
                 "Bytes of each rank's block, where they may differ: 64,8,128 for 3 ranks [equal]")
      ->type_name("SIZES")
      ->group(kGroup);
  app.add_option("--block-skew", block_skew,
                 "In place of --block-bytes: each rank's block is 1+X times as large as the next "
                 "one's, in whole elements; 0: equal")
      ->type_name("X")
      ->group(kGroup);
  app.add_option("--cores-per-node", cores_per_node,
                 "Consecutive ranks that make a node, for algorithms that know of nodes "
                 "[--ranks-per-host]")
      ->type_name("COUNT")
      ->group(kGroup);
  app.add_option(
         "--limit", limit,
         "Where to stop a program in the notation [operations=100M,steps=1G,nesting=100, and "
         "memory=8GiB or half of the machine's]")
      ->type_name("NAME=N")
      ->group(kGroup);
  app.add_option("--ranks-per-host", ranks_per_host, "Ranks on each host [1]")
      ->type_name("COUNT")
      ->group(kGroup);
}

void ProblemOptions::read_sizes(const Algorithm& algorithm, Problem& problem) const {
  if (bytes) {
    problem.bytes = parse_bytes("-n/--bytes", *bytes);
    if (algorithm.collective == Collective::barrier && problem.bytes != 0) {
      throw UserError(
          fmt::format("-n/--bytes '{}': a barrier moves no data; leave it out", *bytes));
    }
  }
  read_blocks(algorithm, problem);
  if (!bytes && !block_bytes && algorithm.collective != Collective::barrier) {
    throw UserError("how many bytes? Give -n/--bytes, such as -n 1MiB");
  }
}

void ProblemOptions::read_blocks(const Algorithm& algorithm, Problem& problem) const {
  refuse_unless_taken(algorithm, block_bytes, Option::block_sizes, "--block-bytes");
  refuse_unless_taken(algorithm, block_skew, Option::block_sizes, "--block-skew");
  if (block_skew) {
    if (block_bytes) {
      throw UserError(
          fmt::format("--block-skew '{}': --block-bytes says already how large the blocks are; "
                      "give one of them",
                      *block_skew));
    }
    // Bytes that are not whole elements are refused by check().
    problem.block_bytes = skewed_blocks(problem.bytes / problem.element_bytes, problem.ranks,
                                        parse_number("--block-skew", *block_skew));
    for (std::uint64_t& block : problem.block_bytes) {
      block *= problem.element_bytes;
    }
  }
  if (!block_bytes) {
    return;
  }
  problem.block_bytes = parse_byte_list("--block-bytes", *block_bytes);
  if (problem.block_bytes.size() != problem.ranks) {
    throw UserError(fmt::format("--block-bytes '{}': {} for {}; each rank needs one", *block_bytes,
                                counted(problem.block_bytes.size(), "size"),
                                counted(problem.ranks, "rank")));
  }
  std::uint64_t sum = 0;
  for (const std::uint64_t block : problem.block_bytes) {
    sum += block;  // at most a million sizes of less than 2^44
    if (block % problem.element_bytes != 0) {
      throw UserError(
          fmt::format("--block-bytes '{}': {} bytes are not a whole number of {}-byte elements",
                      *block_bytes, block, problem.element_bytes));
    }
  }
  if (bytes && sum != problem.bytes) {
    throw UserError(
        fmt::format("-n/--bytes '{}': the sizes of --block-bytes add up to {}", *bytes, sum));
  }
  if (sum > kMaxMessageBytes) {
    throw UserError(fmt::format("--block-bytes '{}': adds up to more than 16 TiB", *block_bytes));
  }
  problem.bytes = sum;
}

void ProblemOptions::read_nodes(const Algorithm& algorithm, Problem& problem) const {
  refuse_unless_taken(algorithm, cores_per_node, Option::ranks_per_node, "--cores-per-node");
  problem.ranks_per_node = ranks_per_host_count();
  if (cores_per_node) {
    problem.ranks_per_node = parse_count("--cores-per-node", *cores_per_node);
    if (problem.ranks_per_node == 0) {
      throw UserError("--cores-per-node '0': a node has at least 1 core");
    }
  }
}

std::uint32_t ProblemOptions::element_bytes_count() const {
  if (!element_bytes) {
    return Problem{}.element_bytes;
  }
  const std::uint64_t size = parse_bytes("--elem-bytes", *element_bytes);
  constexpr std::uint64_t kLargest = 1U << 20U;
  if (size == 0 || size > kLargest) {
    throw UserError(
        fmt::format("--elem-bytes '{}': accepted is a size from 1 byte to 1 MiB", *element_bytes));
  }
  return static_cast<std::uint32_t>(size);
}

std::uint32_t ProblemOptions::ranks_per_host_count() const {
  const std::uint32_t count = ranks_per_host ? parse_count("--ranks-per-host", *ranks_per_host) : 1;
  if (count == 0) {
    throw UserError("--ranks-per-host '0': a host holds at least 1 rank");
  }
  return count;
}

ProgramLimits ProblemOptions::program_limits() const {
  ProgramLimits limits;
  limits.memory_bytes = std::min<std::uint64_t>(limits.memory_bytes, physical_memory_bytes() / 2);
  if (!limit) {
    return limits;
  }
  for (std::size_t at = 0; at <= limit->size();) {
    const std::size_t comma = std::min(limit->find(',', at), limit->size());
    const std::string one = limit->substr(at, comma - at);
    at = comma + 1;
    const std::size_t equals = one.find('=');
    const std::string name = one.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : one.substr(equals + 1);
    const std::string option = "--limit " + name;
    if (name == "operations") {
      limits.operations = parse_bytes(option, value);
    } else if (name == "steps") {
      limits.steps = parse_bytes(option, value);
    } else if (name == "memory") {
      limits.memory_bytes = parse_bytes(option, value);
    } else if (name == "nesting") {
      limits.nesting = parse_count(option, value, ProgramLimits::kMostNesting);
    } else {
      throw UserError(
          fmt::format("--limit '{}': accepted is operations=N, steps=N, memory=SIZE or "
                      "nesting=N",
                      one));
    }
  }
  return limits;
}

namespace {

// Words that cannot be read are refused for that.
bool parts_take_cuts(const OptionText& parts, Collective collective) {
  try {
    return tutti::parts_take_cuts(parts ? parse_parts(*parts, collective) : TwoParts{}, collective);
  } catch (const UserError&) {
    return true;
  }
}

}  // namespace

ProblemOptions ProblemOptions::applicable_to(const Algorithm& algorithm) const {
  ProblemOptions kept = *this;
  const auto drop_unless = [](bool taken, OptionText& option) {
    if (!taken) {
      option.reset();
    }
  };
  const auto takes = [&](Option option) {
    return (algorithm.options & static_cast<unsigned>(option)) != 0;
  };
  drop_unless(takes(Option::fold), kept.fold);
  drop_unless(takes(Option::segment), kept.segment);
  drop_unless(takes(Option::skips), kept.skips);
  drop_unless(takes(Option::tree), kept.tree);
  drop_unless(takes(Option::parts), kept.parts);
  // Algorithms made of two take it where one of the two does.
  const bool takes_cuts =
      takes(Option::cuts) &&
      (!takes(Option::parts) || parts_take_cuts(kept.parts, algorithm.collective));
  drop_unless(takes_cuts, kept.cuts);
  drop_unless(takes(Option::ranks_per_node), kept.cores_per_node);
  drop_unless(algorithm.program != nullptr, kept.limit);
  return kept;
}

std::array<ProblemOptions::Single, 9> ProblemOptions::singles() const {
  return {{{Option::fold, "--fold", &fold},
           {Option::segment, "--segment", &segment},
           {Option::skips, "--skips", &skips},
           {Option::tree, "--tree", &tree},
           {Option::cuts, "--cuts", &cuts},
           {Option::parts, "--parts", &parts},
           {Option::ranks_per_node, "--cores-per-node", &cores_per_node},
           {Option::block_sizes, "--block-bytes", &block_bytes},
           {Option::block_sizes, "--block-skew", &block_skew}}};
}

void ProblemOptions::refuse_what_none_takes(std::span<const Algorithm* const> algorithms) const {
  const auto none = [algorithms](auto&& takes) {
    return std::none_of(algorithms.begin(), algorithms.end(),
                        [&](const Algorithm* algorithm) { return takes(*algorithm); });
  };
  const Collective collective = algorithms.front()->collective;
  const bool one_collective =
      none([&](const Algorithm& algorithm) { return algorithm.collective != collective; });
  for (const Single& single : singles()) {
    if (*single.text && none([&](const Algorithm& algorithm) {
          return (algorithm.options & static_cast<unsigned>(single.option)) != 0;
        })) {
      throw UserError(
          one_collective
              ? fmt::format("no algorithm of {} takes {}; 'tutti list {}' shows what they do",
                            name(collective), single.name, name(collective))
              : fmt::format("none of these algorithms takes {}; 'tutti list' shows what they do",
                            single.name));
    }
  }
  if (root && none([](const Algorithm& algorithm) { return has_root(algorithm.collective); })) {
    throw UserError(fmt::format("{} has no root; leave out --root", name(collective)));
  }
  if (limit && none([](const Algorithm& algorithm) { return algorithm.program != nullptr; })) {
    throw UserError(fmt::format(
        "--limit '{}': there is no program in the notation to stop; leave it out", *limit));
  }
}

Problem ProblemOptions::problem(const Algorithm& algorithm, bool finds_segment) const {
  Problem problem;
  problem.collective = algorithm.collective;
  if (!ranks) {
    throw UserError("how many ranks? Give -p/--ranks, such as -p 64");
  }
  problem.ranks = parse_ranks(*ranks);
  if (problem.ranks == 0) {
    throw UserError("-p/--ranks '0': a collective needs at least 1 rank");
  }
  problem.element_bytes = element_bytes_count();
  read_sizes(algorithm, problem);
  if (root) {
    if (!has_root(algorithm.collective)) {
      throw UserError(fmt::format("{} has no root; leave out --root", name(algorithm.collective)));
    }
    problem.root = parse_count("--root", *root);
  }
  const auto read = [&](const OptionText& given, Option option) {
    const OptionType& type = option_type(option);
    refuse_unless_taken(algorithm, given, option, type.flag);
    if (given) {
      type.parse(type.flag, *given, problem);
    }
  };
  read(fold, Option::fold);
  if (wants_best_segment() && (algorithm.options & bit(Option::segment)) != 0) {
    if (!finds_segment) {
      throw UserError(
          "--segment 'auto': this command has no prices to find the best size with; give a size");
    }
  } else {
    read(segment, Option::segment);
  }
  read(skips, Option::skips);
  read(tree, Option::tree);
  read(cuts, Option::cuts);
  read(parts, Option::parts);
  if (limit && algorithm.program == nullptr) {
    throw UserError(fmt::format("--limit '{}': {} is no program in the notation; leave it out",
                                *limit, algorithm.full_name()));
  }
  read_nodes(algorithm, problem);
  return problem;
}

void ResultOptions::add_to(CLI::App& app) {
  constexpr const char* kGroup = "Output";
  app.add_option("--json", json, "Write the result as JSON; - is standard output")
      ->type_name(kWrittenFile)
      ->group(kGroup);
  app.add_option("--csv", csv, "Write the result as comma-separated values; - is standard output")
      ->type_name(kWrittenFile)
      ->group(kGroup);
}

std::string unknown_collective(const std::string& text) {
  std::vector<std::string> names;
  names.reserve(kCollectives.size());
  for (const Collective candidate : kCollectives) {
    names.emplace_back(name(candidate));
  }
  const std::string best = nearest(text.substr(0, text.find('/')), names);
  return fmt::format("unknown collective '{}'{}", text,
                     best.empty() ? fmt::format("; there are {}", fmt::join(names, ", "))
                                  : fmt::format(": did you mean '{}'?", best));
}

Collective parse_collective(const std::string& text) {
  if (const auto collective = collective_named(text)) {
    return *collective;
  }
  throw UserError(unknown_collective(text));
}

std::size_t parse_jobs(const OptionText& text) {
  constexpr std::uint32_t kMost = 1024;
  if (!text) {
    return std::max(1U, std::thread::hardware_concurrency());
  }
  const std::uint32_t jobs = parse_count("--jobs", *text, kMost);
  if (jobs == 0) {
    throw UserError(fmt::format("--jobs '0': accepted is a number from 1 to {}", kMost));
  }
  return jobs;
}

void check_number_of(const std::string& thing, std::uint64_t count) {
  constexpr std::uint64_t kMost = 1'000'000;
  if (count > kMost) {
    throw UserError(fmt::format(
        "-p/--ranks and -n/--bytes come to {}, and at most {} can be done at once; give shorter "
        "lists, or doublings such as 2..1024*2",
        counted(count, thing), human_count(kMost)));
  }
}

void check_one_standard_output(std::initializer_list<const OptionText*> paths) {
  int standard = 0;
  for (const OptionText* path : paths) {
    standard += *path == "-" ? 1 : 0;
  }
  if (standard > 1) {
    throw UserError("two outputs cannot both go to standard output; give one of them a file");
  }
}

}  // namespace tutti
