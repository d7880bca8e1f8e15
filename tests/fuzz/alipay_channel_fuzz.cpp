// Feeds unsigned bytes to every input of the Alipay adapter. It must reject all of them.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "channel/alipay/testing/test_gateway.h"
#include "channel/testing/channel_contract.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality;
  static const auto channel = *make_alipay_channel(alipay_test::options_for(alipay_test::Mode::certificates));
  static const channel_contract::Listener listener(*channel);
  FINALITY_CHECK(listener.believes_nothing_of({reinterpret_cast<const char*>(data), size}),
                 "the adapter accepted unsigned bytes");
  return 0;
}
