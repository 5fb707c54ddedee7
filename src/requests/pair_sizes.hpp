// What every rank has for every other, for --sizes: by a rule, or from a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::inline requests {

class PairSizes {
 public:
  // "uniform"; "skewed:S": destinations in an order drawn at random, each taken 1 + S times as much
  // as the next; "sparse:K": every rank has something for K others and hears from as many, drawn at
  // random; either with ":SEED" at the end [1]; or the name of a CSV file with a row for each
  // sender, of bytes for each receiver. Throws UserError that names `flag`.
  PairSizes(std::string_view flag, std::string_view text);

  // Bytes of rank s for rank d, at s * ranks + d. The rank that sends or receives most has `bytes`,
  // which a file says itself. Throws UserError where K is too large, or a file is for other ranks.
  [[nodiscard]] std::vector<std::uint64_t> of(std::uint32_t ranks, std::uint64_t bytes,
                                              std::uint32_t element_bytes) const;

  // The file says how much there is.
  [[nodiscard]] bool from_file() const { return kind_ == Kind::file; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  enum class Kind : std::uint8_t { uniform, skewed, sparse, file };
  [[nodiscard]] std::vector<std::uint64_t> skewed(std::uint32_t ranks,
                                                  std::uint64_t elements) const;
  [[nodiscard]] std::vector<std::uint64_t> sparse(std::uint32_t ranks,
                                                  std::uint64_t elements) const;
  void read_file();
  [[noreturn]] void refuse(const std::string& why) const;

  std::string flag_;
  std::string text_;
  Kind kind_ = Kind::uniform;
  double skew_ = 0;
  std::uint32_t partners_ = 0;
  std::uint32_t seed_ = 1;
  std::vector<std::uint64_t> bytes_;  // of a file
  std::uint32_t rows_ = 0;
};

}  // namespace tutti::inline requests
