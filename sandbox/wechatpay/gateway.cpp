#include "sandbox/wechatpay/gateway.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/crypto/encoding.h"
#include "base/crypto/legacy_digest.h"
#include "base/crypto/random.h"
#include "sandbox/core/china_time.h"
#include "sandbox/core/fields.h"
#include "sandbox/core/time_scale.h"
#include "sandbox/formats/query_value.h"
#include "sandbox/simple/answer.h"
#include "sandbox/wechatpay/account.h"
#include "sandbox/wechatpay/answer.h"
#include "sandbox/wechatpay/bill.h"
#include "sandbox/wechatpay/downloads.h"
#include "sandbox/wechatpay/messages.h"
#include "sandbox/wechatpay/methods.h"
#include "sandbox/wechatpay/notification.h"
#include "sandbox/wechatpay/order.h"
#include "sandbox/wechatpay/signature.h"

namespace finality::sandbox {
namespace {

constexpr Duration kBillsKept = std::chrono::days(92);
constexpr std::size_t kDateLength = 10;  // length of yyyy-MM-dd

using Account = std::shared_ptr<const WechatpayAccount>;

/// Arguments of a route's handler.
struct Visit {
  const net::HttpRequest& request;
  Account account;   // the account that signed the request; null if the route needs no signature
  std::string item;  // decoded path segment that matches `*` in the route
  net::Respond respond;

  /// Returns a decoded query parameter; empty when it is missing.
  std::string parameter(std::string_view name) const { return query_value(request.query(), name); }
};

net::HttpResponse signature_error_answer(WechatpaySignatureError error, bool is_transaction) {
  switch (error) {
    case WechatpaySignatureError::none:
    case WechatpaySignatureError::forged:
      return wechatpay_error(kSignError, "签名错误");
    case WechatpaySignatureError::stale:
      return wechatpay_error(kSignError, "Http头Authorization中的timestamp与发起请求的时间不得超过5分钟");
    case WechatpaySignatureError::malformed:
      return wechatpay_error(kSignError, is_transaction
                                             ? "签名信息错误，验签失败"
                                             : "Http头Authorization值格式错误，请参考《微信支付商户REST API签名规则》");
  }
  std::unreachable();
}

std::optional<net::HttpResponse> refusal_of_query(const Visit& visit) {
  const std::string mchid = visit.parameter("mchid");
  if (mchid.empty()) return wechatpay_param_error("mchid", "", "必填项缺失", "query");
  return refusal_of_mchid(visit.account->merchant, mchid);
}

net::HttpResponse no_statement() { return wechatpay_error(kNoStatementExist, "账单文件不存在"); }

net::HttpResponse see(std::string url) {
  net::HttpResponse response = wechatpay_empty(303);
  response.headers.add("Location", std::move(url));
  return response;
}

net::HttpResponse bad_payment(std::string_view message) {
  return html_answer(400, "<!doctype html><meta charset=\"utf-8\"><title>微信支付</title><p id=\"error\">" +
                              std::string(message) + "</p>\n");
}

class WechatpayGateway final : public Gateway {
 public:
  /// REQUIRES: `accounts` is not empty.
  WechatpayGateway(GatewayParts parts, std::vector<Account> accounts)
      : parts_(std::move(parts)), accounts_(std::move(accounts)) {}

  bool has_channel(std::string_view channel) const override {
    return find_account(&WechatpayMerchant::channel, channel) != nullptr;
  }
  std::vector<GatewayAccount> accounts() const override {
    std::vector<GatewayAccount> accounts;
    for (const WechatpayMerchant& merchant : kWechatpayMerchants)
      accounts.push_back({.channel = std::string(merchant.channel),
                          .id = std::string(merchant.mchid),
                          .numbers = fmt::format("mchid {}, appid {}", merchant.mchid, merchant.appid)});
    return accounts;
  }
  bool answers(const Segments& path) const override {
    return path[0] == "wechatpay" || (path[0] == "v3" && (path.size() < 2 || path[1] != "alipay"));
  }
  void handle(const net::HttpRequest& request, const Segments& path, net::Respond respond) override;

