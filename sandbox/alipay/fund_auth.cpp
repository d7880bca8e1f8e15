#include "sandbox/alipay/fund_auth.h"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <expected>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/crypto/encoding.h"
#include "sandbox/alipay/fields.h"
#include "sandbox/alipay/fund_auth_fields.h"
#include "sandbox/alipay/trade.h"
#include "sandbox/core/china_time.h"
#include "sandbox/core/order_intake.h"
#include "sandbox/core/scenario.h"

namespace finality::sandbox::alipay {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kNumberPrefix = "";  // an auth_no begins with the date
constexpr std::string_view kInvalid = "ILLEGAL_ARGUMENT";
constexpr Duration kAuthorizedWithin = 15min;  // default time in which the payer can authorize
constexpr Duration kInstantly = 100ms;         // if the payer authorizes within this time, freeze returns the held hold
constexpr Duration kCancelledWithin = 24h;

/// The method that creates an authorization.
struct Product {
  std::string_view code;        // product_code, and Hold::product
  std::string_view other_code;  // is accepted too; may be empty
};
constexpr Product kOffline{"PRE_AUTH", ""};
constexpr Product kOnline{"PRE_AUTH_ONLINE", "PREAUTH_PAY"};

/// The sub_codes of requests that need another state of the authorization; empty: the request is possible.
struct StateCodes {
  std::string_view order_status;
  std::string_view freeze;
  std::string_view release;
  std::string_view capture;
};
constexpr StateCodes kStateCodes[] = {
    {"INIT", "", "ILLEGAL_STATUS", "ACQ.AUTH_ORDER_NOT_PAID"},
    {"AUTHORIZED", "FREEZE_ALREADY_SUCCESS", "", ""},
    {"FINISH", "ORDER_ALREADY_FINISH", "ORDER_ALREADY_FINISH", "ACQ.AUTH_ORDER_HAS_FINISHED"},
    {"CLOSED", "ORDER_ALREADY_CLOSED", "ORDER_ALREADY_CLOSED", "ACQ.AUTH_ORDER_HAS_CLOSED"},
};

Reply wrong_state(const Hold& hold, std::string_view StateCodes::* code) {
  const auto* at = std::ranges::find(kStateCodes, order_status_of(hold), &StateCodes::order_status);
  FINALITY_CHECK(at != std::end(kStateCodes), "every order_status has a row");
  return refused(at->*code, "资金授权订单状态不合法");
}

void add(boost::json::object& node, const Params& params) {
  for (const auto& [name, value] : params) node[name] = value;
}

// Returns the response about one operation. `node`: the result.
Reply reply_about(const Hold& hold, const Operation& operation, boost::json::object node = success()) {
  Reply reply{.node = std::move(node)};
  add(reply.node, header_of(hold));
  add(reply.node, fields_of(hold, operation));
  return reply;
}

// Methods that create an authorization.

std::string scenario_of_order(BizFields& fields) {
  const auto extra = fields.optional_text("extra_param");
  boost::json::error_code error;
  const boost::json::value parsed = extra ? boost::json::parse(*extra, error) : boost::json::object();
  if (error || !parsed.is_object()) fields.blame("extra_param");
  const boost::json::value* name = parsed.is_object() ? parsed.get_object().if_contains("scenario") : nullptr;
  if (name == nullptr) return std::string(kDefaultScenario);
  const std::string scenario = name->is_string() ? std::string(std::string_view(name->get_string())) : "";
  if (find_scenario(scenario) == nullptr) fields.blame("extra_param");
  return scenario;
}

std::optional<Time> expiry_of(BizFields& fields, Time now) {
  std::optional<Time> end = now + kAuthorizedWithin;
  for (const std::string_view name : {"pay_timeout", "timeout_express"}) {
    const auto timeout = fields.optional_text(name);
    if (!timeout) continue;
    end = end_of_timeout(*timeout, now);
    if (!end) fields.blame(name);
  }
  return end;
}

Hold read_order(BizFields& fields, const Params& params, const Product& product, const Application& app, Time now) {
  Hold order;
  order.channel = app.channel;
  order.out_order_no = fields.text("out_order_no");
  order.details = fields.text("out_request_no", is_word);
  order.amount = fields.amount("amount");
  order.currency = "CNY";
  order.subject = fields.text("order_title");
  order.scenario = scenario_of_order(fields);
  order.product = product.code;
  order.notify_url = address_of(fields, params, "notify_url");
  if (auto url = address_of(fields, params, "return_url"); !url.empty()) order.return_url = std::move(url);
  order.expires_at = expiry_of(fields, now);
  const std::string code = fields.text("product_code");
  if (code != product.code && code != product.other_code) fields.blame("product_code");
  return order;
}

/// Reads the order of a request. The error is the response to send.
std::expected<Hold, Reply> order_of(const Params& params, BizFields& fields, const Product& product,
                                    const GatewayContext& context, Time now) {
  const Application& app = context.account.app;
  const auto payee = fields.optional_text("payee_user_id");
  Hold order = read_order(fields, params, product, app, now);
  if (fields.refusal()) return std::unexpected(Reply{.node = *fields.refusal()});
  if (payee && *payee != app.seller_id)
    return std::unexpected(refused("ILLEGAL_PAYEE_USER_ID", "收款方账户与商户签约账户不一致"));
  return order;
}

// Creates the hold of an order, or returns the existing one. The error is the response to send.
std::expected<HoldEntry, Reply> take(Ledger& ledger, const Hold& order) {
  HoldEntry entry = enter(ledger, order, kNumberPrefix);
  switch (entry.result) {
    case IntakeResult::taken:
      break;
    case IntakeResult::lost:
      // The payer's app, which sends the request of an order string, gets 504.
      return std::unexpected(lost_creation(entry.hold && order.product != kOnline.code, entry.answer_after));
    case IntakeResult::inconsistent:
      return std::unexpected(refused("UNIQUE_VIOLATION", "商户订单号已被使用"));
    case IntakeResult::too_late:
      return std::unexpected(refused(kInvalid, "参数无效: timeout_express"));
    case IntakeResult::refused:
      return std::unexpected(refused("UNLISTED_REFUSAL", "冻结失败"));
  }
  if (entry.hold->details != order.details || entry.hold->product != order.product)
    return std::unexpected(refused("UNIQUE_VIOLATION", "商户订单号已被使用"));
  return entry;
}

bool authorizes_instantly(const HoldEntry& entry, const Scenario& scenario) {
  return entry.is_new && entry.hold->act == HoldAct::authorize && scenario.payer.after <= kInstantly &&
         entry.answer_after == Duration{0};
}

// Returns whether the creation also records that the payer has opened the authorization: in scenarios with a close,
// there is otherwise nothing to close.
bool is_opened_at_once(const Scenario& scenario) {
  return scenario.close.payer_is_faster || scenario.hold_sequel.event == HoldEvent::closed;
}

// Methods that name an authorization.

struct Keys {
  std::optional<std::string> auth_no;
  std::optional<std::string> operation_id;
  std::optional<std::string> out_order_no;
  std::optional<std::string> out_request_no;

