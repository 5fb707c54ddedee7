// Reads reports of mpiP 3: https://github.com/LLNL/mpiP. For each call of a collective on a rank,
// mpiP counts the send count times the type size as bytes sent (messParamDict in make-wrappers.py).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/line_reader.hpp"
#include "schedules/problem.hpp"
#include "src/experiments/points/point_text.hpp"
#include "src/experiments/profiles/profile_text.hpp"

namespace tutti { inline namespace experiments {

namespace {

enum class MpipSection : std::uint8_t { other, tasks, sent_by_call, time_by_rank, sent_by_rank };

// The calls of a collective at one callsite. If the report has no statistics for each rank, `calls`
// and `bytes` are means over all ranks.
struct MpipSite {
  ProfilePlace place;
  double calls = 0;  // number of calls of the rank with the most calls
  double bytes = 0;  // bytes sent per call, as a mean over the calls of that rank
};

class MpipReport {
 public:
  MpipReport(std::string_view text, const std::string& path) : lines_(text), place_{path, 0} {}

  Profile read() {
    while (lines_.next()) {
      place_.line = lines_.number();
      read_line(lines_.line());
    }
    if (tasks_ == 0) {
      place_.line = 1;
      refuse_profile(place_,
                     "this mpiP report does not say how many tasks there were; expected lines "
                     "'@ MPI Task Assignment'");
    }
    if (by_rank_.empty() && !by_call_.empty()) {
      counts_.assume(
          "only the twenty callsites that send most are counted, since the report has no "
          "statistics per rank");
    }
    for (const auto& [key, site] : by_rank_.empty() ? by_call_ : by_rank_) {
      add(key.first, site);
    }
    for (const auto& [key, site] : barriers_) {
      add(Collective::barrier, site);
    }
    counts_.assume("mpiP does not record communicators: every call is taken to be on all ranks");
    if (varies_) {
      counts_.assume("if the sizes of a callsite differ, their mean is used");
    }
    return counts_.profile(place_.file, "an mpiP report");
  }

 private:
  using Key = std::pair<Collective, std::string>;  // the collective and the callsite

  void add(Collective collective, const MpipSite& site) {
    const double parts = says_bytes_of_a_part(collective) ? tasks_ : 1;
    counts_.add(site.place, collective, tasks_, site.bytes * parts, site.calls);
  }

  void read_line(std::string_view line) {
    if (line.starts_with("@ MPI Task Assignment")) {
      ++tasks_;
      return;
    }
    if (line.starts_with("@---")) {
      section_ = line.find("Callsite Message Sent") != std::string_view::npos
                     ? MpipSection::sent_by_rank
                 : line.find("Callsite Time") != std::string_view::npos ? MpipSection::time_by_rank
                 : line.find("Aggregate Sent Message Size") != std::string_view::npos
                     ? MpipSection::sent_by_call
                     : MpipSection::other;
      return;
    }
    if (section_ == MpipSection::other || line.starts_with("---") ||
        line.find_first_not_of(" \t") == std::string_view::npos) {
      return;
    }
    const std::vector<std::string> words = words_of(line);
    if (words[0] == "Call" || words[0] == "Name") {
      return;
    }
    if (is_nonblocking_collective(words[0])) {
      counts_.assume("nonblocking collectives are left out");
    }
    const auto collective = collective_of_call(words[0]);
    if (collective) {
      read_site(*collective, words);
    }
  }

  void read_site(Collective collective, const std::vector<std::string>& words) {
    const bool by_call = section_ == MpipSection::sent_by_call;
    const std::size_t least = by_call ? 5 : 7;
    if (words.size() < least) {
      refuse_profile(
          place_, fmt::format("has {} values, but a line for {} needs {}; is the report truncated?",
                              words.size(), words[0], least));
    }
    if (by_call) {
      MpipSite& site = by_call_[{collective, words[1]}];
      site.place = place_;
      if (tasks_ > 0) {
        site.calls = profile_number(place_, "count", words[2]) / tasks_;
      }
      site.bytes = profile_number(place_, "average", words[4]);
      return;
    }
    if (words[2] == "*") {
      return;  // a line for all ranks together
    }
    const double calls = profile_number(place_, "count", words[3]);
    const bool barrier = collective == Collective::barrier;
    if (section_ == MpipSection::time_by_rank && !barrier) {
      return;
    }
    MpipSite& site = (barrier ? barriers_ : by_rank_)[{collective, words[1]}];
    if (calls > site.calls) {
      site.place = place_;
      site.calls = calls;
      site.bytes = barrier ? 0 : profile_number(place_, "mean", words[5]);
      varies_ = varies_ || (!barrier && words[4] != words[6]);
    }
  }

  LineReader lines_;
  ProfilePlace place_;
  MpipSection section_ = MpipSection::other;
  std::uint32_t tasks_ = 0;
  std::map<Key, MpipSite> by_call_;
  std::map<Key, MpipSite> by_rank_;
  std::map<Key, MpipSite> barriers_;
  bool varies_ = false;
  ProfileCounts counts_;
};

}  // namespace

bool is_mpip_report(std::string_view text) { return text.starts_with("@ mpiP"); }

Profile profile_from_mpip(std::string_view text, const std::string& path) {
  return MpipReport(text, path).read();
}

}}  // namespace tutti::experiments
