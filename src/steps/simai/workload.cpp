#include "src/steps/simai/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/field_names.hpp"
#include "base/human.hpp"
#include "base/printable.hpp"
#include "base/text_lines.hpp"
#include "base/text_words.hpp"
#include "schedules/op.hpp"
#include "src/steps/groups.hpp"
#include "src/steps/pipeline.hpp"

namespace tutti { inline namespace steps {

namespace {

// All policies of SimAI. Only the first two are for transformers.
constexpr std::string_view kPolicies[] = {"HYBRID_TRANSFORMER_FWD_IN_BCKWD",
                                          "HYBRID_TRANSFORMER",
                                          "DATA",
                                          "HYBRID_DLRM",
                                          "HYBRID_DLRM_ENHANCED",
                                          "MODEL",
                                          "HYBRID_DATA_MODEL",
                                          "HYBRID_MODEL_DATA",
                                          "HYBRID_CUSTOMIZED",
                                          "MICRO",
                                          "DISTRIBUTED_INFERENCE"};
constexpr std::size_t kColumns = 12;
constexpr std::size_t kMostLayers = 1'000'000;
constexpr std::uint64_t kMost_ns = 1'000'000'000'000'000;  // as long as a step's computing may be

struct CollectiveWord {
  std::string_view word;
  Collective collective;
};
constexpr CollectiveWord kCollectiveWords[] = {{"ALLREDUCE", Collective::allreduce},
                                               {"ALLGATHER", Collective::allgather},
                                               {"REDUCESCATTER", Collective::reduce_scatter},
                                               {"ALLTOALL", Collective::alltoall}};

std::string_view first_word(std::string_view text) {
  text = without_byte_order_mark(text);
  return text.substr(0, text.find_first_of(kWhiteSpace));
}

class SimaiReader {
 public:
  SimaiReader(std::string_view text, std::string_view file) : rest_(without_byte_order_mark(text)) {
    read_.file = file;
  }

  SimaiWorkload read(std::optional<std::uint32_t> gpus) {
    header();
    if (gpus && read_.gpus != 0 && *gpus != read_.gpus) {
      read_.notes.push_back(
          fmt::format("the file is for {}; the number of data-parallel replicas "
                      "follows from the {} that you give",
                      counted(read_.gpus, "GPU"), human_count(*gpus)));
    }
    read_.gpus = gpus.value_or(read_.gpus);
    check_groups();
    layers();
    note_unknown();
    return std::move(read_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("{}: {}", place_in_file(read_.file, line_), what));
  }

  // Returns the words of the next line. Fails if there is none.
  std::vector<std::string_view> next(std::string_view wanted) {
    ++line_;
    std::string_view line;
    if (!next_line(rest_, line)) {
      fail(fmt::format("the file ends here; expected {}", wanted));
    }
    return words_in(line, kWhiteSpace);
  }

  std::uint64_t number(std::string_view word, std::string_view of, std::uint64_t least,
                       std::uint64_t most) const {
    const auto found = parsed_number<std::uint64_t>(word);
    if (!found || *found < least || *found > most) {
      fail(fmt::format("{} '{}': expected a whole number from {} to {}", of, printable(word), least,
                       most));
    }
    return *found;
  }

  void header() {
    const std::vector<std::string_view> words = next("a policy");
    if (words[0] != kPolicies[0] && words[0] != kPolicies[1]) {
      fail(fmt::format("policy {}: of SimAI's policies, only {} and {} can be read", words[0],
                       kPolicies[0], kPolicies[1]));
    }
    header_line_ = line_;
    for (std::size_t i = 1; i < words.size();) {
      const std::string_view word = words[i++];
      const auto value = [&](std::string_view of, std::uint64_t least, std::uint64_t most) {
        if (i == words.size()) {
          fail(fmt::format("the header ends after '{}'; expected a number", of));
        }
        return number(words[i++], of, least, most);
      };
      const auto count = [&](std::uint32_t& into, std::uint64_t most) {
        into = static_cast<std::uint32_t>(value(word, 1, most));
      };
      if (word == "model_parallel_NPU_group:") {
        count(read_.tp, kMostStepRanks);
      } else if (word == "ep:") {
        count(read_.ep, kMostStepRanks);
      } else if (word == "pp:") {
        count(read_.pp, kMostStepRanks);
      } else if (word == "vpp:") {
        count(read_.vpp, kMostMicroBatches);
      } else if (word == "ga:") {
        count(read_.micro_batches, kMostMicroBatches);
      } else if (word == "all_gpus:") {
        count(read_.gpus, kMostStepRanks);
      } else if (word == "pp_comm" || word == "pp_comm:") {
        read_.pp_bytes = value(word, 0, kMaxMessageBytes);
      } else if (word == "checkpoints:" || word == "checkpoint_initiates:") {
        auto& into = word == "checkpoints:" ? checkpoints_ : initiates_;
        for (std::uint64_t left = value(word, 0, kMostLayers); left > 0; --left) {
          into.push_back(value(word, 0, kMostLayers));
        }
      } else {
        read_.notes.push_back(
            fmt::format("the header's word '{}' is unknown, and is ignored", printable(word)));
      }
    }
  }

