#include "sandbox/alipay/gateway.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/crypto/random.h"
#include "base/html.h"
#include "sandbox/alipay/account.h"
#include "sandbox/alipay/bill.h"
#include "sandbox/alipay/fund_auth_notification.h"
#include "sandbox/alipay/methods.h"
#include "sandbox/alipay/notification.h"
#include "sandbox/core/china_time.h"
#include "sandbox/core/time_scale.h"
#include "sandbox/formats/charset.h"
#include "sandbox/simple/answer.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;
using namespace alipay;

constexpr std::array<Duration, 3> kQuickRetries{1s, 2s, 4s};  // first retries of payments by QR code and barcode
constexpr std::array<Duration, 7> kRetries{4min, 10min, 10min, 1h, 2h, 6h, 15h};
constexpr Duration kBillLinkLife = 30s;
constexpr Duration kBillLinkLifeMin = 10s;  // lower limit of the scaled life, because downloads are not faster

// Returns an HTTP response with this JSON body, which is in `charset`. The status is 200 for successes and errors, as
// at Alipay.
net::HttpResponse answer(std::string body, const Charset& charset) {
  net::HttpResponse response{.status = 200, .headers = {}, .body = std::move(body)};
  response.headers.add("Content-Type", fmt::format("text/html;charset={}", charset.name));
  response.headers.add("trace_id", random_hex(16));
  return response;
}

net::HttpResponse send_to_wallet(const std::string& number) {
  net::HttpResponse response{.status = 302, .headers = {}, .body = {}};
  response.headers.add("Location", "/wallet/" + number);
  return response;
}

// Returns the page, encoded in GBK, that a payer sees if the order cannot be opened.
net::HttpResponse error_page(const boost::json::object& node) {
  const auto text_of = [&](const char* name) { return escape_html(std::string_view(node.at(name).as_string())); };
  const std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"zh-CN\">\n<head>\n<meta charset=\"gbk\">\n<title>支付宝 - "
      "提示信息</title>\n</head>\n"
      "<body>\n<h1>抱歉，您的订单无法支付</h1>\n<p id=\"message\">{}</p>\n<p>错误代码 <code id=\"code\">{}</code></p>\n"
      "</body>\n</html>\n",
      text_of("sub_msg"), text_of("sub_code"));
  net::HttpResponse response{.status = 200, .headers = {}, .body = encode(kGbk, page)};
  response.headers.add("Content-Type", "text/html;charset=GBK");
  response.headers.add("Content-Security-Policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'");
  return response;
}

// Returns the character set that the request names. UTF-8 if it names none, or an unknown one.
const Charset& charset_of(const Params& params) {
  const Charset* charset = find_charset(value_of(params, "charset"));
  return charset != nullptr ? *charset : kUtf8;
}

// Checks the parameters that all methods share. Returns the refusal to send; empty when all checks pass. `account` is
// the account with the request's app_id, or null if no account has it. The parameters are in the request's character
// set, because the signature covers these bytes.
std::optional<boost::json::object> refusal_of(const Params& params, const Account* account) {
  constexpr std::array<std::array<const char*, 2>, 6> kNeeded{{{"method", "isv.missing-method"},
                                                               {"app_id", "isv.missing-app-id"},
                                                               {"sign", "isv.missing-signature"},
                                                               {"sign_type", "isv.missing-signature-type"},
                                                               {"timestamp", "isv.missing-timestamp"},
                                                               {"version", "isv.missing-version"}}};
  for (const auto& [name, sub_code] : kNeeded)
    if (value_of(params, name).empty()) return failure("40001", sub_code, fmt::format("缺少{}参数", name));
  if (account == nullptr) return failure("40002", "isv.invalid-app-id", "无效的AppID参数");
  if (value_of(params, "sign_type") != "RSA2") return failure("40002", "isv.invalid-signature-type", "无效的签名类型");
  if (find_charset(value_of(params, "charset")) == nullptr)
    return failure("40002", "isv.invalid-charset", "无效的字符集");
  if (!parse_china_time(value_of(params, "timestamp")))
    return failure("40002", "isv.invalid-timestamp", "无效的时间戳参数");
  const std::string_view app_sn = value_of(params, "app_cert_sn");
  if (!app_sn.empty() && (app_sn != account->app_sn || value_of(params, "alipay_root_cert_sn") != account->root_sn))
    return failure("40002", "isv.invalid-app-cert-sn", "无效的应用证书序列号");
  if (!verifies(account->merchant, content_of_request(params), value_of(params, "sign")))
    return failure("40002", "isv.invalid-signature", "无效签名");
  if (find_method(value_of(params, "method")) == nullptr)
    return failure("40002", "isv.invalid-method", "不存在的方法名");
  return std::nullopt;
}

