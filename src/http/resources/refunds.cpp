// Endpoints for refunds: POST /v1/refunds · GET /v1/refunds/{id} · GET /v1/refunds/{id}/returns
// GET /v1/refunds?payment=&capture=&authorization=&order=&kind=
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
#include "worker/restore/order_restorer.h"

namespace finality::http {
namespace {

constexpr std::size_t kReasonMax = 256;

// Reads what collected the money to refund: exactly one of the fields `payment`, `capture` and `authorization`.
ObjectRef read_collected(Fields& fields) {
  using ReadId = ObjectRef (*)(Fields& fields, std::string_view name);
  constexpr struct {
    std::string_view name;
    ReadId read;
  } kChoices[] = {
      {"payment", [](Fields& from, std::string_view name) { return ObjectRef(from.id<PaymentId>(name)); }},
      {"capture", [](Fields& from, std::string_view name) { return ObjectRef(from.id<CaptureId>(name)); }},
      {"authorization", [](Fields& from, std::string_view name) { return ObjectRef(from.id<AuthorizationId>(name)); }}};
  std::string_view chosen;
  ObjectRef collected;
  for (const auto& [name, read] : kChoices) {
    if (!fields.has(name)) continue;
    if (!chosen.empty()) fields.refuse(name, "must not be combined with " + std::string(chosen));
    chosen = name;
    collected = read(fields, name);
  }
  if (chosen.empty()) fields.refuse("payment", "is required, unless capture or authorization names what is refunded");
  return collected;
}

/// A request for a refund, until it is submitted.
struct RefundRequest {
  CreateRefund command;
  std::optional<OrderId> order;  // if the request names it
  bool is_restored = false;      // the order was restored from the archive for this request
};

RefundRequest read_refund(Fields& fields, MerchantId merchant) {
  RefundRequest request;
  CreateRefund& refund = request.command;
  refund.merchant_id = merchant;
  refund.collected = read_collected(fields);
  if (fields.has("order")) request.order = fields.id<OrderId>("order");
  refund.amount = fields.optional_amount("amount");
  refund.merchant_refund_no = fields.text("merchant_refund_no", limits::kMerchantNumberMax);
  refund.reason = fields.optional_text("reason", kReasonMax);
  return request;
}

// Copies the columns that determine the ledger accounts.
template <class Row>
void name_money(const Row& row, CreateRefund& refund) {
  refund.channel = row.channel;
  refund.currency = row.currency;
  refund.account_id = row.account_id;
}

// Sets the order of the refund, and the channel, currency and account with which its money was collected.
void name_order(const OrderAggregate& aggregate, CreateRefund& refund) {
  refund.order_id = aggregate.order.id;
  if (refund.collected.type == ObjectType::payment)
    return name_money(*find_row(aggregate.payments, PaymentId{refund.collected.value}), refund);
  AuthorizationId authorization{refund.collected.value};
  if (refund.collected.type == ObjectType::capture)
    authorization = find_row(aggregate.captures, CaptureId{refund.collected.value})->authorization_id;
  name_money(*find_row(aggregate.authorizations, authorization), refund);
}

// Returns the id of the order that may be archived; 0 without one. The order of an archived payment is found only
// if the request names it, or by the merchant_refund_no of an archived refund: the store keeps this natural key, but
// not the ids of the order's payments and captures.
Result<std::int64_t> find_archived_id(Reader& reader, const RefundRequest& request) {
  if (request.order) return request.order->value;
  return reader.named(key_of_refund_no(request.command.merchant_id, request.command.merchant_refund_no));
}

// Returns the archived order of the refund; empty if it is not archived, or if it belongs to another merchant.
Result<std::optional<ArchivedOrder>> find_archived(Reader& reader, const RefundRequest& request) {
  const auto id = find_archived_id(reader, request);
  if (!id) return std::unexpected(id.error());
  auto found = reader.archived_order(OrderId{*id});
  if (found && *found && (*found)->merchant_id != request.command.merchant_id) return std::nullopt;
  return found;
}

void submit_refund(Api& api, const HttpExchangePtr& exchange, RefundRequest request,
                   std::optional<Refusal> refuse_with = std::nullopt) {
  CreateRefund command = request.command;
  const MerchantId owner = command.merchant_id;
  submit(
      api, exchange,
      {.command = std::move(command),
       .merchant_id = owner,
       .await_answer = true,
       .refuse_with = std::move(refuse_with),
       .archived_order = [request = std::move(request)](Reader& reader) { return find_archived_id(reader, request); }});
}

void read_and_submit(Api& api, const HttpExchangePtr& exchange, RefundRequest request);

// Restores the order of the refund, on the thread of the restorer, and then decides the refund as usual. If this server
// cannot restore it, the engine refuses with `archived`, unless the Idempotency-Key has a stored reply.
void restore_and_submit(Api& api, const HttpExchangePtr& exchange, RefundRequest request, const ArchivedOrder& order) {
  OrderRestorer* restorer = api.services.restorer;
  if (restorer == nullptr || !is_executable(exchange))
    return submit_refund(api, exchange, std::move(request), query::gone(order));
  request.is_restored = true;
  restorer->restore(order, [&api, exchange, order, request = std::move(request)](const Restored& restored) mutable {
    if (restored) return read_and_submit(api, exchange, std::move(request));
    Refusal refusal = restored.error().is_temporary
                          ? Refusal{RefusalCode::busy,
                                    "The order is archived, and the server cannot restore it now. Repeat the request.",
                                    {},
                                    {}}
                          : query::gone(order);
    submit_refund(api, exchange, std::move(request), std::move(refusal));
  });
}

// Reads the order before submission, because the channel and currency of the collected money determine the ledger
// accounts. They never change, so they can be read outside the engine.
void read_and_submit(Api& api, const HttpExchangePtr& exchange, RefundRequest request) {
  read_then(api, exchange, [&api, exchange, request = std::move(request)](Reader& reader) mutable {
    const auto found = query::find_order_of(reader, request.command.merchant_id, request.command.collected);
    if (query::is_unread(found)) return exchange->refuse(found.error());
    if (found) {
      name_order(*found, request.command);
      const bool is_other = request.order.value_or(found->order.id) != found->order.id;
      return submit_refund(
          api, exchange, std::move(request),
          is_other ? std::optional(Refusal{
                         RefusalCode::invalid_request, "order is not the order of the refunded object.", "order", {}})
                   : std::nullopt);
    }
    if (request.is_restored) return submit_refund(api, exchange, std::move(request));
    const auto archived = find_archived(reader, request);
    if (!archived) return exchange->refuse(query::unreadable(archived.error()));
    if (*archived) return restore_and_submit(api, exchange, std::move(request), **archived);
    submit_refund(api, exchange, std::move(request));
  });
}

void create_refund(Api& api, const HttpExchangePtr& exchange) {
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  RefundRequest request = read_refund(*fields, exchange->principal().merchant_id);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  read_and_submit(api, exchange, std::move(request));
}

void get_refund(Api& api, const HttpExchangePtr& exchange) {
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

// Reads what collected the returned money: at most one of `payment`, `capture` and `authorization`.
std::optional<ObjectRef> read_collected(QueryParams& params) {
  const std::pair<std::string_view, std::optional<ObjectRef>> choices[] = {
      {"payment", params.id<PaymentId>("payment")},
      {"capture", params.id<CaptureId>("capture")},
      {"authorization", params.id<AuthorizationId>("authorization")}};
  std::string_view chosen;
  std::optional<ObjectRef> collected;
  for (const auto& [name, id] : choices) {
    if (!id) continue;
    if (!chosen.empty()) params.refuse(name, "must not be combined with " + std::string(chosen));
    chosen = name;
    collected = id;
  }
  return collected;
}

// Reads a cursor of the list, which contains refunds and reversals.
std::optional<std::int64_t> read_cursor(QueryParams& params, std::string_view name) {
  const std::optional<ObjectRef> id = params.reference(name);
  if (!id) return std::nullopt;
  if (id->type != ObjectType::refund && id->type != ObjectType::reversal)
    params.refuse(name, "must be an id that begins with ref_ or rev_");
  return id->value;
}

void list_refunds(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  query::RefundFilter filter{read_collected(params), params.id<OrderId>("order"),
                             params.choice<query::RefundKind>("kind")};
  Page page;
  page.limit = params.limit(limits::kListLimitDefault, limits::kListLimitMax);
  page.after = read_cursor(params, "starting_after");
  page.before = read_cursor(params, "ending_before");
  if (page.after && page.before) params.refuse("ending_before", "must not be combined with starting_after");
  if (!filter.collected && !filter.order)
    params.refuse("order", "is required, unless payment, capture or authorization names the refunded object");
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, filter, page](Reader& reader) {
    return shown(query::list_refunds(reader, merchant, filter, page));
  });
}

}  // namespace

void add_refunds(Api& api) {
  add_route(api, "POST", "/v1/refunds", Access::merchant, Role::operator_, create_refund);
  add_route(api, "GET", "/v1/refunds", Access::merchant, Role::viewer, list_refunds, {.reads_query = true});
  add_route(api, "GET", "/v1/refunds/{id}", Access::merchant, Role::viewer, get_refund);
  add_route(api, "GET", "/v1/refunds/{id}/returns", Access::merchant, Role::viewer, list_returns,
            {.reads_query = true});
}

}  // namespace finality::http
