// Compression of responses (RFC 1952). Pure, thread safe.
#pragma once

#include <string>
#include <string_view>

namespace finality::http {

/// Returns the text as a gzip file.
std::string gzip(std::string_view text);

/// Whether a client with the header `Accept-Encoding: accept_encoding` accepts gzip: it lists gzip, x-gzip or `*` with
/// a weight above 0.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace finality::http
