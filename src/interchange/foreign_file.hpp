// Files of other tools that hold a schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/schedule.hpp"
#include "src/interchange/msccl.hpp"

namespace tutti { inline namespace interchange {

enum class ForeignFormat : std::uint8_t { goal, msccl, chakra };

// Recognises a format by the text of a file. Returns nothing for tutti's own notation, and for
// anything else.
[[nodiscard]] std::optional<ForeignFormat> foreign_format(std::string_view text);

// True if files of this format serve any size, so that the caller must say which.
[[nodiscard]] constexpr bool serves_any_size(ForeignFormat format) {
  return format == ForeignFormat::msccl;
}

struct ForeignSchedule {
  std::string name;  // of the algorithm: as in the file, or else the file's name without its ending
  Schedule schedule;
  // True if the schedule is for separate buffers: `work` starts undefined.
  bool out_of_place = false;
  // If the file serves calls in place, too, the schedule for these.
  std::optional<Schedule> in_place = {};
  std::vector<std::string> notes = {};  // sentences for the user, without a full stop
};

// Reads a file. `path` is its name in error messages. `call` is used if the format serves any size.
// Throws UserError.
[[nodiscard]] ForeignSchedule read_foreign(ForeignFormat format, std::string_view text,
                                           std::string_view path, const MscclCall& call);

}}  // namespace tutti::interchange
