#include "schedules/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/file_text.hpp"
#include "base/nearest.hpp"

namespace tutti { inline namespace schedules {

#define TUTTI_ALGORITHM(collective, algorithm)   \
  namespace collective {                         \
  extern const Algorithm algorithm; /* NOLINT */ \
  }
#include "schedules/registry.def"
#undef TUTTI_ALGORITHM

namespace {

constexpr std::array kAlgorithms{
#define TUTTI_ALGORITHM(collective, algorithm) &collective::algorithm,
#include "schedules/registry.def"
#undef TUTTI_ALGORITHM
};

std::string meant(std::string_view word, std::span<const std::string> names) {
  const std::string best = nearest(word, names);
  return best.empty() ? "" : fmt::format(": did you mean '{}'?", best);
}

// Explains the name of a component of an MPI library, which users may take for an algorithm; "" for
// other words.
std::string_view remark_on(std::string_view word) {
  if (same_word(word, "han") || same_word(word, "smp") || same_word(word, "two_level")) {
    return "; tutti calls schedules on several levels 'hierarchical', and 'tutti choose' with "
           "$library "
           "shows those that a library composes";
  }
  if (same_word(word, "tuned") || same_word(word, "basic") || same_word(word, "nccl") ||
      same_word(word, "ucc") || same_word(word, "hcoll")) {
    return "; this is a component of a library, which chooses among algorithms: see 'tutti choose' "
           "and 'tutti nccl'";
  }
  return "";
}

// Returns the algorithm of the collective that is called `word`. `full_name`: what the user wrote.
const Algorithm& named_in(Collective collective, std::string_view full_name,
                          std::string_view word) {
  std::vector<std::string> words;
  for (const Algorithm* algorithm : kAlgorithms) {
    if (algorithm->collective == collective) {
      if (same_word(algorithm->name, word)) {
        return *algorithm;
      }
      words.emplace_back(algorithm->name);
    }
  }
  const std::string_view remark = remark_on(word);
  const std::string best = remark.empty() ? nearest(word, words) : "";
  throw UserError(fmt::format(
      "unknown algorithm '{}'{}{} ('tutti list {}' names all of them)", full_name,
      best.empty() ? "" : fmt::format(": did you mean '{}/{}'?", name(collective), best), remark,
      name(collective)));
}

// Finds the name without a collective, such as "ring", that is nearest to `word`, and suggests all
// algorithms of that name.
std::string meant_by_last_name(std::string_view word, std::span<const std::string> names) {
  std::vector<std::string> last_names;
  for (const Algorithm* algorithm : kAlgorithms) {
    last_names.emplace_back(algorithm->name);
  }
  const std::string last = nearest(word, last_names);
  std::vector<std::string> called_so;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!last.empty() && last_names[i] == last) {
      called_so.push_back(fmt::format("'{}'", names[i]));
    }
  }
  if (called_so.size() < 2) {
    return called_so.empty() ? meant(word, names)
                             : fmt::format(": did you mean {}?", called_so.front());
  }
  return fmt::format(": did you mean {} or {}?",
                     fmt::join(called_so.begin(), called_so.end() - 1, ", "), called_so.back());
}

}  // namespace

std::span<const Algorithm* const> algorithms() { return kAlgorithms; }

const Algorithm* find_algorithm(Collective collective, std::string_view name) {
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->collective == collective && algorithm->name == name) {
      return algorithm;
    }
  }
  return nullptr;
}

const Algorithm& algorithm_of(Collective collective, std::string_view text) {
  const std::string_view own = name(collective);
  const std::size_t slash = std::min(text.find('/'), text.size());
  const bool full = slash < text.size() && collective_meant(text.substr(0, slash)) == collective;
  const std::string_view word = full ? text.substr(slash + 1) : text;
  std::vector<std::string> names;
  for (const Algorithm* algorithm : kAlgorithms) {
    if (algorithm->collective == collective) {
      if (same_word(algorithm->name, word)) {
        return *algorithm;
      }
      names.emplace_back(algorithm->name);
    }
  }
  throw UserError(
      fmt::format("no algorithm '{}' for {}; {}", text, own, accepted_words(word, names)));
}

const Algorithm& algorithm_named(std::string_view full_name) {
  std::vector<std::string> names;
  names.reserve(kAlgorithms.size());
  for (const Algorithm* algorithm : kAlgorithms) {
    names.push_back(algorithm->full_name());
    if (names.back() == full_name) {
      return *algorithm;
    }
  }
  const std::size_t slash = full_name.find('/');
  const auto collective = collective_meant(full_name.substr(0, slash));
  if (collective && slash == std::string_view::npos) {
    const std::string_view own = name(*collective);
    const auto first = std::find_if(names.begin(), names.end(), [&](const std::string& each) {
      return each.starts_with(fmt::format("{}/", own));
    });
    throw UserError(fmt::format(
        "'{}' is a collective; name one of its algorithms, such as {} ('tutti list {}' names all "
        "of them)",
        full_name, first == names.end() ? "none" : *first, own));
  }
  // No algorithm has a dot in its name.
  if (full_name.find('.') != std::string_view::npos) {
    if (const std::string file = nearest_file(std::string(full_name), kScheduleFile);
        !file.empty()) {
      throw UserError(fmt::format("there is no file or algorithm '{}'{}", full_name, file));
    }
  }
  if (collective) {
    return named_in(*collective, full_name, full_name.substr(slash + 1));
  }
  throw UserError(fmt::format("unknown algorithm '{}'{} ('tutti list' names all of them)",
                              full_name,
                              slash == std::string_view::npos ? meant_by_last_name(full_name, names)
                                                              : meant(full_name, names)));
}

}}  // namespace tutti::schedules
