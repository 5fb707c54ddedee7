// Rows of different lengths, stored one after the other ("compressed sparse rows").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti { inline namespace base {

// Sorts values into `rows` rows: row r becomes values[starts[r]] to values[starts[r + 1] - 1].
// for_each(add) must call add(r, value) for each value. It is called twice, and must make the same
// calls each time; a row has its values in the order of these calls.
template <typename Start, typename Value, typename ForEach>
void sort_into_rows(std::size_t rows, std::vector<Start>& starts, std::vector<Value>& values,
                    const ForEach& for_each) {
  starts.assign(rows + 1, 0);
  for_each([&](std::size_t row, const Value&) { ++starts[row + 1]; });
  // While rows are being filled, starts[r + 1] is the place of the next value of row r.
  Start start = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    start += std::exchange(starts[row + 1], start);
  }
  values.resize(start);
  for_each([&](std::size_t row, const Value& value) { values[starts[row + 1]++] = value; });
}

template <typename Value, typename Start = std::uint32_t>
class Rows {
 public:
  Rows() = default;
  template <typename ForEach>
  Rows(std::size_t rows, const ForEach& for_each) {
    sort_into_rows(rows, starts_, values_, for_each);
  }

  [[nodiscard]] std::span<const Value> operator[](std::size_t row) const {
    return std::span(values_).subspan(starts_[row], starts_[row + 1] - starts_[row]);
  }
  [[nodiscard]] const std::vector<Value>& values() const { return values_; }  // of all rows

 private:
  std::vector<Start> starts_{0};
  std::vector<Value> values_;
};

}}  // namespace tutti::base