std::optional<boost::json::object> invalid_parameter() { return failure("40002", "isv.invalid-parameter", "参数无效"); }

bool is_page(const Params& params) {
  const Method* method = find_method(value_of(params, "method"));
  return method != nullptr && method->is_page;
}

class AlipayGateway final : public Gateway {
 public:
  AlipayGateway(GatewayParts parts, const std::vector<Account>& accounts) : parts_(std::move(parts)) {
    const Duration life = std::max(scaled(kBillLinkLife, parts_.time_scale), kBillLinkLifeMin);
    for (const Account& account : accounts)
      contexts_.push_back(std::make_shared<const GatewayContext>(
          GatewayContext{.account = account,
                         .public_url = parts_.public_url,
                         .bill_links = BillLinks(account.app, Secret(random_hex(32)), life)}));
  }

  bool has_channel(std::string_view channel) const override {
    return find_context(&Application::channel, channel) != nullptr;
  }

  std::vector<GatewayAccount> accounts() const override {
    std::vector<GatewayAccount> accounts;
    for (const Application& app : kApplications)
      accounts.push_back({.channel = std::string(app.channel),
                          .id = std::string(app.app_id),
                          .numbers = fmt::format("app id {}, seller id {}", app.app_id, app.seller_id)});
    return accounts;
  }

  bool answers(const Segments& path) const override {
    return path[0] == "gateway.do" || path[0] == kBillPath || path[0] == "alipay";
  }

  void handle(const net::HttpRequest& request, const Segments& path, net::Respond respond) override {
    const bool is_gateway = path.size() == 1 && path[0] == "gateway.do";
    const bool is_bill = path.size() == 1 && path[0] == kBillPath;
    const bool is_code = path.size() == 3 && path[1] == "qr";
    if (!is_gateway && !is_bill && !is_code) return respond(not_found_answer());
    if (request.method != "GET" && !(is_gateway && request.method == "POST"))
      return respond(wrong_method_answer(is_gateway ? "GET, POST" : "GET"));
    if (is_gateway) return run_method(request, std::move(respond));
    if (is_bill) return send_bill(request, std::move(respond));
    open_code(path[2], std::move(respond));
  }

  std::optional<net::Call> request_of(const Notification& notification, Time now) const override {
    const Account& account = account_of(notification.channel());
    const auto params = notification.hold ? fund_auth_notification(notification, account, now)
                                          : notification_params(notification, account, now);
    if (!params) return std::nullopt;
    net::Call call{.url = notification.url, .method = "POST", .headers = {}, .body = to_form(*params)};
    call.headers.add("Content-Type", "application/x-www-form-urlencoded; charset=utf-8");
    return call;
  }

  bool is_acknowledgement(const net::HttpResponse& response) const override {
    return response.status == 200 && response.body == "success";
  }

  std::optional<Duration> retry_delay(const Notification& notification, std::int64_t attempts) const override {
    const std::string& product = notification.trade.product;
    auto retry = static_cast<std::size_t>(attempts - 1);
    if (product == "qr" || product == "barcode") {
      if (retry < kQuickRetries.size()) return kQuickRetries[retry];
      retry -= kQuickRetries.size();
    }
    return retry < kRetries.size() ? std::optional(scaled(kRetries[retry], parts_.time_scale)) : std::nullopt;
  }

  std::optional<std::string> payer_return_url(const Trade& trade) const override {
    return return_url_of(trade, account_of(trade.channel), parts_.ledger_thread->now());
  }

 private:
  // Returns the context of the application whose field `name` equals `value`; null if no application matches.
  std::shared_ptr<const GatewayContext> find_context(std::string_view Application::* name,
                                                     std::string_view value) const {
    for (const auto& context : contexts_)
      if (context->account.app.*name == value) return context;
    return nullptr;
  }

  // Returns the account with this Trade::channel. REQUIRES: has_channel(channel).
  const Account& account_of(std::string_view channel) const {
    const auto context = find_context(&Application::channel, channel);
    FINALITY_CHECK(context != nullptr, "a trade or hold of Alipay has no application");
    return context->account;  // contexts_ shares ownership, so the reference stays valid
  }

