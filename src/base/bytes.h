// A sequence of bytes that is no text, such as a compressed or encrypted file.
#pragma once

#include <string>

namespace finality {

struct Bytes {
  std::string data;

  bool operator==(const Bytes&) const = default;
};

}  // namespace finality
