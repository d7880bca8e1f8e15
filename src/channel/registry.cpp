#include "channel/registry.h"

#include <algorithm>

#include "channel/alipay/alipay_kind.h"
#include "channel/sandbox/sandbox_kind.h"
#include "channel/wechatpay/wechatpay_kind.h"

namespace finality {
namespace {

// A line per kind.
constexpr const ChannelKind* kKinds[] = {
    &kSandboxKind,
    &kAlipayKind,
    &kWechatpayKind,
};

}  // namespace

std::span<const ChannelKind* const> channel_kinds() { return kKinds; }

const ChannelKind* find_kind(std::string_view name) {
  const auto at = std::ranges::find(kKinds, name, &ChannelKind::name);
  return at == std::end(kKinds) ? nullptr : *at;
}

}  // namespace finality
