// The API contract, embedded from openapi.yaml when the program is built (tools/embed_openapi.py).
#pragma once

#include <string_view>

namespace finality::http {

extern const std::string_view kOpenApiJson;
extern const std::string_view kApiReferenceHtml;    // the same for people
extern const std::string_view kApiReferencePolicy;  // its Content-Security-Policy

}  // namespace finality::http
