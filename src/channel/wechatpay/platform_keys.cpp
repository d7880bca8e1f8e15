#include "channel/wechatpay/platform_keys.h"

#include <algorithm>
#include <cctype>

namespace finality::wechatpay {
namespace {

std::string normalised(std::string_view id) {
  id.remove_prefix(std::min(id.find_first_not_of('0'), id.size()));
  std::string out(id);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

}  // namespace

void PlatformKeys::add(std::string_view id, RsaPublicKey key) {
  keys_.insert_or_assign(normalised(id), Entry{std::move(key), std::nullopt});
}

Result<void> PlatformKeys::add(const Certificate& certificate) {
  auto key = certificate.public_key();
  if (!key) return std::unexpected(key.error());
  keys_.insert_or_assign(normalised(certificate.serial_hex()), Entry{std::move(*key), certificate.not_after()});
  return {};
}

void PlatformKeys::add(const PlatformKeys& more_keys) { keys_.insert(more_keys.keys_.begin(), more_keys.keys_.end()); }

const RsaPublicKey* PlatformKeys::find(std::string_view id, Time now) const {
  const auto at = keys_.find(normalised(id));
  if (at == keys_.end() || (at->second.not_after && now > *at->second.not_after)) return nullptr;
  return &at->second.key;
}

}  // namespace finality::wechatpay
