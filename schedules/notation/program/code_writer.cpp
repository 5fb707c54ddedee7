#include "schedules/notation/program/code_writer.hpp"

#include <algorithm>

namespace tutti { inline namespace schedules { namespace program {

std::uint32_t CodeWriter::new_slot(std::int64_t value) {
  code_.slots.push_back(value);
  return static_cast<std::uint32_t>(code_.slots.size() - 1);
}

std::uint32_t CodeWriter::constant(std::int64_t value) {
  const auto [found, is_new] = constants_.try_emplace(value, 0);
  if (is_new) {
    found->second = new_slot(value);
    if (found->second >= is_constant_.size()) {
      is_constant_.resize(found->second + std::size_t{1}, false);
    }
    is_constant_[found->second] = true;
  }
  return found->second;
}

bool CodeWriter::is_constant(std::uint32_t slot) const {
  return slot < is_constant_.size() && is_constant_[slot];
}

std::uint32_t CodeWriter::temporary() {
  if (temporaries_used_ == temporaries_.size()) {
    temporaries_.push_back(new_slot(0));
  }
  return temporaries_[temporaries_used_++];
}

bool CodeWriter::is_temporary(std::uint32_t slot) const {
  return std::binary_search(temporaries_.begin(), temporaries_.end(), slot);
}

std::uint32_t CodeWriter::result(Instruction instruction, const char* place) {
  const auto [known, is_new] = results_.try_emplace(
      {static_cast<std::uint32_t>(instruction.code), instruction.b, instruction.c, instruction.d},
      0);
  if (is_new) {
    known->second = instruction.a = temporary();
    last_result_ = here();
    emit(instruction, place);
  }
  return known->second;
}

std::uint32_t CodeWriter::place_of(const char* place) const {
  return static_cast<std::uint32_t>(place - text_begin_);
}

void CodeWriter::emit(const Instruction& instruction, const char* place) {
  code_.instructions.push_back(instruction);
  code_.places.push_back(place_of(place));
}

void CodeWriter::land(const std::vector<std::size_t>& jumps) {
  forget_results();
  for (const std::size_t jump : jumps) {
    code_.instructions[jump].a = static_cast<std::uint32_t>(here());
  }
}

std::string CodeWriter::shown(std::string_view text) {
  std::string name(text.substr(0, kLongestName));
  if (text.size() > kLongestName) {
    name += "...";
  }
  return name;
}

}}}  // namespace tutti::schedules::program
