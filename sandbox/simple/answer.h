// The forms of the sandbox's answers. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "base/net/http_message.h"

namespace finality::sandbox {

net::HttpResponse json_answer(int status, const boost::json::object& body);

/// {"code","message","param"?}. `param` names the field to blame.
boost::json::object error_body(std::string_view code, std::string_view message, std::string_view param = {});
net::HttpResponse error_answer(int status, std::string_view code, std::string_view message,
                               std::string_view param = {});

net::HttpResponse not_found_answer();
/// `allow`: the methods there are, as for the Allow field.
net::HttpResponse wrong_method_answer(std::string allow);
/// 504, what a proxy answers when nothing comes back: what became of the request cannot be known from it.
net::HttpResponse lost_answer();
/// 503: the books could not be asked.
net::HttpResponse unavailable_answer(std::string_view message);

/// For people. The page may load nothing and send its forms only to where it came from.
net::HttpResponse html_answer(int status, std::string html);

}  // namespace finality::sandbox
