#include "base/gzip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <zlib.h>

#include "base/error.hpp"

namespace tutti { inline namespace base {

namespace {

// Window of 32 KiB; 16 more selects gzip's header in place of zlib's.
constexpr int kGzipWindow = 15 + 16;
constexpr std::size_t kPiece = std::size_t{1} << 18U;

// zlib takes at most this number of bytes at a time.
uInt piece_of(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, std::numeric_limits<uInt>::max() / 2));
}

Bytef* as_bytes(std::string_view data) {
  // zlib does not change its input, but its interface is older than const.
  return reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
}

// A stream that inflates.
struct Inflating {
  z_stream stream{};
  Inflating() {
    if (inflateInit2(&stream, kGzipWindow) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  Inflating(const Inflating&) = delete;
  Inflating& operator=(const Inflating&) = delete;
  ~Inflating() { inflateEnd(&stream); }
};

}  // namespace

std::string_view without_gzip_ending(std::string_view path) {
  return path.ends_with(kGzipEnding) ? path.substr(0, path.size() - kGzipEnding.size()) : path;
}

bool is_gzip(std::string_view data) { return data.starts_with("\x1f\x8b\x08"); }

std::string unpacked(std::string_view data, const std::string& path, std::uint64_t most_bytes) {
  Inflating inflating;
  z_stream& stream = inflating.stream;
  const auto piece = std::make_unique<std::array<char, kPiece>>();
  std::string text;
  int status = Z_OK;
  while (!data.empty() || status == Z_OK) {
    stream.next_in = as_bytes(data);
    const uInt given = stream.avail_in = piece_of(data.size());
    stream.next_out = reinterpret_cast<Bytef*>(piece->data());
    stream.avail_out = static_cast<uInt>(piece->size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(piece->data(), piece->size() - stream.avail_out);
    data.remove_prefix(given - stream.avail_in);
    if (text.size() > most_bytes) {
      throw UserError(
          fmt::format("'{}' unpacks to more than {} bytes; unpack the file first, or split it",
                      path, most_bytes));
    }
    if (status == Z_STREAM_END && is_gzip(data)) {  // a file may consist of several parts
      inflateReset(&stream);
      status = Z_OK;
    } else if (status != Z_OK) {
      break;
    }
  }
  if (status != Z_STREAM_END) {
    throw UserError(fmt::format("'{}' is a damaged or incomplete gzip file; write it again", path));
  }
  return text;
}

struct GzipBuffer::State {
  z_stream stream{};
  std::array<char, kPiece> packed{};
};

GzipBuffer::GzipBuffer(std::ostream& sink) : sink_(sink), state_(std::make_unique<State>()) {
  constexpr int kMemoryLevel = 8;  // zlib's default
  if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

GzipBuffer::~GzipBuffer() { deflateEnd(&state_->stream); }

bool GzipBuffer::finish() { return put({}, true); }

bool GzipBuffer::put(std::string_view data, bool last) {
  z_stream& stream = state_->stream;
  do {
    stream.next_in = as_bytes(data);
    const uInt given = stream.avail_in = piece_of(data.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(state_->packed.data());
      stream.avail_out = static_cast<uInt>(state_->packed.size());
      (void)deflate(&stream, last && given == data.size() ? Z_FINISH : Z_NO_FLUSH);
      const std::size_t made = state_->packed.size() - stream.avail_out;
      if (!sink_.write(state_->packed.data(), static_cast<std::streamsize>(made))) {
        return false;
      }
    } while (stream.avail_out == 0);
    data.remove_prefix(given);
  } while (!data.empty());
  return true;
}

GzipBuffer::int_type GzipBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) {
    return traits_type::not_eof(c);
  }
  const char one = traits_type::to_char_type(c);
  return put({&one, 1}, false) ? c : traits_type::eof();
}

std::streamsize GzipBuffer::xsputn(const char* text, std::streamsize size) {
  return put({text, static_cast<std::size_t>(size)}, false) ? size : 0;
}

}}  // namespace tutti::base
