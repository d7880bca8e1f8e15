// Fixtures for tests of statements: packed files, and the lines of a file.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "channel/statements.h"

namespace finality {

/// Compresses a text. `window` are zlib's windowBits: the format.
inline std::string deflated(std::string_view text, int window) {
  z_stream stream{};
  FINALITY_CHECK(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  std::string out(deflateBound(&stream, text.size()) + 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  FINALITY_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib");
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}
inline std::string gzip(std::string_view text) { return deflated(text, 16 + MAX_WBITS); }
inline std::string raw_deflated(std::string_view text) { return deflated(text, -MAX_WBITS); }

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}
inline std::string with_lf(std::string text) { return replaced(std::move(text), "\r\n", "\n"); }
inline std::string with_crlf(std::string text) { return replaced(with_lf(std::move(text)), "\n", "\r\n"); }

/// Moves the cells of a line: the new line has cell `order[i]` at place i.
inline std::vector<std::string> reordered(const std::vector<std::string>& cells,
                                          const std::vector<std::size_t>& order) {
  std::vector<std::string> moved;
  for (const std::size_t from : order) moved.push_back(cells[from]);
  return moved;
}

/// All fields of a line except its number, as a text for comparisons.
inline std::string text_of(const StatementLine& line) {
  return fmt::format("{} {} id={} trade={}/{} refund={}/{} {} amount={} discount={} fee={} balance={} at={} {}",
                     name_of(line.kind), name_of(line.status), line.line_id, line.channel_trade_no, line.out_trade_no,
                     line.channel_refund_no, line.out_refund_no, line.currency.text(), line.amount, line.discount,
                     line.fee_e5, line.balance ? std::to_string(*line.balance) : "none", to_rfc3339(line.at),
                     line.text);
}

struct ParsedStatement {
  Result<std::vector<StatementSums>> sums;
  std::vector<StatementLine> lines;

  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const StatementLine& line : lines) texts.push_back(text_of(line));
    return texts;
  }
  /// The error message; empty if the file was parsed.
  std::string error() const { return sums ? std::string() : sums.error().message; }
};

inline ParsedStatement parsed(const Statements& statements, const StatementCall& call, std::string_view file) {
  ParsedStatement result;
  ParseBudget budget(file.size());
  result.sums = statements.parse(call, file, budget, [&](StatementLine&& line) {
    result.lines.push_back(std::move(line));
    return true;
  });
  return result;
}

inline void expect_same_counts(const StatementSums& one, const StatementSums& other) {
  EXPECT_EQ(one.currency, other.currency);
  EXPECT_EQ(one.lines, other.lines);
  EXPECT_EQ(one.payments, other.payments);
  EXPECT_EQ(one.paid, other.paid);
  EXPECT_EQ(one.refunds, other.refunds);
  EXPECT_EQ(one.refunded, other.refunded);
  EXPECT_EQ(one.fee_e5, other.fee_e5);
  EXPECT_EQ(one.credits, other.credits);
  EXPECT_EQ(one.debits, other.debits);
}

}  // namespace finality
