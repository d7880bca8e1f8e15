// Derives the maximum number of server connections from the process's file descriptor limit.
#pragma once

#include <cstddef>

namespace finality::net {

/// Returns the smaller of `requested` and half of RLIMIT_NOFILE. The other half is reserved for the process's own
/// requests and files, which incoming connections must not use up. Many systems set the soft limit to 1,024; this
/// function first raises it as far as `requested` needs and the hard limit allows.
std::size_t connections_allowed(std::size_t requested);

}  // namespace finality::net
