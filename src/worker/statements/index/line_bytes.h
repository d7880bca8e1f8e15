// Binary form of the lines of a statement, as the index of its lines stores them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/statement_line.h"

namespace finality {

/// Appends values to a string.
class ByteWriter {
 public:
  /// LEB128: seven bits per byte, the lowest first.
  void put(std::uint64_t value);
  /// Zigzag: small negative numbers are short too.
  void put_signed(std::int64_t value);
  void put(std::string_view text);

  std::string take() { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
};

/// Reads what a ByteWriter has written. After the bytes have ended too early, all further values are 0 or empty, and
/// is_valid() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t number();
  std::int64_t signed_number();
  std::string_view text();

  bool is_valid() const { return is_valid_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_valid_ = true;
};

void put_line(ByteWriter& writer, const IndexedLine& line);
/// Reads all lines of a block. Returns an error if the bytes are not those of put_line().
Result<std::vector<IndexedLine>> lines_of(std::string_view bytes);

}  // namespace finality
