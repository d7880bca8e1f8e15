// Adapter for the sandbox's simple channel: JSON over HTTP, signed with a shared secret. The sandbox runs several such
// channels; each is an instance of this adapter with its own name.
//
//   send    POST URL/NAME/trades                      200 {trade, action}   400 invalid_parameter   failed
//   query   GET  URL/NAME/trades/OUT_TRADE_NO         200 {trade}           404 trade_not_exist     not_found
//   close   POST URL/NAME/trades/OUT_TRADE_NO/close   200 {trade}           409 {code, trade}       already ended
//                                                                           404 trade_not_exist     not_found
//
// Every response is signed, refusals included. An unsigned response, and any response that is not in this table, is
// `unknown`: only a listed response can end a payment.
#pragma once

#include <memory>
#include <string>

#include "base/secret.h"
#include "channel/channel.h"
#include "channel/refunds.h"
#include "channel/replaceable_keys.h"

namespace finality {

struct SandboxOptions {
  std::string name;        // sandbox, sandbox2, …
  std::string url;         // http://127.0.0.1:8090
  Secret secret;           // shared with the sandbox
  std::string public_url;  // URL at which the sandbox reaches this server
};

class SandboxChannel : public Channel, public Refunds, public ReplaceableKeys {
 public:
  using Channel::evidence_of;
  using Channel::request_of;
  using Refunds::evidence_of;
  using Refunds::request_of;
};

/// REQUIRES: both URLs are http or https, without a query; a trailing slash is ignored.
std::unique_ptr<SandboxChannel> make_sandbox_channel(SandboxOptions options);

}  // namespace finality
