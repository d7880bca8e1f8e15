// A value that is never printed: keys, signing secrets, tokens. To prevent accidental output, it has no stream
// operator and no formatter. Code that needs the text must call reveal(), which is easy to search for.
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
