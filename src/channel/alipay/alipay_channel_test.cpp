#include "channel/alipay/alipay_channel.h"

#include <atomic>
#include <set>
#include <thread>

#include "channel/alipay/test_gateway.h"
#include "channel/channel_contract.h"

namespace finality::channel_contract {
namespace {

namespace json = boost::json;
using namespace alipay_test;

constexpr const char* kPaidAt = "2026-09-21 22:13:15";

json::object trade_node(const ChannelCall& call, std::string_view status) {
  json::object node{{"trade_no", kTradeNo},
                    {"out_trade_no", call.payment.out_trade_no},
                    {"trade_status", status},
                    {"total_amount", "10.00"},
                    {"buyer_logon_id", "a***@b.example"}};
  if (status == "TRADE_SUCCESS" || status == "TRADE_FINISHED") node["send_pay_date"] = kPaidAt;
  return node;
}

std::string method_of(const ChannelCall& call) {
  if (call.kind == ChannelCallKind::query_payment) return "alipay.trade.query";
  if (call.kind == ChannelCallKind::close_payment) return "alipay.trade.close";
  return call.payment.method == "barcode" ? "alipay.trade.pay" : "alipay.trade.precreate";
}

std::string method_of(const RefundCall& call) {
  return call.kind == RefundCallKind::send_refund ? "alipay.trade.refund" : "alipay.trade.fastpay.refund.query";
}

template <Mode mode>
struct AlipaySubject {
  static std::unique_ptr<Channel> make() { return *make_alipay_channel(options_for(mode)); }

  static std::optional<net::HttpResponse> answer(const ChannelCall& call, EvidenceKind kind, Time) {
    if (call.kind == ChannelCallKind::query_payment) return query_answer(call, kind);
    if (call.kind == ChannelCallKind::close_payment) return close_answer(call, kind);
    return send_answer(call, kind);
  }

  static std::optional<net::HttpResponse> query_answer(const ChannelCall& call, EvidenceKind kind) {
    json::object refunded = trade_node(call, "TRADE_CLOSED");
    refunded["send_pay_date"] = kPaidAt;
    if (kind == EvidenceKind::waiting) return said(call, trade_node(call, "WAIT_BUYER_PAY"));
    if (kind == EvidenceKind::paid) return said(call, trade_node(call, "TRADE_SUCCESS"));
    if (kind == EvidenceKind::closed) return said(call, trade_node(call, "TRADE_CLOSED"));
    if (kind == EvidenceKind::refunded) return said(call, refunded);
    if (kind == EvidenceKind::absent) return refusal(method_of(call), "40004", "ACQ.TRADE_NOT_EXIST", mode);
    return std::nullopt;
  }

  static std::optional<net::HttpResponse> close_answer(const ChannelCall& call, EvidenceKind kind) {
    if (kind == EvidenceKind::closed)
      return said(call, {{"trade_no", kTradeNo}, {"out_trade_no", call.payment.out_trade_no}});
    if (kind == EvidenceKind::absent) return refusal(method_of(call), "40004", "ACQ.TRADE_NOT_EXIST", mode);
    return std::nullopt;
  }

  static std::optional<net::HttpResponse> send_answer(const ChannelCall& call, EvidenceKind kind) {
    const bool barcode = call.payment.method == "barcode";
    json::object node{{"out_trade_no", call.payment.out_trade_no}};
    if (kind == EvidenceKind::failed) return refusal(method_of(call), "40004", "ACQ.INVALID_PARAMETER", mode);
    if (kind == EvidenceKind::waiting && !barcode) {
      node["qr_code"] = "https://qr.example/bax03431ljhokirwl38f00a7";
      return said(call, node);
    }
    if (!barcode || (kind != EvidenceKind::waiting && kind != EvidenceKind::paid)) return std::nullopt;
    node["trade_no"] = kTradeNo;
    if (kind == EvidenceKind::waiting) {
      node["code"] = "10003";
      node["msg"] = "order success pay inprocess";
    } else {
      node["total_amount"] = "10.00";
      node["gmt_payment"] = kPaidAt;
    }
    return said(call, node);
  }

  static bool names_trade(ChannelCallKind) { return true; }
  static net::HttpResponse answer_about(std::string out_trade_no, ChannelCall call, Time) {
    call.payment.out_trade_no = std::move(out_trade_no);
    if (call.kind == ChannelCallKind::send_payment) return *send_answer(call, EvidenceKind::waiting);
    return call.kind == ChannelCallKind::query_payment ? *query_answer(call, EvidenceKind::paid)
                                                       : *close_answer(call, EvidenceKind::closed);
  }

