// Invariant violations that the auditors have found.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace finality::sim {

struct Finding {
  std::string invariant;  // number and name, such as "5 refunds"
  std::string detail;
};

class Findings {
 public:
  template <class... Parts>
  void require(bool holds, const char* invariant, fmt::format_string<Parts...> text, Parts&&... parts) {
    if (holds || is_known(invariant)) return;
    list_.push_back({invariant, fmt::format(text, std::forward<Parts>(parts)...)});
  }
  bool empty() const { return list_.empty(); }
  const std::vector<Finding>& list() const { return list_; }

 private:
  // Only the first finding of each invariant is kept, because later findings are mostly its consequences.
  bool is_known(std::string_view invariant) const {
    return std::ranges::any_of(list_, [&](const Finding& one) { return one.invariant == invariant; });
  }

  std::vector<Finding> list_;
};

}  // namespace finality::sim
