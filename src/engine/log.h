// Logging with spdlog; its formatting is compiled once.
#pragma once

#include <spdlog/spdlog.h>

// Without this declaration every source file that logs would compile fmt's formatting. Defined in log.cpp.
extern template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>& out, fmt::basic_string_view<char> text,
                                                   fmt::basic_format_args<fmt::buffer_context<char>> arguments,
                                                   fmt::detail::locale_ref locale);
