// Writes log lines to a file descriptor, and never waits for its reader.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace finality::log {

/// Drops and counts the lines that the descriptor does not take at once: because the reader of a pipe or socket does
/// not read or has gone, or because the disk of a file is full. A server must not stop for its log. If another process
/// writes to the same pipe, a line can wait for the reader. Not thread safe. REQUIRES: SIGPIPE is ignored.
class LogOutput {
 public:
  /// Returns the line, with its line feed, that reports the number of dropped lines.
  using Notice = std::function<std::string(std::uint64_t dropped)>;

  /// The descriptor must stay open; this object does not close it.
  LogOutput(int descriptor, Notice notice) : descriptor_(descriptor), notice_(std::move(notice)) {}

  /// Writes the line, which ends with a line feed, or drops it. The first line after dropped lines is the notice.
  void write(std::string_view line);

 private:
  bool put(std::string_view line);
  std::size_t push(std::string_view text) const;

  int descriptor_;
  Notice notice_;
  std::string rest_;  // of a line whose beginning has been written
  std::uint64_t dropped_ = 0;
};

}  // namespace finality::log
