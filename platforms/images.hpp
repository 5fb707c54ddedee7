// The images of indices, such as those of hosts or links, under a map that is not known everywhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti { inline namespace platforms {

class Images {
 public:
  static constexpr std::uint32_t kNone = 0xffffffffU;

  void clear() { image_.clear(); }
  // Makes room for the indices below `count`, so that set() need not do so again and again.
  void make_room(std::size_t count) {
    if (count > image_.size()) {
      image_.resize(count, kNone);
    }
  }
  // Sets the image of `from`. Returns false if `from` already has another image.
  [[nodiscard]] bool set(std::uint32_t from, std::uint32_t image) {
    if (from >= image_.size()) {
      make_room(std::max<std::size_t>(from + std::size_t{1}, 2 * image_.size()));
    }
    if (image_[from] == kNone) {
      image_[from] = image;
    }
    return image_[from] == image;
  }
  // Returns the image of each index; kNone if unknown.
  [[nodiscard]] std::span<const std::uint32_t> all() const { return image_; }
  [[nodiscard]] std::uint32_t of(std::uint32_t index) const {
    return index < image_.size() ? image_[index] : kNone;
  }

 private:
  std::vector<std::uint32_t> image_;
};

}}  // namespace tutti::platforms
