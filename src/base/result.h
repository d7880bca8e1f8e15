// Failures of disk, database and network as values.
//
// There are three kinds of failure and three mechanisms: a business refusal is a separate value (model/refusal.h), an
// I/O failure is an unexpected `Error`, a bug in this program is a FINALITY_CHECK.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace finality {

/// An I/O failure as a message for operators: the attempted operation, the cause, the remedy.
struct Error {
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string message) { return std::unexpected(Error{std::move(message)}); }

}  // namespace finality
