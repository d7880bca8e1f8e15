// Cryptographically broken digests that channels still use. They do not protect against forgery.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace finality {

std::string md5_hex(std::string_view data);   // lower-case hex; for Alipay's certificate serial numbers
std::string sha1_hex(std::string_view data);  // lower-case hex; for the digest of WeChat Pay's statements

/// Computes sha1_hex() of data that arrives in chunks. Not thread safe.
class Sha1 {
 public:
  Sha1();
  void add(std::string_view data);
  /// Returns the digest in lower-case hex. Neither function can be called afterwards.
  std::string hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace finality
