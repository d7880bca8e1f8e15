// Arbitrary header fields, one per line, and a body after them. No key signed them, so the check must fail.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "channel/wechatpay/signature.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality;
  using namespace finality::wechatpay;
  static const PlatformKeys keys = [] {
    PlatformKeys known;
    known.add(wechatpay_test::kPublicKeyId, wechatpay_test::platform_key().public_key());
    return known;
  }();
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  net::Headers headers;
  headers.add("Wechatpay-Serial", wechatpay_test::kPublicKeyId);
  for (const char* name : {"Wechatpay-Timestamp", "Wechatpay-Nonce", "Wechatpay-Signature"}) {
    const std::size_t end = rest.find('\n');
    headers.add(name, std::string(rest.substr(0, end)));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  FINALITY_CHECK(!check_signature(keys, headers, rest, Time{1'790'000'000'000}), "an invalid signature was accepted");
  return 0;
}
