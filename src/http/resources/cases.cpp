// Endpoints for exception cases, only for operators: GET /v1/cases · GET /v1/cases/{id}
// POST /v1/cases/{id}/propose · POST /v1/cases/{id}/approve
#include "base/limits.h"
#include "decide/exception/resolution.h"
#include "decide/refund/external_refund.h"
#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/lists.h"
#include "query/refusals.h"
#include "query/show.h"
#include "query/statements.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

constexpr std::size_t kResolutionMax = 64;

bool is_operator(const HttpExchangePtr& exchange) {
  if (exchange->principal().role != Role::merchant) return true;
  exchange->refuse(forbidden());
  return false;
}

void list_cases(Api& api, const HttpExchangePtr& exchange) {
  if (!is_operator(exchange)) return;
  QueryParams params(exchange->request().query());
  const auto state = params.choice<CaseState>("state");
  const Page page = params.page<CaseId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, state, page](Reader& reader) {
    return shown(query::list_cases(reader, merchant, state, page));
  });
}

void get_case(Api& api, const HttpExchangePtr& exchange) {
  if (!is_operator(exchange) || !has_no_query(exchange)) return;
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<CaseId>(exchange->parameter()).value_or(CaseId{});
    const auto found = query::find_case(reader, exchange->principal().merchant_id, id);
    if (!found) return std::unexpected(found.error());
    return json_response(200, wire::case_json(*found));
  });
}

void propose(Api& api, const HttpExchangePtr& exchange) {
  if (!is_operator(exchange)) return;
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  ProposeResolution command;
  command.merchant_id = exchange->principal().merchant_id;
  command.case_id = parse_id<CaseId>(exchange->parameter()).value_or(CaseId{});
  command.resolution = fields->text("resolution", kResolutionMax);
  command.note = fields->text("note", limits::kCaseNoteMax);
  if (fields->has("merchant")) command.assign_to = fields->id<MerchantId>("merchant");
  command.proposed_by = to_text(exchange->principal().key_id);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  read_then(api, exchange, [&api, exchange, command = std::move(command)](Reader& reader) mutable {
    const auto found = query::find_case(reader, command.merchant_id, command.case_id);
    if (query::is_unread(found)) return exchange->refuse(found.error());
    if (found) command.root = root_of_case(*found);
    const MerchantId merchant = command.merchant_id;
    submit(api, exchange, {.command = std::move(command), .merchant_id = merchant});
  });
}

// Copies the channel and currency of the case's receipt to the command. They identify the ledger accounts to which the
// resolution can post.
void name_money(const OrderAggregate& aggregate, const Case& row, ApproveResolution& command) {
  const Reversal* reversal = find_row(aggregate.reversals, ReversalId{row.object_id});
  const Refund* refund = find_row(aggregate.refunds, RefundId{row.object_id});
  for (const Receipt& receipt : aggregate.receipts) {
    const bool is_affected = receipt.payment_id.value == row.object_id ||
                             (reversal != nullptr && reversal->receipt_id == receipt.id) ||
                             (refund != nullptr && receipt_of(aggregate, *refund) == &receipt);
    if (!is_affected || (!command.channel.empty() && receipt.state != ReceiptState::accepted)) continue;
    command.channel = receipt.channel;
    command.currency = receipt.currency;
  }
}

// Copies the channel and currency of the unknown receipt, and the merchant of a proposal to assign it, to the command.
// Refuses if the receipt cannot be read.
std::expected<void, Refusal> name_unknown_receipt(Reader& reader, const Case& row, ApproveResolution& command) {
  if (row.object_type != ObjectType::unknown_receipt) return {};
  const auto receipt = query::find_unknown_receipt(reader, row.merchant_id, UnknownReceiptId{row.object_id});
  if (!receipt) return std::unexpected(receipt.error());
  command.channel = receipt->channel;
  command.currency = receipt->currency;
  command.assign_to = row.assign_to;
  return {};
}

// Copies the channel and currency of the difference to the command. Refuses if the difference cannot be read.
std::expected<void, Refusal> name_difference(Api& api, Reader& reader, const Case& row, ApproveResolution& command) {
  if (row.object_type != ObjectType::difference) return {};
  const auto found = query::find_difference(reader, row.merchant_id, DifferenceId{row.object_id});
  if (!found) return std::unexpected(found.error());
  for (const auto& [name, account] : api.services.policy.accounts)
    if (account.id == found->difference.channel_account_id) command.channel = name;
  command.currency = found->difference.currency;
  return {};
}

void approve(Api& api, const HttpExchangePtr& exchange) {
  if (!is_operator(exchange)) return;
  auto fields = Fields::parse(exchange->request().body, EmptyBody::no_fields);
  if (!fields) return exchange->refuse(fields.error());
  ApproveResolution command;
  command.merchant_id = exchange->principal().merchant_id;
  command.case_id = parse_id<CaseId>(exchange->parameter()).value_or(CaseId{});
  command.resolution = fields->optional_text("resolution", kResolutionMax);
  if (fields->has("merchant")) command.reviewed_merchant = fields->id<MerchantId>("merchant");
  command.approved_by = to_text(exchange->principal().key_id);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  read_then(api, exchange, [&api, exchange, command = std::move(command)](Reader& reader) mutable {
    const auto found = query::find_case(reader, command.merchant_id, command.case_id);
    if (query::is_unread(found)) return exchange->refuse(found.error());
    if (found) {
      command.root = root_of_case(*found);
      const auto order = command.root.type == ObjectType::order
                             ? query::find_order(reader, command.merchant_id, OrderId{command.root.value})
                             : std::unexpected(query::no_such("order"));
      if (query::is_unread(order)) return exchange->refuse(order.error());
      if (order) name_money(*order, *found, command);
      if (const auto named = name_unknown_receipt(reader, *found, command); !named)
        return exchange->refuse(named.error());
      if (const auto named = name_difference(api, reader, *found, command); !named)
        return exchange->refuse(named.error());
    }
    const MerchantId merchant = command.merchant_id;
    submit(api, exchange, {.command = std::move(command), .merchant_id = merchant});
  });
}

}  // namespace

void add_cases(Api& api) {
  add_route(api, "GET", "/v1/cases", Access::merchant, Role::viewer, list_cases);
  add_route(api, "GET", "/v1/cases/{id}", Access::merchant, Role::viewer, get_case);
  add_route(api, "POST", "/v1/cases/{id}/propose", Access::merchant, Role::operator_, propose);
  add_route(api, "POST", "/v1/cases/{id}/approve", Access::merchant, Role::approver, approve);
}

}  // namespace finality::http
