// Incremental SHA-256, for files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace finality {

/// Not thread safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view data);
  /// Returns the digest of all added data in hexadecimal. The object must not be used afterwards.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace finality
