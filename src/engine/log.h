// The log: spdlog, whose formatting is compiled once.
#pragma once

#include <spdlog/spdlog.h>

// Without this every source that logs would compile all of fmt's formatting. Compiled in log.cpp.
extern template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>& out, fmt::basic_string_view<char> text,
                                                   fmt::basic_format_args<fmt::buffer_context<char>> arguments,
                                                   fmt::detail::locale_ref locale);
