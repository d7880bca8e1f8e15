// Incremental SHA-256, for files.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace finality {

/// Computes the SHA-256 digest of data that is added in parts. Not thread safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view data);
  /// Returns the digest of all added data in lower-case hexadecimal. No function may be called afterwards.
  std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace finality