  std::optional<net::Call> request_of(const Notification& notification, Time now) const override {
    const Account account = find_account(&WechatpayMerchant::channel, notification.trade.channel);
    FINALITY_CHECK(account != nullptr, "a trade of WeChat Pay has no merchant");
    return wechatpay_callback(*account, notification, now);
  }
  bool is_acknowledgement(const net::HttpResponse& response) const override {
    return is_wechatpay_acknowledgement(response);
  }
  std::optional<Duration> retry_delay(const Notification&, std::int64_t attempts) const override {
    const auto delay = wechatpay_retry_delay(attempts);
    return delay ? std::optional(scaled(*delay, parts_.time_scale)) : std::nullopt;
  }

 private:
  using Handler = void (WechatpayGateway::*)(Visit);
  struct HttpRoute {
    std::string_view method;
    std::string_view path;  // `*` matches exactly one segment
    Handler handler;
    bool is_signed = true;      // true: the request must be signed
    bool answer_signed = true;  // true: successful responses are signed
  };
  static std::span<const HttpRoute> routes();
  static bool fits(const HttpRoute& route, const Segments& path, std::string& item);

  /// Returns the account whose merchant's field `name` equals `value`; null if no account matches.
  Account find_account(std::string_view WechatpayMerchant::* name, std::string_view value) const;
  void admit(const HttpRoute& route, Visit visit);
  net::Respond finishing(bool is_signed, const Account& account, std::string_view requested_serial,
                         net::Respond respond) const;
  template <class Work>
  void answer_from_ledger(Work work, net::Respond respond);

  void order_native(Visit visit) { order("native", std::move(visit)); }
  void order_jsapi(Visit visit) { order("jsapi", std::move(visit)); }
  void order_app(Visit visit) { order("app", std::move(visit)); }
  void order_h5(Visit visit) { order("h5", std::move(visit)); }
  void order(std::string_view product, Visit visit);
  void query(Visit visit);
  void query_by_id(Visit visit);
  void close(Visit visit);
  void refund(Visit visit);
  void query_refund(Visit visit);
  void certificates(Visit visit);
  void bill_trades(Visit visit);
  void bill_funds(Visit visit);
  void bill(Visit visit, std::function<std::string(const WechatpayDay&)> write);
  net::HttpResponse offered(const WechatpayMerchant& merchant, std::string content, bool is_packed);
  void download(Visit visit);
  void cashier(Visit visit);
  void h5_page(Visit visit);
  void show_wallet(std::string_view prepay_id, const WechatpayMerchant* merchant, std::optional<std::string> return_url,
                   net::Respond respond);

  GatewayParts parts_;
  std::vector<Account> accounts_;
  WechatpayDownloads downloads_;
};

std::span<const WechatpayGateway::HttpRoute> WechatpayGateway::routes() {
  using Self = WechatpayGateway;
  static constexpr HttpRoute kRoutes[] = {
      {"POST", "v3/pay/transactions/native", &Self::order_native},
      {"POST", "v3/pay/transactions/jsapi", &Self::order_jsapi},
      {"POST", "v3/pay/transactions/app", &Self::order_app},
      {"POST", "v3/pay/transactions/h5", &Self::order_h5},
      {"GET", "v3/pay/transactions/out-trade-no/*", &Self::query},
      {"GET", "v3/pay/transactions/id/*", &Self::query_by_id},
      {"POST", "v3/pay/transactions/out-trade-no/*/close", &Self::close},
      {"POST", "v3/refund/domestic/refunds", &Self::refund},
      {"GET", "v3/refund/domestic/refunds/*", &Self::query_refund},
      {"GET", "v3/certificates", &Self::certificates},
      {"GET", "v3/bill/tradebill", &Self::bill_trades},
      {"GET", "v3/bill/fundflowbill", &Self::bill_funds},
      {.method = "GET", .path = "v3/billdownload/file", .handler = &Self::download, .answer_signed = false},
      {.method = "GET", .path = "wechatpay/cashier", .handler = &Self::cashier, .is_signed = false},
      {.method = "GET", .path = "wechatpay/h5", .handler = &Self::h5_page, .is_signed = false},
  };
  return kRoutes;
}

bool WechatpayGateway::fits(const HttpRoute& route, const Segments& path, std::string& item) {
  std::string_view rest = route.path;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i > 0 && rest.empty()) return false;
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), segment.size() + 1));
    if (segment == "*") item = percent_decode(path[i]).value_or("");
    if (segment != "*" && segment != path[i]) return false;
  }
  return rest.empty();
}

