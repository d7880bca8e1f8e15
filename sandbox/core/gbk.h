// Text in the encoding of Alipay's bills and error pages. Pure.
#pragma once

#include <string>
#include <string_view>

namespace finality::sandbox {

/// UTF-8 as GBK; a question mark for every character that GBK does not have.
std::string to_gbk(std::string_view utf8);

}  // namespace finality::sandbox
