// Converts ids in audit results to API ids.
#pragma once

#include <string>

#include "model/ids.h"

namespace finality::audit {

/// Returns the API id of an object. `text` is either TYPE:ID, for example `order:123`, or the decimal id of an object
/// of type `type`. Any other text is returned unchanged.
inline std::string readable_id(const std::string& type, const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string named = colon == std::string::npos ? type : text.substr(0, colon);
  const std::string number = colon == std::string::npos ? text : text.substr(colon + 1);
  const auto object = parse_enum<ObjectType>(named);
  if (!object || number.empty()) return text;
  return to_text(ObjectRef(*object, std::stoll(number)));
}

}  // namespace finality::audit