void WechatpayGateway::handle(const net::HttpRequest& request, const Segments& path, net::Respond respond) {
  bool is_path_known = false;
  for (const HttpRoute& route : routes()) {
    std::string item;
    if (!fits(route, path, item)) continue;
    is_path_known = true;
    if (route.method == request.method) return admit(route, {request, nullptr, std::move(item), std::move(respond)});
  }
  respond(wechatpay_empty(is_path_known ? 405 : 404));
}

Account WechatpayGateway::find_account(std::string_view WechatpayMerchant::* name, std::string_view value) const {
  for (const Account& account : accounts_)
    if (account->merchant.*name == value) return account;
  return nullptr;
}

void WechatpayGateway::admit(const HttpRoute& route, Visit visit) {
  if (!route.is_signed) return (this->*route.handler)(std::move(visit));
  const net::Headers& headers = visit.request.headers;
  const bool is_transaction = route.path.starts_with("v3/pay/");
  const std::string_view requested_serial = headers.get("Wechatpay-Serial");
  const Account named = find_account(&WechatpayMerchant::mchid, named_mchid(visit.request));
  visit.account = named ? named : accounts_.front();  // unknown mchid: signature_error_of() rejects the request below
  visit.respond = finishing(route.answer_signed, visit.account, requested_serial, std::move(visit.respond));
  if (!is_transaction && (headers.get("User-Agent").empty() || headers.get("Accept").empty()))
    return visit.respond(wechatpay_error(kInvalidRequest, "Http头缺少Accept或User-Agent"));
  const WechatpaySignatureError error = signature_error_of(*visit.account, visit.request, parts_.ledger_thread->now());
  if (error != WechatpaySignatureError::none) return visit.respond(signature_error_answer(error, is_transaction));
  if (visit.account->signer_for(requested_serial) == nullptr)
    return visit.respond(wechatpay_error(kParamError, "平台证书序列号Wechatpay-Serial错误"));
  (this->*route.handler)(std::move(visit));
}

// Wraps `respond`: adds Request-ID and, if `is_signed`, signs successful responses. Runs on an I/O thread, because a
// signature would block the ledger thread.
net::Respond WechatpayGateway::finishing(bool is_signed, const Account& account, std::string_view requested_serial,
                                         net::Respond respond) const {
  return [&io = parts_.io, ledger = parts_.ledger_thread, account, is_signed, serial = std::string(requested_serial),
          respond = std::move(respond)](net::HttpResponse response) {
    io.post([ledger, account, is_signed, serial, respond, response = std::move(response)]() mutable {
      response.headers.add("Request-ID", random_hex(16));
      if (is_signed && response.status < 300)
        sign_as_wechatpay(*account->signer_for(serial), ledger->now(), response.body, response.headers);
      respond(std::move(response));
    });
  };
}

template <class Work>
void WechatpayGateway::answer_from_ledger(Work work, net::Respond respond) {
  parts_.ledger_thread->submit(std::move(work), [respond = std::move(respond)](Result<net::HttpResponse> response) {
    respond(response ? std::move(*response) : wechatpay_error(kServiceUnavailable, response.error().message));
  });
}

void WechatpayGateway::order(std::string_view product, Visit visit) {
  const std::string_view signer = visit.request.headers.get("Wechatpay-Serial");
  auto order = read_order(visit.account->merchant, product, visit.request.body, signer, parts_.ledger_thread->now());
  if (!order) return visit.respond(std::move(order.error()));
  parts_.ledger_thread->submit([order = std::move(*order), public_url = parts_.public_url](
                                   Ledger& ledger) { return order_in(ledger, order, public_url); },
                               [&io = parts_.io, respond = std::move(visit.respond)](Result<WechatpayAnswer> ordered) {
                                 if (!ordered)
                                   return respond(wechatpay_error(kServiceUnavailable, ordered.error().message));
                                 respond_after(io, ordered->answer_after, std::move(ordered->response), respond);
                               });
}

