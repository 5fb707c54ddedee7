// Functions that all readers of profiles use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/file_text.hpp"
#include "src/experiments/profiles/profile.hpp"

namespace tutti { inline namespace experiments {

inline constexpr InputKind kProfileFile{
    "a profile of a program", std::uint64_t{1} << 30U, true, {FileContent::json}};

// A line of a file, for error messages.
struct ProfilePlace {
  std::string_view file;
  std::size_t line = 0;
};

// Throws UserError with `text` after the place: "'run.csv', line 3: TEXT".
[[noreturn]] void refuse_profile(const ProfilePlace& place, std::string_view text);
// Parses a number that is not negative, such as "12" or "1.5e+06". Throws UserError for other text.
// `what` names the number in the error message, for example "calls".
[[nodiscard]] double profile_number(const ProfilePlace& place, std::string_view what,
                                    std::string_view text);
[[nodiscard]] std::uint32_t profile_ranks(const ProfilePlace& place, std::string_view what,
                                          std::string_view text);

// Returns the collective that a word such as "MPI_Allreduce", "Allreduce" or "allreduce" names;
// empty for other words, such as the names of nonblocking calls.
[[nodiscard]] std::optional<Collective> collective_of_call(std::string_view word);
// True for a name like "MPI_Iallreduce".
[[nodiscard]] bool is_nonblocking_collective(std::string_view word);
// True if the size of a call in a profile is that of one part of the vector, which consists of one
// part per rank. False for bcast, reduce, allreduce and scans, where it is that of the whole
// vector, and for barriers.
[[nodiscard]] bool says_bytes_of_a_part(Collective collective);

// Adds up the calls of the same collective with the same number of ranks and size. Leaves out calls
// that cost nothing: those on one rank, and those without bytes except barriers.
class ProfileCounts {
 public:
  void add(const ProfilePlace& place, Collective collective, std::uint32_t ranks, double bytes,
           double calls);
  // Adds `text`, a sentence about an assumption, unless an equal sentence was already added.
  void assume(std::string text);
  // Notes that `calls` calls are left out for the reason `why`.
  void leave_out(const std::string& why, double calls) { left_out_[why] += calls; }

  // Returns the profile of the calls added so far. Throws UserError if there are none.
  [[nodiscard]] Profile profile(std::string_view path, std::string form) const;

 private:
  std::map<std::tuple<Collective, std::uint32_t, std::uint64_t>, double> calls_;
  std::vector<std::string> assumed_;
  std::map<std::string, double> left_out_;
};

// Readers of the file formats; see profile.hpp.
[[nodiscard]] Profile profile_from_csv(std::string_view text, const std::string& path);

// A file with a time-independent trace of one rank or of several ranks.
struct TraceText {
  std::string path;
  std::string text;
};
[[nodiscard]] bool is_ti_trace(std::string_view text);
// True if the text is a list of files with traces, one per line.
[[nodiscard]] bool is_ti_list(std::string_view text);
[[nodiscard]] Profile profile_from_ti_list(std::string_view text, const std::string& path);
[[nodiscard]] Profile profile_from_ti(const std::vector<TraceText>& files, const std::string& path);

[[nodiscard]] bool is_mpip_report(std::string_view text);
[[nodiscard]] Profile profile_from_mpip(std::string_view text, const std::string& path);
[[nodiscard]] bool is_ipm_log(std::string_view text);
[[nodiscard]] Profile profile_from_ipm(std::string_view text, const std::string& path);
[[nodiscard]] bool is_ompi_monitoring(std::string_view text);
[[nodiscard]] Profile profile_from_ompi_monitoring(std::string_view text, const std::string& path);

}}  // namespace tutti::experiments
