// POST /v1/refunds · GET /v1/refunds/{id} · GET /v1/refunds/{id}/returns · GET /v1/refunds?payment=&order=&kind=
// Refunds and reversals are one object on the wire, told apart by `kind`.
#include <fmt/format.h>

#include <algorithm>

#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "http/input/short_list.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "model/natural_key.h"
#include "query/refusals.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

constexpr std::size_t kIdMax = 64;
constexpr std::size_t kReasonMax = 256;

enum class RefundKind : std::uint8_t { refund, reversal };
BOOST_DESCRIBE_ENUM(RefundKind, refund, reversal)

CreateRefund read_refund(Fields& fields, MerchantId merchant) {
  CreateRefund refund;
  refund.merchant_id = merchant;
  const auto payment = parse_id<PaymentId>(fields.text("payment", kIdMax));
  if (!payment) fields.refuse("payment", "must be the id of a payment (pay_…)");
  refund.payment_id = payment.value_or(PaymentId{});
  refund.amount = fields.optional_integer("amount", 1, limits::kAmountMax);
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
  // Which accounts move follows from the payment's channel and currency, which never change: looked up before.
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
    // Nothing tells any more which payments an archived order had, but its refunds' numbers do.
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
    query::Shown shown = query::show_refund(reader, exchange->principal().merchant_id, *id);
    if (!shown) return std::unexpected(std::move(shown.error()));
    return json_response(200, std::move(*shown));
  });
}

// The returns of one refund.
void list_returns(Api& api, const HttpExchangePtr& exchange) {
  QueryParams query(exchange->request().query());
  const Page page = query.page<ReturnId>();
  if (const auto checked = query.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [exchange, page](Reader& reader) -> HttpReply {
    const auto id = parse_id<RefundId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("refund"));
    auto found = query::find_order_of(reader, exchange->principal().merchant_id, *id);
    if (!found) return std::unexpected(found.error());
    std::vector<Return> rows = std::move(found->returns);
    std::erase_if(rows, [&](const Return& row) { return row.refund_id != *id; });
    const bool has_more = cut_to_page(rows, page);
    std::vector<std::string> items;
    for (const Return& row : rows) items.push_back(wire::return_json(row));
    return json_response(200, wire::list_json(fmt::format("/v1/refunds/{}/returns", to_text(*id)), has_more, items));
  });
}

struct Filter {
  MerchantId merchant_id;
  std::optional<PaymentId> payment;
  std::optional<OrderId> order;
  std::optional<RefundKind> kind;
};

using Item = std::pair<std::int64_t, std::string>;

template <class Row, class Render>
void add_rows(const std::vector<Row>& rows, const std::optional<PaymentId>& payment, Render render,
              std::vector<Item>& items) {
  for (const Row& row : rows)
    if (!payment || row.payment_id == *payment) items.emplace_back(row.id.value, render(row));
}

// The newest first, one page of them.
std::pair<std::vector<std::string>, bool> cut(std::vector<Item> items, const Page& page) {
  std::ranges::sort(items, std::greater<>{}, &Item::first);
  std::erase_if(items, [&](const Item& item) {
    return (page.after && item.first >= *page.after) || (page.before && item.first <= *page.before);
  });
  const bool has_more = items.size() > page.limit;
  if (has_more && page.before) items.erase(items.begin(), items.end() - static_cast<std::ptrdiff_t>(page.limit));
  if (items.size() > page.limit) items.resize(page.limit);
  std::vector<std::string> texts;
  for (Item& item : items) texts.push_back(std::move(item.second));
  return {std::move(texts), has_more};
}

HttpReply show_refunds(Reader& reader, const Filter& filter, const Page& page) {
  const auto found = filter.order ? query::find_order(reader, filter.merchant_id, *filter.order)
                                  : query::find_order_of(reader, filter.merchant_id, *filter.payment);
  if (!found) return std::unexpected(found.error());
  std::vector<Item> items;
  if (filter.kind != RefundKind::reversal) add_rows(found->refunds, filter.payment, wire::refund_json, items);
  if (filter.kind != RefundKind::refund) add_rows(found->reversals, filter.payment, wire::reversal_json, items);
  const auto [texts, has_more] = cut(std::move(items), page);
  return json_response(200, wire::list_json("/v1/refunds", has_more, texts));
}

void list_refunds(Api& api, const HttpExchangePtr& exchange) {
  QueryParams query(exchange->request().query());
  Filter filter{exchange->principal().merchant_id, query.id<PaymentId>("payment"), query.id<OrderId>("order"),
                query.choice<RefundKind>("kind")};
  Page page;
  page.limit = query.limit(limits::kListLimitDefault, limits::kListLimitMax);
  if (const auto after = query.reference("starting_after")) page.after = after->value;
  if (const auto before = query.reference("ending_before")) page.before = before->value;
  if (page.after && page.before) query.refuse("ending_before", "and starting_after exclude each other");
  if (!filter.payment && !filter.order) query.refuse("order", "or payment must be given");
  if (const auto checked = query.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [filter, page](Reader& reader) { return show_refunds(reader, filter, page); });
}

}  // namespace

void add_refunds(Api& api) {
  add_route(api, "POST", "/v1/refunds", Access::merchant, Role::operator_, create_refund);
  add_route(api, "GET", "/v1/refunds", Access::merchant, Role::viewer, list_refunds);
  add_route(api, "GET", "/v1/refunds/{id}", Access::merchant, Role::viewer, get_refund);
  add_route(api, "GET", "/v1/refunds/{id}/returns", Access::merchant, Role::viewer, list_returns);
}

}  // namespace finality::http
