// What the readers of profiles share.
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

namespace tutti::inline experiments {

inline constexpr InputKind kProfileFile{"a profile of a program", std::uint64_t{1} << 30U, true};

// A line of a file, for complaints.
struct ProfilePlace {
  std::string_view file;
  std::size_t line = 0;
};

// "'run.csv', line 3: " and the text.
[[noreturn]] void refuse_profile(const ProfilePlace& place, std::string_view text);
// A number that is not negative: "12", "1.5e+06". `what` is for messages: "calls".
[[nodiscard]] double profile_number(const ProfilePlace& place, std::string_view what,
                                    std::string_view text);
[[nodiscard]] std::uint32_t profile_ranks(const ProfilePlace& place, std::string_view what,
                                          std::string_view text);

// "MPI_Allreduce", "Allreduce", "allreduce"; nothing for other words, nonblocking calls among them.
[[nodiscard]] std::optional<Collective> collective_of_call(std::string_view word);
// "MPI_Iallreduce".
[[nodiscard]] bool is_nonblocking_collective(std::string_view word);
// Whether a call says the bytes of a part, of which there are as many as ranks: all but the vectors
// of bcast, reduce, allreduce and scans.
[[nodiscard]] bool says_bytes_of_a_part(Collective collective);

// Calls of one kind are added up; those that cost nothing, or cannot be, are left out.
class ProfileCounts {
 public:
  void add(const ProfilePlace& place, Collective collective, std::uint32_t ranks, double bytes,
           double calls);
  // A sentence, once.
  void assume(std::string text);
  // Calls that are left out, by why.
  void leave_out(const std::string& why, double calls) { left_out_[why] += calls; }

  // Throws UserError where no call is left.
  [[nodiscard]] Profile profile(const std::string& path, std::string form) const;

 private:
  std::map<std::tuple<Collective, std::uint32_t, std::uint64_t>, double> calls_;
  std::vector<std::string> assumed_;
  std::map<std::string, double> left_out_;
};

// The forms of files (profile.hpp).
[[nodiscard]] Profile profile_from_csv(std::string_view text, const std::string& path);

// A file with a time-independent trace, which may have the lines of one rank or of several.
struct TraceText {
  std::string path;
  std::string text;
};
[[nodiscard]] bool is_ti_trace(std::string_view text);
// Of files with traces, one a line.
[[nodiscard]] bool is_ti_list(std::string_view text);
[[nodiscard]] Profile profile_from_ti_list(std::string_view text, const std::string& path);
[[nodiscard]] Profile profile_from_ti(const std::vector<TraceText>& files, const std::string& path);

[[nodiscard]] bool is_mpip_report(std::string_view text);
[[nodiscard]] Profile profile_from_mpip(std::string_view text, const std::string& path);
[[nodiscard]] bool is_ipm_log(std::string_view text);
[[nodiscard]] Profile profile_from_ipm(std::string_view text, const std::string& path);
[[nodiscard]] bool is_ompi_monitoring(std::string_view text);
[[nodiscard]] Profile profile_from_ompi_monitoring(std::string_view text, const std::string& path);

}  // namespace tutti::inline experiments
