#include "tutti/problem.hpp"

#include <fmt/format.h>

#include "schedules/options/option_type.hpp"
#include "src/public_api/inside.hpp"
#include "src/requests/command_line.hpp"
#include "src/requests/common_options.hpp"
#include "tutti/version.hpp"

namespace tutti::v1 {

// The public and the internal enum must have the same values: they are converted by casts.
static_assert(kCollectives.size() == 1 + static_cast<std::size_t>(v1::Collective::exscan));
static_assert(
    static_cast<int>(tutti::Collective::allreduce) == static_cast<int>(v1::Collective::allreduce) &&
    static_cast<int>(tutti::Collective::alltoall) == static_cast<int>(v1::Collective::alltoall) &&
    static_cast<int>(tutti::Collective::barrier) == static_cast<int>(v1::Collective::barrier) &&
    static_cast<int>(tutti::Collective::exscan) == static_cast<int>(v1::Collective::exscan));

std::string version() { return TUTTI_VERSION; }

std::string_view name(v1::Collective collective) {
  return tutti::name(static_cast<tutti::Collective>(collective));
}

v1::Collective collective_named(std::string_view name) {
  return guarded(
      [&] { return static_cast<v1::Collective>(tutti::parse_collective(std::string(name))); });
}

void parse_options(Command& command, const std::vector<std::string>& options) {
  if (parse_command_line(command, options)) {
    throw UserError("--help: this option only prints a text; leave it out");
  }
}

tutti::Problem inner(const v1::Problem& problem, const tutti::Algorithm& algorithm) {
  tutti::Problem inside;
  inside.collective = algorithm.collective;
  if (problem.collective != static_cast<v1::Collective>(algorithm.collective)) {
    throw UserError(fmt::format("{} is not an algorithm for {}", algorithm.full_name(),
                                name(problem.collective)));
  }
  inside.ranks = problem.ranks;
  inside.bytes = problem.bytes;
  inside.element_bytes = problem.element_bytes;
  if (algorithm.collective == tutti::Collective::barrier && problem.bytes != 0) {
    throw UserError(fmt::format(
        "{} bytes: a barrier moves no data, so the number of bytes must be 0", problem.bytes));
  }
  inside.root = has_root(algorithm.collective) ? problem.root : 0;
  for (const auto& [option, text] : problem.options) {
    const OptionType& type = option_named(option);
    if (!takes(algorithm, type.option)) {
      throw UserError(fmt::format("{} does not accept option '{}'", algorithm.full_name(), option));
    }
    type.parse(option, text, inside);
  }
  return inside;
}

v1::Problem outer(const tutti::Problem& problem, const tutti::Algorithm& algorithm) {
  v1::Problem outside{static_cast<v1::Collective>(problem.collective),
                      problem.ranks,
                      problem.bytes,
                      problem.element_bytes,
                      problem.root,
                      {}};
  for (const OptionType* type : option_types()) {
    if (takes(algorithm, type->option) && !type->is_default(problem)) {
      outside.options.emplace(type->word, type->print(problem));
    }
  }
  return outside;
}

}  // namespace tutti::v1