void WechatpayGateway::query(Visit visit) {
  if (auto refusal = refusal_of_query(visit)) return visit.respond(std::move(*refusal));
  answer_from_ledger([account = visit.account, out_trade_no = visit.item](
                         Ledger& ledger) { return query_in(ledger, account->merchant, out_trade_no); },
                     std::move(visit.respond));
}

void WechatpayGateway::query_by_id(Visit visit) {
  if (auto refusal = refusal_of_query(visit)) return visit.respond(std::move(*refusal));
  answer_from_ledger([account = visit.account, transaction_id = visit.item](
                         Ledger& ledger) { return query_by_id_in(ledger, account->merchant, transaction_id); },
                     std::move(visit.respond));
}

void WechatpayGateway::close(Visit visit) {
  if (auto refusal = refusal_of_close(visit.account->merchant, visit.request.body))
    return visit.respond(std::move(*refusal));
  answer_from_ledger([account = visit.account, out_trade_no = visit.item](
                         Ledger& ledger) { return close_in(ledger, account->merchant, out_trade_no); },
                     std::move(visit.respond));
}

void WechatpayGateway::refund(Visit visit) {
  auto order = read_refund_order(visit.request.body);
  if (!order) return visit.respond(std::move(order.error()));
  answer_from_ledger([account = visit.account, order = std::move(*order)](
                         Ledger& ledger) { return refund_in(ledger, account->merchant, order); },
                     std::move(visit.respond));
}

void WechatpayGateway::query_refund(Visit visit) {
  answer_from_ledger([account = visit.account, out_refund_no = visit.item](
                         Ledger& ledger) { return query_refund_in(ledger, account->merchant, out_refund_no); },
                     std::move(visit.respond));
}

void WechatpayGateway::certificates(Visit visit) { visit.respond(wechatpay_json(certificates_of(*visit.account))); }

void WechatpayGateway::bill_trades(Visit visit) {
  const std::string type = visit.parameter("bill_type");
  const bool is_supported = type.empty() || type == "ALL" || type == "SUCCESS" || type == "REFUND";
  if (!is_supported) return visit.respond(wechatpay_param_error("bill_type", type, "不支持的账单类型", "query"));
  const TradeBillType kind = type == "SUCCESS"  ? TradeBillType::success
                             : type == "REFUND" ? TradeBillType::refund
                                                : TradeBillType::all;
  bill(std::move(visit), [kind](const WechatpayDay& day) { return trade_bill(kind, day); });
}

void WechatpayGateway::bill_funds(Visit visit) {
  const std::string account = visit.parameter("account_type");
  if (account == "OPERATION" || account == "FEES") return visit.respond(no_statement());
  if (!account.empty() && account != "BASIC")
    return visit.respond(wechatpay_param_error("account_type", account, "不支持的账户类型", "query"));
  bill(std::move(visit), fund_bill);
}

void WechatpayGateway::bill(Visit visit, std::function<std::string(const WechatpayDay&)> write) {
  const std::string date = visit.parameter("bill_date");
  const std::string packing = visit.parameter("tar_type");
  const std::optional<Day> span = date.size() == kDateLength ? parse_china_day(date) : std::nullopt;
  if (!span) return visit.respond(wechatpay_param_error("bill_date", date, "格式应为 yyyy-MM-dd", "query"));
  if (!packing.empty() && packing != "GZIP")
    return visit.respond(wechatpay_param_error("tar_type", packing, "仅支持 GZIP", "query"));
  const Time now = parts_.ledger_thread->now();
  if (span->begin > now || span->end < now - kBillsKept)
    return visit.respond(wechatpay_error(kInvalidRequest, "账单日期不在可下载的范围内"));
  parts_.ledger_thread->submit(
      [account = visit.account, date, span = *span](Ledger& ledger) {
        return day_in(ledger, account->merchant, date, span);
      },
      [this, write = std::move(write), is_packed = !packing.empty(),
       respond = std::move(visit.respond)](const Result<std::optional<WechatpayDay>>& found) {
        if (!found) return respond(wechatpay_error(kServiceUnavailable, found.error().message));
        if (!*found) return respond(wechatpay_error(kStatementCreating, "账单生成中，请稍后再试"));
        const WechatpayDay& day = **found;
        std::string content = write(day);
        respond(content.empty() ? no_statement() : offered(day.merchant, std::move(content), is_packed));
      });
}

