// Progress of a command that can take minutes.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string>

namespace finality::app {

/// Shows the current step on one line of standard error, if that is a terminal; otherwise prints nothing.
class ProgressLine {
 public:
  /// Replaces the line. Shows at most kShownMax characters, because a line that wraps could not be cleared.
  void show(const std::string& text) {
    if (is_terminal_) fmt::print(stderr, "{}{}", kClearLine, text.substr(0, kShownMax));
  }
  void clear() { show(""); }

 private:
  static constexpr const char* kClearLine = "\r\x1b[K";
  static constexpr std::size_t kShownMax = 79;

  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1;
};

}  // namespace finality::app
