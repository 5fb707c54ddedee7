#include "src/formats/json_lines.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "base/printable.hpp"

namespace tutti { inline namespace formats {

namespace {

// Iterator over the text. Stores the position of the last character that was read, so that the
// functions of Builder know how far the parser has read.
class Counting {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Counting(const char* at, const char** last_read) : at_(at), last_read_(last_read) {}
  char operator*() const {
    *last_read_ = at_;
    return *at_;
  }
  Counting& operator++() {
    ++at_;
    return *this;
  }
  Counting operator++(int) {
    const Counting old = *this;
    ++at_;
    return old;
  }
  friend bool operator==(const Counting& a, const Counting& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** last_read_;
};

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const char** last_read) : text_(text), last_read_(last_read) {}

  bool null() override {
    scalar(JsonLine::Kind::null, "null");
    return true;
  }
  bool boolean(bool value) override {
    scalar(JsonLine::Kind::boolean, value ? "true" : "false").truth = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    scalar(JsonLine::Kind::integer, std::to_string(value), true).number = value;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    scalar(JsonLine::Kind::integer, std::to_string(value), true).number =
        static_cast<std::int64_t>(std::min<number_unsigned_t>(value, INT64_MAX));
    return true;
  }
  bool number_float(number_float_t, const string_t& digits) override {
    scalar(JsonLine::Kind::real, digits, true);
    return true;
  }
  bool string(string_t& value) override {
    scalar(JsonLine::Kind::string, printable(value));
    return true;
  }
  bool binary(binary_t&) override { return false; }  // JSON text has no binary values
  bool start_object(std::size_t) override { return open(JsonLine::Kind::object); }
  bool start_array(std::size_t) override { return open(JsonLine::Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    key_ = printable(value);
    key_line_ = line();
    return true;
  }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    // error.what() is "[json.exception.parse_error.101] parse error at line 3, column 5: syntax
    // error while ..."
    fault.line = line();
    fault.text = error.what();
    if (const auto at = fault.text.find("syntax error"); at != std::string::npos) {
      fault.text.erase(0, at);
    }
    return false;
  }

  JsonLine root;
  JsonFault fault;

 private:
  // Returns the line of the current position. `one_too_far` is true after a number, because the
  // parser has then already read the character behind the number. Positions only increase, so each
  // line end is counted once.
  [[nodiscard]] std::size_t line(bool one_too_far = false) {
    if (*last_read_ == nullptr) {
      return 1;
    }
    const auto read = static_cast<std::size_t>(*last_read_ - text_.data()) + (one_too_far ? 0 : 1);
    const std::size_t end = std::min(read, text_.size());
    if (end > counted_to_) {
      line_ += static_cast<std::size_t>(
          std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_to_),
                     text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      counted_to_ = end;
    }
    return line_;
  }

  JsonLine& add(JsonLine::Kind kind, bool one_too_far = false) {
    JsonLine value;
    value.kind = kind;
    const bool member = !open_.empty() && open_.back()->is(JsonLine::Kind::object);
    value.line = member ? key_line_ : line(one_too_far);
    value.key = member ? std::move(key_) : std::string();
    if (open_.empty()) {
      root = std::move(value);
      return root;
    }
    open_.back()->children.push_back(std::move(value));
    return open_.back()->children.back();
  }
  JsonLine& scalar(JsonLine::Kind kind, std::string text, bool one_too_far = false) {
    JsonLine& value = add(kind, one_too_far);
    value.text = std::move(text);
    return value;
  }
  bool open(JsonLine::Kind kind) {
    if (open_.size() == kMostNested) {
      fault = {line(), fmt::format("lists and objects are nested more than {} deep", kMostNested)};
      return false;
    }
    // Adding a child may move its siblings in memory, but never an open value, since all siblings
    // are closed.
    open_.push_back(&add(kind));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  // Limits the recursion of functions that process the values.
  static constexpr std::size_t kMostNested = 500;

  std::string_view text_;
  const char** last_read_;
  std::size_t line_ = 1;
  std::size_t counted_to_ = 0;  // position in the text up to which line ends are counted
  std::vector<JsonLine*> open_;
  std::string key_;
  std::size_t key_line_ = 0;
};

}  // namespace

const JsonLine* JsonLine::find(std::string_view name) const {
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const JsonLine& child) { return child.key == name; });
  return found == children.end() ? nullptr : &*found;
}

std::string_view name(JsonLine::Kind kind) {
  constexpr std::array<std::string_view, 7> kNames{
      "null", "true or false", "an integer", "a number", "a string", "a list", "an object"};
  return kNames[static_cast<std::size_t>(kind)];
}

JsonText parse_json_lines(std::string_view text, bool comments) {
  const char* last_read = nullptr;
  Builder builder(text, &last_read);
  JsonText result;
  if (nlohmann::json::sax_parse(Counting(text.data(), &last_read),
                                Counting(text.data() + text.size(), &last_read), &builder,
                                nlohmann::json::input_format_t::json, true, comments)) {
    result.value = std::move(builder.root);
  } else {
    result.fault = std::move(builder.fault);
  }
  return result;
}

}}  // namespace tutti::formats
