// A query whose text and parameters grow together.
#pragma once

#include <fmt/format.h>

#include <string>

#include "store/postgres/values.h"

namespace finality::postgres {

class Query {
 public:
  explicit Query(std::string text) : text_(std::move(text)) {}

  /// Adds text, and where it says `?` the next of the values.
  template <class... T>
  Query& add(std::string_view text, const T&... values) {
    for (const char letter : text) {
      if (letter == '?')
        text_ += fmt::format("${}", ++count_);
      else
        text_ += letter;
    }
    (parameters_.add(values), ...);
    return *this;
  }
  const std::string& text() const { return text_; }
  const Parameters& parameters() const { return parameters_; }

 private:
  std::string text_;
  Parameters parameters_;
  int count_ = 0;
};

}  // namespace finality::postgres
