#include "engine/log.h"

template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>& out, fmt::basic_string_view<char> text,
                                            fmt::basic_format_args<fmt::buffer_context<char>> arguments,
                                            fmt::detail::locale_ref locale);
