// The operations of a file in the notation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedules/assemble.hpp"
#include "schedules/notation/additions.hpp"
#include "schedules/notation/blocks.hpp"
#include "schedules/notation/label_index.hpp"
#include "schedules/notation/parse.hpp"
#include "schedules/notation/scanner.hpp"

namespace tutti::inline schedules {

class StatementsParser {
 public:
  // Fills `parts`, whose problem and layout are there already. All must outlive the parser.
  // `has_blocks`: whether the header says which blocks there are.
  StatementsParser(Scanner& scanner, const ParseLimits& limits, bool has_blocks,
                   ScheduleParts& parts);

  // To the end of the file.
  void parse();

  // Everything that an operation comes after stands above it, so that the parts are in order.
  [[nodiscard]] bool in_order() const {
    return later_.empty() && groups_.empty() && additions_.empty();
  }
  [[nodiscard]] std::uint32_t scratch_slots() const {
    return bytes_only_ == kNoOp ? blocks_.scratch_slots() : 0;
  }
  // The place of the first name in `After` that makes one of these operations, which are a cycle,
  // come after one below it.
  [[nodiscard]] const char* place_of_cycle(const std::vector<OpId>& cycle) const;

 private:
  static constexpr std::uint32_t kAnySegment = 0xffffffffU;

  // A request as it is named: of one rank, of two, all of a rank at a level, or all at a level.
  struct Name {
    enum class Kind : std::uint8_t { one, two, group, index };
    const char* place = nullptr;
    Kind kind = Kind::two;
    Label label;  // of several without a segment, kAnySegment
    Rank src = 0;
    Rank dst = 0;

    [[nodiscard]] LabelKey key() const { return {label, src, dst, kind == Kind::one}; }
  };
  // A name in After(...) of what stands further below, or of several operations.
  struct Reference {
    OpId op;
    std::uint32_t position;  // in the dependencies; not of a group
    Name name;
  };

  void parse_statement();
  void add_to_request(Name& name, OpId begun, OpId id);
  // Drops the blocks of all where an operation has none.
  void settle_bare();
  [[nodiscard]] Name parse_name();
  [[nodiscard]] Rank parse_rank();
  [[nodiscard]] Op parse_operation(const Name& name, bool adds, Payload& payload);
  [[nodiscard]] ParsedPayload parse_blocks(OpKind kind, std::uint64_t bytes,
                                           const char* bytes_place);
  void check_label(const Name& name, bool adds, OpKind kind, Rank src, Rank dst) const;
  void parse_after(OpId id);
  void tidy_row();
  void reserve_after(const char* first_statement);
  void resolve_later();
  void resolve_groups();
  void resolve_additions();
  void add_dependency(OpId dependency, const char* place);
  [[nodiscard]] static std::string text_of(const Name& name);
  [[nodiscard]] std::string describe_missing(const Name& name) const;

  Scanner& scanner_;
  const ParseLimits& limits_;
  bool has_blocks_;
  ScheduleParts& parts_;
  Rank places_;  // ranks, and the switches behind them
  BlocksParser blocks_;
  LabelIndex labels_;
  Additions additions_;
  const char* additions_place_ = nullptr;  // the last
  // The first operation without blocks, and the first message.
  const char* bare_place_ = nullptr;
  OpId bytes_only_ = kNoOp;
  std::vector<Reference> later_;
  std::vector<Reference> groups_;
};

}  // namespace tutti::inline schedules
