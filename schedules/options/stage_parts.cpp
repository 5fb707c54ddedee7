#include "schedules/options/stage_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "schedules/options/word_list.hpp"
#include "schedules/registry.hpp"

namespace tutti { inline namespace schedules {

namespace {

constexpr std::uint64_t kMostRadix = std::numeric_limits<std::int32_t>::max();

class Reader {
 public:
  Reader(std::string_view what, std::string_view all) : what_(what), all_(all) {}

  StageParts read() {
    StageParts parts{{{}}};
    std::string_view left = all_;
    while (true) {
      const std::size_t end = std::min(left.find_first_of("+,"), left.size());
      parts.levels.back().push_back(stage(left.substr(0, end)));
      if (end == left.size()) {
        return parts;
      }
      if (left[end] == ',') {
        parts.levels.emplace_back();
      }
      left.remove_prefix(end + 1);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw UserError(fmt::format(
        "{} '{}': {}; expected an algorithm, or NAME:TREE:SEGMENT, for each stage, such "
        "as binomial or pipeline:binary:4096+linear",
        what_, all_, why));
  }
  [[noreturn]] void fail_at_algorithm(std::string_view word) const {
    std::vector<std::string> names;
    for (const Algorithm* algorithm : algorithms()) {
      names.emplace_back(algorithm->name);
    }
    fail(fmt::format("unknown algorithm '{}'{}", word, did_you_mean(word, names)));
  }

  [[nodiscard]] StagePart stage(std::string_view words) const {
    std::vector<OnePart> parts;
    for (std::string_view left = words;;) {
      const std::size_t end = std::min(left.find('/'), left.size());
      parts.push_back(part(left.substr(0, end)));
      if (end == left.size()) {
        break;
      }
      left.remove_prefix(end + 1);
    }
    if (parts.size() > 3) {
      throw UserError(
          fmt::format("{} '{}': '{}' has {} parts; write at most three, for the first segment, the "
                      "others and the last one",
                      what_, all_, words, parts.size()));
    }
    StagePart stage{parts.front(), std::nullopt, std::nullopt};
    if (parts.size() > 1) {
      stage.others = parts[1];
    }
    if (parts.size() > 2) {
      stage.last = parts[2];
    }
    return stage;
  }

  [[nodiscard]] OnePart part(std::string_view words) const {
    OnePart part;
    const std::string_view algorithm_name = words.substr(0, words.find(':'));
    part.algorithm = algorithm_name;
    if (std::none_of(algorithms().begin(), algorithms().end(), [&](const Algorithm* algorithm) {
          return algorithm->name == algorithm_name;
        })) {
      fail_at_algorithm(algorithm_name);
    }
    for (std::size_t colon = words.find(':'); colon != words.npos;) {
      const std::size_t next = std::min(words.find(':', colon + 1), words.size());
      const std::string_view word = words.substr(colon + 1, next - colon - 1);
      if (!take(word, part)) {
        fail(fmt::format("{} does not take '{}'", algorithm_name, word));
      }
      colon = next == words.size() ? words.npos : next;
    }
    return part;
  }

  // Sets the option of the part that `word` names. Returns false if `word` is not valid, or if this
  // option of the part is already set.
  static bool take(std::string_view word, OnePart& part) {
    constexpr std::string_view kRadix = "radix=";
    if (const auto tree = named<Tree>(kTreeNames, word)) {
      return !std::exchange(part.tree, tree);
    }
    if (const auto fold = named<Fold>(kFoldNames, word)) {
      return std::exchange(part.fold, *fold) == Fold::neighbours;
    }
    if (const auto cuts = named<Cuts>(kCutsNames, word)) {
      return std::exchange(part.cuts, *cuts) == Cuts::even;
    }
    const bool radix = word.starts_with(kRadix);
    const auto value = segment_size(radix ? word.substr(kRadix.size()) : word);
    if (radix) {
      return value && *value <= kMostRadix &&
             std::exchange(part.radix, static_cast<std::uint32_t>(*value)) == 0;
    }
    return value && std::exchange(part.segment_bytes, *value) == 0;
  }

  std::string_view what_;
  std::string_view all_;
};

}  // namespace

StageParts parse_stage_parts(std::string_view what, std::string_view text) {
  return Reader(what, text).read();
}

std::string to_text(const StagePart& part) {
  std::string text = to_text(part.first);
  if (part.others || part.last) {
    text += fmt::format("/{}", to_text(part.others.value_or(part.first)));
  }
  if (part.last) {
    text += fmt::format("/{}", to_text(*part.last));
  }
  return text;
}

std::string to_text(const StageParts& parts) {
  std::string text;
  for (const std::vector<StagePart>& level : parts.levels) {
    text += text.empty() ? "" : ",";
    for (std::size_t at = 0; at < level.size(); ++at) {
      text += at == 0 ? "" : "+";
      text += to_text(level[at]);
    }
  }
  return text;
}

}}  // namespace tutti::schedules
