// Reads SimGrid's time-independent traces, as src/smpi/internals/smpi_replay.cpp in SimGrid does. A
// line consists of a rank, an action and numbers. Sizes are numbers of elements; an id identifies
// the type of the elements. All calls are assumed to be on all ranks of MPI_COMM_WORLD.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>

#include "base/error.hpp"
#include "base/line_reader.hpp"
#include "base/printable.hpp"
#include "base/text_words.hpp"
#include "schedules/problem.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/experiments/profiles/profile_text.hpp"

namespace tutti { inline namespace experiments {

namespace {

// Size of each type in bytes, as in SimGrid 3.32 on 64-bit machines. The index is the id of the
// type. The value is 0 if no type has this id, or if the type has no size.
constexpr std::array<std::uint32_t, 60> kTypeBytes{
    8,  4,  1,  2,  8,  4, 1,  8,  1, 1,   // double, int, char, short, long, float, byte, long long
    2,  4,  8,  8,  16, 4, 1,  1,  2, 4,   // unsigned, long double, wchar, bool, int8 to int32
    8,  1,  2,  4,  8,  8, 16, 32, 8, 8,   // int64, uint8 to uint64, complex, aint, offset
    8,  16, 16, 8,  8,  8, 16, 16, 4, 4,   // pairs, real, real4
    8,  16, 8,  16, 16, 4, 2,  4,  8, 16,  // real8, real16, complex, integer
    32, 0,  0,  0,  0,  0, 0,  1,  0, 8};  // pair with long double, packed, count
constexpr std::uint32_t kByteType = 6;
constexpr std::uint32_t kDoubleType = 0;

// Names of the actions that are not collectives.
constexpr std::array<std::string_view, 18> kOtherActions{
    "init",    "finalize", "comm_size", "comm_split", "comm_dup", "send",
    "isend",   "recv",     "irecv",     "test",       "wait",     "waitall",
    "compute", "sleep",    "location",  "sendrecv",   "waitany",  "waitsome"};

std::optional<Collective> collective_of_action(std::string_view action) {
  return action == "reducescatter" ? Collective::reduce_scatter : collective_of_call(action);
}

bool is_action(std::string_view word) {
  return std::ranges::find(kOtherActions, word) != kOtherActions.end() ||
         collective_of_action(word) || is_nonblocking_collective(word);
}

// A call on one rank; `bytes` is empty if the trace does not determine the size.
struct TracedCall {
  Collective collective = Collective::barrier;
  std::optional<double> bytes;
};

// The numbers after the action on a line.
class TracedNumbers {
 public:
  TracedNumbers(const ProfilePlace& place, const std::vector<std::string>& words,
                std::uint32_t ranks, std::uint32_t default_type)
      : place_(place), words_(words), ranks_(ranks), default_type_(default_type) {}

  // Returns the call; empty if the call is counted on another rank's line.
  [[nodiscard]] std::optional<TracedCall> call(Collective collective, std::uint32_t rank) const {
    const std::size_t p = ranks_;
    const double world = ranks_;
    switch (collective) {
      case Collective::barrier:
        return TracedCall{collective, 0};
      case Collective::bcast:
        return sized(collective, at(0), 2);
      case Collective::reduce:
        return sized(collective, at(0), 3);
      case Collective::allreduce:
      case Collective::scan:
      case Collective::exscan:
        return sized(collective, at(0), 2);
      case Collective::allgather:
      case Collective::alltoall:
        return larger(collective, world * at(0), world * at(1), 2);
      case Collective::gather:
        return at(0) > 0 ? sized(collective, world * at(0), 3)
                         : sized(collective, world * at(1), 4);
      case Collective::scatter:
        return at(1) > 0 ? sized(collective, world * at(1), 4)
                         : sized(collective, world * at(0), 3);
      case Collective::allgatherv:
        // If the line also has displacements, the type precedes them.
        return sized(collective, sum(1, p), 1 + p);
      case Collective::gatherv:
        return at_root(rank, sized(collective, sum(1, p), 3 + p));
      case Collective::scatterv:
        return at_root(rank, sized(collective, sum(0, p), 2 + p));
      case Collective::reduce_scatter:
        return sized(collective, sum(0, p), 1 + p);
      case Collective::alltoallv:
        return larger(collective, sum(1, p), sum(2 + p, p), 2 + 2 * p);
      default:
        return TracedCall{collective, std::nullopt};
    }
  }

 private:
  [[nodiscard]] double at(std::size_t which) const {
    if (words_.size() < 3 + which) {
      refuse_profile(
          place_,
          fmt::format("{} is followed by {} numbers, but needs {} or more; is the line truncated?",
                      printable(words_[1]), words_.size() - 2, which + 1));
    }
    return profile_number(place_, words_[1] + " of", words_[2 + which]);
  }
  [[nodiscard]] double sum(std::size_t first, std::size_t count) const {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += at(first + i);
    }
    return sum;
  }
  // Returns the call if `rank` is its root, and nothing otherwise, because only the root's line has
  // all sizes of a gatherv or scatterv.
  [[nodiscard]] std::optional<TracedCall> at_root(std::uint32_t rank, TracedCall call) const {
    const std::size_t which = 1 + ranks_;
    const double root = words_.size() < 3 + which ? 0 : at(which);
    return root == rank ? std::optional(call) : std::nullopt;
  }

