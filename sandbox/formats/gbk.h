// Conversion to GBK, the encoding of Alipay's bills and error pages. Pure.
#pragma once

#include <string>
#include <string_view>

namespace finality::sandbox {

/// Converts UTF-8 to GBK. Characters without a GBK code become question marks.
std::string to_gbk(std::string_view utf8);

}  // namespace finality::sandbox
