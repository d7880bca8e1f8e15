#include "http/server/authentication.h"

#include <utility>

#include "base/crypto/crypto.h"
#include "base/crypto/random.h"
#include "base/limits.h"
#include "http/server/problem.h"
#include "query/refusals.h"

namespace finality::http {
namespace {

constexpr std::size_t kKeyBytesMax = 256;
constexpr std::size_t kKeyRandomBytes = 32;
constexpr std::string_view kMerchantHeader = "Finality-Merchant";

Refusal unauthorized(std::string_view detail) { return {RefusalCode::unauthorized, std::string(detail), {}, {}}; }

Refusal unknown_key() {
  return unauthorized(
      "The API key does not exist or was revoked. Check that the key belongs to this installation, or ask its "
      "administrator for a "
      "new one (POST /v1/api_keys).");
}

// Returns the key in the Authorization header, or the refusal `unauthorized` if the header is missing or malformed.
std::expected<std::string_view, Refusal> bearer_key(const net::Headers& headers) {
  constexpr std::string_view kScheme = "Bearer ";
  std::string_view value = headers.get("Authorization");
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

Authenticator::Authenticator(ReaderPool& readers, const Clock& clock)
    : readers_(readers),
      clock_(clock),
      keys_(limits::kApiKeysCachedMax, limits::kApiKeysCachedFor),
      unknown_keys_(limits::kApiKeysCachedMax, limits::kApiKeysCachedFor),
      merchants_(limits::kApiKeysCachedMax, limits::kApiKeysCachedFor) {}

void Authenticator::authenticate(const net::Headers& headers, ReadClient client, Access access, Role role, Done done) {
  const auto key = bearer_key(headers);
  if (!key) return done(std::unexpected(key.error()));
  const std::string_view named = headers.get(kMerchantHeader);
  std::optional<std::string> merchant;
  if (!named.empty()) merchant = named;
  find_key(sha256_16(*key), client,
           [=, this, merchant = std::move(merchant)](const std::expected<CachedKey, Refusal>& known) {
             if (!known) return done(std::unexpected(known.error()));
             identify(*known, client, access, role, merchant, done);
           });
}

void Authenticator::forget() {
  keys_.clear();
  unknown_keys_.clear();
}

void Authenticator::find_key(const Hash16& hash, ReadClient client,
                             std::function<void(std::expected<CachedKey, Refusal>)> done) {
  const Time now = clock_.now();
  if (const std::optional<CachedKey> known = keys_.get(hash, now)) return done(*known);
  if (unknown_keys_.get(hash, now)) return done(std::unexpected(unknown_key()));
  const auto queued = readers_.submit(
      {.client = client, .run = [=, this](Reader& reader) { done(read_key(reader, hash)); }, .is_limited = false});
  if (!queued) done(std::unexpected(queued.error()));
}

std::expected<Authenticator::CachedKey, Refusal> Authenticator::read_key(Reader& reader, const Hash16& hash) {
  const Time asked_at = clock_.now();
  const Result<std::optional<ApiKey>> found = reader.api_key(hash);
  if (!found) return std::unexpected(query::unreadable(found.error()));
  if (!*found || (*found)->revoked_at) {
    unknown_keys_.put(hash, true, asked_at);
    return std::unexpected(unknown_key());
  }
  const ApiKey& row = **found;
  const CachedKey known{row.id, row.role, row.merchant_id.value_or(MerchantId{})};
  keys_.put(hash, known, asked_at);
  return known;
}

void Authenticator::identify(const CachedKey& key, ReadClient client, Access access, Role role,
                             std::optional<std::string> named_merchant, Done done) {
  Principal principal{key.id, key.role, key.merchant_id, true, true};
  if (key.role == Role::merchant) {
    principal.allowed = access == Access::merchant || access == Access::shared;
    return done(principal);
  }
  principal.allowed = key.role >= role;
  if (access == Access::platform || access == Access::shared) return done(principal);
  if (!named_merchant)
    return done(std::unexpected(Refusal{RefusalCode::invalid_request,
                                        "The header Finality-Merchant is missing. With an operator key, set it to the "
                                        "id of a merchant (mer_…).",
                                        std::string(kMerchantHeader),
                                        {}}));
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
