// Text inside a page. Pure.
#pragma once

#include <string>
#include <string_view>

namespace finality {

/// The text as it may stand between tags, and within a quoted attribute.
std::string escape_html(std::string_view text);

}  // namespace finality
