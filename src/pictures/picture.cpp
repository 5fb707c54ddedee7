#include "src/pictures/picture.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/provenance.hpp"

namespace tutti { inline namespace pictures {

namespace {

// Colours of series are from Okabe and Ito, "Color universal design", 2008; yellow and black are
// replaced by darker tones that are visible on white. Shades have a single hue, so that readers who
// cannot distinguish colours see their order too.
constexpr std::string_view kStyle =
    R"(text{font-family:"DejaVu Sans",Verdana,sans-serif;fill:#1b1f24}
.muted{fill:#57606a}line.muted,polyline.muted{stroke:#8c959f;fill:none}
line.ink,polyline.ink{stroke:#1b1f24;stroke-width:1.5}rect.ink,polygon.ink,circle.ink{fill:#1b1f24}
.grid{stroke:#e4e7eb}.paper{fill:#fff}text.inverse{fill:#fff}text.accent{fill:#0550ae}
line.accent,polyline.accent{stroke:#0550ae;stroke-width:2;fill:none}rect.accent{fill:#0550ae}
.good{fill:#1a7f37}.bad{fill:#c4320a}.bold{font-weight:bold}.frame{fill:none;stroke:#1b1f24}
line.bad,polyline.bad{stroke:#c4320a;stroke-width:2.5;fill:none}line.bad.thin{stroke-width:1}
.s0{stroke:#0072b2}.s1{stroke:#d55e00}.s2{stroke:#009e73}.s3{stroke:#a6428a}.s4{stroke:#b8860b}
.s5{stroke:#3f8fc4}.s6{stroke:#7a4a1e}.s7{stroke:#5e4fa2}.s8{stroke:#6b8e23}.s9{stroke:#7f7f7f}
.f0{fill:#0072b2}.f1{fill:#d55e00}.f2{fill:#009e73}.f3{fill:#a6428a}.f4{fill:#b8860b}
.f5{fill:#3f8fc4}.f6{fill:#7a4a1e}.f7{fill:#5e4fa2}.f8{fill:#6b8e23}.f9{fill:#7f7f7f}
.q0{fill:#f2f5f9}.q1{fill:#dbe7f3}.q2{fill:#bcd5ea}.q3{fill:#93bcdd}.q4{fill:#659ecc}
.q5{fill:#3f80b8}.q6{fill:#25649e}.q7{fill:#144a7d}.q8{fill:#0a3158}
polyline,line{stroke-linejoin:round}.thick,line.ink.thick{stroke-width:2.2}.thin{stroke-width:1}
.dash2{stroke-dasharray:2 3}
.faint{opacity:.45}
)";

std::string opening(const Picture& picture, double top, std::string_view more) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 {:.6g} {:.6g} {:.6g}\"{} role=\"img\" "
      "aria-label=\"{}\">\n",
      top, picture.width, picture.height - top, more, xml_escaped(picture.alt));
}

std::string title_of(const Picture& picture) {
  constexpr double kSize = 15;
  constexpr double kBold = 1.13;  // bold letters are wider by this factor
  Svg svg;
  svg.text({16, 24}, fitted(picture.title, (picture.width - 32) / kBold, kSize), Anchor::start,
           "ink bold", kSize);
  return svg.body();
}

}  // namespace

Picture begun(std::string_view group, std::string_view name, std::string title, double width) {
  Picture picture;
  picture.id = id_of(name);
  picture.group = group;
  picture.title = std::move(title);
  picture.width = width;
  return picture;
}

std::string id_of(std::string_view text) {
  std::string id;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      id += c;
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  return id;
}

std::string svg_in_page(const Picture& picture) {
  return opening(picture, picture.has_title ? 0 : kTitleHeight, "") + picture.body + "</svg>";
}

namespace {

// Returns the provenance as RDF with the terms of Dublin Core, which other programs know.
std::string metadata_of(const Provenance& made) {
  if (made.command.empty()) {
    return "";
  }
  std::string text = fmt::format(
      "<metadata><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
      "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><rdf:Description rdf:about=\"\">\n"
      "<dc:creator>{}</dc:creator>\n<dc:source>{}</dc:source>\n",
      xml_escaped(made.made_by), xml_escaped(made.command));
  for (const Provenance::Input& input : made.inputs) {
    text +=
        fmt::format("<dc:relation>{}</dc:relation>\n", xml_escaped(Provenance::in_words(input)));
  }
  return text + "</rdf:Description></rdf:RDF></metadata>\n";
}

}  // namespace

std::string svg_file(const Picture& picture, bool metadata) {
  const std::string size =
      fmt::format(" width=\"{:.6g}\" height=\"{:.6g}\"", picture.width, picture.height);
  return opening(picture, 0, size) + "<title>" + xml_escaped(picture.title) + "</title>\n" +
         (metadata ? metadata_of(provenance()) : std::string()) + "<style>\n" +
         std::string(kStyle) + "</style>\n" +
         "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n" +
         (picture.has_title ? std::string() : title_of(picture)) + picture.body + "</svg>\n";
}

}}  // namespace tutti::pictures
