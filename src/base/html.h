// HTML escaping. Pure.
#pragma once

#include <string>
#include <string_view>

namespace finality {

/// Escapes `text` for use between tags and within a quoted attribute.
std::string escape_html(std::string_view text);

}  // namespace finality
