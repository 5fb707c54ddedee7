#include "src/experiments/doctor/log_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/line_reader.hpp"
#include "base/quantities.hpp"
#include "base/text_words.hpp"
#include "src/experiments/points/point_text.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Returns the characters at the beginning of `text` that `accepted` has.
std::string_view beginning(std::string_view text, std::string_view accepted) {
  return text.substr(0, std::min(text.find_first_not_of(accepted), text.size()));
}

constexpr std::string_view kCards = "NCCL_IB_HCA";
constexpr std::string_view kDecimals = "0123456789";
constexpr std::string_view kNameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// Returns the rest of the line after `words`; empty if the line does not have them.
std::optional<std::string_view> after(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  return at == std::string_view::npos ? std::nullopt
                                      : std::optional(line.substr(at + words.size()));
}

std::optional<unsigned> count_after(std::string_view line, std::string_view words) {
  const auto rest = after(line, words);
  if (!rest) {
    return std::nullopt;
  }
  const std::string_view from = rest->substr(std::min(rest->find_first_not_of(' '), rest->size()));
  return parsed_number<unsigned>(beginning(from, kDecimals));
}

// Sets the release from "NCCL version 2.21.5+cuda12.4", or from nccl-tests' "nccl-library=22105".
void take_release(std::string_view line, LogFacts& facts) {
  if (const auto rest = after(line, "NCCL version ")) {
    std::string_view release = beginning(*rest, "0123456789.");
    release = release.substr(0, release.find_last_not_of('.') + 1);
    facts.release =
        release.find('.') == std::string_view::npos ? facts.release : std::string(release);
  } else if (const auto code = count_after(line, "nccl-library="); code && *code >= 10000) {
    facts.release = fmt::format("{}.{}.{}", *code / 10000, *code / 100 % 100, *code % 100);
  }
}

// Returns the value at the beginning of a text: a quoted one without its quotes, or a word.
std::string_view value_at(std::string_view text) {
  if (text.starts_with('"') || text.starts_with('\'')) {
    const std::size_t end = text.find(text.front(), 1);
    if (end != std::string_view::npos) {
      return text.substr(1, end - 1);
    }
    text.remove_prefix(1);
  }
  const std::string_view word = text.substr(0, text.find_first_of(" \t;\"'"));
  return word.substr(0, word.find_last_not_of('.') + 1);
}

// Takes variables from "NCCL_ALGO=Ring", "NCCL_ALGO set by environment to Ring" and
// "NCCL_IB_HCA set to mlx5_0,mlx5_1".
void take_variables(std::string_view line, LogFacts& facts) {
  constexpr std::array<std::string_view, 3> kSets{"=", " set by environment to ", " set to "};
  for (std::size_t at = line.find("NCCL_"); at != std::string_view::npos;
       at = line.find("NCCL_", at + 1)) {
    const std::string_view name = beginning(line.substr(at), kNameLetters);
    const std::string_view rest = line.substr(at + name.size());
    const auto* const set = std::ranges::find_if(
        kSets, [&](std::string_view words) { return rest.starts_with(words); });
    if (set != kSets.end()) {
      facts.variables[std::string(name)] = value_at(rest.substr(set->size()));
    }
  }
}

// True if a name means several ports: a bond, or cards that NCCL merges, as mlx5_0+mlx5_1.
bool has_several_ports(std::string_view name) {
  return name.find("bond") != std::string_view::npos || name.find('+') != std::string_view::npos;
}

// Takes the names of cards from "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/RoCE".
void take_cards(std::string_view line, LogFacts& facts) {
  const auto rest = after(line, "NET/IB : Using ");
  for (const std::string& word : rest ? words_of(*rest) : std::vector<std::string>()) {
    const std::size_t name = word.find(']');
    const std::size_t end = word.find(':', std::min(name, word.size()));
    if (word.front() != '[' || end == std::string::npos) {  // such as "[RO];"
      continue;
    }
    std::string card = word.substr(name + 1, end - name - 1);
    if (std::ranges::find(facts.cards, card) == facts.cards.end()) {
      facts.cards.push_back(std::move(card));
    }
  }
}

}  // namespace

namespace {

// Sets what only all lines together say.
void conclude(bool merged, bool disabled, bool used, LogFacts& facts) {
  if (merged || std::ranges::any_of(facts.cards, has_several_ports)) {
    facts.cards.clear();
  }
  // NCCL says for each card that has no GPUDirect RDMA that it is disabled, also for cards that no
  // connection uses.
  facts.gpudirect_off = disabled && !used;
  facts.gpudirect = !facts.gpudirect_off;
  facts.ib_without_gpudirect &= !used;
}

}  // namespace

std::string LogFacts::variable(std::string_view name) const {
  const auto found = variables.find(name);
  std::string value = found == variables.end() ? "" : lower_case(found->second);
  if (name == kCards) {
    if (value.starts_with('^') || has_several_ports(value)) {
      return "";
    }
    value.erase(0, value.starts_with('=') ? 1 : 0);  // exact names, not beginnings of names
  }
  return value;
}

LogFacts log_facts(std::string_view text) {
  LogFacts facts;
  bool merged = false;
  bool disabled = false;
  bool used = false;
  for (LineReader lines(text); lines.next();) {
    const std::string_view line = lines.line();
    const bool of_nccl = line.find("NCCL INFO") != std::string_view::npos;
    take_release(line, facts);
    take_variables(line, facts);
    if (const auto count = count_after(line, "warmup iters:")) {
      facts.warm_ups = count;
      facts.iterations = count_after(line, " iters:");
      const std::size_t second = line.find("iters:", line.find("iters:") + 1);
      if (second != std::string_view::npos) {
        facts.iterations = count_after(line.substr(second), "iters:");
      }
    }
    if (!of_nccl) {
      continue;
    }
    facts.is_known = true;
    take_cards(line, facts);
    merged |= line.find("NET/IB : Made virtual device") != std::string_view::npos &&
              has_several_ports(line);
    facts.sockets |= line.find("via NET/Socket") != std::string_view::npos ||
                     line.find("Using network Socket") != std::string_view::npos;
    facts.rdma |= line.find("via NET/") != std::string_view::npos &&
                  line.find("via NET/Socket") == std::string_view::npos;
    facts.ib_without_gpudirect |= line.find("via NET/IB") != std::string_view::npos;
    used |= line.find("/GDRDMA") != std::string_view::npos;
    disabled |= line.find("GPU Direct RDMA Disabled") != std::string_view::npos ||
                line.find("GPU Direct RDMA disabled") != std::string_view::npos;
  }
  conclude(merged, disabled, used, facts);
  return facts;
}

}}  // namespace tutti::experiments
