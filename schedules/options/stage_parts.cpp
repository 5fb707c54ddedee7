#include "schedules/options/stage_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "schedules/options/word_list.hpp"
#include "schedules/registry.hpp"

namespace tutti {

namespace {

class Reader {
 public:
  Reader(std::string_view what, std::string_view all) : what_(what), all_(all) {}

  StageParts read() {
    StageParts parts{{{}}};
    std::string_view left = all_;
    while (true) {
      const std::size_t end = std::min(left.find_first_of("+,"), left.size());
      parts.levels.back().push_back(part(left.substr(0, end)));
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
  [[noreturn]] void fail(std::string_view word) const {
    std::vector<std::string> names;
    for (const Algorithm* algorithm : algorithms()) {
      names.emplace_back(algorithm->name);
    }
    throw UserError(
        fmt::format("{} '{}': accepted is an algorithm, or NAME:TREE:SEGMENT, for each stage, such "
                    "as binomial or pipeline:binary:4096+linear{}",
                    what_, all_, did_you_mean(word, names)));
  }

  [[nodiscard]] OnePart part(std::string_view words) const {
    OnePart part;
    const std::string_view algorithm_name = words.substr(0, words.find(':'));
    part.algorithm = algorithm_name;
    if (std::none_of(algorithms().begin(), algorithms().end(), [&](const Algorithm* algorithm) {
          return algorithm->name == algorithm_name;
        })) {
      fail(algorithm_name);
    }
    for (std::size_t colon = words.find(':'); colon != words.npos;) {
      const std::size_t next = std::min(words.find(':', colon + 1), words.size());
      const std::string_view word = words.substr(colon + 1, next - colon - 1);
      const auto tree = named<Tree>(kTreeNames, word);
      const auto bytes = segment_size(word);
      if (part.segment_bytes != 0 || (tree && part.tree) || (!tree && !bytes)) {
        fail(word);
      }
      if (tree) {
        part.tree = tree;
      } else {
        part.segment_bytes = *bytes;
      }
      colon = next == words.size() ? words.npos : next;
    }
    return part;
  }

  std::string_view what_;
  std::string_view all_;
};

}  // namespace

StageParts parse_stage_parts(std::string_view what, std::string_view text) {
  return Reader(what, text).read();
}

std::string to_text(const StageParts& parts) {
  std::string text;
  for (const std::vector<OnePart>& level : parts.levels) {
    text += text.empty() ? "" : ",";
    for (std::size_t at = 0; at < level.size(); ++at) {
      text += at == 0 ? "" : "+";
      text += to_text(level[at]);
    }
  }
  return text;
}

}  // namespace tutti
