#include "channel/parsing/xml_reader.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace finality {
namespace {

/// Records the events of a file as a text: `<name attribute>` and `text/`.
class Recorder final : public XmlSink {
 public:
  Result<void> begin(std::string_view name, const XmlAttributes& attributes) override {
    if (name == "stop") return fail("stopped");
    log += std::string("<") + std::string(name) + " " + std::string(attributes.value("a")) + ">";
    return {};
  }
  Result<void> end(std::string_view, std::string_view text) override {
    log += std::string(text) + "/";
    return {};
  }

  std::string log;
};

/// Reads the file in pieces of that size. Returns the events, or the error.
std::string read(std::string_view file, std::size_t piece = 7) {
  Recorder recorder;
  ParseBudget budget(file.size());
  XmlReader reader(budget, recorder);
  Result<void> done;
  for (; done && !file.empty(); file.remove_prefix(std::min(piece, file.size())))
    done = reader.take(file.substr(0, piece));
  if (done) done = reader.finish();
  return done ? recorder.log : done.error().message;
}

TEST(XmlReader, PassesElementsWithTheirTexts) {
  const std::string_view file =
      "<?xml version=\"1.0\"?>\n<n:b xmlns:n=\"urn:x\" a=\"1\"><!-- c --><c>d &amp; <![CDATA[<e>]]></c> <f/></n:b>\n";
  for (const std::size_t piece : {1, 7, 1000}) EXPECT_EQ(read(file, piece), "<b 1><c >d & <e>/<f >//");
}

TEST(XmlReader, ReportsErrorsOfTheSinkAndOfTheFile) {
  EXPECT_EQ(read("<a><stop/><b/></a>"), "stopped");
  EXPECT_EQ(read("<a>\n</b>"), "line 2: mismatched tag");
  EXPECT_EQ(read("<a>\n"), "line 2: no element found");
  EXPECT_EQ(read(""), "line 1: no element found");
  EXPECT_EQ(read("<!DOCTYPE a><a/>"), "line 1: a document type declaration is not allowed");
}

TEST(XmlReader, LimitsDepthAndSizes) {
  const auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "<a>";
    for (int i = 0; i < depth; ++i) text += "</a>";
    return text;
  };
  EXPECT_TRUE(read(nested(XmlReader::kDepthMax)).starts_with("<a >"));
  EXPECT_EQ(read(nested(XmlReader::kDepthMax + 1)), "line 1: elements are nested deeper than 32");
  const std::string many(2 * limits::kStatementLineBytesMax, 'x');
  EXPECT_EQ(read("<a>" + many + "</a>", 1000), "line 1: a text longer than 65536 bytes");
  EXPECT_EQ(read("<a><b c=\"" + many + "\"/></a>", 1000), "line 1: a tag or comment longer than 65536 bytes");
  EXPECT_EQ(read("<!--" + many + "--><a/>", 1000), "line 1: a tag or comment longer than 65536 bytes");
}

TEST(XmlReader, EachElementCostsWork) {
  Recorder recorder;
  ParseBudget budget({.output_bytes_max = 1000, .work_max = 100 * limits::kParseStepWork});
  XmlReader reader(budget, recorder);
  std::string file = "<a>";
  for (int i = 0; i < 100; ++i) file += "<b/>";
  EXPECT_TRUE(reader.take(file).error().message.contains("work limit of 1600 units"));
}

}  // namespace
}  // namespace finality
