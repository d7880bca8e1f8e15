// Authorizations and captures of the sandbox's simple channel: requests without a signature, and the evidence in
// verified responses and notifications. Pure.
//
//   call            request below URL/NAME                       success                  refusals
//   send            POST authorizations                          {authorization, action}  400 invalid_parameter
//   query           GET  authorizations/OUT_ORDER_NO             {authorization}          404 authorization_not_exist
//   close           POST authorizations/OUT_ORDER_NO/close       {authorization}          409 with the authorization
//   release         POST authorizations/OUT_ORDER_NO/releases    {authorization}          409 not_held, release_…
//   send capture    POST authorizations/OUT_ORDER_NO/captures    {trade}                  409 not_held, capture_…
//   query capture   GET  captures/OUT_TRADE_NO                   {trade}                  404 capture_not_exist
//
// A capture is a trade of the channel, so evidence about it is read like that about a payment. The amount of a release
// is in the currency of the hold.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/net/http_message.h"
#include "base/result.h"
#include "channel/sandbox/reply.h"
#include "model/effect.h"
#include "model/evidence.h"
#include "model/policy.h"

namespace finality::sandbox_channel {

/// Values of the setting `captures`: the trade numbers that captures of one authorization have.
inline constexpr std::string_view kSeparateCaptures = "separate";  // each its own; refunds name a capture
inline constexpr std::string_view kSharedCaptures = "shared";      // that of the authorization; refunds name it

/// Name of the kind in [channels.NAME] and in the table of texts.
inline constexpr std::string_view kKind = "sandbox";

/// Returns a POST request with the body, whose texts are made to fit (channel/text_limits.h).
net::HttpRequest post(boost::json::object body);

/// The terms of a channel whose captures share the trade number of their authorization, or have their own.
AuthorizationTerms terms_of(bool shares_trade_no);

/// A request without its signature. `resource` begins with a slash and follows URL/NAME.
struct UnsignedRequest {
  std::string resource;
  net::HttpRequest http;
};

/// Return the request of a call. `notify_url`: where the sandbox reports the authorization and its captures.
UnsignedRequest request_of(const AuthorizationCall& call, std::string_view notify_url);
UnsignedRequest request_of(const CaptureCall& call);

/// Return the evidence in the response to a call; the caller sets `source` and `asked_at`. The evidence is `unknown` if
/// the response is malformed, about another object, or a refusal that proves nothing. `channel`: the channel's name.
AuthorizationEvidence evidence_of(const AuthorizationCall& call, const SignedReply& reply);
Evidence evidence_of(const CaptureCall& call, const SignedReply& reply, std::string_view channel);

struct ReportedAuthorization {
  std::string out_order_no;        // our number of the authorization
  AuthorizationEvidence evidence;  // the caller sets `source` and `asked_at`
};

/// Reads the member `authorization` of `body`. The error names the field that is missing, malformed or contradictory.
Result<ReportedAuthorization> read_authorization(const boost::json::object& body);

}  // namespace finality::sandbox_channel
