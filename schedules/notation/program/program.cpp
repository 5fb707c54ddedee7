#include "schedules/notation/program/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.hpp"
#include "base/sentence.hpp"
#include "schedules/notation/header.hpp"
#include "schedules/notation/program/code.hpp"
#include "schedules/notation/program/compiler.hpp"
#include "schedules/notation/program/evaluator.hpp"
#include "schedules/notation/scanner.hpp"

namespace tutti { inline namespace schedules {

namespace {

constexpr std::string_view kFirstWord = "tutti-program";
// Largest size of a program in bytes. Real programs are shorter, and the syntax tree of a statement
// as long as the whole text must fit into memory.
constexpr std::size_t kLongestText = std::size_t{16} << 20U;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Reads the only number of ranks, after the word "ranks" at `place`.
std::uint32_t read_ranks(Scanner& scanner, const char* place, bool again) {
  if (again) {
    scanner.fail(place, "'ranks' is repeated");
  }
  const auto ranks = static_cast<std::uint32_t>(scanner.number("number of ranks", kMostRanks));
  if (ranks == 0) {
    scanner.fail(place, "a collective needs at least 1 rank");
  }
  return ranks;
}

// Reads a parameter, such as "k = 3", after the word "param". `before` has the parameters above it.
ProgramParameter read_parameter(Scanner& scanner, const std::vector<ProgramParameter>& before) {
  // The same limit as for --set.
  constexpr std::uint64_t kMost = 0xfffffffeU;
  constexpr std::size_t kLongestName = 60;
  const char* const place = scanner.at();
  const std::string_view name = scanner.word();
  if (name.size() > kLongestName ||
      !std::ranges::all_of(name, [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); })) {
    scanner.fail(place,
                 "a parameter needs a name of letters, digits and _, and a default: param k = 3");
  }
  if (std::ranges::find(program::kInputVariableNames, name) != program::kInputVariableNames.end()) {
    scanner.fail(place,
                 fmt::format("{} is predefined; choose another name for the parameter", name));
  }
  if (std::ranges::find(before, name, &ProgramParameter::name) != before.end()) {
    scanner.fail(place, fmt::format("the parameter '{}' is repeated", name));
  }
  scanner.expect('=', "'=' and the default of the parameter: param k = 3");
  const auto value = scanner.number("default", kMost);
  return {std::string(name), static_cast<std::int64_t>(value)};
}

void end_line(Scanner& scanner) {
  if (!scanner.skip_to_line_end()) {
    scanner.fail_expected("the end of the line");
  }
}

}  // namespace

bool Program::is_program(std::string_view text) {
  Scanner scanner(text, "");
  scanner.skip_blank();
  return scanner.word() == kFirstWord;
}

Program::Program(std::string text, std::string file, const ProgramLimits& limits,
                 std::span<const ProgramParameter> set)
    : text_(std::move(text)), file_(std::move(file)), limits_(limits), algorithm_("unnamed") {
  Scanner scanner(text_, file_);
  if (text_.size() > kLongestText) {
    scanner.fail(text_.data(), fmt::format("the program has {} bytes; at most {} are allowed",
                                           text_.size(), kLongestText));
  }
  if (!scanner.take("tutti-program")) {
    scanner.fail(scanner.at(), "the first line must be 'tutti-program 1'");
  }
  scanner.skip_to_line_end();
  const char* const version = scanner.at();
  if (scanner.number("version", 1'000'000) != 1) {
    scanner.fail(version, "unknown version of the language; write 'tutti-program 1'");
  }
  end_line(scanner);
  bool has_collective = false;
  bool has_algorithm = false;
  const char* rest = scanner.at();
  while (true) {
    scanner.skip_blank();
    const char* const place = scanner.at();
    const std::string_view word = scanner.word();
    if (word == "param" && !scanner.skip_to_line_end() && is_letter(*scanner.at())) {
      parameters_.push_back(read_parameter(scanner, parameters_));
      end_line(scanner);
      rest = scanner.at();
      continue;
    }
    if (word == "ranks" && !scanner.take('=')) {
      ranks_ = read_ranks(scanner, place, ranks_.has_value());
      end_line(scanner);
      rest = scanner.at();
      continue;
    }
    bool* const has = word == "collective"  ? &has_collective
                      : word == "algorithm" ? &has_algorithm
                                            : nullptr;
    if (has == nullptr) {
      for (const char* const field : {"bytes", "element_bytes", "root"}) {
        if (word == field && !scanner.take('=')) {
          scanner.fail(place, fmt::format("a program is for all sizes and roots; set '{}' on the "
                                          "command line, not in the header",
                                          word));
        }
      }
      if (!has_collective) {
        scanner.fail(place,
                     "the header has no 'collective'; write a line such as 'collective bcast'");
      }
      scanner.go_back_to(rest);
      break;
    }
    if (*has) {
      scanner.fail(place, fmt::format("'{}' is repeated", word));
    }
    *has = true;
    if (scanner.skip_to_line_end()) {
      scanner.fail(scanner.at(), fmt::format("'{}' has no value", word));
    }
    if (has == &has_collective) {
      collective_ = read_collective(scanner);
    } else {
      algorithm_ = read_algorithm_name(scanner);
    }
    end_line(scanner);
    rest = scanner.at();
  }
  for (const ProgramParameter& given : set) {
    for (ProgramParameter& own : parameters_) {
      own.value = own.name == given.name ? given.value : own.value;
    }
  }
  code_ = std::make_unique<const program::CompiledCode>(program::compile(
      scanner, std::min(limits.nesting, ProgramLimits::kMostNesting), parameters_));
  options_ = code_->options;
  if (takes_block_sizes(collective_) && !code_->sets_layout) {
    options_ |= bit(Option::block_sizes);
  }
}

Program::Program(Collective collective, std::string algorithm, std::string file,
                 std::unique_ptr<const WrittenSchedules> written)
    : file_(std::move(file)),
      collective_(collective),
      algorithm_(std::move(algorithm)),
      options_(takes_block_sizes(collective) ? bit(Option::block_sizes) : 0),
      written_(std::move(written)) {}

std::string Program::settings() const {
  std::string text;
  for (const ProgramParameter& parameter : parameters_) {
    text += fmt::format(" {}={}", parameter.name, parameter.value);
  }
  return text;
}

Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

void Program::check(const Problem& problem) const {
  if (written_ != nullptr) {
    written_->check(problem);
  } else if (ranks_ && problem.ranks != *ranks_) {
    throw UnservedProblem(sentence("{}/{} cannot run: this program is for {} ranks",
                                   tutti::name(collective_), algorithm_, *ranks_));
  }
}

Schedule Program::schedule(const Problem& problem, Detail detail) const {
  check(problem);
  if (written_ != nullptr) {
    return written_->schedule(problem);
  }
  const std::string name = fmt::format("{}/{}{}", tutti::name(collective_), algorithm_, settings());
  return program::evaluate(*code_, {text_, file_, name}, problem, detail, limits_);
}

}}  // namespace tutti::schedules
