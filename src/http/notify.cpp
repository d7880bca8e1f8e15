// POST /notify/{channel} and /notify/{channel}/{merchant}: what channels tell us. Nothing that is not verified changes
// anything, and a channel hears "received" only after the commit.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "http/call.h"
#include "http/problem.h"
#include "http/resources.h"
#include "model/out_trade_no.h"

namespace finality::http {
namespace {

// Refuses in the channel's own words, and counts why.
void refuse(Api& api, const ExchangePtr& exchange, const Channel& channel, int status, std::string_view reason) {
  api.metrics.notification_refused(channel.name(), std::string(reason));
  exchange->answer(channel.negative_acknowledgement(status));
}

// How the word came; what it says is added where it is decided upon.
std::string detail_of(const Exchange& exchange, const Notification& notification) {
  return boost::json::serialize(
      boost::json::object{{"request_id", exchange.request_id()}, {"out_trade_no", notification.out_trade_no}});
}

void answer_channel(Api& api, const ExchangePtr& exchange, const Channel& channel, const Reply& reply) {
  if (reply.status < 400) return exchange->answer(channel.acknowledgement());
  if (reply.status == 404) return refuse(api, exchange, channel, 404, "foreign_trade");
  refuse(api, exchange, channel, 503, "unavailable");
}

void take_notification(Api& api, const ExchangePtr& exchange) {
  const Channel* channel = find_channel(api.services.channels, exchange->parameter(0));
  if (channel == nullptr) {
    api.metrics.notification_refused("_OTHER", "unknown_channel");
    return exchange->refuse(no_such("channel"));
  }
  const Result<Notification> verified = channel->verify(exchange->request(), api.services.clock.now());
  if (!verified) return refuse(api, exchange, *channel, 401, "unverified");
  const auto number = parse_out_trade_no(verified->out_trade_no);
  const std::string_view named = exchange->parameter(1);
  if (!number || (!named.empty() && parse_id<MerchantId>(named) != number->merchant_id))
    return refuse(api, exchange, *channel, 404, "foreign_trade");

  Request request{};
  request.command = RecordEvidence{number->merchant_id, number->payment_id, channel->name(), verified->out_trade_no,
                                   verified->evidence};
  request.merchant_id = number->merchant_id;
  request.cause = {CauseKind::notification, detail_of(*exchange, *verified)};
  request.request_id = exchange->request_id();
  request.reply = [&api, exchange, channel](const Reply& reply) { answer_channel(api, exchange, *channel, reply); };
  exchange->drop_body();
  api.services.engine.submit(std::move(request));
}

}  // namespace

void add_notify(Api& api) {
  add_route(api, "POST", "/notify/{channel}", Access::open, Role::viewer, take_notification);
  add_route(api, "POST", "/notify/{channel}/{merchant}", Access::open, Role::viewer, take_notification);
}

}  // namespace finality::http