  /// The first pair is used if the request has both.
  bool has_first_pair() const { return auth_no && operation_id; }
};

Keys read_keys(BizFields& fields) {
  Keys keys{.auth_no = fields.optional_text("auth_no"),
            .operation_id = fields.optional_text("operation_id"),
            .out_order_no = fields.optional_text("out_order_no"),
            .out_request_no = fields.optional_text("out_request_no")};
  if (!keys.has_first_pair() && !keys.out_order_no) fields.blame("out_order_no");
  if (!keys.has_first_pair() && !keys.out_request_no) fields.blame("out_request_no");
  return keys;
}

bool is_of(const std::optional<Hold>& hold, std::string_view channel) {
  return hold && hold->channel == channel && hold->opened;
}

// Returns the hold with this auth_no or out_order_no; the error is the response to send.
std::expected<Hold, Reply> seek(Ledger& ledger, const Keys& keys, std::string_view channel) {
  const auto hold =
      keys.has_first_pair() ? ledger.find_hold(*keys.auth_no) : ledger.find_hold(channel, *keys.out_order_no);
  if (is_of(hold, channel)) return *hold;
  if (keys.out_order_no && is_cut_off(ledger, channel, *keys.out_order_no)) return std::unexpected(lost());
  return std::unexpected(refused("AUTH_ORDER_NOT_EXIST", "支付宝资金授权订单不存在"));
}

std::optional<Operation> find_operation(Ledger& ledger, const Hold& hold, const Keys& keys,
                                        const std::optional<std::string>& type) {
  const std::vector<Trade> captures = ledger.captures_of(hold);
  const std::vector<HoldRelease> releases = ledger.releases_of(hold);
  for (const Operation& operation : operations_of(hold, releases, captures)) {
    if (type && *type != operation.type) continue;
    if (keys.has_first_pair() ? operation_id_of(hold, operation) == *keys.operation_id
                              : operation.out_request_no == *keys.out_request_no)
      return operation;
  }
  return std::nullopt;
}

Reply no_such_operation() { return refused("AUTH_OPERATION_NOT_EXIST", "支付宝资金操作流水不存在"); }

// Methods that release an amount.

/// The sub_codes with which an unfreeze and a cancel report a refused release. A lost request has none.
struct ReleaseCodes {
  ReleaseRefusal refusal;
  std::string_view unfreeze;
  std::string_view cancel;
};
constexpr ReleaseCodes kReleaseCodes[] = {
    {ReleaseRefusal::context_inconsistent, "UNIQUE_VIOLATION", "UNIQUE_VIOLATION"},
    {ReleaseRefusal::release_exceeds_held, "REQUEST_AMOUNT_EXCEED", "REQUEST_AMOUNT_EXCEED"},
    {ReleaseRefusal::release_refused, "PAYER_USER_STATUS_LIMIT", "PAYER_USER_STATUS_LIMIT"},
    {ReleaseRefusal::release_refused_for_now, "REQUEST_AMOUNT_EXCEED", "CANCEL_OPERATION_TIME_OUT"},
};

// Releases an amount. Returns the response to send instead of a success, if there is one.
std::optional<Reply> released(Ledger& ledger, Hold& hold, HoldRelease request, std::string_view ReleaseCodes::* code) {
  const auto done = ledger.release(hold, std::move(request));
  if (done && is_release_answered(hold)) return std::nullopt;
  if (done) return refused("SYSTEM_ERROR", "系统错误");
  if (done.error() == ReleaseRefusal::not_held) return wrong_state(hold, &StateCodes::release);
  const auto* at = std::ranges::find(kReleaseCodes, done.error(), &ReleaseCodes::refusal);
  return at == std::end(kReleaseCodes) ? lost() : refused(at->*code, "解冻失败");
}

// Captures.

/// The sub_code of a refused capture. A lost request has none.
struct CaptureCode {
  CaptureRefusal refusal;
  std::string_view sub_code;
};
constexpr CaptureCode kCaptureCodes[] = {
    {CaptureRefusal::context_inconsistent, "ACQ.CONTEXT_INCONSISTENT"},
    {CaptureRefusal::capture_exceeds_held, "ACQ.AUTH_AMOUNT_NOT_ENOUGH"},
    {CaptureRefusal::capture_refused, "ACQ.AUTH_NO_ERROR"},
};

Reply capture_refused(const Hold& hold, CaptureRefusal refusal) {
  if (refusal == CaptureRefusal::not_held) return wrong_state(hold, &StateCodes::capture);
  if (refusal == CaptureRefusal::capture_not_now)
    return {.node = failure("40005", "isv.app-call-limited", "应用调用次数超限")};
  if (refusal == CaptureRefusal::capture_refused && hold.is_unfunded)
    return refused("ACQ.BUYER_BALANCE_NOT_ENOUGH", "买家余额不足");
  const auto* at = std::ranges::find(kCaptureCodes, refusal, &CaptureCode::refusal);
  return at == std::end(kCaptureCodes) ? lost() : refused(at->sub_code, "转支付失败");
}

struct CaptureOrder {
  CaptureRequest request;
  std::string auth_no;
  std::string product_code;
  std::string buyer;
  std::string notify_url;
};

CaptureOrder read_capture(BizFields& fields, const Params& params, const Application& app) {
  CaptureOrder order;
  order.request.out_trade_no = fields.text("out_trade_no");
  order.request.amount = fields.amount("total_amount");
  order.auth_no = fields.text("auth_no");
  order.product_code = fields.text("product_code");
  order.notify_url = address_of(fields, params, "notify_url");
  fields.text("subject");
  if (fields.text("seller_id") != app.seller_id) fields.blame("seller_id");
  for (const char* name : {"buyer_open_id", "buyer_id"})
    if (auto buyer = fields.optional_text(name)) order.buyer = std::move(*buyer);
  if (order.buyer.empty()) fields.blame("buyer_id");
  const auto mode = fields.optional_text(
      "auth_confirm_mode", [](std::string_view text) { return text == "COMPLETE" || text == "NOT_COMPLETE"; });
  order.request.is_final = mode == "COMPLETE";
  for (const char* name : {"scene", "auth_code"})  // only of payments by barcode
    if (fields.optional_text(name)) fields.blame(name);
  return order;
}

}  // namespace

