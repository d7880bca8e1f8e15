// Broken digests that channels still use as identifiers. They must not protect anything against forgery.
#pragma once

#include <string>
#include <string_view>

namespace finality {

std::string md5_hex(std::string_view data);   // lower case: Alipay's certificate numbers
std::string sha1_hex(std::string_view data);  // lower case: WeChat Pay's statements

}  // namespace finality
