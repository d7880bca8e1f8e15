// The [[routes]] of the configuration.
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

/// Reads the routes into the policy. Which channels there are is not known yet: check_routes() says whether they fit.
void read_routes(Table& top, Policy& policy);

/// An error when a route names a channel, a kind of channels or a method that is not there, or a channel that needs an
/// account. The kinds are those of policy.accounts.
Result<void> check_routes(const Policy& policy);

}  // namespace finality::app
