// Builders for the sandbox's HTTP responses. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/net/http_message.h"

namespace finality::sandbox {

net::HttpResponse json_answer(int status, const boost::json::object& body);

/// The body of an error: {"code", "message", "param"}. `param` names the invalid field and may be omitted.
boost::json::object error_body(std::string_view code, std::string_view message, std::string_view param = {});
net::HttpResponse error_answer(int status, std::string_view code, std::string_view message,
                               std::string_view param = {});

/// 404: no endpoint has this path.
net::HttpResponse not_found_answer();
/// 405: the path exists, but not with this method. `allow` lists the supported methods, as in the Allow header.
net::HttpResponse wrong_method_answer(std::string allow);
/// 504, the response of a proxy without a response from its upstream: the result of the request is unknown.
net::HttpResponse lost_answer();
/// 503: the database is not available.
net::HttpResponse unavailable_answer(std::string_view message);

/// A page for people. It must not load anything, and may submit forms only to its own origin.
net::HttpResponse html_answer(int status, std::string html);

}  // namespace finality::sandbox
