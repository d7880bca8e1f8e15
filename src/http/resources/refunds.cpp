// Endpoints for refunds: POST /v1/refunds · GET /v1/refunds/{id} · GET /v1/refunds/{id}/returns
// GET /v1/refunds?payment=&order=&kind=
// The API shows refunds and reversals as one type of object; the field `kind` distinguishes them.

#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "model/natural_key.h"
#include "query/lists.h"
#include "query/refusals.h"
#include "query/show.h"

namespace finality::http {
namespace {

constexpr std::size_t kIdMax = 64;
constexpr std::size_t kReasonMax = 256;

CreateRefund read_refund(Fields& fields, MerchantId merchant) {
  CreateRefund refund;
  refund.merchant_id = merchant;
  const auto payment = parse_id<PaymentId>(fields.text("payment", kIdMax));
  if (!payment) fields.refuse("payment", "must be a payment id (pay_…)");
  refund.payment_id = payment.value_or(PaymentId{});
  refund.amount = fields.optional_amount("amount");
  refund.merchant_refund_no = fields.text("merchant_refund_no", limits::kMerchantNumberMax);
  refund.reason = fields.optional_text("reason", kReasonMax);
  return refund;
}

void create_refund(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  CreateRefund refund = read_refund(*fields, merchant);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  // Reads the payment before submission, because its channel and currency determine the ledger accounts. They never
  // change, so they can be read outside the engine.
  read_then(api, exchange, [&api, exchange, refund = std::move(refund)](Reader& reader) mutable {
    const auto found = query::find_order_of(reader, refund.merchant_id, refund.payment_id);
    if (query::is_unread(found)) return exchange->refuse(found.error());
    if (found) {
      const Payment& payment = *find_row(found->payments, refund.payment_id);
      refund.channel = payment.channel;
      refund.currency = payment.currency;
      refund.account_id = payment.account_id;
    }
    const MerchantId owner = refund.merchant_id;
    // An archived order can be found only by the merchant_refund_no of a refund: the store keeps this natural key, but
    // not the ids of the order's payments.
    const Hash16 key = key_of_refund_no(owner, refund.merchant_refund_no);
    submit(api, exchange,
           {.command = std::move(refund),
            .merchant_id = owner,
            .await_answer = true,
            .archived_order = [key](Reader& rows) { return rows.named(key); }});
  });
}

void get_refund(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_query(exchange)) return;
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_ref(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("refund"));
    return shown(query::show_refund(reader, exchange->principal().merchant_id, *id));
  });
}

// Lists the returns of one refund: amounts that the payer's bank sent back after the refund.
void list_returns(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const Page page = params.page<ReturnId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [exchange, page](Reader& reader) -> HttpReply {
    const auto id = parse_id<RefundId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("refund"));
    return shown(query::list_returns(reader, exchange->principal().merchant_id, *id, page));
  });
}

void list_refunds(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const query::RefundFilter filter{params.id<PaymentId>("payment"), params.id<OrderId>("order"),
                                   params.choice<query::RefundKind>("kind")};
  Page page;
  page.limit = params.limit(limits::kListLimitDefault, limits::kListLimitMax);
  if (const auto after = params.reference("starting_after")) page.after = after->value;
  if (const auto before = params.reference("ending_before")) page.before = before->value;
  if (page.after && page.before) params.refuse("ending_before", "must not be combined with starting_after");
  if (!filter.payment && !filter.order) params.refuse("order", "or payment is required");
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, filter, page](Reader& reader) {
    return shown(query::list_refunds(reader, merchant, filter, page));
  });
}

}  // namespace

void add_refunds(Api& api) {
  add_route(api, "POST", "/v1/refunds", Access::merchant, Role::operator_, create_refund);
  add_route(api, "GET", "/v1/refunds", Access::merchant, Role::viewer, list_refunds);
  add_route(api, "GET", "/v1/refunds/{id}", Access::merchant, Role::viewer, get_refund);
  add_route(api, "GET", "/v1/refunds/{id}/returns", Access::merchant, Role::viewer, list_returns);
}

}  // namespace finality::http
