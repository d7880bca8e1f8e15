// Converts text in GB18030, or in its subset GBK, to UTF-8, as a stream. Uses the converter of the C library.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/parse_budget.h"
#include "base/result.h"
#include "channel/parsing/byte_sink.h"

namespace finality {

/// Passes the converted text to a sink in chunks; a character of the input can be split between two calls. Invalid
/// bytes become U+FFFD, because channels cut long texts inside a character. Not thread safe.
class Gb18030Decoder {
 public:
  /// Returns an error if the C library has no converter for GB18030. `budget` must outlive the decoder.
  static Result<Gb18030Decoder> open(ParseBudget& budget, ByteSink sink);

  /// Converts the next bytes. Returns the error of the sink or of the budget.
  Result<void> take(std::string_view bytes);
  /// Converts what take() has kept of an incomplete character at the end of the text.
  Result<void> finish();
  /// Whether an invalid byte was replaced. Until finish(), an incomplete character at the end does not count.
  bool has_replaced() const { return has_replaced_; }

 private:
  struct Close {
    void operator()(void* converter) const;
  };

  Gb18030Decoder(void* converter, ParseBudget& budget, ByteSink sink)
      : converter_(converter), budget_(&budget), sink_(std::move(sink)) {}
  Result<void> convert(bool is_end);

  std::unique_ptr<void, Close> converter_;
  ParseBudget* budget_;
  ByteSink sink_;
  std::string in_;  // not yet converted
  std::string out_;
  bool has_replaced_ = false;
};

}  // namespace finality
