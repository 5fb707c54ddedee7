#include <fmt/format.h>

#include <array>
#include <dlfcn.h>
#include <memory>
#include <type_traits>

#include "base/error.hpp"
#include "base/provenance.hpp"
#include "src/pictures/picture.hpp"

namespace tutti { inline namespace pictures {

namespace {

// Types of librsvg (2.46 or later) and cairo (1.16 or later), whose binary interfaces are stable.
// Only pointers to them are needed.
struct Handle;
struct Surface;
struct Context;
struct Rectangle {
  double x, y, width, height;
};
using Write = int (*)(void* text, const unsigned char* data, unsigned size);

constexpr int kSuccess = 0;
constexpr int kArgb32 = 0;
enum PdfMetadata { kTitle, kAuthor, kSubject, kKeywords, kCreator, kCreateDate };

// The functions of the libraries that pictures need. The libraries are opened when a picture is
// drawn: if they were linked, every start of tutti would load them.
struct Renderer {
  Handle* (*handle_from_data)(const unsigned char*, std::size_t, void**);
  int (*render_document)(Handle*, Context*, const Rectangle*, void**);
  void (*unref)(void*);
  Surface* (*image_surface)(int format, int width, int height);
  Surface* (*pdf_surface)(Write, void*, double width, double height);
  void (*set_metadata)(Surface*, int, const char*);
  Context* (*create)(Surface*);
  int (*write_png)(Surface*, Write, void*);
  void (*finish)(Surface*);
  int (*status)(Surface*);
  void (*destroy_context)(Context*);
  void (*destroy_surface)(Surface*);
};

class Library {
 public:
  explicit Library(const char* name) : library_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) {
      throw UserError(fmt::format(
          "PNG and PDF need the library {}, which is not installed (Debian: librsvg2-2); install "
          "it, or write an .svg file",
          name));
    }
  }
  template <typename Function>
  void take(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr) {
      throw UserError(fmt::format(
          "the installed librsvg or cairo lacks the function {}; install librsvg 2.46 and cairo "
          "1.16 or later, or write an .svg file",
          name));
    }
  }

 private:
  void* library_;  // is never closed: GObject cannot be unloaded
};

const Renderer& renderer() {
  static const Renderer kRenderer = [] {
    Renderer found{};
    const Library rsvg("librsvg-2.so.2");
    rsvg.take("rsvg_handle_new_from_data", found.handle_from_data);
    rsvg.take("rsvg_handle_render_document", found.render_document);
    Library("libgobject-2.0.so.0").take("g_object_unref", found.unref);
    const Library cairo("libcairo.so.2");
    cairo.take("cairo_image_surface_create", found.image_surface);
    cairo.take("cairo_pdf_surface_create_for_stream", found.pdf_surface);
    cairo.take("cairo_pdf_surface_set_metadata", found.set_metadata);
    cairo.take("cairo_create", found.create);
    cairo.take("cairo_surface_write_to_png_stream", found.write_png);
    cairo.take("cairo_surface_finish", found.finish);
    cairo.take("cairo_surface_status", found.status);
    cairo.take("cairo_destroy", found.destroy_context);
    cairo.take("cairo_surface_destroy", found.destroy_surface);
    return found;
  }();
  return kRenderer;
}

// Called by cairo, which is written in C: no exception may leave this function.
int append(void* text, const unsigned char* data, unsigned size) noexcept {
  constexpr int kWriteError = 11;  // CAIRO_STATUS_WRITE_ERROR
  try {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data), size);
  } catch (const std::exception&) {
    return kWriteError;
  }
  return kSuccess;
}

[[noreturn]] void fail(const char* what) {
  throw UserError(fmt::format("librsvg failed to make a {}; write an .svg file", what));
}

// Draws the SVG over the whole surface, `width` by `height`.
void draw(const std::string& svg, Surface* surface, double width, double height, const char* what) {
  const Renderer& with = renderer();
  const std::unique_ptr<Handle, void (*)(void*)> handle(
      with.handle_from_data(reinterpret_cast<const unsigned char*>(svg.data()), svg.size(),
                            nullptr),
      with.unref);
  const std::unique_ptr<Context, void (*)(Context*)> context(with.create(surface),
                                                             with.destroy_context);
  const Rectangle whole{0, 0, width, height};
  if (handle == nullptr ||
      with.render_document(handle.get(), context.get(), &whole, nullptr) == 0) {
    fail(what);
  }
}

// Sets the title, the program, the command and the inputs. No date is set, so that equal commands
// give equal files.
void describe(const Picture& picture, Surface* surface) {
  const Provenance made = provenance();
  std::string inputs;
  for (const Provenance::Input& input : made.inputs) {
    inputs += (inputs.empty() ? "" : ", ") + Provenance::in_words(input);
  }
  const auto set = [&](PdfMetadata key, const std::string& text) {
    renderer().set_metadata(surface, key, text.c_str());
  };
  set(kTitle, picture.title);
  set(kCreator, made.made_by);
  set(kSubject, made.command);
  set(kKeywords, inputs);
  set(kCreateDate, "");
}

}  // namespace

std::string png_of(const Picture& picture, double scale) {
  const Renderer& with = renderer();
  const int width = static_cast<int>(picture.width * scale + 0.5);
  const int height = static_cast<int>(picture.height * scale + 0.5);
  const std::unique_ptr<Surface, void (*)(Surface*)> surface(
      with.image_surface(kArgb32, width, height), with.destroy_surface);
  draw(svg_file(picture), surface.get(), width, height, "PNG");
  std::string png;
  if (with.write_png(surface.get(), append, &png) != kSuccess) {
    fail("PNG");
  }
  return png;
}

std::string pdf_of(const Picture& picture) {
  constexpr double kPointsPerPixel = 0.75;  // CSS: 96 pixels and 72 points in an inch
  const Renderer& with = renderer();
  const double width = picture.width * kPointsPerPixel;
  const double height = picture.height * kPointsPerPixel;
  std::string pdf;
  const std::unique_ptr<Surface, void (*)(Surface*)> surface(
      with.pdf_surface(append, &pdf, width, height), with.destroy_surface);
  describe(picture, surface.get());
  draw(svg_file(picture), surface.get(), width, height, "PDF");
  with.finish(surface.get());
  if (with.status(surface.get()) != kSuccess) {
    fail("PDF");
  }
  return pdf;
}

}}  // namespace tutti::pictures