  void run_method(const net::HttpRequest& request, net::Respond respond) const {
    Params params;
    const bool is_form = add_form(request.query(), params) && add_form(request.body, params);
    const Charset& charset = charset_of(params);
    const std::shared_ptr<const GatewayContext> context =
        find_context(&Application::app_id, value_of(params, "app_id"));
    auto refusal = is_form ? refusal_of(params, context ? &context->account : nullptr) : invalid_parameter();
    if (!refusal && !convert_to_utf8(charset, params)) refusal = invalid_parameter();
    if (refusal)
      return respond(is_form && is_page(params) ? error_page(*refusal)
                                                : answer(gateway_refusal(*refusal, charset), charset));
    const Method* method = find_method(value_of(params, "method"));
    const bool by_certificate = !value_of(params, "app_cert_sn").empty();
    parts_.ledger_thread->submit(
        [method, params = std::move(params), context](Ledger& ledger) { return method->run(ledger, params, *context); },
        [&io = parts_.io, &charset, context, method, by_certificate, respond = std::move(respond)](Result<Reply> made) {
          const Reply reply = made ? std::move(*made) : Reply{.node = failure("20000", "isp.unknow-error", "系统繁忙")};
          // Signs on an I/O thread: a signature takes longer than a database change and would block the ledger thread.
          io.post([&io, &charset, context, method, by_certificate, respond, reply] {
            respond_after(io, reply.answer_after,
                          response_to(reply, *method, charset, context->account, by_certificate), respond);
          });
        });
  }

  static net::HttpResponse response_to(const Reply& reply, const Method& method, const Charset& charset,
                                       const Account& account, bool by_certificate) {
    if (reply.is_lost) return lost_answer();
    if (!reply.wallet_no.empty()) return send_to_wallet(reply.wallet_no);
    if (method.is_page) return error_page(reply.node);
    const std::string_view certificate_sn = by_certificate ? account.alipay_sn : std::string_view();
    return answer(signed_answer(method.name, reply.node, charset, account.alipay, certificate_sn), charset);
  }

  void open_code(std::string_view number, net::Respond respond) const {
    parts_.ledger_thread->submit(
        [number = std::string(number)](Ledger& ledger) {
          return open_scanned(ledger, number) ? send_to_wallet(number) : not_found_answer();
        },
        [respond = std::move(respond)](Result<net::HttpResponse> response) {
          respond(response ? std::move(*response) : unavailable_answer(response.error().message));
        });
  }

  void send_bill(const net::HttpRequest& request, net::Respond respond) const {
    for (const auto& context : contexts_)
      if (const auto bill_request = context->bill_links.read(request.query(), parts_.ledger_thread->now()))
        return send_bill(context->account.app, *bill_request, std::move(respond));
    respond(error_answer(403, "link_expired", "The link is invalid or has expired."));
  }

  void send_bill(const Application& app, const BillLinks::BillRequest& bill_request, net::Respond respond) const {
    parts_.ledger_thread->submit(
        [app, bill_request](Ledger& ledger) { return bill_of(ledger, app, bill_request.kind, bill_request.date); },
        [&io = parts_.io, respond = std::move(respond)](Result<std::optional<Bill>> found) {
          if (!found) return respond(unavailable_answer(found.error().message));
          if (!*found) return respond(error_answer(403, "link_expired", "The bill no longer exists."));
          io.post([respond, bill = std::move(**found)] {
            net::HttpResponse file{.status = 200, .headers = {}, .body = to_zip(bill)};
            file.headers.add("Content-Type", "application/octet-stream");
            file.headers.add("Content-Disposition",
                             "attachment; filename=" + bill_file_name(bill.app, bill.kind, bill.date));
            respond(std::move(file));
          });
        });
  }

  GatewayParts parts_;
  std::vector<std::shared_ptr<const GatewayContext>> contexts_;  // one for each application
};

}  // namespace

Result<std::unique_ptr<Gateway>> make_alipay_gateway(const GatewayParts& parts) {
  std::vector<Account> accounts;
  for (const Application& app : kApplications) {
    auto account = read_or_make_keys(parts.keys_directory, app);
    if (!account) return std::unexpected(account.error());
    accounts.push_back(std::move(*account));
  }
  return std::make_unique<AlipayGateway>(parts, accounts);
}

}  // namespace finality::sandbox
