// GET /healthz (process is running) · GET /readyz (store is readable and writable, and server is not draining)
// GET /metrics
// GET /openapi.json · /docs (API reference)
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "http/pages/gzip.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/openapi.h"
#include "http/server/problem.h"
#include "query/refusals.h"

namespace finality::http {
namespace {

constexpr std::size_t kReadinessWaitersMax = 256;  // requests of /readyz that wait for a probe of the store

void get_health(Api&, const HttpExchangePtr& exchange) { exchange->answer(json_response(200, R"({"status":"ok"})")); }

void get_readiness(Api& api, const HttpExchangePtr& exchange) {
  if (api.draining) return exchange->refuse({RefusalCode::busy, "The server is shutting down.", {}, {}});
  if (const auto fault = api.services.engine.store_fault())
    return exchange->refuse(
        {RefusalCode::storage_write_error, fmt::format("Writes are refused: {}.", text_of(*fault)), {}, {}});
  api.readiness.answer(exchange);
}

void get_metrics(Api& api, const HttpExchangePtr& exchange) { api.metrics_text.answer(exchange); }

// Returns the response with an embedded document, compressed if the client accepts it. `packed` is valid until the
// process ends.
net::HttpResponse document_response(const net::HttpRequest& request, std::string_view plain,
                                    const std::string& packed) {
  const bool is_packed = accepts_gzip(request.headers.get("Accept-Encoding"));
  net::HttpResponse response{.status = 200, .headers = {}, .body = {}, .constant_body = is_packed ? packed : plain};
  response.headers.add("Vary", "Accept-Encoding");
  if (is_packed) response.headers.add("Content-Encoding", "gzip");
  return response;
}

void get_openapi(Api&, const HttpExchangePtr& exchange) {
  static const std::string packed = gzip(kOpenApiJson);
  net::HttpResponse response = document_response(exchange->request(), kOpenApiJson, packed);
  response.headers.add("Content-Type", "application/json");
  exchange->answer(std::move(response));
}

void get_reference(Api&, const HttpExchangePtr& exchange) {
  static const std::string packed = gzip(kApiReferenceHtml);
  net::HttpResponse response = document_response(exchange->request(), kApiReferenceHtml, packed);
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.headers.add("Content-Security-Policy", std::string(kApiReferencePolicy));
  response.headers.add("X-Content-Type-Options", "nosniff");
  exchange->answer(std::move(response));
}

void add_probe(Api& api, std::string pattern, ApiHandler handler) {
  api.health_router.add({.method = "GET",
                         .pattern = std::move(pattern),
                         .access = Access::open,
                         .handler = [&api, handler](const HttpExchangePtr& exchange) { handler(api, exchange); },
                         .traffic = Traffic::unlimited});
}

}  // namespace

HttpReply check_store(Reader& reader) {
  if (const Result<void> there = reader.ping(); !there) return std::unexpected(query::unreadable(there.error()));
  return json_response(200, R"({"status":"ok"})");
}

SharedReply::Options readiness_options(Duration kept) {
  return {.kept = kept,
          .waiting_max = kReadinessWaitersMax,
          .wait_max = limits::kReadinessWaitMax,
          .late = {RefusalCode::storage_read_error, "The store does not reply.", {}, {}}};
}

HttpReply metrics_reply(const Metrics& metrics) {
  net::HttpResponse response{.status = 200, .headers = {}, .body = metrics.text()};
  response.headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  return response;
}

void add_health(Api& api) {
  add_probe(api, "/healthz", get_health);
  add_probe(api, "/readyz", get_readiness);
  add_probe(api, "/metrics", get_metrics);
  add_route(api, "GET", "/healthz", Access::open, Role::viewer, get_health, {.traffic = Traffic::unlimited});
  add_route(api, "GET", "/readyz", Access::open, Role::viewer, get_readiness, {.traffic = Traffic::unlimited});
  if (!api.services.private_metrics) add_route(api, "GET", "/metrics", Access::open, Role::viewer, get_metrics);
  add_route(api, "GET", "/openapi.json", Access::open, Role::viewer, get_openapi);
  add_route(api, "GET", "/docs", Access::open, Role::viewer, get_reference);
}

}  // namespace finality::http
