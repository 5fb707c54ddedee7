#include "schedules/patterns/pat.hpp"

#include <algorithm>
#include <bit>

namespace tutti { inline namespace schedules {

namespace {

// There are `far` far offsets, which are the multiples of `near`. `far` and `near` are powers of
// two.
struct Shape {
  Shape(std::uint32_t ranks, std::uint32_t aggregate) : p(ranks) {
    const std::uint32_t all = std::bit_ceil(ranks);
    const std::uint32_t half = std::max(1U, all / 2);
    most = aggregate == 0 ? half : std::min(half, std::bit_floor(aggregate));
    far = most > half / kPatDepth ? half : most * kPatDepth;
    near = all / far;
  }

  std::uint32_t p;
  std::uint32_t most = 1;  // largest number of blocks in a message
  std::uint32_t far = 1;
  std::uint32_t near = 1;
};

constexpr std::uint32_t lowest_bit(std::uint32_t s) { return s & ~(s - 1); }

// Collects messages of at most `most` blocks. Each function adds `count` blocks: base, base +
// stride, ... It leaves out the blocks whose number is not below p at the receiver (allgather) or
// at the sender (reduce-scatter).
class Messages {
 public:
  explicit Messages(const Shape& shape) : shape_(shape) {}

  // Allgather: consecutive offsets share a message. Block s of the sender is block s + distance of
  // the receiver.
  void gather(std::uint32_t distance, std::uint32_t base, std::uint32_t count,
              std::uint32_t stride) {
    for (std::uint32_t a = 0; a < count; a += shape_.most) {
      add(distance, base + a * stride, std::min(shape_.most, count - a), stride, distance);
    }
  }
  // Reduce-scatter: offsets with the same lowest bits share a message. The message whose offsets
  // have all of these bits set comes first.
  void scatter(std::uint32_t distance, std::uint32_t base, std::uint32_t count,
               std::uint32_t stride) {
    const std::uint32_t messages = std::max(1U, count / shape_.most);
    const auto bits = static_cast<std::uint32_t>(std::bit_width(messages) - 1);
    for (std::uint32_t i = 0; i < messages; ++i) {
      std::uint32_t mirrored = 0;
      for (std::uint32_t bit = 0; bit < bits; ++bit) {
        mirrored |= (~i >> bit & 1U) << (bits - 1 - bit);
      }
      add(distance, base + mirrored * stride, count / messages, messages * stride, 0);
    }
  }

  [[nodiscard]] std::vector<PatMessage> take() { return std::move(messages_); }

 private:
  // Adds a message, without the blocks s for which s + ahead is not a rank.
  void add(std::uint32_t distance, std::uint32_t first, std::uint32_t count, std::uint32_t stride,
           std::uint32_t ahead) {
    const std::uint64_t at = std::uint64_t{first} + ahead;
    if (at < shape_.p) {
      const std::uint64_t there = (shape_.p - 1 - at) / stride + 1;
      messages_.push_back({distance, first,
                           static_cast<std::uint32_t>(std::min<std::uint64_t>(count, there)),
                           stride});
    }
  }

  const Shape& shape_;
  std::vector<PatMessage> messages_;
};

// Traverses the tree below `top`. Its branches begin at `top` + bit, for each power of two `bit`
// that is less than `below`. Each branch is traversed to its end, the farthest branch first.
void walk(const Shape& shape, std::uint32_t top, std::uint32_t below, Messages& messages) {
  for (std::uint32_t bit = below / 2; bit > 0; bit /= 2) {
    messages.gather(bit, top, shape.far, shape.near);
    walk(shape, top + bit, bit, messages);
  }
}

}  // namespace

std::vector<PatMessage> pat_allgather(std::uint32_t ranks, std::uint32_t aggregate) {
  const Shape shape(ranks, aggregate);
  Messages messages(shape);
  for (std::uint32_t scale = shape.far / 2; scale > 0; scale /= 2) {
    messages.gather(scale * shape.near, 0, shape.far / (2 * scale), 2 * scale * shape.near);
  }
  walk(shape, 0, shape.near, messages);
  return messages.take();
}

std::vector<PatMessage> pat_reduce_scatter(std::uint32_t ranks, std::uint32_t aggregate) {
  const Shape shape(ranks, aggregate);
  Messages messages(shape);
  for (std::uint32_t s = shape.near; s-- > 1;) {
    messages.scatter(lowest_bit(s), s, shape.far, shape.near);
  }
  for (std::uint32_t scale = 1; scale < shape.far; scale *= 2) {
    messages.scatter(scale * shape.near, scale * shape.near, shape.far / (2 * scale),
                     2 * scale * shape.near);
  }
  return messages.take();
}

}}  // namespace tutti::schedules
