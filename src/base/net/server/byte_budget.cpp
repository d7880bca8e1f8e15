#include "base/net/server/byte_budget.h"

#include <algorithm>

#include "base/limits.h"

namespace finality::net {
namespace {

/// True if a change between the two values passes `limit`.
bool passes(std::size_t low, std::size_t high, std::size_t limit) { return low <= limit && high > limit; }

}  // namespace

void ByteBudget::add(ClientBytes& client, std::size_t bytes) {
  const std::size_t server = server_.fetch_add(bytes);
  bool changed = passes(server, server + bytes, server_max_) || passes(server, server + bytes, 2 * server_max_);
  if (client.is_limited) {
    const std::size_t used = client.used.fetch_add(bytes);
    const bool is_over = passes(used, used + bytes, client_max_);
    if (is_over) ++clients_over_;
    changed |= is_over || passes(used, used + bytes, 2 * client_max_);
  }
  if (changed) on_change_();
}

void ByteBudget::remove(ClientBytes& client, std::size_t bytes) {
  const std::size_t server = server_.fetch_sub(bytes);
  bool changed = passes(server - bytes, server, server_max_);
  if (client.is_limited) {
    const std::size_t used = client.used.fetch_sub(bytes);
    const bool was_over = passes(used - bytes, used, client_max_);
    if (was_over) --clients_over_;
    changed |= was_over;
  }
  if (changed) on_change_();
}

bool ByteBudget::fits(const ClientBytes& client, std::size_t bytes) const {
  const std::size_t used = client.used;
  if (client.is_limited && used + bytes > client_max_) return false;
  return server_ + bytes <= server_max_ || (client.is_limited && used < limits::kClientBytesShare);
}

bool ByteBudget::exceeds(const ClientBytes& client, std::size_t times) const {
  return server_ > times * server_max_ || (client.is_limited && client.used > times * client_max_);
}

}  // namespace finality::net
