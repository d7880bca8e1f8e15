// Endpoints for notifications from channels: POST /notify/{channel} · POST /notify/{channel}/{merchant}
// A notification that fails verification changes nothing. The channel receives the acknowledgement only after the
// commit. A payment or capture of an unknown number is booked in the books of the platform
// (docs/adr/0039-platform-books.md).
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

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

/// The objects that a number of Finality names.
struct Named {
  MerchantId merchant_id;
  ObjectRef object;  // the payment; or the order whose authorization or capture has the number
};

std::optional<Named> parse_number(std::string_view out_trade_no) {
  if (const auto number = parse_out_trade_no(out_trade_no)) return Named{number->merchant_id, number->payment_id};
  if (const auto number = parse_ordinal_no(out_trade_no)) return Named{number->merchant_id, number->order_id};
  return std::nullopt;
}

/// Evidence about a payment, authorization, capture or refund that is not in the store, although its number has the
/// format of Finality.
struct LostEvidence {
  std::string_view kind;
  Named named;
  std::string out_trade_no;
  std::string out_refund_no{};  // empty if the evidence is only about the payment
  std::optional<std::string> channel_trade_no{};
};

// Returns the order that contains the named object; empty if it is not in the store.
Result<std::optional<OrderAggregate>> find_order(Reader& reader, ObjectRef object) {
  if (object.type == ObjectType::order) return reader.order(OrderId{object.value});
  const auto order = reader.order_of(object);
  if (!order) return std::unexpected(order.error());
  return *order ? reader.order(**order) : std::optional<OrderAggregate>();
}

// Returns true if the store has the merchant of the number, but not its object. It was then archived with its order, or
// it was created after the backup from which the store was restored.
Result<bool> is_missing(Reader& reader, const Named& named) {
  const auto order = find_order(reader, named.object);
  if (!order) return std::unexpected(order.error());
  if (*order) return false;
  const auto merchant = reader.merchant(named.merchant_id);
  if (!merchant) return std::unexpected(merchant.error());
  return merchant->has_value();
}

// Returns the archived order of the evidence, or empty. The number of a payment does not contain its order, which is
// therefore found by the trade.
std::optional<ArchivedOrder> archived_order_of(Reader& reader, const Channel& channel, const LostEvidence& lost) {
  const auto& [merchant, object] = lost.named;
  Result<std::optional<ArchivedOrder>> found = std::nullopt;
  if (object.type == ObjectType::order)
    found = reader.archived_order(OrderId{object.value});
  else if (lost.channel_trade_no)
    found = archived_order_of_trade(reader, merchant, channel.name(), *lost.channel_trade_no);
  return found && *found && (*found)->merchant_id == merchant ? *found : std::nullopt;
}

// Logs an error for evidence that cannot be booked, because money may have moved at the channel. The channel repeats
// its notification, and the engine books the evidence after an operator has restored the order.
void log_lost(Reader& reader, const Channel& channel, const LostEvidence& lost) {
  const std::string named = to_text(lost.named.object);
  const std::string command = "finality unarchive --store URL --from DIRECTORY";
  const auto order = archived_order_of(reader, channel, lost);
  const bool is_order = lost.named.object.type == ObjectType::order;
  const std::string option = order      ? " --order " + to_text(order->id)
                             : is_order ? " --order " + named
                                        : " --payment " + named;
  log::error(order      ? "evidence refused: its order is archived"
             : is_order ? "evidence refused: its order is not in the store"
                        : "evidence refused: its payment is not in the store",
             {{"channel", channel.name()},
              {"evidence", lost.kind},
              {"merchant", to_text(lost.named.merchant_id)},
              {"payment", is_order ? "-" : named},
              {"out_trade_no", lost.out_trade_no},
              {"out_refund_no", lost.out_refund_no.empty() ? "-" : lost.out_refund_no},
              {"order", order      ? to_text(order->id)
                        : is_order ? named
                                   : "unknown"},
              {"archive", order ? order->archive : "unknown"},
              {"restore_with", command + option}});
}

