// Digests that are broken, and that channels still name things by. Never for anything that must not be forged.
#pragma once

#include <string>
#include <string_view>

namespace finality {

std::string md5_hex(std::string_view data);   // lower case: Alipay's certificate numbers
std::string sha1_hex(std::string_view data);  // lower case: WeChat Pay's statements

}  // namespace finality