Reply freeze(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"), kInvalid);
  const std::string auth_code = fields.text("auth_code");
  fields.text("auth_code_type", [](std::string_view text) { return text == "bar_code" || text == "security_code"; });
  const auto order = order_of(params, fields, kOffline, context, ledger.now());
  if (!order) return order.error();
  if (!is_auth_code(auth_code)) return refused("PAYMENT_AUTH_CODE_INVALID", "支付授权码无效");
  auto entry = take(ledger, *order);
  if (!entry) return entry.error();
  Hold& hold = *entry->hold;
  if (authorizes_instantly(*entry, scenario_of(hold))) {
    ledger.authorize(hold);
  } else if (hold.state != HoldState::waiting) {
    return wrong_state(hold, &StateCodes::freeze);
  }
  const bool is_waiting = hold.state == HoldState::waiting;
  Reply reply = reply_about(hold, freeze_of(hold), is_waiting ? pay_in_process() : success());
  reply.answer_after = entry->answer_after;
  return reply;
}

Reply create_voucher(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"), kInvalid);
  auto order = order_of(params, fields, kOffline, context, ledger.now());
  if (!order) return order.error();
  order->opened = is_opened_at_once(scenario_of(*order));
  const auto entry = take(ledger, *order);
  if (!entry) return entry.error();
  const Hold& hold = *entry->hold;
  if (hold.state != HoldState::waiting) return wrong_state(hold, &StateCodes::freeze);
  Reply reply{.node = success(), .answer_after = entry->answer_after};
  reply.node["out_order_no"] = hold.out_order_no;
  reply.node["out_request_no"] = hold.details;
  reply.node["code_type"] = "qrCode";
  reply.node["code_value"] = context.public_url + "/alipay/qr/" + hold.hold_no;
  return reply;
}

