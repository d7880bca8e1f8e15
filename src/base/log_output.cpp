#include "base/log_output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace finality::log {

void LogOutput::write(std::string_view line) {
  if (dropped_ > 0 && put(notice_(dropped_))) dropped_ = 0;
  if (dropped_ > 0 || !put(line)) ++dropped_;
}

// Writes the line after the rest of an earlier line. Returns false if nothing of the line was written.
bool LogOutput::put(std::string_view line) {
  rest_.erase(0, push(rest_));
  if (!rest_.empty()) return false;
  const std::size_t written = push(line);
  if (written == 0) return false;
  rest_ = line.substr(written);
  return true;
}

// Writes as much of the text as the descriptor takes without waiting. Returns the number of bytes. A pipe that is ready
// takes PIPE_BUF bytes.
std::size_t LogOutput::push(std::string_view text) const {
  std::size_t written = 0;
  while (written < text.size()) {
    pollfd ready{descriptor_, POLLOUT, 0};
    if (::poll(&ready, 1, 0) != 1) break;
    const ssize_t count =
        ::write(descriptor_, text.data() + written, std::min<std::size_t>(text.size() - written, PIPE_BUF));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  return written;
}

}  // namespace finality::log
