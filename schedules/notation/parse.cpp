#include "schedules/notation/parse.hpp"

#include <utility>

#include "base/file_text.hpp"
#include "schedules/assemble.hpp"
#include "schedules/notation/header.hpp"
#include "schedules/notation/scanner.hpp"
#include "schedules/notation/statements.hpp"

namespace tutti { inline namespace schedules {

namespace {

// `text` must be followed by a NUL.
ParsedSchedule parse(std::string_view text, std::string_view file, const ParseLimits& limits) {
  Scanner scanner(text, file);
  NotationHeader header = parse_header(scanner, limits);
  ScheduleParts parts;
  parts.problem = std::move(header.problem);
  parts.layout = std::move(header.layout);
  parts.switches = header.switches;
  StatementsParser statements(scanner, limits, header.has_blocks, parts);
  statements.parse();
  if (statements.in_order()) {
    const std::uint32_t slots = statements.scratch_slots();
    return {std::move(header.algorithm), link(std::move(parts), slots)};
  }
  try {
    return {std::move(header.algorithm), assemble(std::move(parts))};
  } catch (const CycleError& error) {
    const char* const place = statements.place_of_cycle(error.ops());
    scanner.fail(place != nullptr ? place : text.data(), error.what());
  }
}

}  // namespace

ParsedSchedule parse_notation(const std::string& text, std::string_view file,
                              const ParseLimits& limits) {
  return parse(text, file, limits);
}

ParsedSchedule read_notation(const std::string& path) {
  return read_notation(FileText(path, kScheduleFile), path);
}

ParsedSchedule read_notation(const FileText& text, std::string_view path) {
  return parse(text.view(), path, {});
}

}}  // namespace tutti::schedules
