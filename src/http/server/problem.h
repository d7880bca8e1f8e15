// Answers and refusals as HTTP responses: the one place where a refusal becomes a status, headers and a problem+json.
#pragma once

#include <string>
#include <string_view>

#include "base/net/http_message.h"
#include "model/refusal.h"

namespace finality::http {

/// Every body ends with a line feed, which a terminal needs.
net::HttpResponse json_response(int status, std::string body);
/// A problem that is JSON already. `retry_after_seconds` of 0 says nothing about asking again.
net::HttpResponse problem_response(int status, std::string body, int retry_after_seconds);
net::HttpResponse problem_response(const Refusal& refusal, std::string_view request_id);
/// For a request that never became one: 400, 408, 413, 431; and 500 for one that was left unanswered.
net::HttpResponse server_problem(int status, std::string_view request_id);

Refusal forbidden();
Refusal busy();

}  // namespace finality::http