  static std::optional<net::HttpResponse> refund_answer(const RefundCall& call, RefundEvidenceKind kind, Time at) {
    const bool sending = call.kind == RefundCallKind::send_refund;
    if (kind == RefundEvidenceKind::refused && sending)
      return refusal(method_of(call), "40004", "ACQ.TRADE_NOT_ALLOW_REFUND", mode);
    if (kind == RefundEvidenceKind::accepted && sending)
      return said(call, {{"trade_no", call.channel_trade_no}, {"fund_change", "N"}, {"refund_fee", "3.00"}});
    if (kind == RefundEvidenceKind::absent && !sending)
      return said(call, {{"trade_no", call.channel_trade_no}, {"out_request_no", call.out_refund_no}});
    if (kind == RefundEvidenceKind::refunded) return refund_answer_about(call.out_refund_no, call, at);
    return std::nullopt;
  }

  static net::HttpResponse refund_answer_about(std::string out_refund_no, const RefundCall& call, Time) {
    if (call.kind == RefundCallKind::send_refund)  // refund_fee is all of the trade's: an earlier refund of 2.00 counts
      return said(call, {{"trade_no", call.channel_trade_no}, {"fund_change", "Y"}, {"refund_fee", "5.00"}});
    return said(call, {{"trade_no", call.channel_trade_no},
                       {"out_request_no", out_refund_no},
                       {"refund_status", "REFUND_SUCCESS"},
                       {"refund_amount", "3.00"},
                       {"total_amount", "10.00"}});
  }

  static std::optional<net::HttpResponse> statement_answer(const BillCall&, Time) {
    return signed_answer("alipay.data.dataservice.bill.downloadurl.query",
                         json::object{{"bill_download_url", "https://bills.example/file?id=1"}}, mode);
  }
  static std::optional<net::HttpResponse> no_statement_answer(const BillCall&, Time) {
    return refusal("alipay.data.dataservice.bill.downloadurl.query", "40004", "BILL_NOT_EXIST", mode);
  }

  static constexpr MinorUnits kRefundedSum = 1000;
  static bool is_signed(const net::HttpResponse&) { return true; }
  static void remove_signature(net::HttpResponse& response) {
    const std::size_t at = response.body.find(R"(,"sign":")");
    response.body = response.body.substr(0, at) + "}";
  }
  static void remove_signature(net::HttpRequest& request) {
    const std::size_t at = request.body.find("&sign=");
    request.body.erase(at, request.body.find('&', at + 1) - at);
  }

  static net::HttpRequest paid_notification(const ChannelCall& call, Time) {
    return notification(paid_form(call.payment.out_trade_no));
  }
  static net::HttpRequest forged_notification(const ChannelCall& call, Time) {
    return notification(paid_form(call.payment.out_trade_no), strangers_key());
  }
  // Of a form with or without a signature; what is no form is signed as if it were one.
  static net::HttpRequest notification_of(std::string content, Time) {
    Form form;
    std::string_view rest = content;
    while (!rest.empty()) {
      const std::string_view pair = rest.substr(0, rest.find('&'));
      rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
      const std::size_t equals = std::min(pair.find('='), pair.size());
      const std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
      form[std::string(pair.substr(0, equals))] = percent_decode(value).value_or(std::string(value));
    }
    return notification(std::move(form));
  }

 private:
  static net::HttpResponse said(const auto& call, json::object node) {
    return signed_answer(method_of(call), std::move(node), mode);
  }
};

using PublicKeySubject = AlipaySubject<Mode::public_key>;
using CertificateSubject = AlipaySubject<Mode::certificates>;
INSTANTIATE_TYPED_TEST_SUITE_P(Alipay, ChannelContract, PublicKeySubject);
INSTANTIATE_TYPED_TEST_SUITE_P(AlipayByCertificates, ChannelContract, CertificateSubject);

/// What a gateway sees: the parameters of query and body together, and that we signed them.
Form received(const UpstreamRequest& request) {
  Form form;
  for (const std::string_view part : {request.http.query(), std::string_view(request.http.body)}) {
    std::string_view rest = part;
    while (!rest.empty()) {
      const std::string_view pair = rest.substr(0, rest.find('&'));
      rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
      const std::size_t equals = pair.find('=');
      form[*percent_decode(pair.substr(0, equals))] = *percent_decode(pair.substr(equals + 1));
    }
  }
  EXPECT_TRUE(merchant_key().public_key().verifies(text_to_sign(form, true), *from_base64(form["sign"])));
  return form;
}

json::object content_of(const Form& form) { return json::parse(form.at("biz_content")).as_object(); }

class AlipayChannelTest : public testing::Test {
 protected:
  ChannelCall send_by(std::string_view method) const {
    return call_of(ChannelCallKind::send_payment, *channel_, method);
  }
  ChannelCall call(ChannelCallKind kind) const { return call_of(kind, *channel_); }
  Evidence query_says(json::object node) const {
    return heard(*channel_, query_, signed_answer("alipay.trade.query", std::move(node)));
  }
  RefundEvidence refund_says(RefundCallKind kind, json::object node) const {
    const RefundCall call = refund_call_of(kind, *channel_);
    return heard(*channel_, call, signed_answer(method_of(call), std::move(node)));
  }

