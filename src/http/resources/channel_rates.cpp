// Endpoints for channel rates, only for operators: PUT /v1/channel_rates · GET /v1/channel_rates/{id} ·
// GET /v1/channel_rates
#include <fmt/format.h>

#include <utility>

#include "base/limits.h"
#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/lists.h"
#include "query/refusals.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

constexpr std::size_t kMethodMax = 64;
constexpr std::size_t kDateMax = 10;
constexpr std::string_view kDateRule = "must be a calendar day, such as 2026-01-31";

SetChannelRate read_rate(Fields& fields) {
  SetChannelRate rate{.channel_account_id = fields.id<ChannelAccountId>("channel_account")};
  rate.method = fields.optional_word("method", kMethodMax);
  if (fields.has("currency")) rate.currency = fields.currency("currency");
  rate.basis_points = fields.integer("basis_points", 0, limits::kBasisPointsMax);
  rate.fixed = fields.optional_amount("fixed", 0).value_or(0);
  rate.minimum = fields.optional_amount("minimum", 0);
  rate.maximum = fields.optional_amount("maximum", 0);
  if (rate.minimum && rate.maximum && *rate.minimum > *rate.maximum)
    fields.refuse("minimum", "must not be larger than maximum");
  rate.from_date = fields.text("from", kDateMax);
  if (!is_date(rate.from_date)) fields.refuse("from", kDateRule);
  return rate;
}

// Refuses a new rate if the store has the maximum number of rates. Reads the committed rates, so concurrent requests
// can exceed the maximum by a few rates.
std::optional<Refusal> check_count(Reader& reader, const SetChannelRate& rate) {
  const Result<std::int64_t> known = reader.named(key_of(rate));
  if (!known) return query::unreadable(known.error());
  if (*known != 0) return std::nullopt;
  const Result<std::vector<ChannelRate>> all = reader.channel_rates();
  if (!all) return query::unreadable(all.error());
  if (all->size() < limits::kChannelRatesMax) return std::nullopt;
  return Refusal{RefusalCode::invalid_request,
                 fmt::format("The limit of {} channel rates is reached. Replace a rate instead of adding one.",
                             limits::kChannelRatesMax),
                 {},
                 {}};
}

void set_channel_rate(Api& api, const HttpExchangePtr& exchange) {
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  SetChannelRate rate = read_rate(*fields);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  read_then(api, exchange, [&api, exchange, rate = std::move(rate)](Reader& reader) mutable {
    std::optional<Refusal> refusal = check_count(reader, rate);
    submit(api, exchange, {.command = std::move(rate), .merchant_id = {}, .refuse_with = std::move(refusal)});
  });
}

void get_channel_rate(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<ChannelRateId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("channel rate"));
    const auto rate = query::find_channel_rate(reader, *id);
    if (!rate) return std::unexpected(rate.error());
    return json_response(200, wire::channel_rate_json(*rate));
  });
}

void list_channel_rates(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const Page page = params.page<ChannelRateId>();
  query::ChannelRateFilter filter{.channel_account = params.id<ChannelAccountId>("channel_account"),
                                  .date = params.text("date", kDateMax)};
  if (filter.date && !is_date(*filter.date)) params.refuse("date", kDateRule);
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [filter = std::move(filter), page](Reader& reader) {
    return shown(query::list_channel_rates(reader, filter, page));
  });
}

}  // namespace

void add_channel_rates(Api& api) {
  add_route(api, "PUT", "/v1/channel_rates", Access::platform, Role::admin, set_channel_rate);
  add_route(api, "GET", "/v1/channel_rates/{id}", Access::platform, Role::viewer, get_channel_rate);
  add_route(api, "GET", "/v1/channel_rates", Access::platform, Role::viewer, list_channel_rates, {.reads_query = true});
}

}  // namespace finality::http
