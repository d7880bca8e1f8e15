#include "channel/wechatpay/nonces.h"

#include <fmt/format.h>

#include <cstring>

namespace finality::wechatpay {
namespace {

constexpr Duration kEntryLifetime =
    std::chrono::minutes(10);  // check_signature() accepts a timestamp for 10 minutes: ±300 s

}  // namespace

std::size_t Nonces::Hasher::operator()(const Hash16& hash) const {
  std::size_t value;
  std::memcpy(&value, hash.data(), sizeof value);
  return value;
}

bool Nonces::admit(const SignatureHead& head, std::string_view body, Time now) {
  const Hash16 key = sha256_16(fmt::format("{}\n{}\n{}", head.serial, head.timestamp, head.nonce));
  const Hash16 digest = sha256_16(body);
  return memory_.with([&](Memory& memory) {
    remove_expired(memory, now);
    const auto [at, is_new] = memory.bodies.try_emplace(key, digest);
    if (is_new) memory.order.push_back({key, now});
    return at->second == digest;
  });
}

void Nonces::remove_expired(Memory& memory, Time now) const {
  auto& [order, bodies] = memory;
  while (!order.empty() && (order.size() >= entries_max_ || now - order.front().at > kEntryLifetime)) {
    bodies.erase(order.front().head);
    order.pop_front();
  }
}

}  // namespace finality::wechatpay
