// Endpoints for accounts: POST /v1/accounts · GET /v1/accounts · GET /v1/accounts/{id}
// GET /v1/accounts/{id}/entries · POST /v1/accounts/{id}/freeze · …/unfreeze · …/close · …/lock · …/unlock
#include <utility>

#include "base/crypto/random.h"
#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/lists.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

constexpr std::size_t kKindMax = 64;
constexpr std::size_t kNonceBytes = 16;

AccountId account_in_path(const HttpExchangePtr& exchange) {
  return parse_id<AccountId>(exchange->parameter()).value_or(AccountId{});
}

bool is_reserved_kind(std::string_view kind) {
  const auto word = parse_enum<AccountKind>(kind);
  return word && *word != AccountKind::user;
}

OpenAccount read_account(Fields& fields, MerchantId merchant) {
  OpenAccount account;
  account.merchant_id = merchant;
  account.name = fields.text("name", limits::kNameMax);
  account.label = fields.word("kind", kKindMax);
  if (is_reserved_kind(account.label))
    fields.refuse("kind", "must not be a kind of the chart of accounts, such as merchant_payable");
  account.currency = fields.currency("currency");
  account.overdraft = fields.optional_amount("overdraft", 0).value_or(0);
  return account;
}

// Returns the refusal `forbidden` if a merchant key requests an overdraft. Only operators may grant an overdraft: the
// account can then pay out money that was never credited to it.
std::optional<Refusal> refuse_overdraft(const OpenAccount& account, Role role) {
  if (account.overdraft == 0 || role != Role::merchant) return std::nullopt;
  return Refusal{
      RefusalCode::forbidden,
      "overdraft requires an operator key with the merchant in the header Finality-Merchant. Use an operator key, or "
      "omit overdraft.",
      "overdraft",
      {}};
}

void open_account(Api& api, const HttpExchangePtr& exchange) {
  const Principal& principal = exchange->principal();
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  OpenAccount account = read_account(*fields, principal.merchant_id);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  std::optional<Refusal> refusal = refuse_overdraft(account, principal.role);
  submit(api, exchange,
         {.command = std::move(account), .merchant_id = principal.merchant_id, .refuse_with = std::move(refusal)});
}

template <AccountEvent kEvent>
void change_account(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_fields(exchange)) return;
  const MerchantId merchant = exchange->principal().merchant_id;
  submit(api, exchange,
         {.command = ChangeAccount{merchant, account_in_path(exchange), kEvent}, .merchant_id = merchant});
}

void lock_account(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  LockAccount lock{.merchant_id = merchant, .account_id = account_in_path(exchange), .owner = {}, .nonce = {}};
  lock.owner = fields->text("owner", limits::kReferenceMax);
  lock.ttl = std::chrono::seconds(fields->integer("ttl", 1, limits::kLockSecondsMax));
  lock.token = fields->optional_text("token", limits::kReferenceMax);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  lock.nonce = random_hex(kNonceBytes);
  submit(api, exchange, {.command = std::move(lock), .merchant_id = merchant});
}

void unlock_account(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  UnlockAccount unlock{merchant, account_in_path(exchange), fields->text("token", limits::kReferenceMax)};
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  submit(api, exchange, {.command = std::move(unlock), .merchant_id = merchant});
}

void get_account(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [&api, exchange](Reader& reader) -> HttpReply {
    const auto account = query::find_account(reader, exchange->principal().merchant_id, account_in_path(exchange));
    if (!account) return std::unexpected(account.error());
    return json_response(200, wire::account_json(*account, api.services.clock.now()));
  });
}

void list_accounts(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const Page page = params.page<AccountId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [&api, merchant = exchange->principal().merchant_id, page](Reader& reader) {
    return shown(query::list_accounts(reader, api.services.clock.now(), merchant, page));
  });
}

void list_entries(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const auto [from, to] = params.time_range("from", "to");
  const EntryFilter filter{from, to};
  const Page page = params.page<EntryId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [exchange, filter, page](Reader& reader) {
    const MerchantId merchant = exchange->principal().merchant_id;
    return shown(query::list_entries(reader, merchant, account_in_path(exchange), filter, page));
  });
}

}  // namespace

void add_accounts(Api& api) {
  add_route(api, "POST", "/v1/accounts", Access::merchant, Role::operator_, open_account);
  add_route(api, "GET", "/v1/accounts", Access::merchant, Role::viewer, list_accounts, {.reads_query = true});
  add_route(api, "GET", "/v1/accounts/{id}", Access::merchant, Role::viewer, get_account);
  add_route(api, "GET", "/v1/accounts/{id}/entries", Access::merchant, Role::viewer, list_entries,
            {.reads_query = true});
  add_route(api, "POST", "/v1/accounts/{id}/freeze", Access::merchant, Role::operator_,
            change_account<AccountEvent::freeze>);
  add_route(api, "POST", "/v1/accounts/{id}/unfreeze", Access::merchant, Role::operator_,
            change_account<AccountEvent::unfreeze>);
  add_route(api, "POST", "/v1/accounts/{id}/close", Access::merchant, Role::operator_,
            change_account<AccountEvent::close>);
  add_route(api, "POST", "/v1/accounts/{id}/lock", Access::merchant, Role::operator_, lock_account);
  add_route(api, "POST", "/v1/accounts/{id}/unlock", Access::merchant, Role::operator_, unlock_account);
}

}  // namespace finality::http
