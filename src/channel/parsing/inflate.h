// Decompresses files from channels with zlib (RFC 1951, RFC 1952). Callers limit the output size, as protection against
// decompression bombs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace finality {

/// Unpacks a GZIP file with one member. Returns an error if the file is corrupt, incomplete or followed by other bytes,
/// or if it unpacks to more than `bytes_max` bytes.
Result<std::string> inflate_gzip(std::string_view packed, std::size_t bytes_max);

/// Unpacks a raw deflate stream, as in a ZIP file. Limits and errors are those of inflate_gzip.
Result<std::string> inflate_raw(std::string_view packed, std::size_t bytes_max);

}  // namespace finality
