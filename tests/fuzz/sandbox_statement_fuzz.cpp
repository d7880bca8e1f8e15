// Arbitrary bytes as statements of the simple channel: trades and funds, packed or not.
#include <cstddef>
#include <cstdint>

#include "channel/sandbox/channel.h"
#include "channel/testing/statement_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality;
  static const auto channel = make_sandbox_channel({"sandbox", "http://a", Secret("it"), "http://b"});
  check_statement(*channel, {reinterpret_cast<const char*>(data), size});
  return 0;
}
