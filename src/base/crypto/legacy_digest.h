// Cryptographically broken digests that channels still use. They do not protect against forgery.
#pragma once

#include <string>
#include <string_view>

namespace finality {

std::string md5_hex(std::string_view data);   // lower-case hex; for Alipay's certificate serial numbers
std::string sha1_hex(std::string_view data);  // lower-case hex; for the digest of WeChat Pay's statements

}  // namespace finality
