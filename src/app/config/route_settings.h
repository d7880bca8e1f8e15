// Reader of the [[routes]] tables of the configuration.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/config/settings.h"
#include "base/result.h"
#include "model/policy.h"

namespace finality::app {

inline constexpr std::size_t kRoutesMax = 200;
inline constexpr std::size_t kRouteChannelsMax = 16;

/// Reads the routes into policy.routes. Their channels are validated later by check_routes(), when all channels are
/// known.
void read_routes(Table& top, Policy& policy);

/// Returns an error if a route names an unknown channel, kind or method, a channel that requires an account, or a
/// currency that the channel does not accept, or if a route is unreachable. REQUIRES: policy.channels and
/// policy.accounts, which contains the kinds, are complete.
Result<void> check_routes(const Policy& policy);

}  // namespace finality::app
