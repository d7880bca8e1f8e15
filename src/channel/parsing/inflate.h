// Decompression of files from channels (RFC 1951, RFC 1952), using zlib. Output size is limited, against
// decompression bombs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace finality {

/// Unpacks a GZIP file of one member. An error when the file is corrupt, incomplete or followed by other bytes, or
/// unpacks to more than `bytes_max`.
Result<std::string> inflate_gzip(std::string_view packed, std::size_t bytes_max);

/// Unpacks a raw deflate stream, as in a ZIP file, with the same limits and errors.
Result<std::string> inflate_raw(std::string_view packed, std::size_t bytes_max);

}  // namespace finality
