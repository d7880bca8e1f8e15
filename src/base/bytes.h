// A sequence of bytes that is no text, such as a compressed or encrypted file.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace finality {

/// Immutable. Copies share the bytes, so that a file is in memory once while it passes from a request to the store.
class Bytes {
 public:
  Bytes() = default;
  Bytes(std::string data) : data_(std::make_shared<const std::string>(std::move(data))) {}

  const std::string& data() const { return *data_; }

  friend bool operator==(const Bytes& one, const Bytes& other) { return one.data() == other.data(); }

 private:
  static const std::shared_ptr<const std::string>& none() {
    static const std::shared_ptr<const std::string> empty = std::make_shared<const std::string>();
    return empty;
  }

  std::shared_ptr<const std::string> data_ = none();
};

}  // namespace finality