  // Returns the element size of a type in bytes; empty if it is unknown. The id of the type is the
  // number at index `which`, counted from 0 after the action. If the line has no such number, the
  // default type is used.
  [[nodiscard]] std::optional<double> type_bytes(std::size_t which) const {
    double type = default_type_;
    if (words_.size() > 2 + which) {
      const std::string& text = words_[2 + which];
      if (text == "-1") {
        return std::nullopt;  // a type that the program defines
      }
      type = profile_number(place_, words_[1] + " of type", text);
    }
    const std::uint32_t bytes =
        type < kTypeBytes.size() ? kTypeBytes[static_cast<std::size_t>(type)] : 0;
    return bytes == 0 ? std::nullopt : std::optional<double>(bytes);
  }

  [[nodiscard]] TracedCall sized(Collective collective, double elements, std::size_t type) const {
    const auto bytes = type_bytes(type);
    return {collective, bytes ? std::optional(elements * *bytes) : std::nullopt};
  }
  // Returns the call. Its size is the larger of the bytes sent and the bytes received, one of which
  // is 0 if the call is in place.
  [[nodiscard]] TracedCall larger(Collective collective, double sent, double received,
                                  std::size_t type) const {
    const auto sent_type = type_bytes(type);
    const auto received_type = type_bytes(type + 1);
    if (!sent_type || !received_type) {
      return {collective, std::nullopt};
    }
    return {collective, std::max(sent * *sent_type, received * *received_type)};
  }

  const ProfilePlace& place_;
  const std::vector<std::string>& words_;
  std::uint32_t ranks_;
  std::uint32_t default_type_;
};

class TiTrace {
 public:
  TiTrace(const std::vector<TraceText>& files, const std::string& path)
      : files_(files), path_(path) {}

  Profile read() {
    for_each_line([&](const ProfilePlace& place, const std::vector<std::string>& words) {
      first_.try_emplace(rank_of(place, words[0]), place);
    });
    ranks_ = static_cast<std::uint32_t>(first_.size());
    check_ranks();
    default_types_.assign(ranks_, kByteType);
    alltoallv_.resize(ranks_);
    for_each_line([&](const ProfilePlace& place, const std::vector<std::string>& words) {
      read_action(place, words);
    });
    sum_up();
    return counts_.profile(path_, "a SimGrid trace");
  }

 private:
  using Line = std::function<void(const ProfilePlace&, const std::vector<std::string>&)>;

  void for_each_line(const Line& line_of) const {
    for (const TraceText& file : files_) {
      for (LineReader lines(file.text); lines.next();) {
        const ProfilePlace place{file.path, lines.number()};
        const std::vector<std::string> words = words_of(lines.line());
        if (words.empty() || words[0].starts_with('#')) {
          continue;
        }
        if (words.size() < 2) {
          refuse_profile(place,
                         fmt::format("'{}' is not an action; expected a rank and what it does",
                                     shortened(printable(words[0]))));
        }
        line_of(place, words);
      }
    }
  }

  static std::uint32_t rank_of(const ProfilePlace& place, const std::string& text) {
    constexpr std::size_t kMostDigits = 9;
    if (text.size() > kMostDigits || !has_only_digits(text)) {
      refuse_profile(place, fmt::format("rank '{}': must be a whole number, 0 or more",
                                        shortened(printable(text))));
    }
    return static_cast<std::uint32_t>(std::stoul(text));
  }

  void check_ranks() const {
    std::uint32_t next = 0;
    for (const auto& [rank, place] : first_) {
      if (rank != next) {
        refuse_profile(place, fmt::format("this line is from rank {}, but rank {} has no lines; "
                                          "give the file that lists the traces of all ranks",
                                          rank, next));
      }
      ++next;
    }
    if (first_.size() == 1) {
      refuse_profile(
          first_.at(0),
          "all actions are from rank 0; give the file that lists the traces of all ranks");
    }
  }

  void read_action(const ProfilePlace& place, const std::vector<std::string>& words) {
    const std::uint32_t rank = rank_of(place, words[0]);
    const std::string& action = words[1];
    if (action == "init") {
      default_types_[rank] = words.size() > 2 ? kDoubleType : kByteType;
      return;
    }
    if (is_nonblocking_collective(action)) {
      counts_.assume("nonblocking collectives are left out");
    }
    const auto collective = collective_of_action(action);
    if (!collective && !is_action(action)) {
      refuse_profile(place, fmt::format("'{}' is not an action that SimGrid replays",
                                        shortened(printable(action))));
    }
    const auto call =
        collective
            ? TracedNumbers(place, words, ranks_, default_types_[rank]).call(*collective, rank)
            : std::nullopt;
    if (!call) {
      return;
    }
    if (!call->bytes) {
      calls_without_size_[name(call->collective)][rank] += 1;
    } else if (call->collective == Collective::alltoallv) {
      alltoallv_[rank].emplace_back(place, *call->bytes);
    } else {
      Kind& kind = kinds_[{call->collective, *call->bytes}];
      kind.place = place;
      kind.calls[rank] += 1;
    }
  }

