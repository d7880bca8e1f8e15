// The contract as JSON, made from openapi.yaml when the program is built (tools/embed_openapi.py).
#pragma once

#include <string_view>

namespace finality::http {

extern const std::string_view kOpenApiJson;

}  // namespace finality::http
