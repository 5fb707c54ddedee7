#include "src/interchange/foreign_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/human.hpp"
#include "src/interchange/chakra.hpp"
#include "src/interchange/goal.hpp"

namespace tutti { inline namespace interchange {

namespace {

// Returns `name`, or else the name of the file, as a name that the notation accepts.
std::string name_of(std::string name, std::string_view path) {
  name.erase(0, name.rfind('/') + 1);  // the collective
  if (name.empty()) {
    name = std::filesystem::path(path).stem().string();
  }
  std::ranges::replace_if(
      name,
      [](unsigned char c) {
        return !(std::isalnum(c) != 0 || c == '_' || c == '.' || c == '+' || c == '-');
      },
      '_');
  constexpr std::size_t kLongest = 100;
  name.resize(std::min(name.size(), kLongest));
  return name.empty() ? "unnamed" : name;
}

}  // namespace

std::optional<ForeignFormat> foreign_format(std::string_view text) {
  return is_goal(text)     ? std::optional(ForeignFormat::goal)
         : is_msccl(text)  ? std::optional(ForeignFormat::msccl)
         : is_chakra(text) ? std::optional(ForeignFormat::chakra)
                           : std::nullopt;
}

ForeignSchedule read_foreign(ForeignFormat format, std::string_view text, std::string_view path,
                             const MscclCall& call) {
  switch (format) {
    case ForeignFormat::goal:
    case ForeignFormat::chakra: {
      Application read =
          format == ForeignFormat::goal ? read_goal(text, path) : read_chakra(std::string(path));
      ForeignSchedule made{name_of("", path), std::move(read.schedule)};
      if (read.buffered > 0) {
        made.notes.push_back(fmt::format(
            "{} {} a buffer at the receiver: if each message waited for its receive, the program "
            "would end in a deadlock",
            counted(read.buffered, "message"), read.buffered == 1 ? "needs" : "need"));
      }
      return made;
    }
    case ForeignFormat::msccl: {
      MscclAlgorithm read = read_msccl(text, path, call);
      const bool out_of_place = read.out_of_place.has_value();
      ForeignSchedule made{name_of(std::move(read.name), path),
                           std::move(out_of_place ? *read.out_of_place : *read.in_place),
                           out_of_place};
      if (out_of_place) {
        made.in_place = std::move(read.in_place);
      }
      made.notes = std::move(read.notes);
      return made;
    }
  }
  TUTTI_INVARIANT(false);
}

}}  // namespace tutti::interchange