Reply open_freeze(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"), kInvalid);
  const auto order = order_of(params, fields, kOnline, context, ledger.now());
  if (!order) return order.error();
  const auto entry = take(ledger, *order);
  if (!entry) return entry.error();
  return {.node = {}, .wallet_no = entry->hold->hold_no, .answer_after = entry->answer_after};
}

Reply query_operation(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"), kInvalid);
  const Keys keys = read_keys(fields);
  const auto type = fields.optional_text("operation_type");
  if (fields.refusal()) return {.node = *fields.refusal()};
  const auto hold = seek(ledger, keys, context.account.app.channel);
  if (!hold) return hold.error();
  const std::optional<Operation> operation = find_operation(ledger, *hold, keys, type);
  if (!operation) return no_such_operation();
  Params totals = totals_of(*hold);
  totals.erase("total_unfreeze_amount");  // is only in notifications
  Reply reply = reply_about(*hold, *operation);
  add(reply.node, totals);
  reply.node["order_status"] = order_status_of(*hold);
  reply.node["order_title"] = hold->subject;
  return reply;
}

// Closes a waiting authorization, or releases all that is held. `action` of the response is `close` or `unfreeze`.
Reply cancel_freeze(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"), kInvalid);
  const Keys keys = read_keys(fields);
  const std::string notify_url = address_of(fields, params, "notify_url");
  fields.text("remark");
  if (fields.refusal()) return {.node = *fields.refusal()};
  auto hold = seek(ledger, keys, context.account.app.channel);
  if (!hold) return hold.error();
  const std::optional<Operation> operation = find_operation(ledger, *hold, keys, "FREEZE");
  if (!operation) return no_such_operation();

  hold->notify_url = notify_url;
  const bool was_waiting = hold->state == HoldState::waiting;
  close_for_merchant(ledger, *hold);
  const bool is_closed = was_waiting && hold->state == HoldState::closed;
  if (hold->state == HoldState::held) {
    if (hold->captured + hold->released > 0) return refused("REQUEST_AMOUNT_EXCEED", "已发生解冻或转支付");
    if (ledger.now() > *hold->authorized_at + kCancelledWithin)
      return refused("CANCEL_OPERATION_TIME_OUT", "撤销时间超过允许时间");
  }
  const HoldRelease request{.channel = hold->channel,
                            .out_request_no = cancel_number(*hold),
                            .hold_no = hold->hold_no,
                            .amount = hold->authorized};
  if (!is_closed)
    if (const auto failed = released(ledger, *hold, request, &ReleaseCodes::cancel)) return *failed;
  Reply reply = reply_about(*hold, freeze_of(*hold));
  reply.node["action"] = is_closed ? "close" : "unfreeze";
  return reply;
}

