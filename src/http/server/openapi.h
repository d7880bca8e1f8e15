// API contract, embedded from openapi.yaml at build time (tools/embed_openapi.py).
#pragma once

#include <string_view>

namespace finality::http {

extern const std::string_view kOpenApiJson;
extern const std::string_view kApiReferenceHtml;    // human-readable reference
extern const std::string_view kApiReferencePolicy;  // Content-Security-Policy of the reference

}  // namespace finality::http