  std::unique_ptr<AlipayChannel> channel_ = *make_alipay_channel(options_for(Mode::public_key));
  ChannelCall query_ = call(ChannelCallKind::query_payment);
};

TEST_F(AlipayChannelTest, ARequestHasItsCommonParametersInTheQueryAndItsContentInTheBody) {
  const UpstreamRequest request = channel_->request_of(query_, kNow);
  EXPECT_EQ(request.http.method, "POST");
  EXPECT_TRUE(request.url.starts_with("https://gateway.example/gateway.do?"));
  EXPECT_EQ(request.http.path(), "/gateway.do");
  EXPECT_EQ(request.http.headers.get("content-type"), "application/x-www-form-urlencoded;charset=utf-8");
  EXPECT_TRUE(request.http.body.starts_with("biz_content="));
  EXPECT_FALSE(request.http.query().contains("biz_content"));
  Form form = received(request);
  form.erase("sign");
  const Form expected{{"app_id", kAppId},    {"method", "alipay.trade.query"},
                      {"format", "JSON"},    {"charset", "utf-8"},
                      {"sign_type", "RSA2"}, {"timestamp", "2026-09-21 22:13:20"},
                      {"version", "1.0"},    {"biz_content", R"({"out_trade_no":"00000000000070000000000008"})"}};
  EXPECT_EQ(form, expected);
}

TEST_F(AlipayChannelTest, InCertificateModeBothCertificatesAreNamed) {
  const auto channel = *make_alipay_channel(options_for(Mode::certificates));
  const Form form = received(channel->request_of(query_, kNow));
  EXPECT_EQ(form.at("app_cert_sn"), "866efef280dec9137a87d047ac446315");
  EXPECT_EQ(form.at("alipay_root_cert_sn"), keys_for(Mode::certificates).root_cert_sn);
}

TEST_F(AlipayChannelTest, AQrCodeIsAskedFor) {
  const Form form = received(channel_->request_of(send_by("qr"), kNow));
  EXPECT_EQ(form.at("method"), "alipay.trade.precreate");
  EXPECT_EQ(form.at("notify_url"), "https://pay.example/notify/alipay");
  EXPECT_FALSE(form.contains("return_url"));
  const json::object expected{{"out_trade_no", query_.payment.out_trade_no},
                              {"total_amount", "10.00"},
                              {"subject", "Tea"},
                              {"product_code", "QR_CODE_OFFLINE"},
                              {"time_expire", "2026-09-21 23:13:20"}};
  EXPECT_EQ(content_of(form), expected);
}

TEST_F(AlipayChannelTest, ABarcodeIsCharged) {
  const Form form = received(channel_->request_of(send_by("barcode"), kNow));
  EXPECT_EQ(form.at("method"), "alipay.trade.pay");
  const json::object content = content_of(form);
  EXPECT_EQ(content.at("product_code"), "FACE_TO_FACE_PAYMENT");
  EXPECT_EQ(content.at("scene"), "bar_code");
  EXPECT_EQ(content.at("auth_code"), "287634438256643940");
}

TEST_F(AlipayChannelTest, PagesAreSignedForThePayersBrowser) {
  const std::pair<const char*, const char*> methods[] = {{"page", "alipay.trade.page.pay"},
                                                         {"wap", "alipay.trade.wap.pay"}};
  for (const auto& [method, call] : methods) {
    const auto known = channel_->answer_without_asking(send_by(method), kNow);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->action_type, ActionType::redirect);
    const std::string prefix = "https://gateway.example/gateway.do?";
    ASSERT_TRUE(known->action_url.starts_with(prefix));
    const Form form = received({.http = {.target = "/?" + known->action_url.substr(prefix.size())}});
    EXPECT_EQ(form.at("method"), call);
    EXPECT_EQ(form.at("return_url"), "https://pay.example/return/t");
    EXPECT_EQ(form.at("notify_url"), "https://pay.example/notify/alipay");
    const json::object content = content_of(form);
    EXPECT_EQ(content.at("out_trade_no"), query_.payment.out_trade_no.c_str());
    EXPECT_EQ(content.contains("quit_url"), std::string(method) == "wap");
  }
}

TEST_F(AlipayChannelTest, WhoNeverPaidByWapComesBackToUsWhenTheShopWantsNobodyBack) {
  ChannelCall send = send_by("wap");
  send.return_url.clear();
  const std::string url = channel_->answer_without_asking(send, kNow)->action_url;
  EXPECT_TRUE(url.contains(percent_encode(R"("quit_url":"https://pay.example")"))) << url;
  EXPECT_FALSE(url.contains("return_url="));
}

TEST_F(AlipayChannelTest, AnAppGetsAnOrderString) {
  const auto known = channel_->answer_without_asking(send_by("app"), kNow);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->action_type, ActionType::form);
  EXPECT_TRUE(known->action_url.empty());
  const Form form = received({.http = {.target = "/?" + known->action_code}});
  EXPECT_EQ(form.at("method"), "alipay.trade.app.pay");
  EXPECT_EQ(content_of(form).at("product_code"), "QUICK_MSECURITY_PAY");
}

TEST_F(AlipayChannelTest, WhatAlipayCannotTakeFailsBeforeItIsSent) {
  struct Case {
    const char* method;
    MinorUnits amount;
    const char* currency;
    const char* payer;
  };
  const Case cases[] = {{"qr", 1000, "USD", ""},
                        {"page", 0, "CNY", ""},
                        {"page", 10'000'000'001, "CNY", ""},
                        {"barcode", 1000, "CNY", ""},
                        {"barcode", 1000, "CNY", R"({"openid":"o-1"})"},
                        {"barcode", 1000, "CNY", R"({"auth_code":"135112298638468293"})"},
                        {"cash", 1000, "CNY", ""}};
  for (const Case& row : cases) {
    ChannelCall send = send_by(row.method);
    send.payment.amount = row.amount;
    send.payment.currency = *parse_currency(row.currency);
    send.payment.payer = row.payer;
    const auto known = channel_->answer_without_asking(send, kNow);
    ASSERT_TRUE(known) << row.method;
    EXPECT_EQ(known->kind, EvidenceKind::failed);
    EXPECT_EQ(known->code, "not_possible");
    EXPECT_FALSE(known->message.empty());
  }
  ChannelCall most = send_by("qr");
  most.payment.amount = 10'000'000'000;
  EXPECT_FALSE(channel_->answer_without_asking(most, kNow));
}

TEST_F(AlipayChannelTest, ASubjectIsCleanedAndCut) {
  const auto subject_of = [&](std::string subject) {
    ChannelCall send = send_by("qr");
    send.order.subject = std::move(subject);
    return text_of(content_of(received(channel_->request_of(send, kNow))).at("subject"));
  };
  EXPECT_EQ(subject_of("a/b=c&d"), "a-b-c-d");
  EXPECT_EQ(subject_of("\"茶\" 100%+"), "\"茶\" 100%+");
  std::string tea;
  for (int i = 0; i < 300; ++i) tea += "茶";
  EXPECT_EQ(subject_of(tea), tea.substr(0, 256 * 3));
}

TEST_F(AlipayChannelTest, ATradeIsOpenAsLongAsItsOrder) {
  ChannelCall send = send_by("qr");
  send.order.expires_at = kNow + std::chrono::hours(1) + Duration(1);
  EXPECT_EQ(content_of(received(channel_->request_of(send, kNow))).at("time_expire"), "2026-09-21 23:13:21");
}

TEST_F(AlipayChannelTest, ATradeIsOpenForFifteenDaysAtMostWheneverItIsSent) {
  ChannelCall send = send_by("qr");
  send.order.expires_at = kNow + std::chrono::days(30);
  for (const Time now : {kNow, kNow + std::chrono::days(1)})
    EXPECT_EQ(content_of(received(channel_->request_of(send, now))).at("time_expire"), "2026-10-06 22:13:20");
}

TEST_F(AlipayChannelTest, AScenarioTravelsInTheParametersThatComeBack) {
  ChannelCall send = send_by("qr");
  send.payment.scenario = "pays_late";
  EXPECT_EQ(content_of(received(channel_->request_of(send, kNow))).at("passback_params"), "scenario%3Dpays_late");
}

TEST_F(AlipayChannelTest, MoneyGoesBackByTheTradesOwnNumber) {
  const RefundCall refund = refund_call_of(RefundCallKind::send_refund, *channel_);
  const Form sent = received(channel_->request_of(refund, kNow));
  EXPECT_EQ(sent.at("method"), "alipay.trade.refund");
  EXPECT_EQ(
      content_of(sent),
      (json::object{{"trade_no", kTradeNo}, {"out_request_no", refund.out_refund_no}, {"refund_amount", "3.00"}}));
  const Form asked = received(channel_->request_of(refund_call_of(RefundCallKind::query_refund, *channel_), kNow));
  EXPECT_EQ(asked.at("method"), "alipay.trade.fastpay.refund.query");
  EXPECT_EQ(content_of(asked), (json::object{{"trade_no", kTradeNo}, {"out_request_no", refund.out_refund_no}}));
}

TEST_F(AlipayChannelTest, ThePayerReadsWhyMoneyGoesBack) {
  const auto sent = [&](RefundCallKind kind, std::string reason) {
    RefundCall call = refund_call_of(kind, *channel_);
    call.reason = std::move(reason);
    return content_of(received(channel_->request_of(call, kNow)));
  };
  EXPECT_EQ(sent(RefundCallKind::send_refund, "破损").at("refund_reason"), "破损");
  EXPECT_FALSE(sent(RefundCallKind::send_refund, "").contains("refund_reason"));
  EXPECT_FALSE(sent(RefundCallKind::query_refund, "破损").contains("refund_reason"));
  std::string tea;
  for (int i = 0; i < 257; ++i) tea += "茶";
  EXPECT_EQ(sent(RefundCallKind::send_refund, tea).at("refund_reason"), json::value(tea.substr(0, 256 * 3)));
}

TEST_F(AlipayChannelTest, NamesTheSettingsThatAnAnswerMakesDoubtful) {
  for (const auto& [code, setting] : {std::pair("bad_signature", "alipay_public_key_file"),
                                      {"unknown_certificate", "alipay_certificates_file"},
                                      {"unsigned", "private_key_file"},
                                      {"isv.invalid-app-id", "app_id"},
                                      {"http_404", "url"}})
    EXPECT_TRUE(channel_->settings_behind(code).contains(setting)) << code;
  for (const char* code : {"", "10000", "timeout", "http_500", "ACQ.SYSTEM_ERROR", "ACQ.TRADE_NOT_EXIST"})
    EXPECT_EQ(channel_->settings_behind(code), "") << code;
}

TEST_F(AlipayChannelTest, AQrCodeIsWhatThePayerScans) {
  const Evidence evidence =
      heard(*channel_, send_by("qr"), *PublicKeySubject::send_answer(send_by("qr"), EvidenceKind::waiting));
  EXPECT_EQ(evidence.action_type, ActionType::qr_code);
  EXPECT_EQ(evidence.action_code, "https://qr.example/bax03431ljhokirwl38f00a7");
  EXPECT_TRUE(evidence.action_url.empty());
  for (const std::string& code :
       {std::string(), std::string("with blank"), std::string("\x01"), std::string(3000, 'x')}) {
    const json::object node{{"out_trade_no", query_.payment.out_trade_no}, {"qr_code", code}};
    EXPECT_EQ(heard(*channel_, send_by("qr"), signed_answer("alipay.trade.precreate", node)).code, "malformed");
  }
}

TEST_F(AlipayChannelTest, ABarcodeIsPaidOnlyWhenItSaysWhen) {
  const ChannelCall send = send_by("barcode");
  const Evidence paid = heard(*channel_, send, *PublicKeySubject::send_answer(send, EvidenceKind::paid));
  EXPECT_EQ(paid.amount, 1000);
  EXPECT_EQ(to_rfc3339(paid.paid_at), "2026-09-21T14:13:15.000Z");
  const json::object whole{{"out_trade_no", send.payment.out_trade_no},
                           {"trade_no", kTradeNo},
                           {"total_amount", "10.00"},
                           {"gmt_payment", kPaidAt}};
  for (const char* name : {"trade_no", "total_amount", "gmt_payment", "out_trade_no"}) {
    json::object node = whole;
    node.erase(name);
    EXPECT_EQ(heard(*channel_, send, signed_answer("alipay.trade.pay", node)).kind, EvidenceKind::unknown) << name;
  }
}

TEST_F(AlipayChannelTest, OnlyABarcodeWaitsWith10003) {
  json::object node{{"code", "10003"}, {"out_trade_no", query_.payment.out_trade_no}};
  EXPECT_EQ(heard(*channel_, send_by("qr"), signed_answer("alipay.trade.precreate", node)).kind, EvidenceKind::unknown);
  EXPECT_EQ(query_says(node).kind, EvidenceKind::unknown);
}

TEST_F(AlipayChannelTest, ABarcodeWhoseTradeWasNeverNamedIsCancelled) {
  ChannelCall close = call_of(ChannelCallKind::close_payment, *channel_, "barcode");
  EXPECT_EQ(received(channel_->request_of(close, kNow)).at("method"), "alipay.trade.close");
  close.payment.channel_trade_no.reset();
  EXPECT_EQ(received(channel_->request_of(close, kNow)).at("method"), "alipay.trade.cancel");

  const json::object base{{"out_trade_no", close.payment.out_trade_no}, {"retry_flag", "N"}};
  const auto says = [&](json::object more) {
    json::object node = base;
    for (auto& [name, value] : more) node[name] = value;
    return heard(*channel_, close, signed_answer("alipay.trade.cancel", node));
  };
  EXPECT_EQ(says({{"action", "close"}, {"trade_no", kTradeNo}}).kind, EvidenceKind::closed);
  const Evidence refunded = says({{"action", "refund"}, {"trade_no", kTradeNo}});
  EXPECT_EQ(refunded.kind, EvidenceKind::unknown) << "it does not say how much";
  EXPECT_EQ(refunded.code, "refund");
  EXPECT_EQ(says({}).kind, EvidenceKind::unknown) << "nothing was done, and the trade may still come";
  EXPECT_EQ(says({{"action", "close"}, {"retry_flag", "Y"}}).kind, EvidenceKind::unknown);
  EXPECT_EQ(heard(*channel_, close, refusal("alipay.trade.cancel", "40004", "AQC.SYSTEM_ERROR")).kind,
            EvidenceKind::unknown);
}

TEST_F(AlipayChannelTest, StatusAndTimeOfPaymentSpeakTogether) {
  EXPECT_EQ(query_says(trade_node(query_, "TRADE_FINISHED")).kind, EvidenceKind::paid);
  json::object contradiction = trade_node(query_, "WAIT_BUYER_PAY");
  contradiction["send_pay_date"] = kPaidAt;
  EXPECT_EQ(query_says(contradiction).kind, EvidenceKind::unknown);
  json::object undated = trade_node(query_, "TRADE_SUCCESS");
  undated.erase("send_pay_date");
  EXPECT_EQ(query_says(undated).kind, EvidenceKind::paid);
  EXPECT_EQ(query_says(undated).paid_at, kNow) << "it was paid when it was asked about, at the latest";
  EXPECT_EQ(query_says(trade_node(query_, "TRADE_PENDING")).kind, EvidenceKind::unknown);
}

TEST_F(AlipayChannelTest, AnotherAmountOrCurrencyIsToldAsItIs) {
  json::object node = trade_node(query_, "TRADE_SUCCESS");
  node["total_amount"] = "0.01";
  EXPECT_EQ(query_says(node).amount, 1);
  node["trans_currency"] = "USD";
  EXPECT_EQ(query_says(node).currency.text(), "USD");
}

TEST_F(AlipayChannelTest, AMissingOrBrokenWordIsUnknown) {
  const json::object whole = trade_node(query_, "TRADE_SUCCESS");
  for (const char* name : {"trade_no", "out_trade_no", "trade_status", "total_amount"}) {
    json::object node = whole;
    node.erase(name);
    EXPECT_EQ(query_says(node).kind, EvidenceKind::unknown) << name;
    for (const json::value& value : {json::value(nullptr), json::value(10), json::value(std::string(100, 'A')),
                                     json::value(json::object()), json::value("")}) {
      node[name] = value;
      EXPECT_EQ(query_says(node).kind, EvidenceKind::unknown) << name << ' ' << value;
    }
  }
}

TEST_F(AlipayChannelTest, ARefusalMeansWhatItsCodeProves) {
  struct Case {
    ChannelCallKind kind;
    const char* code;
    const char* sub_code;
    EvidenceKind expected;
  };
  using enum ChannelCallKind;
  const Case cases[] = {
      {send_payment, "40004", "ACQ.TOTAL_FEE_EXCEED", EvidenceKind::failed},
      {send_payment, "40002", "isv.invalid-signature", EvidenceKind::failed},
      {send_payment, "40004", "ACQ.TRADE_NOT_EXIST", EvidenceKind::unknown},
      {send_payment, "40004", "ACQ.TRADE_HAS_SUCCESS", EvidenceKind::unknown},
      {send_payment, "20000", "isp.unknow-error", EvidenceKind::unknown},
      {query_payment, "40004", "ACQ.INVALID_PARAMETER", EvidenceKind::unknown},
      {query_payment, "40002", "isv.invalid-signature", EvidenceKind::unknown},
      {close_payment, "40004", "ACQ.TRADE_STATUS_ERROR", EvidenceKind::unknown},
      {close_payment, "40004", "ACQ.REASON_ILLEGAL_STATUS", EvidenceKind::unknown},
      {close_payment, "40004", "ACQ.TRADE_HAS_SUCCESS", EvidenceKind::unknown},
  };
  for (const Case& row : cases) {
    const ChannelCall asked = call_of(row.kind, *channel_, "qr");
    const Evidence evidence = heard(*channel_, asked, refusal(method_of(asked), row.code, row.sub_code));
    EXPECT_EQ(evidence.kind, row.expected) << name_of(row.kind) << ' ' << row.sub_code;
    EXPECT_EQ(evidence.code, row.sub_code);
    EXPECT_EQ(evidence.message, "why");
  }
}

TEST_F(AlipayChannelTest, NoRefusalOfItsSendingEndsATradeThatIsThere) {
  ChannelCall again = send_by("qr");
  const net::HttpResponse refused = refusal(method_of(again), "40002", "isv.invalid-signature");
  EXPECT_EQ(heard(*channel_, again, refused).kind, EvidenceKind::failed);
  again.payment.channel_trade_no = kTradeNo;
  EXPECT_EQ(heard(*channel_, again, refused).kind, EvidenceKind::unknown);
}

TEST_F(AlipayChannelTest, ARefundIsDoneOnlyWhenMoneyMoved) {
  const auto send = RefundCallKind::send_refund;
  const auto with = [](std::string_view trade_no, json::value changed, json::value fee) {
    return json::object{{"trade_no", trade_no}, {"fund_change", std::move(changed)}, {"refund_fee", std::move(fee)}};
  };
  EXPECT_EQ(refund_says(send, with(kTradeNo, "Y", "3.00")).kind, RefundEvidenceKind::refunded);
  EXPECT_EQ(refund_says(send, with(kTradeNo, "Y", "10.00")).kind, RefundEvidenceKind::refunded);
  EXPECT_EQ(refund_says(send, with(kTradeNo, "Y", "2.99")).kind, RefundEvidenceKind::unknown) << "less than this one";
  EXPECT_EQ(refund_says(send, with(kTradeNo, "Y", nullptr)).kind, RefundEvidenceKind::unknown);
  EXPECT_EQ(refund_says(send, with(kTradeNo, "N", "3.00")).kind, RefundEvidenceKind::accepted);
  EXPECT_EQ(refund_says(send, with(kTradeNo, nullptr, "3.00")).kind, RefundEvidenceKind::unknown);
  EXPECT_EQ(refund_says(send, with("another", "Y", "3.00")).code, "wrong_trade");
  EXPECT_EQ(refund_says(send, {{"fund_change", "Y"}, {"refund_fee", "3.00"}}).code, "wrong_trade");
}

TEST_F(AlipayChannelTest, AQueryTellsWhetherARefundArrived) {
  const auto ask = RefundCallKind::query_refund;
  const json::object done{{"trade_no", kTradeNo},
                          {"out_request_no", refund_call_of(ask, *channel_).out_refund_no},
                          {"refund_status", "REFUND_SUCCESS"},
                          {"refund_amount", "3.00"}};
  EXPECT_EQ(refund_says(ask, done).kind, RefundEvidenceKind::refunded);
  const auto changed = [&](const char* name, json::value value) {
    json::object node = done;
    node[name] = std::move(value);
    return refund_says(ask, node).kind;
  };
  EXPECT_EQ(changed("refund_status", "REFUND_PROCESSING"), RefundEvidenceKind::accepted);
  EXPECT_EQ(changed("refund_status", "REFUND_NEW"), RefundEvidenceKind::unknown);
  EXPECT_EQ(changed("refund_status", nullptr), RefundEvidenceKind::unknown);
  EXPECT_EQ(changed("refund_amount", "3.01"), RefundEvidenceKind::unknown);
  EXPECT_EQ(changed("refund_amount", nullptr), RefundEvidenceKind::unknown);
  EXPECT_EQ(changed("out_request_no", "another"), RefundEvidenceKind::unknown);
  EXPECT_EQ(changed("trade_no", "another"), RefundEvidenceKind::unknown);

  EXPECT_EQ(refund_says(ask, {}).kind, RefundEvidenceKind::absent) << "Alipay answers 10000 and nothing else";
  EXPECT_EQ(refund_says(ask, {{"trade_no", "another"}}).kind, RefundEvidenceKind::unknown);
  EXPECT_EQ(refund_says(ask, {{"out_request_no", "another"}}).kind, RefundEvidenceKind::unknown);
}

TEST_F(AlipayChannelTest, ARefundThatCanSucceedLaterKeepsItsNumber) {
  const RefundCall send = refund_call_of(RefundCallKind::send_refund, *channel_);
  const RefundCall ask = refund_call_of(RefundCallKind::query_refund, *channel_);
  for (const char* code : {"ACQ.SELLER_BALANCE_NOT_ENOUGH", "ACQ.REFUND_CHARGE_ERROR", "ACQ.SYSTEM_ERROR"}) {
    const RefundEvidence said = heard(*channel_, send, refusal(method_of(send), "40004", code));
    EXPECT_EQ(said.kind, RefundEvidenceKind::unknown) << code;
    EXPECT_EQ(said.code, code);
  }
  EXPECT_EQ(heard(*channel_, ask, refusal(method_of(ask), "40004", "ACQ.TRADE_NOT_EXIST")).kind,
            RefundEvidenceKind::absent);
}

TEST_F(AlipayChannelTest, NewKeysHoldFromTheNextRequestOn) {
  const net::HttpResponse old = *PublicKeySubject::answer(query_, EvidenceKind::paid, kNow);
  AlipayKeys next{.own = strangers_key()};
  ASSERT_FALSE(channel_->use_keys(next)) << "nothing to verify answers with";
  EXPECT_EQ(heard(*channel_, query_, old).kind, EvidenceKind::paid);
  next.alipay.emplace("", merchant_key().public_key());
  ASSERT_TRUE(channel_->use_keys(next));
  EXPECT_EQ(heard(*channel_, query_, old).code, "bad_signature");
  const std::string url = channel_->request_of(query_, kNow).url;
  ASSERT_TRUE(channel_->use_keys(keys_for(Mode::public_key)));
  EXPECT_NE(channel_->request_of(query_, kNow).url, url);
  EXPECT_EQ(heard(*channel_, query_, old).kind, EvidenceKind::paid);
}

TEST_F(AlipayChannelTest, KeysAreExchangedWhileOthersUseThem) {
  const net::HttpResponse answer = *PublicKeySubject::answer(query_, EvidenceKind::paid, kNow);
  std::atomic<bool> stop = false;
  std::atomic<int> believed = 0;
  std::thread user([&] {
    while (!stop) believed += heard(*channel_, query_, answer).kind == EvidenceKind::paid ? 1 : 0;
  });
  for (int i = 0; i < 2000; ++i)
    ASSERT_TRUE(channel_->use_keys(keys_for(Mode::public_key, i % 2 == 0 ? strangers_key() : alipay_key())));
  while (believed == 0) std::this_thread::yield();
  stop = true;
  user.join();
}

TEST(AlipayOptions, SayWhatIsWrongWithThem) {
  const auto says = [](auto change, std::string_view what) {
    AlipayOptions options = options_for(Mode::public_key);
    change(options);
    const auto channel = make_alipay_channel(std::move(options));
    return !channel && channel.error().message.contains(what);
  };
  EXPECT_TRUE(says([](auto& options) { options.gateway = "gateway.example/gateway.do"; }, "url must"));
  EXPECT_TRUE(says([](auto& options) { options.gateway += "?charset=utf-8"; }, "url must"));
  const auto use_plain_http = [](auto& options) { options.gateway = "http://gateway.example/gateway.do"; };
  EXPECT_FALSE(says(use_plain_http, "url")) << "of the sandbox";
  EXPECT_TRUE(says([&](auto& options) { use_plain_http(options), options.is_sandbox = false; }, "https"));
  EXPECT_TRUE(says([](auto& options) { options.public_url = ""; }, "public_url"));
  for (const char* broken : {"", "abc def", "2021-1", "111111111111111111111111111111111"}) {
    EXPECT_TRUE(says([&](auto& options) { options.app_id = broken; }, "app_id must be a number")) << broken;
    EXPECT_TRUE(says([&](auto& options) { options.seller_id = broken; }, "seller_id must be a number")) << broken;
  }
  EXPECT_TRUE(says([](auto& options) { options.keys.alipay.clear(); }, "alipay_public_key_file"));
}

TEST(AlipayCapabilities, AreThoseOfItsMethods) {
  AlipayOptions options = options_for(Mode::public_key);
  options.is_sandbox = false;
  const auto channel = *make_alipay_channel(std::move(options));
  const Capabilities& can = channel->capabilities();
  EXPECT_EQ(can.methods, (std::vector<std::string>{"page", "wap", "app", "qr", "barcode"}));
  EXPECT_EQ(can.made_by_payer, (std::vector<std::string>{"page", "wap", "app", "qr"}));
  EXPECT_EQ(can.repeats_action, can.made_by_payer);
  EXPECT_EQ(can.payer_field.at("barcode"), "auth_code");
  EXPECT_FALSE(can.takes_scenario);
  EXPECT_TRUE((*make_alipay_channel(options_for(Mode::public_key)))->capabilities().takes_scenario);
}

TEST(AlipayCapabilities, AreOfYuanUpToAHundredMillion) {
  const auto channel = *make_alipay_channel(options_for(Mode::public_key));
  EXPECT_EQ(channel->capabilities().currency, parse_currency("CNY"));
  EXPECT_EQ(channel->capabilities().amount_max, 10'000'000'000);
}

TEST(AlipayCapabilities, TakeACodeOfAlipayOnly) {
  const auto channel = *make_alipay_channel(options_for(Mode::public_key));
  const auto rule_for = [&](std::string_view method, std::string_view code) {
    return channel->capabilities().payer_rule(method, code);
  };
  for (const char* code : {"2512345678901234", "287634438256643940", "299999999999999999999999", "3000000000000000"})
    EXPECT_EQ(rule_for("barcode", code), "") << code;
  for (const char* code :
       {"", "28", "251234567890123", "2412345678901234", "3112345678901234", "135112298638468293",
        "3000000000000000000000000", "28763443825664394a", " 287634438256643940", "-876344382566439"})
    EXPECT_EQ(rule_for("barcode", code), "must be a number of 16 to 24 digits that begins with 25 to 30") << code;
  EXPECT_EQ(rule_for("page", "28"), "") << "nobody needs it";
}

TEST_F(AlipayChannelTest, SaysSuccessOnceANotificationIsKept) {
  EXPECT_EQ(channel_->acknowledgement().status, 200);
  EXPECT_EQ(channel_->acknowledgement().body, "success");
  EXPECT_EQ(channel_->negative_acknowledgement(503).status, 503);
  EXPECT_EQ(channel_->negative_acknowledgement(503).body, "fail");
}

}  // namespace
}  // namespace finality::channel_contract
