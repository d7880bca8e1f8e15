#include "sandbox/core/gateway.h"

#include <algorithm>
#include <utility>

namespace finality::sandbox {
namespace {

Gateway* first_that(const Gateways& gateways, const auto& fits) {
  const auto found = std::ranges::find_if(gateways, [&](const auto& gateway) { return fits(*gateway); });
  return found != gateways.end() ? found->get() : nullptr;
}

}  // namespace

Gateway* gateway_of_path(const Gateways& gateways, const Segments& path) {
  return first_that(gateways, [&](const Gateway& gateway) { return gateway.answers(path); });
}

Gateway* gateway_of_channel(const Gateways& gateways, std::string_view channel) {
  return first_that(gateways, [&](const Gateway& gateway) { return gateway.has_channel(channel); });
}

void respond_after(net::IoPool& io, Duration delay, net::HttpResponse response, net::Respond respond) {
  if (delay == Duration{0}) return respond(std::move(response));
  io.after(delay, [respond = std::move(respond), response = std::move(response)] { respond(response); });
}

}  // namespace finality::sandbox
