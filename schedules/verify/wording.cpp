#include "schedules/verify/wording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schedules/accesses.hpp"
#include "schedules/place_name.hpp"

namespace tutti { inline namespace schedules {

namespace {

std::string place_text(const Schedule& schedule, Buffer buffer, std::uint32_t slot) {
  switch (buffer) {
    case Buffer::input:
      return "input";
    case Buffer::work:
      return "work";
    case Buffer::scratch:
      return schedule.scratch_slots() > 1 ? fmt::format("scratch slot {}", slot) : "scratch";
  }
  return "";
}

// Lists indices: "0 to 3, 7 and 9". `indices` must be ascending and distinct.
std::string list_text(const std::vector<std::uint32_t>& indices) {
  constexpr std::size_t kMaxParts = 6;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t end = i + 1;
    while (end < indices.size() && indices[end] == indices[end - 1] + 1) {
      ++end;
    }
    if (parts.size() == kMaxParts) {
      parts.push_back(fmt::format("{} more", indices.size() - i));
      break;
    }
    if (end - i > 2) {
      parts.push_back(fmt::format("{} to {}", indices[i], indices[end - 1]));
      i = end;
    } else {
      parts.push_back(fmt::format("{}", indices[i++]));
    }
  }
  std::string text = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    text += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  return text;
}

}  // namespace

std::string blocks_text(const Schedule& schedule, Buffer buffer,
                        std::vector<std::uint32_t> indices) {
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  // Most operations touch one slot of a buffer, but an operation in a schedule made by assemble()
  // may touch several.
  std::string text;
  for (std::size_t i = 0; i < indices.size();) {
    const std::uint32_t slot = indices[i] / schedule.blocks();
    std::vector<std::uint32_t> blocks;
    for (; i < indices.size() && indices[i] / schedule.blocks() == slot; ++i) {
      blocks.push_back(indices[i] % schedule.blocks());
    }
    text += fmt::format("{}{} {} of {}", text.empty() ? "" : ", ",
                        blocks.size() == 1 ? "block" : "blocks", list_text(blocks),
                        place_text(schedule, buffer, slot));
  }
  return text;
}

std::string reading_text(const Schedule& schedule, OpId id, Buffer buffer,
                         const std::vector<std::uint32_t>& indices) {
  const Op& op = schedule.op(id);
  const std::string blocks = blocks_text(schedule, buffer, indices);
  switch (op.kind()) {
    case OpKind::comm:
      return fmt::format("sends {} to {}", blocks, place_name(schedule, op.dst()));
    case OpKind::reduce:
      return fmt::format("reduces {}", blocks);
    case OpKind::copy:
      return fmt::format("copies {}", blocks);
  }
  return "";
}

std::vector<std::uint32_t> touched(const Schedule& schedule, OpId id, Rank rank, Buffer buffer,
                                   bool only_written) {
  std::vector<std::uint32_t> indices;
  for_each_access(schedule, id, rank,
                  [&](Buffer place, std::uint32_t first, std::uint32_t count, Access access) {
                    if (place == buffer && (writes(access) || !only_written)) {
                      for (std::uint32_t i = 0; i < count; ++i) {
                        indices.push_back(first + i);
                      }
                    }
                  });
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return indices;
}

}}  // namespace tutti::schedules
