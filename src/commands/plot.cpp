// tutti plot: draws one picture of a run, a comparison, a decision, a bound or a schedule, and
// writes it to a file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "src/commands/cli.hpp"
#include "src/commands/command.hpp"
#include "src/commands/json_inputs.hpp"
#include "src/commands/picture_file.hpp"
#include "src/pictures/shown.hpp"
#include "src/requests/command_table.hpp"
#include "src/requests/common_options.hpp"

namespace tutti { inline namespace commands {

namespace {

struct PlotOptions {
  std::optional<std::string> output;  // path of a file
  std::optional<std::string> which;   // name of a picture
};

// Returns the first word of a picture's id, such as "times" for "times-allreduce-16".
std::string kind_of(const std::string& id) { return id.substr(0, id.find('-')); }

// Returns the first picture whose id, or the first word of whose id, is `which`. Throws UserError
// if there is no such picture.
const Picture& named(const std::vector<Picture>& pictures, const std::string& which) {
  std::vector<std::string> kinds;
  std::vector<std::string> ids;  // ids that have the same first word as `which`
  for (const Picture& picture : pictures) {
    const std::string kind = kind_of(picture.id);
    if (picture.id == which || kind == which) {
      return picture;
    }
    if (std::ranges::find(kinds, kind) == kinds.end()) {
      kinds.push_back(kind);
    }
    if (kind == kind_of(which)) {
      ids.push_back(picture.id);
    }
  }
  throw UserError(
      fmt::format("$which '{}': {}", which, accepted_words(which, ids.empty() ? kinds : ids)));
}

// Returns the picture to draw if --which is not given. First looks for a picture after which the
// file is named: for times.svg, a picture whose id, or the first word of whose id, is "times". For
// 'explain', the waterfall counts as such a picture, too. If no picture is found, returns the
// picture of times if there is exactly one (as in a comparison for a single number of ranks),
// otherwise the first picture.
const Picture& usual(const std::vector<Picture>& pictures, const std::string& path,
                     const std::string& command) {
  const std::string stem = std::filesystem::path(path).stem();
  const Picture* times = nullptr;
  bool several_times = false;
  for (const Picture& picture : pictures) {
    const std::string kind = kind_of(picture.id);
    if (kind == stem || picture.id == stem || (command == "explain" && kind == "waterfall")) {
      return picture;
    }
    if (kind == "times") {
      several_times = times != nullptr;
      times = &picture;
    }
  }
  return times != nullptr && !several_times ? *times : pictures.front();
}

int plot(const PlotOptions& options, const Command& command, Streams streams) {
  const std::vector<std::string>& words = command.rest();
  if (!options.output) {
    throw UserError("'tutti plot' needs -o FILE.svg, FILE.png, FILE.pdf, FILE.html or - (SVG)");
  }
  PictureFile file("-o", *options.output, streams);
  Documents found = documents_of(command, words, streams);
  if (found.failed != 0) {
    return found.failed;
  }
  // All documents but the first must be validations. Their measured times are drawn in the picture
  // of the first document.
  for (std::size_t i = 1; i < found.documents.size(); ++i) {
    if (found.documents[i].kind != DocumentKind::validation) {
      throw UserError(
          fmt::format("$and {}: plot draws only one picture; use 'tutti report' for several",
                      found.documents[i].source));
    }
  }
  const DocumentView shown = shown_of(found.documents.front(), found.documents);
  if (shown.pictures.empty()) {
    throw UserError("there is no picture for this input; 'tutti report' shows its numbers");
  }
  const Picture& picture =
      options.which ? named(shown.pictures, *options.which)
                    : usual(shown.pictures, *options.output, words.empty() ? "" : words.front());
  file.write(picture, found.documents.front().source);
  // Lists the other pictures to which the word of --which applies, or all others without --which.
  std::vector<std::string> others;
  for (const Picture& other : shown.pictures) {
    if (&other != &picture && (!options.which || kind_of(other.id) == *options.which)) {
      others.push_back(other.id);
    }
  }
  if (!others.empty() && !file.is_standard_output()) {
    streams.out << fmt::format("other pictures, with --which: {}\n", fmt::join(others, ", "));
  }
  return kExitOk;
}

}  // namespace

Action add_plot(Command& app, Streams streams) {
  Command& command = app.add_command(
      "plot", "Draw one picture, from a command or from a file that a command wrote");
  auto options = std::make_shared<PlotOptions>();
  command.keep_rest("COMMAND... [--and COMMAND...]");
  command
      .add_option(
          "-o,--output", options->output,
          "File to write the picture to, whose name ends in .svg, .png, .pdf or .html; - is "
          "standard output, as SVG")
      .type_name(kWrittenFile);
  command
      .add_option(
          "--which", options->which,
          "Picture to draw, by its name or the first word of its name: times, winners, "
          "decision, loss, timeline, waterfall, cut (of the largest size), ... [the one that the "
          "file is named after, such as times.svg; otherwise the command's default]")
      .type_name("PICTURE");
  command.add_examples({"tutti plot compare allreduce -p 64 -n 1K..16MiB*4 -o times.svg",
                        "tutti plot simulate allreduce/ring -p 16 -n 1MiB -o ring.png",
                        "tutti plot bound alltoall -p 128 -n 1MiB --platform "
                        "platforms/infiniband_hdr_128_thin.xml -o cut.svg"});
  return [options, streams, &command] { return plot(*options, command, streams); };
}

}}  // namespace tutti::commands
