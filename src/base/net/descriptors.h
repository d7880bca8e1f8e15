// How many connections a server may have open, by how many files and connections the system allows the process.
#pragma once

#include <cstddef>

namespace finality::net {

/// `wanted`, or half of what RLIMIT_NOFILE allows where that is less: the other half is for the process's own requests
/// and files, which whoever knocks must not use up. Before, it raises the soft limit, which many systems set to 1,024,
/// as far as the hard one allows and this needs.
std::size_t connections_allowed(std::size_t wanted);

}  // namespace finality::net
