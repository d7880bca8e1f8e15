// Arbitrary unsigned bytes as WeChat Pay's responses and notifications. They must never move money. They must end a
// trade only with an error that an unsigned response may report.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality {
namespace {

constexpr Time kNow{1'790'000'000'000};

const Channel& channel() {
  static const auto made = *make_wechatpay_channel(wechatpay_test::options());
  return *made;
}

void check_answer(ChannelCallKind kind, const net::HttpResponse& http) {
  ChannelCall call{.kind = kind};
  call.payment.method = "native";
  call.payment.out_trade_no = "00000000000070000000000008";
  const Evidence evidence = channel().evidence_of(call, {http, ""}, kNow);
  const bool refused = http.status >= 400 && http.status < 500 &&
                       (evidence.kind == EvidenceKind::not_found || evidence.kind == EvidenceKind::failed);
  FINALITY_CHECK(evidence.kind == EvidenceKind::unknown || refused, "unsigned bytes were accepted");
}

void check_refund_answer(RefundCallKind kind, const net::HttpResponse& http) {
  const RefundEvidence evidence = channel().refunds()->evidence_of(RefundCall{.kind = kind}, {http, ""}, kNow);
  const bool moved = evidence.kind == RefundEvidenceKind::refunded || evidence.kind == RefundEvidenceKind::accepted;
  const bool believed = evidence.kind != RefundEvidenceKind::unknown && (http.status < 400 || http.status >= 500);
  FINALITY_CHECK(!moved && !believed, "unsigned bytes were accepted");
}

void check_status(int status, const std::string& body) {
  const net::HttpResponse http{.status = status, .body = body};
  for (const auto kind :
       {ChannelCallKind::send_payment, ChannelCallKind::query_payment, ChannelCallKind::close_payment})
    check_answer(kind, http);
  for (const auto kind : {RefundCallKind::send_refund, RefundCallKind::query_refund}) check_refund_answer(kind, http);
  const auto statement = channel().statements()->statement_answer_of({}, {http, ""}, kNow);
  const bool refused = http.status >= 400 && http.status < 500;
  FINALITY_CHECK(!statement || (std::holds_alternative<NoStatement>(*statement) && refused),
                 "unsigned bytes were accepted");
}

}  // namespace
}  // namespace finality

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace finality;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const int status : {200, 204, 302, 400, 404, 500}) check_status(status, bytes);
  FINALITY_CHECK(!channel().verify({.method = "POST", .body = bytes}, kNow), "an unsigned notification was accepted");
  return 0;
}
