// Builders for the sandbox's HTTP responses. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/net/http_message.h"

namespace finality::sandbox {

net::HttpResponse json_answer(int status, const boost::json::object& body);

/// Returns the body of an error: {"code", "message", "param"}. `param` is the name of the invalid field; if empty, the
/// member is omitted.
boost::json::object error_body(std::string_view code, std::string_view message, std::string_view param = {});
net::HttpResponse error_answer(int status, std::string_view code, std::string_view message,
                               std::string_view param = {});

/// 404: no endpoint has this path.
net::HttpResponse not_found_answer();
/// 405: the endpoint does not support this method. `allow` is the value of the Allow header, for example `GET, POST`.
net::HttpResponse wrong_method_answer(std::string allow);
/// 504 `gateway_timeout`, as from a proxy whose upstream timed out. The client cannot know the result of the request.
net::HttpResponse lost_answer();
/// 503: the database is not available.
net::HttpResponse unavailable_answer(std::string_view message);

/// Returns an HTML page. Its Content-Security-Policy forbids external resources and forms to other origins.
net::HttpResponse html_answer(int status, std::string html);

}  // namespace finality::sandbox
