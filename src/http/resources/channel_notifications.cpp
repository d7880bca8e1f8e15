// Endpoints for notifications from channels: POST /notify/{channel} · POST /notify/{channel}/{merchant}
// A notification that fails verification changes nothing. The channel receives the acknowledgement only after the
// commit. A payment of an unknown number is booked in the books of the platform (docs/adr/0039-platform-books.md).
#include <fmt/format.h>

#include "base/log.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "model/out_trade_no.h"
#include "query/refusals.h"

namespace finality::http {
namespace {

/// Reason for rejecting a notification: the label `reason` of the metric (docs/reference/metrics.md).
enum class Reason : std::uint8_t { unverified, foreign_trade, foreign_refund, payment_gone, refund_gone, unavailable };
BOOST_DESCRIBE_ENUM(Reason, unverified, foreign_trade, foreign_refund, payment_gone, refund_gone, unavailable)

// Answers with the channel's negative acknowledgement, and increments the metric for the reason.
void refuse(Api& api, const HttpExchangePtr& exchange, const Channel& channel, int status, Reason reason) {
  api.metrics.notification_refused(channel.name(), std::string(name_of(reason)));
  exchange->answer(channel.negative_acknowledgement(status));
}

/// Evidence about a payment or refund that is not in the store, although its out_trade_no or out_refund_no has the
/// format of Finality.
struct LostEvidence {
  std::string_view kind;
  MerchantId merchant_id;
  std::string out_trade_no;
  std::string out_refund_no{};  // empty if the evidence is only about the payment
  std::optional<std::string> channel_trade_no{};
};

// Returns true if the store has the merchant of the out_trade_no, but not its payment. The payment was then archived
// with its order, or it was created after the backup from which the store was restored.
Result<bool> is_missing(Reader& reader, const OutTradeNo& number) {
  const auto order = reader.order_of(number.payment_id);
  if (!order) return std::unexpected(order.error());
  if (*order) return false;
  const auto merchant = reader.merchant(number.merchant_id);
  if (!merchant) return std::unexpected(merchant.error());
  return merchant->has_value();
}

// Returns the archived order of the trade, or empty.
std::optional<ArchivedOrder> archived_order_of(Reader& reader, const Channel& channel, const LostEvidence& lost) {
  if (!lost.channel_trade_no) return std::nullopt;
  const auto found = archived_order_of_trade(reader, lost.merchant_id, channel.name(), *lost.channel_trade_no);
  return found ? *found : std::nullopt;
}

// Logs an error for evidence that cannot be booked, because money may have moved at the channel. The channel repeats
// its notification, and the engine books the evidence after an operator has restored the order.
void log_lost(Reader& reader, const Channel& channel, const LostEvidence& lost) {
  const auto trade = parse_out_trade_no(lost.out_trade_no);
  const std::string payment = trade ? to_text(trade->payment_id) : "unknown";
  const std::string command = "finality unarchive --store URL --from DIRECTORY";
  const auto order = archived_order_of(reader, channel, lost);
  log::error(order ? "evidence refused: its order is archived" : "evidence refused: its payment is not in the store",
             {{"channel", channel.name()},
              {"evidence", lost.kind},
              {"merchant", to_text(lost.merchant_id)},
              {"payment", payment},
              {"out_refund_no", lost.out_refund_no.empty() ? "-" : lost.out_refund_no},
              {"order", order ? to_text(order->id) : "unknown"},
              {"archive", order ? order->archive : "unknown"},
              {"restore_with", command + (order ? " --order " + to_text(order->id) : " --payment " + payment)}});
}

void refuse_missing(Api& api, const HttpExchangePtr& exchange, const Channel& channel, const LostEvidence& lost) {
  read_then(api, exchange, [&api, exchange, &channel, lost](Reader& reader) {
    const Result<bool> missing = is_missing(reader, *parse_out_trade_no(lost.out_trade_no));
    if (!missing) return refuse(api, exchange, channel, 503, Reason::unavailable);
    if (!*missing) return refuse(api, exchange, channel, 404, Reason::foreign_trade);
    log_lost(reader, channel, lost);
    refuse(api, exchange, channel, 404, Reason::payment_gone);
  });
}

// Returns true if the store has a refund or reversal with this id. Objects of different types never have equal ids.
Result<bool> is_refund(Reader& reader, std::int64_t id) {
  const auto refund = reader.order_of(RefundId{id});
  if (!refund) return std::unexpected(refund.error());
  if (*refund) return true;
  const auto reversal = reader.order_of(ReversalId{id});
  if (!reversal) return std::unexpected(reversal.error());
  return reversal->has_value();
}

// Rejects a notification about a refund that the engine did not find: the refund is archived, or Finality did not
// request it.
void refuse_missing_refund(Api& api, const HttpExchangePtr& exchange, const Channel& channel,
                           const LostEvidence& lost) {
  const auto number = parse_out_refund_no(lost.out_refund_no);
  if (!number) return refuse(api, exchange, channel, 404, Reason::foreign_refund);
  read_then(api, exchange, [&api, exchange, &channel, lost, number](Reader& reader) {
    const Result<bool> present = is_refund(reader, number->object);
    const auto merchant = reader.merchant(number->merchant_id);
    if (!present || !merchant) return refuse(api, exchange, channel, 503, Reason::unavailable);
    if (*present || !*merchant) return refuse(api, exchange, channel, 404, Reason::foreign_refund);
    log_lost(reader, channel, lost);
    refuse(api, exchange, channel, 404, Reason::refund_gone);
  });
}

/// Request for a command about a notification, without its reply function.
Request request_of(const HttpExchangePtr& exchange, const Notification& notification, Command command,
                   MerchantId merchant) {
  ReceivedNotification received{exchange->request_id(), notification.out_trade_no};
  if (notification.refund) received.out_refund_no = notification.refund->out_refund_no;
  Request request{};
  request.command = std::move(command);
  request.merchant_id = merchant;
  request.cause = {.kind = CauseKind::notification, .trigger = std::move(received)};
  request.request_id = exchange->request_id();
  return request;
}

// Books the payment of an unknown number in the books of the platform, and acknowledges its notification after the
// commit. Calls `refuse_not_booked` if the evidence is not about such a payment, or if its receipt is archived.
void record_unknown_receipt(Api& api, const HttpExchangePtr& exchange, const Channel& channel,
                            const Notification& notification, std::function<void()> refuse_not_booked) {
  if (!is_unknown_receipt(notification.evidence)) return refuse_not_booked();
  Request request =
      request_of(exchange, notification,
                 RecordUnknownReceipt{channel.name(), notification.out_trade_no, notification.evidence}, kPlatform);
  request.reply = [&api, exchange, &channel, refuse_not_booked = std::move(refuse_not_booked)](const Reply& reply) {
    if (reply.status < 400) return exchange->answer(channel.acknowledgement());
    if (reply.status == 404) return refuse_not_booked();
    refuse(api, exchange, channel, 503, Reason::unavailable);
  };
  exchange->drop_body();
  api.services.engine.submit(std::move(request));
}

// Returns true if the path contains the id of a merchant other than `merchant`.
bool names_another(const HttpExchange& exchange, MerchantId merchant) {
  const std::string_view named = exchange.parameter(1);
  return !named.empty() && parse_id<MerchantId>(named) != merchant;
}

// Rejects evidence about a payment that the store has over another channel.
void refuse_other_channel(Api& api, const HttpExchangePtr& exchange, const Channel& channel, PaymentId payment) {
  log::error("evidence refused: its payment is over another channel",
             {{"channel", channel.name()}, {"payment", to_text(payment)}});
  refuse(api, exchange, channel, 404, Reason::foreign_trade);
}

// Books evidence that the engine refused with `not_found` as an unknown receipt, if the store does not have the payment
// of its number. `missing` answers for evidence that cannot be booked.
void record_missing(Api& api, const HttpExchangePtr& exchange, const Channel& channel, const Notification& notification,
                    const LostEvidence& lost, decltype(&refuse_missing) missing) {
  if (!is_unknown_receipt(notification.evidence)) return missing(api, exchange, channel, lost);
  const PaymentId payment = parse_out_trade_no(notification.out_trade_no)->payment_id;
  read_then(api, exchange, [&api, exchange, &channel, notification, lost, missing, payment](Reader& reader) {
    const auto order = reader.order_of(payment);
    if (!order) return refuse(api, exchange, channel, 503, Reason::unavailable);
    if (*order) return refuse_other_channel(api, exchange, channel, payment);
    record_unknown_receipt(api, exchange, channel, notification,
                           [&api, exchange, &channel, lost, missing] { missing(api, exchange, channel, lost); });
  });
}

/// The command of a notification, and what is needed to answer the notification if the engine does not find its
/// payment or refund.
struct Submitted {
  Notification notification;
  Command command;
  LostEvidence lost;
  decltype(&refuse_missing) missing;
  bool is_repeated = false;  // submitted again after its order was restored
};

void submit_evidence(Api& api, const HttpExchangePtr& exchange, const Channel& channel, Submitted submitted);

// Restores the order of the evidence if it is archived, and submits the evidence again. Evidence about another order,
// or about one that cannot be restored, is recorded as missing: the log then has the command for operators.
void restore_or_record_missing(Api& api, const HttpExchangePtr& exchange, const Channel& channel, Submitted submitted) {
  const auto record = [&api, exchange, &channel](const Submitted& one) {
    record_missing(api, exchange, channel, one.notification, one.lost, one.missing);
  };
  OrderRestorer* restorer = api.services.restorer;
  if (restorer == nullptr || submitted.is_repeated || !submitted.lost.channel_trade_no) return record(submitted);
  read_then(api, exchange,
            [&api, exchange, &channel, restorer, record, submitted = std::move(submitted)](Reader& reader) mutable {
              auto order = archived_order_of(reader, channel, submitted.lost);
              if (!order) return record(submitted);
              submitted.is_repeated = true;
              restorer->restore(*std::move(order), [&api, exchange, &channel, record, submitted = std::move(submitted)](
                                                       const Result<void>& restored) mutable {
                if (!restored) return record(submitted);
                submit_evidence(api, exchange, channel, std::move(submitted));
              });
            });
}

// Submits the command of a notification, and acknowledges the notification after the commit. If the engine does not
// find the payment or refund of the evidence, restores its order from the archive; otherwise books a payment as an
// unknown receipt; `missing` answers for other evidence.
void submit_evidence(Api& api, const HttpExchangePtr& exchange, const Channel& channel, Submitted submitted) {
  Request request = request_of(exchange, submitted.notification, submitted.command, submitted.lost.merchant_id);
  request.reply = [&api, exchange, &channel, submitted = std::move(submitted)](const Reply& reply) mutable {
    if (reply.status < 400) return exchange->answer(channel.acknowledgement());
    if (reply.status == 404) return restore_or_record_missing(api, exchange, channel, std::move(submitted));
    refuse(api, exchange, channel, 503, Reason::unavailable);
  };
  exchange->drop_body();
  api.services.engine.submit(std::move(request));
}

// Submits the evidence of a verified notification: RecordEvidence about a payment, RecordRefundNotice about a refund.
void record_notification(Api& api, const HttpExchangePtr& exchange, const Channel& channel,
                         const Notification& notification) {
  const auto number = parse_out_trade_no(notification.out_trade_no);
  const auto refuse_foreign = [&api, exchange, &channel] {
    refuse(api, exchange, channel, 404, Reason::foreign_trade);
  };
  if (!number) return record_unknown_receipt(api, exchange, channel, notification, refuse_foreign);
  if (names_another(*exchange, number->merchant_id)) return refuse_foreign();

  const Evidence& evidence = notification.evidence;
  LostEvidence lost{.kind = name_of(evidence.kind),
                    .merchant_id = number->merchant_id,
                    .out_trade_no = notification.out_trade_no,
                    .channel_trade_no = evidence.channel_trade_no};
  RecordEvidence payment{number->merchant_id, number->payment_id, channel.name(), notification.out_trade_no, evidence};
  if (!notification.refund)
    return submit_evidence(api, exchange, channel, {notification, std::move(payment), std::move(lost), refuse_missing});
  const auto& [out_refund_no, refund] = *notification.refund;
  lost.out_refund_no = out_refund_no;
  const auto missing = evidence.refund ? refuse_missing : refuse_missing_refund;
  if (!evidence.refund) lost.kind = name_of(refund.kind);
  submit_evidence(
      api, exchange, channel,
      {notification, RecordRefundNotice{std::move(payment), out_refund_no, refund}, std::move(lost), missing});
}

void take_notification(Api& api, const HttpExchangePtr& exchange) {
  const Channel* channel = find_channel(api.services.channels, exchange->parameter(0));
  if (channel == nullptr) {
    api.metrics.notification_refused("_OTHER", "unknown_channel");
    return exchange->refuse(query::no_such("channel"));
  }
  const Result<Notification> verified = channel->verify(exchange->request(), api.services.clock.now());
  if (!verified) return refuse(api, exchange, *channel, 401, Reason::unverified);
  record_notification(api, exchange, *channel, *verified);
}

}  // namespace

void add_notify(Api& api) {
  for (const auto& channel : api.services.channels)
    for (std::size_t i = 0; i < kCount<Reason>; ++i)
      api.metrics.show_refusals(channel->name(), std::string(name_of(static_cast<Reason>(i))));
  api.metrics.show_refusals("_OTHER", "unknown_channel");
  add_route(api, "POST", "/notify/{channel}", Access::open, Role::viewer, take_notification);
  add_route(api, "POST", "/notify/{channel}/{merchant}", Access::open, Role::viewer, take_notification);
}

}  // namespace finality::http
