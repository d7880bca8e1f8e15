#include "sandbox/simple/answer.h"

#include <boost/json/serialize.hpp>

#include <utility>

namespace finality::sandbox {

net::HttpResponse json_answer(int status, const boost::json::object& body) {
  net::HttpResponse response{.status = status, .headers = {}, .body = boost::json::serialize(body)};
  response.headers.add("Content-Type", "application/json");
  return response;
}

boost::json::object error_body(std::string_view code, std::string_view message, std::string_view param) {
  boost::json::object body{{"code", code}, {"message", message}};
  if (!param.empty()) body["param"] = param;
  return body;
}

net::HttpResponse error_answer(int status, std::string_view code, std::string_view message, std::string_view param) {
  return json_answer(status, error_body(code, message, param));
}

net::HttpResponse not_found_answer() { return error_answer(404, "not_found", "Unknown endpoint."); }

net::HttpResponse wrong_method_answer(std::string allow) {
  net::HttpResponse response = error_answer(405, "method_not_allowed", "Method not allowed. Use " + allow + ".");
  response.headers.add("Allow", std::move(allow));
  return response;
}

net::HttpResponse lost_answer() {
  return error_answer(504, "gateway_timeout", "The upstream server did not respond in time.");
}

net::HttpResponse unavailable_answer(std::string_view message) { return error_answer(503, "system_busy", message); }

net::HttpResponse html_answer(int status, std::string html) {
  net::HttpResponse response{.status = status, .headers = {}, .body = std::move(html)};
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.headers.add("Content-Security-Policy",
                       "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
                       "frame-ancestors 'none'");
  response.headers.add("Cache-Control", "no-store");
  return response;
}

}  // namespace finality::sandbox
