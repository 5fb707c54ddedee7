#include "schedules/notation/program/program.hpp"

#include <fmt/format.h>

#include <utility>

#include "schedules/notation/header.hpp"
#include "schedules/notation/program/compiler.hpp"
#include "schedules/notation/program/evaluator.hpp"
#include "schedules/notation/scanner.hpp"

namespace tutti {

namespace {

constexpr std::string_view kFirstWord = "tutti-program";
// Nobody writes more, and a tree of all its words must fit the memory.
constexpr std::size_t kLongestText = std::size_t{1} << 20U;

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

Program::Program(std::string text, std::string file, const ProgramLimits& limits)
    : text_(std::move(text)), file_(std::move(file)), limits_(limits), algorithm_("unnamed") {
  Scanner scanner(text_, file_);
  if (text_.size() > kLongestText) {
    scanner.fail(text_.data(), fmt::format("a program of {} bytes; at most {} are accepted",
                                           text_.size(), kLongestText));
  }
  if (!scanner.take("tutti-program")) {
    scanner.fail(scanner.at(), "a program begins with the line 'tutti-program 1'");
  }
  scanner.skip_to_line_end();
  const char* const version = scanner.at();
  if (scanner.number("version", 1'000'000) != 1) {
    scanner.fail(version, "only version 1 of the language is known: 'tutti-program 1'");
  }
  end_line(scanner);
  bool has_collective = false;
  bool has_algorithm = false;
  const char* rest = scanner.at();
  while (true) {
    scanner.skip_blank();
    const char* const place = scanner.at();
    const std::string_view word = scanner.word();
    bool* const has = word == "collective"  ? &has_collective
                      : word == "algorithm" ? &has_algorithm
                                            : nullptr;
    if (has == nullptr) {
      for (const char* const field : {"ranks", "bytes", "element_bytes", "root"}) {
        if (word == field && !scanner.take('=')) {
          scanner.fail(place, fmt::format("a program is for all problems: '{}' is an option of "
                                          "the command, and no line of the header",
                                          word));
        }
      }
      if (!has_collective) {
        scanner.fail(place, "the header has no 'collective'; a line 'collective bcast' is wanted");
      }
      scanner.go_back_to(rest);
      break;
    }
    if (*has) {
      scanner.fail(place, fmt::format("'{}' a second time", word));
    }
    *has = true;
    if (scanner.skip_to_line_end()) {
      scanner.fail(scanner.at(), fmt::format("'{}' without a value", word));
    }
    if (has == &has_collective) {
      collective_ = read_collective(scanner);
    } else {
      algorithm_ = read_algorithm_name(scanner);
    }
    end_line(scanner);
    rest = scanner.at();
  }
  code_ = std::make_unique<const program::CompiledCode>(
      program::compile(scanner, std::min(limits.nesting, ProgramLimits::kMostNesting)));
  options_ = code_->options;
  if (takes_block_sizes(collective_) && !code_->sets_layout) {
    options_ |= static_cast<unsigned>(Option::block_sizes);
  }
}

Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

Schedule Program::schedule(const Problem& problem, Detail detail) const {
  const std::string name = fmt::format("{}/{}", tutti::name(collective_), algorithm_);
  return program::evaluate(*code_, {text_, file_, name}, problem, detail, limits_);
}

}  // namespace tutti
