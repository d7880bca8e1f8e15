// Derives the maximum number of server connections from the process's file descriptor limit.
#pragma once

#include <cstddef>

namespace finality::net {

/// Raises the soft limit of open files (RLIMIT_NOFILE, often 1,024) to twice `requested`, as far as the hard limit
/// allows. Returns the smaller of `requested` and half of the resulting limit. The other half is reserved for outgoing
/// connections and files.
std::size_t connections_allowed(std::size_t requested);

}  // namespace finality::net