Reply unfreeze(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"), kInvalid);
  const std::string channel(context.account.app.channel);
  HoldRelease request{.channel = channel,
                      .out_request_no = fields.text("out_request_no", is_word),
                      .hold_no = fields.text("auth_no"),
                      .amount = fields.amount("amount")};
  const std::string notify_url = address_of(fields, params, "notify_url");
  fields.text("remark");
  if (fields.refusal()) return {.node = *fields.refusal()};
  auto hold = ledger.find_hold(request.hold_no);
  if (!is_of(hold, channel)) return refused("AUTH_ORDER_NOT_EXIST", "支付宝资金授权订单不存在");
  hold->notify_url = notify_url;
  if (const auto failed = released(ledger, *hold, request, &ReleaseCodes::unfreeze)) return *failed;
  const Keys keys{.auth_no = {}, .operation_id = {}, .out_order_no = {}, .out_request_no = request.out_request_no};
  const std::optional<Operation> operation = find_operation(ledger, *hold, keys, "UNFREEZE");
  FINALITY_CHECK(operation.has_value(), "an executed release is an operation");
  return reply_about(*hold, *operation);
}

Reply capture(Ledger& ledger, const Params& params, const GatewayContext& context) {
  const Application& app = context.account.app;
  BizFields fields(value_of(params, "biz_content"));
  const CaptureOrder order = read_capture(fields, params, app);
  const QueryOptions options(fields);
  if (fields.refusal()) return {.node = *fields.refusal()};
  auto hold = ledger.find_hold(order.auth_no);
  if (!is_of(hold, app.channel) || buyer_id(hold->payer) != order.buyer)
    return refused("ACQ.AUTH_NO_ERROR", "支付授权号错误");
  if (order.product_code != hold->product)
    return refused("ACQ.PRE_AUTH_PROD_CODE_INCONSISTENT", "产品码与资金授权订单不一致");
  const auto existing = ledger.find_trade(hold->channel, order.request.out_trade_no);
  hold->notify_url = order.notify_url;
  const auto trade = ledger.capture(*hold, order.request);
  if (!trade) return capture_refused(*hold, trade.error());
  if (existing) return refused("ACQ.TRADE_HAS_SUCCESS", "交易已被支付");
  if (!is_capture_answered(*hold)) return refused("ACQ.SYSTEM_ERROR", "系统错误");
  Reply reply{.node = success()};
  add_parties(reply.node, *trade);
  add_payment(reply.node, *trade);
  add_options(reply.node, options, *trade);
  reply.node["gmt_payment"] = china_time(*trade->paid_at);
  return reply;
}

}  // namespace finality::sandbox::alipay
