// What a parser may use to read one file: bytes of output and units of work. Every parser of files takes a budget, so
// that a small file cannot occupy a thread for minutes, and so that the server can stop a parser at any time. A budget
// uses no clock: the same file is accepted or refused on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <utility>

#include "base/result.h"

namespace finality {

/// The limits of a budget.
struct ParseLimits {
  std::size_t input_bytes = 0;       // size of the file as received; for error messages
  std::size_t output_bytes_max = 0;  // of one unpacked file
  std::uint64_t work_max = 0;        // work units of all stages that read the file, and of all times that it is read
};

/// The limits for a file of `input_bytes` bytes. They grow with the file up to limits::kStatementUnpackedMax:
///   output = limits::kParseOutputBase + limits::kParseOutputPerByte * input_bytes
///   work   = limits::kParseWorkPerByte * output
ParseLimits parse_limits_of(std::size_t input_bytes);

/// The budget for one file. The stages of a parser share it by reference. Not thread safe, except for the stop token.
class ParseBudget {
 public:
  /// `stop`: when it requests a stop, the next call of spend() fails.
  explicit ParseBudget(std::size_t input_bytes, std::stop_token stop = {})
      : ParseBudget(parse_limits_of(input_bytes), std::move(stop)) {}
  explicit ParseBudget(const ParseLimits& limits, std::stop_token stop = {})
      : limits_(limits), stop_(std::move(stop)) {}
  ParseBudget(const ParseBudget&) = delete;
  ParseBudget& operator=(const ParseBudget&) = delete;

  /// Returns an error that names the limit if one unpacked file of `bytes` bytes exceeds it.
  Result<void> check_output(std::uint64_t bytes) const;
  /// Counts work before it is done: one unit per byte that a stage reads, and more for a step that costs more
  /// (limits::kParseStepWork). Returns an error that names the limit if it is exceeded, or an error if the parser was
  /// stopped: see is_stopped(). REQUIRES: the work between two calls takes milliseconds.
  Result<void> spend(std::uint64_t units);

  /// Whether spend() has failed because of a stop. The result of the parser then says nothing about the file: the
  /// caller must not reject it, but read it again later.
  bool is_stopped() const { return is_stopped_; }
  std::uint64_t work() const { return work_; }
  const ParseLimits& limits() const { return limits_; }

 private:
  ParseLimits limits_;
  std::stop_token stop_;
  std::uint64_t work_ = 0;
  bool is_stopped_ = false;
};

}  // namespace finality
