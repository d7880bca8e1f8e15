// POST /notify/{channel} and /notify/{channel}/{merchant}: what channels tell us. Nothing that is not verified changes
// anything, and a channel hears "received" only after the commit.
#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "engine/log.h"
#include "http/call.h"
#include "http/problem.h"
#include "http/refund_notice.h"
#include "http/resources.h"
#include "model/natural_key.h"
#include "model/out_trade_no.h"

namespace finality::http {
namespace {

/// Why a notification changed nothing: the metric's reasons (docs/reference/metrics.md).
enum class Reason : std::uint8_t { unverified, foreign_trade, foreign_refund, payment_gone, refund_gone, unavailable };
BOOST_DESCRIBE_ENUM(Reason, unverified, foreign_trade, foreign_refund, payment_gone, refund_gone, unavailable)

// Refuses in the channel's own words, and counts why.
void refuse(Api& api, const ExchangePtr& exchange, const Channel& channel, int status, Reason reason) {
  api.metrics.notification_refused(channel.name(), std::string(name_of(reason)));
  exchange->answer(channel.negative_acknowledgement(status));
}

// How the word came; what it says is added where it is decided upon.
std::string detail_of(const Exchange& exchange, const Notification& notification) {
  boost::json::object detail{{"request_id", exchange.request_id()}, {"out_trade_no", notification.out_trade_no}};
  if (notification.refund) detail["out_refund_no"] = notification.refund->out_refund_no;
  return boost::json::serialize(detail);
}

/// A channel's word, for as long as nobody knows what it is about.
struct Word {
  OutTradeNo number;
  Evidence evidence;
};

// Whether the payment must have been ours: our merchant's, and not there any more. It was archived with its order, or
// lost with what a backup did not have.
Result<bool> is_missing(Reader& reader, const OutTradeNo& number) {
  const auto order = reader.order_of(number.payment_id);
  if (!order) return std::unexpected(order.error());
  if (*order) return false;
  const auto merchant = reader.merchant(number.merchant_id);
  if (!merchant) return std::unexpected(merchant.error());
  return merchant->has_value();
}

// Where the order went, as far as the trade's number still tells.
std::string archive_of(Reader& reader, const Channel& channel, const Word& word) {
  if (!word.evidence.channel_trade_no) return "";
  const auto id =
      reader.named(key_of_receipt(word.number.merchant_id, channel.name(), *word.evidence.channel_trade_no));
  const auto archived = id ? reader.archived_order(OrderId{*id}) : std::unexpected(id.error());
  if (!archived || !*archived) return "";
  return fmt::format("; {} is in the archive {}", to_text((*archived)->id), (*archived)->archive);
}

// Somebody has to look into it: the channel may have moved money for what is not here any more.
void refuse_missing(Api& api, const ExchangePtr& exchange, const Channel& channel, const Word& word) {
  read_then(api, exchange, [&api, exchange, &channel, word](Reader& reader) {
    const Result<bool> missing = is_missing(reader, word.number);
    if (!missing) return refuse(api, exchange, channel, 503, Reason::unavailable);
    if (!*missing) return refuse(api, exchange, channel, 404, Reason::foreign_trade);
    spdlog::error("{} says {} of {} of {}, which is not here (any more){}: not acknowledged", channel.name(),
                  name_of(word.evidence.kind), to_text(word.number.payment_id), to_text(word.number.merchant_id),
                  archive_of(reader, channel, word));
    refuse(api, exchange, channel, 404, Reason::payment_gone);
  });
}

void answer_channel(Api& api, const ExchangePtr& exchange, const Channel& channel, const Word& word,
                    const Reply& reply) {
  if (reply.status < 400) return exchange->answer(channel.acknowledgement());
  if (reply.status == 404) return refuse_missing(api, exchange, channel, word);
  refuse(api, exchange, channel, 503, Reason::unavailable);
}

Request request_of(const Exchange& exchange, const Notification& notification) {
  Request request{};
  request.cause = {CauseKind::notification, detail_of(exchange, notification)};
  request.request_id = exchange.request_id();
  return request;
}

// The word about the payment itself.
void tell_of_payment(Api& api, const ExchangePtr& exchange, const Channel& channel, const Notification& notification) {
  const auto number = parse_out_trade_no(notification.out_trade_no);
  const std::string_view named = exchange->parameter(1);
  if (!number || (!named.empty() && parse_id<MerchantId>(named) != number->merchant_id))
    return refuse(api, exchange, channel, 404, Reason::foreign_trade);

  Request request = request_of(*exchange, notification);
  request.command = RecordEvidence{number->merchant_id, number->payment_id, channel.name(), notification.out_trade_no,
                                   notification.evidence};
  request.merchant_id = number->merchant_id;
  request.reply = [&api, exchange, &channel, word = Word{*number, notification.evidence}](const Reply& reply) {
    answer_channel(api, exchange, channel, word, reply);
  };
  exchange->drop_body();
  api.services.engine.submit(std::move(request));
}

void submit_refund(Api& api, const ExchangePtr& exchange, const Channel& channel, const Notification& notification,
                   RecordRefund command) {
  const std::string_view named = exchange->parameter(1);
  if (!named.empty() && parse_id<MerchantId>(named) != command.merchant_id)
    return refuse(api, exchange, channel, 404, Reason::foreign_trade);
  Request request = request_of(*exchange, notification);
  request.merchant_id = command.merchant_id;
  request.command = std::move(command);
  request.reply = [&api, exchange, &channel](const Reply& reply) {
    if (reply.status < 400) return exchange->answer(channel.acknowledgement());
    refuse(api, exchange, channel, reply.status == 404 ? 404 : 503,
           reply.status == 404 ? Reason::refund_gone : Reason::unavailable);
  };
  exchange->drop_body();
  api.services.engine.submit(std::move(request));
}

// What is said about a refund. One that was not requested here says something about the payment.
void tell_of_refund(Api& api, const ExchangePtr& exchange, const Channel& channel, const Notification& notification) {
  read_then(api, exchange, [&api, exchange, &channel, notification](Reader& reader) {
    auto command = read_refund_notice(reader, channel.name(), notification);
    if (command) return submit_refund(api, exchange, channel, notification, std::move(*command));
    if (command.error() == NoSuchRefund::unreadable) return refuse(api, exchange, channel, 503, Reason::unavailable);
    if (notification.evidence.refund) return tell_of_payment(api, exchange, channel, notification);
    refuse(api, exchange, channel, 404, Reason::foreign_refund);
  });
}

void take_notification(Api& api, const ExchangePtr& exchange) {
  const Channel* channel = find_channel(api.services.channels, exchange->parameter(0));
  if (channel == nullptr) {
    api.metrics.notification_refused("_OTHER", "unknown_channel");
    return exchange->refuse(no_such("channel"));
  }
  const Result<Notification> verified = channel->verify(exchange->request(), api.services.clock.now());
  if (!verified) return refuse(api, exchange, *channel, 401, Reason::unverified);
  if (verified->refund) return tell_of_refund(api, exchange, *channel, *verified);
  tell_of_payment(api, exchange, *channel, *verified);
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
