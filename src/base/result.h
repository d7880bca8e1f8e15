// Failures of disk, database and network as values.
//
// Each of the three kinds of failure has its own mechanism: a business refusal is a separate value (model/refusal.h),
// an I/O failure is an `Error` in a Result, and a bug in this program fails a FINALITY_CHECK.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace finality {

/// An I/O failure. The message is for operators and states the attempted operation, the cause and the remedy.
struct Error {
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string message) { return std::unexpected(Error{std::move(message)}); }

}  // namespace finality
