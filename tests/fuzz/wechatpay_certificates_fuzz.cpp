// Arbitrary bytes as the list of WeChat Pay's certificates, and as one decrypted certificate. WeChat Pay signed none of
// them, so every one must be rejected.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "channel/wechatpay/certificates.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality::wechatpay {
namespace {

using namespace wechatpay_test;

constexpr Time kNow{1'790'000'000'000};

// No certificate in the list matches the key that signs it.
void check_list(std::string body) {
  const net::HttpResponse http = signed_answer(200, std::move(body), kNow, {.serial = "5F1C72E2"});
  FINALITY_CHECK(!read_certificates({http, ""}, kApiV3Key, {}, kNow),
                 "a certificate with a foreign signature was accepted");
}

}  // namespace
}  // namespace finality::wechatpay

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality::wechatpay;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check_list(bytes);
  check_list(json::serialize(certificate_list({bytes})));
  return 0;
}
