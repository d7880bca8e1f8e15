// Endpoints for merchants, only for operators: POST /v1/merchants · GET and PATCH /v1/merchants/{id}
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/crypto/encoding.h"
#include "base/crypto/random.h"
#include "base/image.h"
#include "base/limits.h"
#include "http/input/fields.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/refusals.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

constexpr std::size_t kSecretBytes = 32;

void create_merchant(Api& api, const HttpExchangePtr& exchange) {
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  CreateMerchant command;
  command.name = fields->text("name", limits::kNameMax);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  command.webhook_secret = Secret("whsec_" + to_base64(random_bytes(kSecretBytes)));
  command.link_secret = Secret(random_hex(kSecretBytes));
  submit(api, exchange, {.command = std::move(command), .merchant_id = {}});
}

// Reads a field that null removes. `read`: returns the value of the field.
template <class Read>
auto read_change(Fields& fields, std::string_view name, Read read) -> FieldChange<decltype(read(fields, name))> {
  if (!fields.has(name)) return std::nullopt;
  if (fields.is_null(name)) return std::optional<decltype(read(fields, name))>();
  return std::optional(read(fields, name));
}

// Returns the color in lower case.
std::string read_color(Fields& fields, std::string_view name) {
  static constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  constexpr std::size_t kLength = 7;
  const auto is_color = [](std::string_view text) {
    return text.size() == kLength && text.front() == '#' && text.find_first_not_of(kDigits, 1) == std::string::npos;
  };
  std::string color =
      fields.optional_match(name, "a color of six hexadecimal digits, such as #1a56db", is_color).value_or("");
  std::ranges::transform(color, color.begin(), [](char c) { return c >= 'A' && c <= 'F' ? char(c + 32) : c; });
  return color;
}

// Returns the bytes of the image. SVG is refused, because it can contain scripts and links.
Bytes read_logo(Fields& fields, std::string_view name) {
  constexpr std::size_t kTextMax = (limits::kLogoBytesMax + 2) / 3 * 4;
  const std::string rule = fmt::format(
      "a PNG, JPEG or WebP image of at most {} bytes and {} x {} pixels, as base64 without a prefix such as data:",
      limits::kLogoBytesMax, limits::kLogoPixelsMax, limits::kLogoPixelsMax);
  const auto text = fields.optional_match(name, rule, [](const std::string& base64) {
    const auto logo = base64.size() <= kTextMax ? from_base64(base64) : std::nullopt;
    const auto image = logo && logo->size() <= limits::kLogoBytesMax ? image_info_of(*logo) : std::nullopt;
    return image && std::max(image->width, image->height) <= limits::kLogoPixelsMax;
  });
  return text ? Bytes(*from_base64(*text)) : Bytes();
}

SetBranding read_branding(Fields& branding, MerchantId merchant) {
  const auto text_of_at_most = [](std::size_t max) {
    return [max](Fields& fields, std::string_view name) { return fields.text(name, max); };
  };
  return {.merchant_id = merchant,
          .name = read_change(branding, "name", text_of_at_most(limits::kBrandingNameMax)),
          .support = read_change(branding, "support", text_of_at_most(limits::kBrandingSupportMax)),
          .color = read_change(branding, "color", read_color),
          .logo = read_change(branding, "logo", read_logo)};
}

void change_merchant(Api& api, const HttpExchangePtr& exchange) {
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  // An invalid id is replaced by 0, which no merchant has. The engine refuses it after checking the role.
  const MerchantId merchant = parse_id<MerchantId>(exchange->parameter()).value_or(MerchantId{});
  std::optional<Fields> branding = fields->optional_object("branding");
  if (!branding) fields->refuse("branding", "is required: an object with name, support, color or logo");
  SetBranding command = branding ? read_branding(*branding, merchant) : SetBranding{};
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  submit(api, exchange, {.command = std::move(command), .merchant_id = merchant});
}

void get_merchant(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<MerchantId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("merchant"));
    const auto merchant = query::find_merchant(reader, *id);
    if (!merchant) return std::unexpected(merchant.error());
    return json_response(200, wire::merchant_json(*merchant, false));
  });
}

}  // namespace

void add_merchants(Api& api) {
  add_route(api, "POST", "/v1/merchants", Access::platform, Role::admin, create_merchant);
  add_route(api, "GET", "/v1/merchants/{id}", Access::platform, Role::viewer, get_merchant);
  add_route(api, "PATCH", "/v1/merchants/{id}", Access::platform, Role::admin, change_merchant);
}

}  // namespace finality::http
