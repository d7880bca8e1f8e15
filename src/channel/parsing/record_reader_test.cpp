#include "channel/parsing/record_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/limits.h"

namespace finality {
namespace {

using Cells = std::vector<std::string>;

struct Read {
  std::vector<Cells> records;
  std::vector<std::int64_t> lines;
  std::vector<bool> marked;
  std::string error;
};

Read read(CellStyle style, std::string_view text, std::size_t chunk = 1000) {
  Read result;
  ParseBudget budget(text.size());
  RecordReader reader(style, budget, [&](const Record& record) -> Result<void> {
    result.records.emplace_back(record.cells.begin(), record.cells.end());
    result.lines.push_back(record.line_no);
    result.marked.push_back(record.is_marked);
    return {};
  });
  Result<void> done;
  for (std::size_t at = 0; done && at < text.size(); at += chunk) done = reader.take(text.substr(at, chunk));
  if (done) done = reader.finish();
  if (!done) result.error = done.error().message;
  return result;
}

TEST(RecordReader, QuotedCellsContainCommasLineBreaksAndQuotationMarks) {
  const std::string text =
      "\xEF\xBB\xBF"
      "a,\"b,c\",\"d\"\"e\"\r\n\r\n1, 2 ,\r\n\"x\r\ny\",\"\",z";
  for (std::size_t chunk = 1; chunk < 20; ++chunk) {
    const Read result = read(CellStyle::quoted, text, chunk);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.records, (std::vector<Cells>{{"a", "b,c", "d\"e"}, {"1", "2", ""}, {"x\r\ny", "", "z"}}));
    EXPECT_EQ(result.lines, (std::vector<std::int64_t>{1, 3, 4}));
  }
}

TEST(RecordReader, MalformedQuotationMarksAreRejected) {
  EXPECT_EQ(read(CellStyle::quoted, "a\n\"b").error, "line 2: a quotation mark is not closed");
  EXPECT_EQ(read(CellStyle::quoted, "a,b\"c\"").error,
            "line 1, column 2: a cell with a quotation mark must begin with one");
  EXPECT_EQ(read(CellStyle::quoted, "\"a\"b,c").error,
            "line 1, column 1: a quotation mark within a quoted cell must be doubled");
}

TEST(RecordReader, RowsOfWechatPayAreSplitAtCommaAndBacktick) {
  const std::string text =
      "\xEF\xBB\xBF"
      "time,text,sum\r\n`2026,`a,b,`c,`0.10\r\n`x,`\n";
  for (std::size_t chunk = 1; chunk < 20; ++chunk) {
    const Read result = read(CellStyle::backtick, text, chunk);
    EXPECT_EQ(result.records, (std::vector<Cells>{{"time", "text", "sum"}, {"2026", "a,b", "c", "0.10"}, {"x", ""}}));
    EXPECT_EQ(result.marked, (std::vector<bool>{false, true, true}));
  }
}

TEST(RecordReader, CellsOfAlipayArePaddedAndNotesAreNotSplit) {
  const Read result = read(CellStyle::plain, "#a, b：[1],,\n2088\t,\"x\" , ,\t\n #c\n");
  EXPECT_EQ(result.records, (std::vector<Cells>{{"#a, b：[1]"}, {"2088", "\"x\"", "", ""}, {"#c"}}));
  EXPECT_EQ(result.marked, (std::vector<bool>{true, false, true}));
}

TEST(RecordReader, BlankLinesAreCountedAndOmitted) {
  EXPECT_EQ(read(CellStyle::plain, "\n \t\r\na\n\n").lines, std::vector<std::int64_t>{3});
  EXPECT_TRUE(read(CellStyle::quoted, "").records.empty());
}

TEST(RecordReader, ALongLineIsRejectedWithoutItsEnd) {
  const std::string line(limits::kStatementLineBytesMax, 'x');
  EXPECT_EQ(read(CellStyle::plain, line + "\n").error, "");
  for (const std::string& text : {"a\n" + line + "x", "a\n\"" + std::string(100'000, '\n')})
    EXPECT_EQ(read(CellStyle::quoted, text).error, "line 2: longer than 65536 bytes");
}

TEST(RecordReader, EachLineCostsWork) {
  ParseBudget budget({.output_bytes_max = 1000, .work_max = 100 * limits::kParseStepWork});
  RecordReader reader(CellStyle::plain, budget, [](const Record&) { return Result<void>(); });
  EXPECT_TRUE(reader.take(std::string(100, '\n')));
  EXPECT_TRUE(reader.take("\n").error().message.contains("work limit of 1600 units"));
}

TEST(RecordReader, TheChunksDoNotMatter) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& choices) {
    std::string text;
    for (const std::uint8_t choice : choices) text += "ab,\"\n\r`# \t"[choice % 10];
    for (const CellStyle style : {CellStyle::quoted, CellStyle::backtick, CellStyle::plain}) {
      const Read whole = read(style, text);
      const Read bytes = read(style, text, 1);
      RC_ASSERT(whole.records == bytes.records && whole.error == bytes.error && whole.lines == bytes.lines);
    }
  }));
}

}  // namespace
}  // namespace finality
