// Arbitrary bytes as statements of WeChat Pay: trades and funds, packed or not.
#include <cstddef>
#include <cstdint>

#include "channel/testing/statement_check.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality;
  static const auto channel = *make_wechatpay_channel(wechatpay_test::options());
  check_statement(*channel, {reinterpret_cast<const char*>(data), size}, "BASIC");
  return 0;
}
