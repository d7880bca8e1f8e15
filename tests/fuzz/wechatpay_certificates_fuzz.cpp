// Arbitrary bytes as the list of WeChat Pay's certificates, and as one of them once it is decrypted. Nobody here has
// signed them: none is ever taken.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "channel/wechatpay/certificates.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality::wechatpay {
namespace {

using namespace wechatpay_test;

constexpr Time kNow{1'790'000'000'000};

// Signed by a key that no certificate in it can be of.
void check_list(std::string body) {
  const net::HttpResponse http = signed_answer(200, std::move(body), kNow, {.serial = "5F1C72E2"});
  FINALITY_CHECK(!read_certificates({http, ""}, kApiV3Key, {}, kNow), "a certificate was taken from a stranger");
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
