// Failures of the outside world (disk, database, network) as values.
//
// Three kinds of failure, three mechanisms: a business refusal is a value of its own (model/refusal.h), an I/O
// failure is an unexpected `Error`, a mistake of this program is a FINALITY_CHECK.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace finality {

/// What went wrong outside, in words for an operator: what was tried, why it failed, what to do next.
struct Error {
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string message) { return std::unexpected(Error{std::move(message)}); }

}  // namespace finality