void refuse_missing(Api& api, const HttpExchangePtr& exchange, const Channel& channel, const LostEvidence& lost) {
  read_then(api, exchange, [&api, exchange, &channel, lost](Reader& reader) {
    const ReadScope own_rows(reader, lost.named.merchant_id);
    const Result<bool> missing = is_missing(reader, lost.named);
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
    const ReadScope own_rows(reader, number->merchant_id);
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

// Rejects evidence about a payment, authorization or capture that the store has over another channel.
void refuse_other_channel(Api& api, const HttpExchangePtr& exchange, const Channel& channel, const LostEvidence& lost) {
  log::error(
      "evidence refused: its payment is over another channel",
      {{"channel", channel.name()}, {"payment", to_text(lost.named.object)}, {"out_trade_no", lost.out_trade_no}});
  refuse(api, exchange, channel, 404, Reason::foreign_trade);
}

template <class Row>
bool has_number(const std::vector<Row>& rows, std::string_view out_trade_no) {
  return std::ranges::find(rows, out_trade_no, &Row::out_trade_no) != rows.end();
}

// Whether the order has the payment, authorization or capture of the number. REQUIRES: the order contains the object.
bool has_object(const OrderAggregate& order, const LostEvidence& lost) {
  return lost.named.object.type == ObjectType::payment || has_number(order.authorizations, lost.out_trade_no) ||
         has_number(order.captures, lost.out_trade_no);
}

// Books evidence that the engine refused with `not_found` as an unknown receipt, if the store does not have the payment
// or capture of its number. `missing` answers for evidence that cannot be booked.
void record_missing(Api& api, const HttpExchangePtr& exchange, const Channel& channel, const Notification& notification,
                    const LostEvidence& lost, decltype(&refuse_missing) missing) {
  if (!is_unknown_receipt(notification.evidence)) return missing(api, exchange, channel, lost);
  read_then(api, exchange, [&api, exchange, &channel, notification, lost, missing](Reader& reader) {
    const ReadScope own_rows(reader, lost.named.merchant_id);
    const auto order = find_order(reader, lost.named.object);
    if (!order) return refuse(api, exchange, channel, 503, Reason::unavailable);
    if (*order && has_object(**order, lost)) return refuse_other_channel(api, exchange, channel, lost);
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
  if (restorer == nullptr || submitted.is_repeated) return record(submitted);
  read_then(api, exchange,
            [&api, exchange, &channel, restorer, record, submitted = std::move(submitted)](Reader& reader) mutable {
              const ReadScope own_rows(reader, submitted.lost.named.merchant_id);
              auto order = archived_order_of(reader, channel, submitted.lost);
              if (!order) return record(submitted);
              submitted.is_repeated = true;
              restorer->restore(*std::move(order), [&api, exchange, &channel, record, submitted = std::move(submitted)](
                                                       const Restored& restored) mutable {
                if (!restored) return record(submitted);
                submit_evidence(api, exchange, channel, std::move(submitted));
              });
            });
}

// Submits the command of a notification, and acknowledges the notification after the commit. If the engine does not
// find the payment or refund of the evidence, restores its order from the archive; otherwise books a payment as an
// unknown receipt; `missing` answers for other evidence.
void submit_evidence(Api& api, const HttpExchangePtr& exchange, const Channel& channel, Submitted submitted) {
  Request request = request_of(exchange, submitted.notification, submitted.command, submitted.lost.named.merchant_id);
  request.reply = [&api, exchange, &channel, submitted = std::move(submitted)](const Reply& reply) mutable {
    if (reply.status < 400) return exchange->answer(channel.acknowledgement());
    if (reply.status == 404) return restore_or_record_missing(api, exchange, channel, std::move(submitted));
    refuse(api, exchange, channel, 503, Reason::unavailable);
  };
  exchange->drop_body();
  api.services.engine.submit(std::move(request));
}

using RecordTrade = std::variant<RecordEvidence, RecordCapture>;

// Returns the command for evidence about a payment, or about the capture of an order.
RecordTrade record_of(const Named& named, const Channel& channel, const Notification& notification) {
  const auto& [merchant, object] = named;
  const std::string& number = notification.out_trade_no;
  if (object.type == ObjectType::payment)
    return RecordEvidence{merchant, PaymentId{object.value}, channel.name(), number, notification.evidence};
  return RecordCapture{merchant, OrderId{object.value}, channel.name(), number, notification.evidence};
}

// Submits evidence about an authorization. There is no unknown receipt to book for it: nothing was collected.
void record_authorization(Api& api, const HttpExchangePtr& exchange, const Channel& channel,
                          const Notification& notification, LostEvidence lost) {
  const auto number = parse_out_authorization_no(notification.out_trade_no);
  if (!number) return refuse(api, exchange, channel, 404, Reason::foreign_trade);
  lost.kind = name_of(notification.authorization->kind);
  lost.channel_trade_no = notification.authorization->channel_trade_no;
  submit_evidence(api, exchange, channel,
                  {notification,
                   RecordAuthorization{number->merchant_id, number->order_id, channel.name(), notification.out_trade_no,
                                       *notification.authorization},
                   std::move(lost), refuse_missing});
}

// Submits evidence about a payment or capture, or about a refund of it.
void record_trade(Api& api, const HttpExchangePtr& exchange, const Channel& channel, const Notification& notification,
                  LostEvidence lost) {
  RecordTrade trade = record_of(lost.named, channel, notification);
  if (!notification.refund) {
    Command command = std::visit([](auto& one) { return Command(std::move(one)); }, trade);
    return submit_evidence(api, exchange, channel, {notification, std::move(command), std::move(lost), refuse_missing});
  }
  const auto& [out_refund_no, refund] = *notification.refund;
  lost.out_refund_no = out_refund_no;
  const bool is_external = notification.evidence.refund.has_value();
  if (!is_external) lost.kind = name_of(refund.kind);
  submit_evidence(api, exchange, channel,
                  {notification, RecordRefundNotice{std::move(trade), out_refund_no, refund}, std::move(lost),
                   is_external ? refuse_missing : refuse_missing_refund});
}

// Submits the evidence of a verified notification: RecordAuthorization about an authorization, RecordEvidence about a
// payment, RecordCapture about a capture, RecordRefundNotice about a refund.
void record_notification(Api& api, const HttpExchangePtr& exchange, const Channel& channel,
                         const Notification& notification) {
  const auto named = parse_number(notification.out_trade_no);
  const auto refuse_foreign = [&api, exchange, &channel] {
    refuse(api, exchange, channel, 404, Reason::foreign_trade);
  };
  if (!named) return record_unknown_receipt(api, exchange, channel, notification, refuse_foreign);
  if (names_another(*exchange, named->merchant_id)) return refuse_foreign();
  const Evidence& evidence = notification.evidence;
  LostEvidence lost{.kind = name_of(evidence.kind),
                    .named = *named,
                    .out_trade_no = notification.out_trade_no,
                    .channel_trade_no = evidence.channel_trade_no};
  if (notification.authorization) return record_authorization(api, exchange, channel, notification, std::move(lost));
  record_trade(api, exchange, channel, notification, std::move(lost));
}

void take_notification(Api& api, const HttpExchangePtr& exchange) {
  const Channel* channel = find_channel(api.services.channels, exchange->parameter(0));
  if (channel == nullptr) {
    api.metrics.notification_refused("_OTHER", "unknown_channel");
    return exchange->refuse(query::no_such("channel"));
  }
  const Result<Notification> verified = channel->verify(exchange->request(), api.services.clock.now());
  if (!verified) return refuse(api, exchange, *channel, 401, Reason::unverified);
  if (verified->is_ignored) return exchange->answer(channel->acknowledgement());
  record_notification(api, exchange, *channel, *verified);
}

}  // namespace

void add_notify(Api& api) {
  for (const auto& channel : api.services.channels)
    for (std::size_t i = 0; i < kCount<Reason>; ++i)
      api.metrics.show_refusals(channel->name(), std::string(name_of(static_cast<Reason>(i))));
  api.metrics.show_refusals("_OTHER", "unknown_channel");
  for (const char* path : {"/notify/{channel}", "/notify/{channel}/{merchant}"})
    add_route(api, "POST", path, Access::open, Role::viewer, take_notification, {.traffic = Traffic::notifications});
}

}  // namespace finality::http