  void check_groups() const {
    const std::uint64_t replica = std::uint64_t{read_.tp} * read_.pp;
    const auto fail_header = [&](const std::string& what) {
      throw UserError(fmt::format("{}: {}", place_in_file(read_.file, header_line_), what));
    };
    if (read_.gpus == 0) {
      fail_header("the header does not have all_gpus; give the number of GPUs with $ranks=64");
    }
    if (read_.gpus % replica != 0) {
      fail_header(fmt::format("{} GPUs cannot be divided by {}, the product of TP {} and PP {}",
                              read_.gpus, replica, read_.tp, read_.pp));
    }
    if (read_.dp() % read_.ep != 0) {
      fail_header(
          fmt::format("{} data-parallel ranks cannot be divided by ep {}", read_.dp(), read_.ep));
    }
  }

  void layers() {
    const std::vector<std::string_view> words = next("the number of layers");
    if (words.size() != 1) {
      fail("expected the number of layers");
    }
    const std::uint64_t count = number(words[0], "number of layers", 1, kMostLayers);
    while (read_.layers.size() < count) {
      const std::vector<std::string_view> columns =
          next(fmt::format("layer {} of {}", read_.layers.size() + 1, count));
      if (!columns.empty()) {
        layer(columns);
      }
    }
    const auto mark = [&](const std::vector<std::uint64_t>& numbers, bool SimaiLayer::*flag,
                          std::string_view of) {
      for (const std::uint64_t each : numbers) {
        if (each >= read_.layers.size()) {
          throw UserError(fmt::format("{}: {} {}: the layers have numbers from 0 to {}",
                                      place_in_file(read_.file, header_line_), of, each,
                                      read_.layers.size() - 1));
        }
        read_.layers[each].*flag = true;
      }
    };
    mark(checkpoints_, &SimaiLayer::checkpoint, "checkpoints");
    mark(initiates_, &SimaiLayer::initiates, "checkpoint_initiates");
    std::uint64_t further = 0;
    for (std::string_view line; next_line(rest_, line);) {
      further += words_in(line, kWhiteSpace).empty() ? 0 : 1;
    }
    if (further > 0) {
      read_.notes.push_back(fmt::format(
          "the file has {} after the {} that its second line announces; these are ignored",
          counted(further, "line"), human_count(count)));
    }
  }

  void layer(const std::vector<std::string_view>& columns) {
    if (columns.size() != kColumns) {
      fail(fmt::format("a layer has {} columns, but this line has {}", kColumns, columns.size()));
    }
    SimaiLayer made;
    made.line = line_;
    made.name = printable(columns[0]);
    made.forward = pass(columns, 2, SimaiGroup::tp);
    made.input = pass(columns, 5, SimaiGroup::tp);
    made.weights = pass(columns, 8, SimaiGroup::dp);
    read_.layers.push_back(std::move(made));
  }

  // Reads a time, a collective and its bytes. `plain` is the group of a collective without suffix.
  SimaiPass pass(const std::vector<std::string_view>& columns, std::size_t first,
                 SimaiGroup plain) {
    SimaiPass made;
    made.compute_ns = number(columns[first], "time", 0, kMost_ns);
    made.bytes = number(columns[first + 2], "bytes", 0, kMaxMessageBytes);
    made.group = plain;
    std::string_view word = columns[first + 1];
    if (word == "NONE") {
      return made;
    }
    const auto ends_in = [&](std::string_view suffix) {
      const bool found = word.ends_with(suffix);
      word.remove_suffix(found ? suffix.size() : 0);
      return found;
    };
    made.group = ends_in("_DP_EP") ? SimaiGroup::dp_ep : ends_in("_EP") ? SimaiGroup::ep : plain;
    const auto* const known = std::ranges::find(kCollectiveWords, word, &CollectiveWord::word);
    if (known == std::end(kCollectiveWords)) {
      auto& [times, line] = unknown_[std::string(columns[first + 1])];
      line = times++ == 0 ? line_ : line;
      return made;
    }
    made.collective = known->collective;
    empty_ += made.bytes == 0 ? 1 : 0;
    return made;
  }

  void note_unknown() {
    for (const auto& [word, seen] : unknown_) {
      read_.notes.push_back(
          fmt::format("'{}' is not a collective that can be simulated: left out {}, first in line "
                      "{}",
                      printable(word), counted(seen.first, "time"), seen.second));
    }
    if (empty_ > 0) {
      read_.notes.push_back(
          fmt::format("{} of 0 bytes, where nothing happens", counted(empty_, "collective")));
    }
  }

  std::string_view rest_;
  SimaiWorkload read_;
  std::uint32_t line_ = 0;
  std::uint32_t header_line_ = 0;
  std::vector<std::uint64_t> checkpoints_;
  std::vector<std::uint64_t> initiates_;
  // Words that are not understood: how often, and the first line.
  std::map<std::string, std::pair<std::uint64_t, std::uint32_t>> unknown_;
  std::uint64_t empty_ = 0;
};

}  // namespace

bool SimaiLayer::is_like(const SimaiLayer& other) const {
  return name == other.name && forward.is_like(other.forward) && input.is_like(other.input) &&
         weights.is_like(other.weights) && checkpoint == other.checkpoint &&
         initiates == other.initiates;
}

bool is_simai_workload(std::string_view text) {
  return std::ranges::find(kPolicies, first_word(text)) != std::end(kPolicies);
}

SimaiWorkload parse_simai_workload(std::string_view text, std::string_view file,
                                   std::optional<std::uint32_t> gpus) {
  return SimaiReader(text, file).read(gpus);
}

std::string_view name(SimaiGroup group) {
  constexpr std::array<std::string_view, 4> kNames{"tp", "dp", "ep", "dp_ep"};
  return kNames[static_cast<std::size_t>(group)];
}

}}  // namespace tutti::steps
