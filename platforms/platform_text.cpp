#include "platforms/platform_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tutti { inline namespace platforms {

std::size_t LineCounter::line_of(std::ptrdiff_t offset) {
  const std::size_t to =
      std::min(static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0)), text_.size());
  if (to < at_) {
    at_ = 0;
    line_ = 1;
  }
  line_ +=
      static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                          text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
  at_ = to;
  return line_;
}

namespace {

class Writer {
 public:
  explicit Writer(std::string_view original) : lines_(original) {}

  void write(pugi::xml_node root) {
    text_ = "<?xml version=\"1.0\"?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">";
    // The loop replaces recursion, because an untrusted file may be nested arbitrarily deep.
    pugi::xml_node node = root;
    while (node) {
      begin(node);
      if (node.first_child()) {
        node = node.first_child();
        continue;
      }
      while (node && node != root && !node.next_sibling()) {
        node = node.parent();
        end(node);
      }
      node = node == root ? pugi::xml_node() : node.next_sibling();
    }
    text_ += '\n';
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void begin(pugi::xml_node node) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
      add_escaped(node.value());
    }
    if (node.type() != pugi::node_element) {
      return;
    }
    for (const std::size_t line = lines_.line_of(node.offset_debug()); line_ < line; ++line_) {
      text_ += '\n';
    }
    text_ += '<';
    text_ += node.name();
    for (const pugi::xml_attribute attribute : node.attributes()) {
      text_ += fmt::format(" {}=\"", attribute.name());
      add_escaped(attribute.value());
      text_ += '"';
    }
    text_ += node.first_child() ? ">" : "/>";
  }

  void end(pugi::xml_node node) { text_ += fmt::format("</{}>", node.name()); }

  void add_escaped(std::string_view text) {
    for (const char c : text) {
      switch (c) {
        case '&':
          text_ += "&amp;";
          break;
        case '<':
          text_ += "&lt;";
          break;
        case '>':
          text_ += "&gt;";
          break;
        case '"':
          text_ += "&quot;";
          break;
        case '\n':
          ++line_;
          [[fallthrough]];
        default:
          text_ += c;
      }
    }
  }

  LineCounter lines_;
  std::size_t line_ = 1;
  std::string text_;
};

}  // namespace

std::string platform_text(const pugi::xml_document& document, std::string_view original) {
  Writer writer(original);
  writer.write(document.document_element());
  return writer.take();
}

std::string with_platform_named(std::string text, const std::string& platform) {
  for (std::size_t at = text.find(kOpenFilesFolder); at != std::string::npos;
       at = text.find(kOpenFilesFolder, at + platform.size())) {
    const std::size_t end = text.find_first_not_of("0123456789", at + kOpenFilesFolder.size());
    text.replace(at, std::min(end, text.size()) - at, platform);
  }
  return text;
}

}}  // namespace tutti::platforms
