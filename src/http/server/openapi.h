// API contract, embedded from openapi.yaml at build time (tools/embed_openapi.py).
#pragma once

#include <string_view>

namespace finality::http {

extern const std::string_view kOpenApiJson;         // ends with a line feed
extern const std::string_view kApiReferenceHtml;    // API reference as an HTML page
extern const std::string_view kApiReferencePolicy;  // its Content-Security-Policy header

}  // namespace finality::http
