#include "http/server/authentication.h"

#include <chrono>
#include <utility>

#include "base/crypto/crypto.h"
#include "base/crypto/random.h"
#include "base/limits.h"
#include "base/net/client_address.h"
#include "http/server/problem.h"
#include "query/refusals.h"

namespace finality::http {
namespace {

static_assert(limits::kValidKeysCachedFor < limits::kRevokedKeyMax);

constexpr std::size_t kKeyBytesMax = 256;
constexpr std::size_t kKeyRandomBytes = 32;
constexpr std::string_view kKeyHeader = "Authorization";
constexpr std::string_view kMerchantHeader = "Finality-Merchant";

Refusal unauthorized(std::string_view detail) { return {RefusalCode::unauthorized, std::string(detail), {}, {}}; }

Refusal unknown_key() {
  return unauthorized(
      "The API key does not exist or was revoked. Check that the key belongs to this installation, or ask its "
      "administrator for a "
      "new one (POST /v1/api_keys).");
}

// Returns the value of the header; empty if it is missing. Refuses a repeated header, because a proxy could evaluate
// another of its values than this server.
std::expected<std::string_view, Refusal> single_value(const net::Headers& headers, std::string_view name) {
  const std::string* found = nullptr;
  for (const auto& [field, value] : headers.fields()) {
    if (!net::equals_ignoring_case(field, name)) continue;
    if (found != nullptr)
      return std::unexpected(Refusal{RefusalCode::invalid_request,
                                     "The header " + std::string(name) + " occurs more than once. Send it once.",
                                     std::string(name),
                                     {}});
    found = &value;
  }
  return found == nullptr ? std::string_view() : std::string_view(*found);
}

// Returns the key in the value of the Authorization header, or the refusal `unauthorized` if the value is empty or
// malformed.
std::expected<std::string_view, Refusal> bearer_key(std::string_view value) {
  constexpr std::string_view kScheme = "Bearer ";
  if (value.empty())
    return std::unexpected(unauthorized(
        "The Authorization header is missing. Send `Authorization: Bearer <key>` with a secret key (sk_…) or an "
        "operator key (op_…)."));
  if (value.size() <= kScheme.size() || !net::equals_ignoring_case(value.substr(0, kScheme.size()), kScheme))
    return std::unexpected(
        unauthorized("The Authorization header is malformed: it must be `Authorization: Bearer <key>`."));
  value.remove_prefix(kScheme.size());
  while (value.starts_with(' ')) value.remove_prefix(1);
  if (!value.starts_with("sk_") && !value.starts_with("op_"))
    return std::unexpected(
        unauthorized("The API key is malformed: a secret key begins with sk_, an operator key with op_."));
  if (value.size() > kKeyBytesMax)
    return std::unexpected(
        unauthorized("The API key is malformed: a key has at most " + std::to_string(kKeyBytesMax) + " characters."));
  return value;
}

}  // namespace

DrawnKey draw_api_key(Role role) {
  const std::string text = (role == Role::merchant ? "sk_" : "op_") + random_hex(kKeyRandomBytes);
  return {Secret(text), sha256_16(text)};
}

Authenticator::Authenticator(ReaderPool& readers, const Clock& clock, RateLimits& rate_limits)
    : readers_(readers),
      clock_(clock),
      rate_limits_(rate_limits),
      keys_(limits::kApiKeysCachedMax, limits::kValidKeysCachedFor),
      unknown_keys_(limits::kApiKeysCachedMax, limits::kApiKeysCachedFor),
      merchants_(limits::kApiKeysCachedMax, limits::kApiKeysCachedFor) {}

void Authenticator::authenticate(const net::HttpRequest& request, Access access, Role role, Done done) {
  const auto authorization = single_value(request.headers, kKeyHeader);
  if (!authorization) return done(std::unexpected(authorization.error()));
  const auto named = single_value(request.headers, kMerchantHeader);
  if (!named) return done(std::unexpected(named.error()));
  const auto key = bearer_key(*authorization);
  const std::optional<std::uint64_t> caller = net::client_number(request.peer);
  if (!key) return done(std::unexpected(count_failure(caller, key.error())));
  const ReadClient client = ReadClient::of_address(caller);
  std::optional<std::string> merchant;
  if (!named->empty()) merchant = *named;

  const bool is_read = request.method == "GET" || request.method == "HEAD";
  const Hash16 hash = sha256_16(*key);
  const Time now = clock_.now();
  if (const std::optional<CachedKey> known = keys_.get(hash, now))
    return identify(*known, client, access, role, is_read, std::move(merchant), std::move(done));
  if (unknown_keys_.get(hash, now)) return done(std::unexpected(count_failure(caller, unknown_key())));
  const bool is_seen = keys_.contains(hash);
  if (caller && !is_seen)
    if (auto refusal = rate_limits_.check(RateLimit::failed_authentications, *caller, std::chrono::steady_clock::now()))
      return done(std::unexpected(std::move(*refusal)));
  auto look_up = [=, this](Reader& reader) {
    // Another request with this key may have read it while this one was queued. So a slow store is not read once per
    // request.
    if (const std::optional<CachedKey> read = keys_.get_as_of(hash, now))
      return identify(*read, client, access, role, is_read, merchant, done);
    const auto known = read_key(reader, hash);
    if (known) return identify(*known, client, access, role, is_read, merchant, done);
    const bool is_wrong = known.error().code == RefusalCode::unauthorized;
    done(std::unexpected(is_wrong ? count_failure(caller, known.error()) : known.error()));
  };
  // Unseen keys have a smaller part of the queue, so that wrong keys leave room for the others of their address.
  const auto queued =
      readers_.submit({.client = client, .run = std::move(look_up), .is_limited = !is_seen, .closed = request.closed});
  if (!queued) done(std::unexpected(queued.error()));
}

void Authenticator::forget() {
  keys_.expire_all();
  unknown_keys_.clear();
}

// Counts a failed authentication. Returns the refusal of its request: `rate_limited` above the limit, else `refusal`.
Refusal Authenticator::count_failure(std::optional<std::uint64_t> caller, Refusal refusal) {
  if (!caller) return refusal;
  auto limited = rate_limits_.take(RateLimit::failed_authentications, *caller, std::chrono::steady_clock::now());
  return limited ? std::move(*limited) : std::move(refusal);
}

// Counts a request of an operator key that names no merchant against the limit of the key, as the dispatcher does with
// accepted requests. Returns its refusal.
Refusal Authenticator::refuse_unnamed(ApiKeyId key, bool is_read) {
  const RateLimit limit = is_read ? RateLimit::api_key_reads : RateLimit::api_key_writes;
  auto limited = rate_limits_.take(limit, static_cast<std::uint64_t>(key.value), std::chrono::steady_clock::now());
  if (limited) return std::move(*limited);
  return {RefusalCode::invalid_request,
          "The header Finality-Merchant is missing. With an operator key, set it to the id of a merchant (mer_…).",
          std::string(kMerchantHeader),
          {}};
}

std::expected<Authenticator::CachedKey, Refusal> Authenticator::read_key(Reader& reader, const Hash16& hash) {
  const Time asked_at = clock_.now();  // a revocation after the reading is then covered by the lifetime of the entry
  const Result<std::optional<ApiKey>> found = reader.api_key(hash);
  if (!found) return std::unexpected(query::unreadable(found.error()));
  if (!*found || (*found)->revoked_at) {
    keys_.erase(hash);
    unknown_keys_.put(hash, true, asked_at);
    return std::unexpected(unknown_key());
  }
  const ApiKey& row = **found;
  const CachedKey known{row.id, row.role, row.merchant_id.value_or(MerchantId{})};
  keys_.put(hash, known, asked_at);
  return known;
}

void Authenticator::identify(const CachedKey& key, ReadClient client, Access access, Role role, bool is_read,
                             std::optional<std::string> named_merchant, Done done) {
  Principal principal{key.id, key.role, key.merchant_id, true, true, role};
  if (key.role == Role::merchant) {
    principal.allowed = access == Access::merchant || access == Access::shared;
    return done(principal);
  }
  principal.allowed = key.role >= role;
  if (access == Access::platform || access == Access::shared) return done(principal);
  if (!named_merchant) return done(std::unexpected(refuse_unnamed(key.id, is_read)));
  const auto merchant_id = parse_id<MerchantId>(*named_merchant);
  principal.merchant_exists = merchant_id.has_value();
  if (!merchant_id) return done(principal);
  principal.merchant_id = *merchant_id;
  find_merchant(principal, client, std::move(done));
}

void Authenticator::find_merchant(Principal principal, ReadClient client, Done done) {
  if (const std::optional<bool> exists = merchants_.get(principal.merchant_id, clock_.now())) {
    principal.merchant_exists = *exists;
    return done(principal);
  }
  auto look_up = [=, this](Reader& reader) mutable {
    const Time asked_at = clock_.now();
    const Result<std::optional<Merchant>> found = reader.merchant(principal.merchant_id);
    if (!found) return done(std::unexpected(query::unreadable(found.error())));
    principal.merchant_exists = found->has_value();
    merchants_.put(principal.merchant_id, principal.merchant_exists, asked_at);
    done(principal);
  };
  const auto queued = readers_.submit({.client = client, .run = std::move(look_up), .is_limited = false});
  if (!queued) done(std::unexpected(queued.error()));
}

}  // namespace finality::http
