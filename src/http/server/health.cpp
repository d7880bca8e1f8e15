// GET /healthz (process is running) · GET /readyz (store is readable and writable, and server is not draining)
// GET /metrics
// GET /openapi.json · /docs (API reference)
#include <fmt/format.h>

#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/openapi.h"
#include "http/server/problem.h"
#include "query/refusals.h"

namespace finality::http {
namespace {

void get_health(Api&, const HttpExchangePtr& exchange) { exchange->answer(json_response(200, R"({"status":"ok"})")); }

void get_readiness(Api& api, const HttpExchangePtr& exchange) {
  if (api.draining) return exchange->refuse({RefusalCode::busy, "The server is shutting down.", {}, {}});
  if (const auto fault = api.services.engine.store_fault())
    return exchange->refuse(
        {RefusalCode::storage_write_error, fmt::format("Writes are refused: {}.", text_of(*fault)), {}, {}});
  read(api, exchange, [](Reader& reader) -> HttpReply {
    if (const Result<void> there = reader.ping(); !there) return std::unexpected(query::unreadable(there.error()));
    return json_response(200, R"({"status":"ok"})");
  });
}

void get_metrics(Api& api, const HttpExchangePtr& exchange) {
  net::HttpResponse response{.status = 200, .headers = {}, .body = api.metrics.text()};
  response.headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  exchange->answer(std::move(response));
}

void get_openapi(Api&, const HttpExchangePtr& exchange) {
  exchange->answer(json_response(200, std::string(kOpenApiJson)));
}

void get_reference(Api&, const HttpExchangePtr& exchange) {
  net::HttpResponse response{.status = 200, .headers = {}, .body = std::string(kApiReferenceHtml)};
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.headers.add("Content-Security-Policy", std::string(kApiReferencePolicy));
  response.headers.add("X-Content-Type-Options", "nosniff");
  exchange->answer(std::move(response));
}

}  // namespace

void add_health(Api& api) {
  add_route(api, "GET", "/healthz", Access::open, Role::viewer, get_health);
  add_route(api, "GET", "/readyz", Access::open, Role::viewer, get_readiness);
  add_route(api, "GET", "/metrics", Access::open, Role::viewer, get_metrics);
  add_route(api, "GET", "/openapi.json", Access::open, Role::viewer, get_openapi);
  add_route(api, "GET", "/docs", Access::open, Role::viewer, get_reference);
}

}  // namespace finality::http
