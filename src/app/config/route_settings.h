// Reader of the [[routes]] tables of the configuration.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/config/settings.h"
#include "base/result.h"
#include "model/policy.h"

namespace finality::app {

inline constexpr std::size_t kRoutesMax = 64;
inline constexpr std::size_t kRouteChannelsMax = 16;

/// Reads the routes into the policy. The channels are not known yet: check_routes() validates the targets.
void read_routes(Table& top, Policy& policy);

/// Validates the routes. Returns an error if a route names an unknown channel, kind or method, a channel that requires
/// an account, or a currency that the channel does not accept; also if a route is unreachable. The kinds come from
/// policy.accounts.
Result<void> check_routes(const Policy& policy);

}  // namespace finality::app
