// Reads the output of Open MPI's monitoring of collectives. The lines are written by
// common_monitoring_coll.c of ompi/mca/common/monitoring, and the calls are counted in
// ompi/mca/coll/monitoring. For each rank, communicator and class of collectives, the output
// contains the number of calls, and the bytes that all these calls would send if the rank sent one
// message to each other rank.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/line_reader.hpp"
#include "base/printable.hpp"
#include "schedules/problem.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/experiments/profiles/profile_text.hpp"

namespace tutti { inline namespace experiments {

namespace {

// A class of collectives that the monitoring counts together. O2A (one to all) is counted at the
// root of a bcast or scatter, A2O (all to one) at the root of a reduce or gather, and A2A (all to
// all) on every rank.
struct MonitoredClass {
  std::string_view word;
  Collective taken_as;
  bool at_root;
};
constexpr std::array kMonitored{MonitoredClass{"O2A", Collective::bcast, true},
                                MonitoredClass{"A2O", Collective::reduce, true},
                                MonitoredClass{"A2A", Collective::allreduce, false}};

const MonitoredClass* monitored_class(std::string_view word) {
  const auto found = std::ranges::find(kMonitored, word, &MonitoredClass::word);
  return found == kMonitored.end() ? nullptr : &*found;
}

class OmpiMonitoring {
 public:
  OmpiMonitoring(std::string_view text, const std::string& path) : lines_(text), place_{path, 0} {}

  Profile read() {
    while (lines_.next()) {
      place_.line = lines_.number();
      std::string_view line = lines_.line();
      // mpirun may begin each line with the rank that printed it: "[1,0]<stdout>:".
      if (line.starts_with('[') && line.find(">:") != std::string_view::npos) {
        line.remove_prefix(line.find(">:") + 2);
      }
      read_line(line);
    }
    for (const auto& [key, each] : seen_) {
      const double others = each.ranks > 1 ? each.ranks - 1 : 1;
      const bool barrier = each.bytes == 0 && key.second == Collective::allreduce;
      counts_.add(each.place, barrier ? Collective::barrier : key.second, each.ranks,
                  each.bytes / each.calls / others, each.calls);
    }
    counts_.assume(
        "the monitoring counts classes of collectives only: one-to-all is taken as bcast, "
        "all-to-one as reduce, all-to-all as allreduce, or as barrier if it has no bytes");
    counts_.assume("all calls of a class on one communicator are taken to have their mean size");
    return counts_.profile(place_.file, "the output of Open MPI's monitoring");
  }

 private:
  struct TrafficSum {
    ProfilePlace place;
    std::uint32_t ranks = 1;
    double calls = 0;
    double bytes = 0;  // sum over all calls and all other ranks
  };

  void read_line(std::string_view line) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) {
      return;
    }
    if (words[0] == "D") {
      const std::size_t procs = line.find("procs: ");
      if (procs == std::string_view::npos) {
        refuse_profile(place_, "this communicator has no 'procs: 0,1,...'; is the line truncated?");
      }
      communicator_ = line;
      ranks_ = 1 + static_cast<std::uint32_t>(std::ranges::count(line.substr(procs), ','));
      return;
    }
    if (const MonitoredClass* const found = monitored_class(words[0])) {
      read_class(*found, words);
    }
  }

  // Parses a line such as "A2A 0 4096 bytes 2 msgs sent".
  void read_class(const MonitoredClass& kind, const std::vector<std::string>& words) {
    if (words.size() < 6 || words[3] != "bytes" || words[5] != "msgs") {
      refuse_profile(
          place_,
          fmt::format("'{}' is not a line of Open MPI's monitoring output; expected '{} RANK BYTES "
                      "bytes CALLS msgs sent'",
                      shortened(printable(fmt::format("{}", fmt::join(words, " ")))), kind.word));
    }
    if (communicator_.empty()) {
      refuse_profile(
          place_, "this line has no communicator; expected a line 'D NAME procs: ...' before it");
    }
    const double bytes = profile_number(place_, "bytes", words[2]);
    const double calls = profile_number(place_, "calls", words[4]);
    if (calls == 0) {
      return;
    }
    TrafficSum& seen = seen_[{std::string(communicator_), kind.taken_as}];
    if (kind.at_root) {
      seen = {place_, ranks_, seen.calls + calls, seen.bytes + bytes};
    } else if (calls > seen.calls) {
      seen = {place_, ranks_, calls, bytes};
    }
  }

  LineReader lines_;
  ProfilePlace place_;
  std::string_view communicator_;
  std::uint32_t ranks_ = 1;
  std::map<std::pair<std::string, Collective>, TrafficSum> seen_;  // by communicator and class
  ProfileCounts counts_;
};

}  // namespace

bool is_ompi_monitoring(std::string_view text) {
  return text.find("A2A\t") != std::string_view::npos &&
         text.find("O2A\t") != std::string_view::npos &&
         text.find("procs: ") != std::string_view::npos;
}

Profile profile_from_ompi_monitoring(std::string_view text, const std::string& path) {
  return OmpiMonitoring(text, path).read();
}

}}  // namespace tutti::experiments
