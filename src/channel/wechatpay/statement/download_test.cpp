#include "channel/wechatpay/bill.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/crypto/legacy_digest.h"
#include "channel/testing/channel_contract.h"
#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality::wechatpay {
namespace {

using namespace wechatpay_test;
using channel_contract::kNow;

const std::string kFile = "\xEF\xBB\xBF交易时间,公众账号ID\r\n`2026-09-21 22:13:20,`wx0f1a0c0de0000001\r\n";

std::string gzip(std::string text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

json::object location() {
  return {{"hash_type", "SHA1"},
          {"hash_value", sha1_hex(kFile)},
          {"download_url", "https://api.mch.weixin.qq.com/v3/billdownload/file?token=t-1"}};
}

class WechatpayBill : public testing::Test {
 protected:
  Result<std::optional<BillLink>> link(net::HttpResponse response) const {
    return channel_->bill_link_of(call_, UpstreamResponse{std::move(response), ""}, kNow);
  }
  Result<std::string> downloaded(std::string body, int status = 200) const {
    const BillLink expected{.sha1 = sha1_hex(kFile)};
    return channel_->bill_of(expected,
                             UpstreamResponse{net::HttpResponse{.status = status, .body = std::move(body)}, ""});
  }

  std::unique_ptr<WechatpayChannel> channel_ = *make_wechatpay_channel(options());
  BillCall call_{.kind = BillKind::trades, .date = "2026-09-21"};
};

TEST_F(WechatpayBill, IsRequestedByDayAndCompressed) {
  EXPECT_EQ(channel_->request_of(call_, kNow)->http.target,
            "/v3/bill/tradebill?bill_date=2026-09-21&bill_type=ALL&tar_type=GZIP");
  call_.kind = BillKind::funds;
  EXPECT_EQ(channel_->request_of(call_, kNow)->http.target,
            "/v3/bill/fundflowbill?bill_date=2026-09-21&account_type=BASIC&tar_type=GZIP");
}

TEST_F(WechatpayBill, OnlyACalendarDayIsRequested) {
  for (const char* date : {"", "2026-02-29", "2026-9-21", "2026-09-21&x=", "2026-09", "20260921", "2026-09-21 "})
    EXPECT_FALSE(channel_->request_of(BillCall{BillKind::trades, date}, kNow)) << date;
}

TEST_F(WechatpayBill, TheDownloadIsSignedOverPathAndQuery) {
  const auto answer = link(signed_answer(200, location(), kNow));
  ASSERT_TRUE(answer) << answer.error().message;
  const auto& found = *answer;
  ASSERT_TRUE(found);
  EXPECT_EQ(found->sha1, sha1_hex(kFile));
  EXPECT_EQ(found->download.url, "https://api.mch.weixin.qq.com/v3/billdownload/file?token=t-1");
  EXPECT_EQ(found->download.http.method, "GET");
  EXPECT_EQ(found->download.http.target, "/v3/billdownload/file?token=t-1");
  const std::string header(found->download.http.headers.get("Authorization"));
  const auto part = [&](const std::string& name) {
    const std::size_t at = header.find(name + "=\"") + name.size() + 2;
    return header.substr(at, header.find('"', at) - at);
  };
  EXPECT_TRUE(merchant_key().public_key().verifies(
      "GET\n/v3/billdownload/file?token=t-1\n" + part("timestamp") + "\n" + part("nonce_str") + "\n\n",
      *from_base64(part("signature"))));
}

TEST_F(WechatpayBill, AMalformedLinkIsRejected) {
  for (const char* name : {"hash_type", "hash_value", "download_url"}) {
    json::object broken = location();
    broken.erase(name);
    EXPECT_FALSE(link(signed_answer(200, broken, kNow))) << name;
  }
  const std::pair<const char*, const char*> rows[] = {{"hash_type", "MD5"},
                                                      {"hash_value", "abcd"},
                                                      {"hash_value", "no hex, but as long as a SHA1 is, really"},
                                                      {"download_url", "file:///etc/passwd"},
                                                      {"download_url", "https://a@b/"},
                                                      {"download_url", "https://elsewhere.example/v3/x"},
                                                      {"download_url", "https://api.mch.weixin.qq.com.example/x"},
                                                      {"download_url", "http://api.mch.weixin.qq.com/v3/x"}};
  for (const auto& [name, value] : rows) {
    json::object broken = location();
    broken[name] = value;
    EXPECT_FALSE(link(signed_answer(200, broken, kNow))) << name << ' ' << value;
  }
}

TEST_F(WechatpayBill, NoStatementExistIsReadWithAndWithoutUnderscores) {
  for (const char* code : {"NO_STATEMENT_EXIST", "NOSTATEMENTEXIST"}) {
    const auto answer = link(refusal(400, code));
    ASSERT_TRUE(answer) << code;
    EXPECT_FALSE(*answer) << code;
  }
}

TEST_F(WechatpayBill, ARefusalHasAMessage) {
  EXPECT_TRUE(link(refusal(400, "STATEMENT_CREATING")).error().message.contains("try again"));
  EXPECT_TRUE(link(refusal(403, "NO_AUTH", "无权限")).error().message.contains("无权限"));
  EXPECT_TRUE(
      link({.status = 200, .body = json::serialize(location())}).error().message.contains("failed verification"));
  EXPECT_TRUE(link({.status = 500}).error().message.contains("http_500"));
}

TEST_F(WechatpayBill, MatchesTheChecksumCompressedOrNot) {
  EXPECT_EQ(downloaded(gzip(kFile)).value(), kFile);
  EXPECT_EQ(downloaded(kFile).value(), kFile);
}

TEST_F(WechatpayBill, AnotherFileIsRejected) {
  EXPECT_FALSE(downloaded(gzip(kFile + "`one more\r\n")));
  EXPECT_FALSE(downloaded(kFile.substr(3)));
  EXPECT_FALSE(downloaded(""));
  EXPECT_FALSE(downloaded(gzip(kFile).substr(0, 40)));
  EXPECT_FALSE(downloaded(gzip(gzip(kFile))));
  EXPECT_FALSE(downloaded(kFile, 404));
  EXPECT_FALSE(channel_->bill_of({.sha1 = ""}, UpstreamResponse{net::HttpResponse{.body = kFile}, ""}));
  EXPECT_FALSE(channel_->bill_of({.sha1 = sha1_hex("")}, UpstreamResponse{.http = {}, .failure = "timeout"}));
}

}  // namespace
}  // namespace finality::wechatpay
