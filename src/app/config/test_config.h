// Helpers for tests that read configuration files.
#pragma once

#include <string>

#include "base/result.h"

namespace finality::app {

/// The message of an error in `file` without its place: `FILE: what` or `FILE:LINE: what` is `what`. Other messages are
/// returned unchanged.
inline std::string without_place(const Error& error, const std::string& file) {
  const std::string& message = error.message;
  if (!message.starts_with(file)) return message;
  const std::size_t end = message.find_first_not_of(":0123456789", file.size());
  return end == std::string::npos || message[end] != ' ' ? message : message.substr(end + 1);
}

}  // namespace finality::app
