// --parts: the algorithms for the two collectives of which an algorithm consists.
#include "schedules/options/parts.hpp"

#include <algorithm>

#include "base/quantities.hpp"
#include "schedules/options/option_field.hpp"
#include "schedules/registry.hpp"

namespace tutti { inline namespace schedules {

namespace {

constexpr std::string_view kOpenMpi = "open_mpi";
constexpr std::array kWholes{Collective::allreduce, Collective::reduce_scatter,
                             Collective::allgather, Collective::allgatherv,
                             Collective::reduce_scatter_block};

std::uint64_t parse_segment(std::string_view part, std::string_view text) {
  const std::optional<std::uint64_t> bytes = segment_size(text);
  if (!bytes) {
    throw UserError(fmt::format(
        "$parts '{}': '{}' is neither a tree nor a segment; a segment is a size such as 16K", part,
        text));
  }
  return *bytes;
}

OnePart parse_part(std::string_view words, Collective collective) {
  OnePart part;
  part.algorithm = words.substr(0, words.find(':'));
  const Algorithm* algorithm = find_algorithm(collective, part.algorithm);
  if (algorithm == nullptr) {
    throw UserError(fmt::format("$parts '{1}': there is no {0}/{2}; 'tutti list {0}' names all",
                                name(collective), words, part.algorithm));
  }
  for (std::size_t colon = words.find(':'); colon != words.npos;) {
    const std::size_t next = words.find(':', colon + 1);
    const std::string_view word =
        words.substr(colon + 1, next == words.npos ? words.npos : next - colon - 1);
    const bool number = !word.empty() && word.front() >= '0' && word.front() <= '9';
    if (!takes(*algorithm, number ? Option::segment : Option::tree)) {
      throw UserError(fmt::format("$parts '{}': {} takes no {}", words, algorithm->full_name(),
                                  number ? "segment" : "tree"));
    }
    if (part.segment_bytes != 0 || (!number && part.tree)) {
      throw UserError(
          fmt::format("$parts '{}': '{}' is not allowed here; write an algorithm, then at most one "
                      "tree, then at most one segment",
                      words, word));
    }
    if (number) {
      part.segment_bytes = parse_segment(words, word);
    } else {
      part.tree = tree_named(word);
    }
    colon = next;
  }
  return part;
}

// Throws UserError if the text is invalid for this collective.
TwoParts parse_own(std::string_view text, Collective whole) {
  if (text == kOpenMpi) {
    return {TwoParts::Kind::open_mpi, {}};
  }
  const std::array<Collective, 2> collectives = collectives_of_parts(whole);
  const std::size_t plus = text.find('+');
  if (plus == text.npos || plus == 0 || plus + 1 == text.size() ||
      text.find('+', plus + 1) != text.npos) {
    throw UserError(fmt::format(
        "$parts '{}': expected an algorithm for {} and one for {}, such as binomial+binomial", text,
        name(collectives[0]), name(collectives[1])));
  }
  return {TwoParts::Kind::chosen,
          {parse_part(text.substr(0, plus), collectives[0]),
           parse_part(text.substr(plus + 1), collectives[1])}};
}

}  // namespace

std::optional<std::uint64_t> segment_size(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') {
    return std::nullopt;
  }
  try {
    const std::uint64_t bytes = parse_bytes("", text);
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
  } catch (const UserError&) {
    return std::nullopt;
  }
}

std::string to_text(const OnePart& part) {
  std::string text = part.algorithm;
  if (part.tree) {
    text += fmt::format(":{}", name(*part.tree));
  }
  if (part.segment_bytes != 0) {
    text += fmt::format(":{}", part.segment_bytes);
  }
  if (part.radix != 0) {
    text += fmt::format(":radix={}", part.radix);
  }
  if (part.fold != Fold::neighbours) {
    text += fmt::format(":{}", name(part.fold));
  }
  if (part.cuts != Cuts::even) {
    text += fmt::format(":{}", name(part.cuts));
  }
  return text;
}

std::string to_text(const TwoParts& parts) {
  switch (parts.kind) {
    case TwoParts::Kind::standard:
      return "";
    case TwoParts::Kind::open_mpi:
      return std::string(kOpenMpi);
    case TwoParts::Kind::chosen:
      break;
  }
  return fmt::format("{}+{}", to_text(parts.two[0]), to_text(parts.two[1]));
}

std::array<Collective, 2> collectives_of_parts(Collective whole) {
  switch (whole) {
    case Collective::allgather:
      return {Collective::gather, Collective::bcast};
    case Collective::allgatherv:
      return {Collective::gatherv, Collective::bcast};
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block:
      return {Collective::reduce, Collective::scatter};
    default:
      TUTTI_INVARIANT(whole == Collective::allreduce);
      return {Collective::reduce, Collective::bcast};
  }
}

TwoParts parse_parts(std::string_view text, Collective whole) {
  const bool has_parts = std::find(kWholes.begin(), kWholes.end(), whole) != kWholes.end();
  try {
    return parse_own(text, has_parts ? whole : kWholes.front());
  } catch (const UserError&) {
    for (const Collective other : kWholes) {
      if (!parts_fault(text, other)) {
        return parse_own(text, other);
      }
    }
    throw;
  }
}

std::optional<std::string> parts_fault(std::string_view text, Collective whole) {
  try {
    (void)parse_own(text, whole);
  } catch (const UserError& error) {
    return error.what();
  }
  return std::nullopt;
}

namespace options {

namespace {

std::string help() {
  return "Algorithms for the two collectives of which an algorithm consists: "
         "NAME[:TREE][:SEGMENT]+NAME[:TREE][:SEGMENT], or open_mpi for those that Open MPI chooses "
         "[set by the algorithm]";
}

void parse(std::string_view, std::string_view text, Problem& into) {
  into.parts = parse_parts(text, into.collective);
}

std::string print(const Problem& problem) { return to_text(problem.parts); }

OptionValue value(const Problem& problem) { return to_text(problem.parts); }

std::vector<OptionTrial> trials(const Problem& problem) {
  Problem as_library = problem;
  as_library.parts.kind = TwoParts::Kind::open_mpi;
  Problem chosen = problem;
  chosen.parts.kind = TwoParts::Kind::chosen;
  // Uses few segments, because each segment adds an operation for every rank.
  const std::uint64_t segment_bytes = std::max<std::uint64_t>(24, problem.bytes / 5);
  if (reduces(problem.collective) && owns_parts(problem.collective)) {
    chosen.parts.two = {
        OnePart{.algorithm = "pipeline", .tree = Tree::chain, .segment_bytes = segment_bytes},
        OnePart{.algorithm = "linear"}};
  } else {
    chosen.parts.two = {OnePart{.algorithm = "linear"}, OnePart{.algorithm = "scatter_allgather"}};
  }
  chosen.cuts = Cuts::open_mpi;
  return {{as_library, TriedFor::tests}, {chosen, TriedFor::tests}};
}

}  // namespace

extern const OptionType parts{
    .option = Option::parts,
    .word = "parts",
    .type_name = "PARTS",
    .help = help,
    .json_key = "parts",
    .recorded = RecordPolicy::in_results,
    .parse = parse,
    .print = print,
    .is_default = is_default<&Problem::parts>,
    .copy = copy_member<&Problem::parts>,
    .value = value,
    .trials = trials,
};

}  // namespace options

}}  // namespace tutti::schedules
