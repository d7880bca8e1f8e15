// What counts as text in a request.
#pragma once

#include <string_view>

namespace finality::http {

/// `min` to `max` characters of UTF-8, none of them a control character (C0, DEL, C1).
bool is_plain_text(std::string_view text, std::size_t min, std::size_t max);

}  // namespace finality::http