net::HttpResponse WechatpayGateway::offered(const WechatpayMerchant& merchant, std::string content, bool is_packed) {
  const std::string hash = sha1_hex(content);
  const std::string token =
      downloads_.offer(merchant.mchid, is_packed ? gzip(content) : std::move(content), parts_.ledger_thread->now());
  return wechatpay_json({{"hash_type", "SHA1"},
                         {"hash_value", hash},
                         {"download_url", parts_.public_url + "/v3/billdownload/file?token=" + token}});
}

void WechatpayGateway::download(Visit visit) {
  const auto content =
      downloads_.find(visit.account->merchant.mchid, visit.parameter("token"), parts_.ledger_thread->now());
  if (!content) return visit.respond(wechatpay_error(kResourceNotExists, "下载链接不存在或已失效"));
  net::HttpResponse response{.status = 200, .headers = {}, .body = *content};
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  visit.respond(std::move(response));
}

// GET /wechatpay/cashier: verifies the payment parameters that the merchant's client passes to the payer's app, and
// redirects to the payer's page. Accepts the field names of web pages and of native apps.
void WechatpayGateway::cashier(Visit visit) {
  const bool is_app = !visit.parameter("prepayid").empty();
  const std::string package = visit.parameter("package");
  const std::string signed_text = is_app ? visit.parameter("prepayid") : package;
  const std::string appid = visit.parameter(is_app ? "appid" : "appId");
  constexpr std::string_view kPackagePrefix = "prepay_id=";
  const Account account = find_account(&WechatpayMerchant::appid, appid);
  const bool is_whole =
      account && (is_app ? package == "Sign=WXPay" && visit.parameter("partnerid") == account->merchant.mchid
                         : package.starts_with(kPackagePrefix) && visit.parameter("signType") == "RSA");
  const bool is_genuine =
      is_whole && is_signed_by_merchant(*account, appid, visit.parameter(is_app ? "timestamp" : "timeStamp"),
                                        visit.parameter(is_app ? "noncestr" : "nonceStr"), signed_text,
                                        visit.parameter(is_app ? "sign" : "paySign"));
  if (!is_genuine) return visit.respond(bad_payment("支付验证签名失败"));
  show_wallet(is_app ? signed_text : signed_text.substr(kPackagePrefix.size()), &account->merchant, std::nullopt,
              std::move(visit.respond));
}

// GET /wechatpay/h5, the target of h5_url: redirects to the payer's page. The merchant may append redirect_url, to
// which the payer's page returns.
void WechatpayGateway::h5_page(Visit visit) {
  const std::string redirect_url = visit.parameter("redirect_url");
  show_wallet(visit.parameter("prepay_id"), nullptr,
              is_web_url(redirect_url) ? std::optional(redirect_url) : std::nullopt, std::move(visit.respond));
}

// Redirects to the payer's page of the trade. If `merchant` is not null, the trade must be a trade of this merchant.
void WechatpayGateway::show_wallet(std::string_view prepay_id, const WechatpayMerchant* merchant,
                                   std::optional<std::string> return_url, net::Respond respond) {
  answer_from_ledger(
      [trade_no = trade_no_of(prepay_id), return_url = std::move(return_url),
       channel = std::string(merchant != nullptr ? merchant->channel : "")](Ledger& ledger) {
        auto trade = ledger.find_trade(trade_no);
        const bool is_there = trade && channel_name(trade->channel) == kWechatpayChannel;
        if (!is_there || (!channel.empty() && trade->channel != channel))
          return bad_payment("支付请求已失效，请重新发起支付");
        ledger.open(*trade, return_url);
        return see("/wallet/" + trade->trade_no);
      },
      std::move(respond));
}

}  // namespace

Result<std::unique_ptr<Gateway>> make_wechatpay_gateway(const GatewayParts& parts) {
  std::vector<Account> accounts;
  for (const WechatpayMerchant& merchant : kWechatpayMerchants) {
    auto account = open_wechatpay_account(parts.keys_directory / "wechatpay", merchant);
    if (!account) return std::unexpected(account.error());
    accounts.push_back(std::make_shared<const WechatpayAccount>(std::move(*account)));
  }
  return std::make_unique<WechatpayGateway>(parts, std::move(accounts));
}

}  // namespace finality::sandbox
