// A value that is never printed: keys, signing secrets, tokens. It has no stream operator and no formatter on purpose.
// Code that needs the text calls reveal(), which is easy to search for.
#pragma once

#include <string>
#include <utility>

namespace finality {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  const std::string& reveal() const { return text_; }
  bool empty() const { return text_.empty(); }

  friend bool operator==(const Secret&, const Secret&) = default;

 private:
  std::string text_;
};

}  // namespace finality
