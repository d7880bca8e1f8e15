// Adapter for the simple channel of `finality sandbox`: JSON over HTTP, signed with a shared secret. The sandbox runs
// several simple channels with different names; this server has one adapter object per name.
//
//   call    request                                   success               refusal                 evidence of refusal
//   send    POST URL/NAME/trades                      200 {trade, action}   400 invalid_parameter   failed
//   query   GET  URL/NAME/trades/OUT_TRADE_NO         200 {trade}           404 trade_not_exist     not_found
//   close   POST URL/NAME/trades/OUT_TRADE_NO/close   200 {trade}           409 {code, trade}       state of the trade
//                                                                           404 trade_not_exist     not_found
//
//   statement   GET URL/NAME/statements?kind=KIND&date=DATE   200, the file   404 no_statement, statement_not_ready
//
// channel/sandbox/authorization.h lists the calls of authorizations and captures.
//
// The sandbox signs every response, refusals included. The evidence about a payment is `unknown` for an unsigned
// response and for a response that is not in this table. sandbox/channel.cpp lists the refusals of refunds,
// docs/reference/simple-statement.md describes the file of a statement.
#pragma once

#include <memory>
#include <string>

#include "base/secret.h"
#include "channel/authorizations.h"
#include "channel/channel.h"
#include "channel/refunds.h"
#include "channel/replaceable_keys.h"
#include "channel/statements.h"

namespace finality {

struct SandboxOptions {
  std::string name;              // NAME of [channels.NAME]: sandbox, sandbox2, …
  std::string url;               // URL of the sandbox, such as http://127.0.0.1:8090
  Secret secret;                 // key of the signatures, shared with the sandbox
  std::string public_url;        // URL at which the sandbox reaches this server
  bool shares_trade_no = false;  // captures have the trade number of their authorization
};

class SandboxChannel : public Channel,
                       public Refunds,
                       public Authorizations,
                       public Statements,
                       public ReplaceableKeys {
 public:
  using Authorizations::answer_without_asking;
  using Authorizations::evidence_of;
  using Authorizations::request_of;
  using Channel::answer_without_asking;
  using Channel::evidence_of;
  using Channel::request_of;
  using Refunds::evidence_of;
  using Refunds::request_of;
  using Statements::request_of;
};

/// Makes a channel. Ignores trailing slashes of both URLs. REQUIRES: both URLs are http or https URLs without a query.
std::unique_ptr<SandboxChannel> make_sandbox_channel(SandboxOptions options);

/// The statements that the channel provides.
const StatementPlan& sandbox_statement_plan();

}  // namespace finality
