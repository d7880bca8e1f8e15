#include "http/server/problem.h"

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

#include "base/limits.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

struct ServerRefusal {
  int status;
  std::string_view code;
  std::string_view title;
  std::string_view detail;
};

constexpr ServerRefusal kServerRefusals[] = {
    {400, "invalid_request", "Invalid request", "The received bytes are not a valid HTTP/1.1 request."},
    {408, "request_timeout", "Request timeout", "The request was not received completely in time."},
    {413, "body_too_large", "Request body too large", "The request body must have at most {} MiB."},
    {431, "headers_too_large", "Request headers too large", "Request line and headers must have at most 16 KiB."},
    {500, "internal_error", "Internal server error",
     "The outcome of the request is unknown. Retry it, with the same Idempotency-Key if it had one."},
};
constexpr int kUnavailable = 503;
constexpr std::size_t kMiB = 1 << 20;
static_assert(limits::kHeaderBytesMax == 16 << 10, "the detail contains this limit");
static_assert(limits::kBodyBytesMax % kMiB == 0 && limits::kStatementBytesMax % kMiB == 0, "the detail is in MiB");

const ServerRefusal& refusal_of(int status) {
  for (const ServerRefusal& refusal : kServerRefusals)
    if (refusal.status == status) return refusal;
  return kServerRefusals[std::size(kServerRefusals) - 1];
}

// Headers of a response of the API: Content-Type, Request-Id, Cache-Control and one more. One allocation for all.
constexpr std::size_t kHeaders = 4;

}  // namespace

net::HttpResponse json_response(int status, std::string body) {
  body += '\n';
  net::HttpResponse response{.status = status, .headers = {}, .body = std::move(body)};
  response.headers.reserve(kHeaders);
  response.headers.add("Content-Type", "application/json");
  return response;
}

net::HttpResponse problem_response(int status, std::string body, int retry_after_seconds) {
  body += '\n';
  net::HttpResponse response{.status = status, .headers = {}, .body = std::move(body)};
  response.headers.reserve(kHeaders);
  response.headers.add("Content-Type", "application/problem+json");
  if (retry_after_seconds > 0) response.headers.add("Retry-After", std::to_string(retry_after_seconds));
  if (status == 401) response.headers.add("WWW-Authenticate", "Bearer");
  return response;
}

net::HttpResponse problem_response(const Refusal& refusal, std::string_view request_id) {
  const RefusalInfo info = info_of(refusal.code);
  return problem_response(info.status, wire::problem_json(refusal, request_id), retry_after_of(refusal));
}

net::HttpResponse server_problem(int status, std::string_view reason, std::string_view request_id,
                                 std::size_t body_bytes_max) {
  if (status == kUnavailable) {
    net::HttpResponse response = problem_response(busy(), request_id);
    response.headers.add("Request-Id", std::string(request_id));
    return response;
  }
  const ServerRefusal& refusal = refusal_of(status);
  std::string detail = fmt::format(fmt::runtime(refusal.detail), body_bytes_max / kMiB);
  if (!reason.empty()) detail += fmt::format(" {}", reason);
  const boost::json::object problem{{"type", "urn:finality:problem:" + std::string(refusal.code)},
                                    {"title", refusal.title},
                                    {"status", refusal.status},
                                    {"detail", detail},
                                    {"code", refusal.code},
                                    {"request_id", request_id}};
  net::HttpResponse response{.status = refusal.status, .headers = {}, .body = boost::json::serialize(problem) + '\n'};
  response.headers.add("Content-Type", "application/problem+json");
  response.headers.add("Request-Id", std::string(request_id));
  response.headers.add("Cache-Control", "no-store");
  return response;
}

Refusal forbidden(const Principal& principal) {
  const std::string_view needed = text_of(principal.needed);
  const std::string_view or_higher = principal.needed == Role::admin ? "" : " or higher";
  if (principal.role == Role::merchant)
    return {RefusalCode::forbidden,
            fmt::format("This request is for operators with the role {}{}, and the API key belongs to a merchant. Ask "
                        "the operators of the platform.",
                        needed, or_higher),
            {},
            {}};
  return {RefusalCode::forbidden,
          fmt::format("This request needs the role {}{}, and the API key has the role {}.", needed, or_higher,
                      text_of(principal.role)),
          {},
          {}};
}

std::unexpected<Refusal> invalid_parameter(std::string_view name, std::string_view sentence) {
  return std::unexpected(
      Refusal{RefusalCode::invalid_request, fmt::format("{} {}", name, sentence), std::string(name), {}});
}

Refusal too_many_reads() {
  return {RefusalCode::rate_limited,
          fmt::format("Too many reads are queued: at most {} of one merchant, operator key or client address. Retry "
                      "after one second, and wait for responses before you send further reads.",
                      limits::kReadsPerClientMax),
          {},
          {}};
}

Refusal busy() {
  return {RefusalCode::busy, "Too many requests are queued. Nothing was changed. Retry after one second.", {}, {}};
}

}  // namespace finality::http