  void sum_up() {
    bool by_all = true;
    for (const auto& [key, kind] : kinds_) {
      const auto& [collective, bytes] = key;
      // For gatherv and scatterv, only the root's calls are counted.
      const bool by_root = collective == Collective::gatherv || collective == Collective::scatterv;
      double most = 0;
      double sum = 0;
      for (const auto& [rank, calls] : kind.calls) {
        most = std::max(most, calls);
        sum += calls;
      }
      by_all = by_all && (by_root || sum == most * ranks_);
      if (collective == Collective::reduce_scatter && bytes == 0) {
        counts_.leave_out("of reduce_scatter or reduce_scatter_block without sizes in the trace",
                          most);
        continue;
      }
      counts_.add(kind.place, collective, ranks_, bytes, by_root ? sum : most);
    }
    add_alltoallv();
    for (const auto& [what, calls] : calls_without_size_) {
      double most = 0;
      for (const auto& [rank, own] : calls) {
        most = std::max(most, own);
      }
      counts_.leave_out(fmt::format("of {} with a type whose size the trace does not give", what),
                        most);
    }
    counts_.assume(
        "a trace does not record communicators: every call is taken to be on all ranks, as SimGrid "
        "replays it");
    if (!by_all) {
      counts_.assume("some calls are not on all ranks, but are taken as if they were");
    }
  }

  // Adds the calls of alltoallv. Their sizes differ between ranks: the size of the k-th call is the
  // largest size that any rank has in its k-th call.
  void add_alltoallv() {
    std::size_t most = 0;
    for (const auto& own : alltoallv_) {
      most = std::max(most, own.size());
    }
    for (std::size_t k = 0; k < most; ++k) {
      std::pair<ProfilePlace, double> largest{{}, -1};
      for (const auto& own : alltoallv_) {
        if (k < own.size() && own[k].second > largest.second) {
          largest = own[k];
        }
      }
      counts_.add(largest.first, Collective::alltoallv, ranks_, largest.second, 1);
    }
  }

  struct Kind {
    ProfilePlace place;
    std::map<std::uint32_t, double> calls;  // by rank
  };

  const std::vector<TraceText>& files_;
  std::string_view path_;
  std::map<std::uint32_t, ProfilePlace> first_;  // first line of each rank
  std::uint32_t ranks_ = 0;
  std::vector<std::uint32_t> default_types_;  // by rank
  std::map<std::pair<Collective, double>, Kind> kinds_;
  std::vector<std::vector<std::pair<ProfilePlace, double>>> alltoallv_;  // by rank
  // Number of calls without a known size, by collective and rank.
  std::map<std::string_view, std::map<std::uint32_t, double>> calls_without_size_;
  ProfileCounts counts_;
};

std::vector<std::string> first_words(std::string_view text) {
  for (LineReader lines(text); lines.next();) {
    std::vector<std::string> words = words_of(lines.line());
    if (!words.empty() && !words[0].starts_with('#')) {
      return words;
    }
  }
  return {};
}

// Returns the path of the trace that the file `list` names `named`. SimGrid writes names relative
// to the folder where the run was started. If there is no such file, the trace is expected in the
// folder of `list`.
std::string trace_beside(const std::string& list, const std::string& named) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::path(list).parent_path();
  for (const fs::path& path :
       {fs::path(named), folder / named,
        folder / fs::path(named).parent_path().filename() / fs::path(named).filename()}) {
    if (fs::exists(path, error)) {
      return path.string();
    }
  }
  return (folder / named).string();
}

}  // namespace

bool is_ti_trace(std::string_view text) {
  const std::vector<std::string> words = first_words(text);
  return words.size() > 1 && has_only_digits(words[0]) && is_action(words[1]);
}

bool is_ti_list(std::string_view text) {
  const std::vector<std::string> words = first_words(text);
  return words.size() == 1 && words[0].find(',') == std::string::npos &&
         words[0].find_first_of("./") != std::string::npos;
}

Profile profile_from_ti_list(std::string_view text, const std::string& path) {
  std::vector<TraceText> files;
  for (LineReader lines(text); lines.next();) {
    const std::vector<std::string> words = words_of(lines.line());
    if (!words.empty() && !words[0].starts_with('#')) {
      std::string file = trace_beside(path, words[0]);
      std::string own = read_file(file, kProfileFile);
      files.push_back({std::move(file), std::move(own)});
    }
  }
  return profile_from_ti(files, path);
}

Profile profile_from_ti(const std::vector<TraceText>& files, const std::string& path) {
  return TiTrace(files, path).read();
}

}}  // namespace tutti::experiments
