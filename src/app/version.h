// Release version of the program (CHANGELOG.md).
#pragma once

namespace finality::app {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace finality::app
