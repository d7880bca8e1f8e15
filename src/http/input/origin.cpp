#include "http/input/origin.h"

#include "base/limits.h"
#include "model/policy.h"

namespace finality::http {
namespace {

constexpr std::string_view kDefaultSource = "api";

}  // namespace

Origin read_origin(Fields& fields) {
  Origin origin;
  origin.source = fields.optional_text("source", limits::kReferenceMax).value_or(std::string(kDefaultSource));
  if (origin.source == kWallet) fields.refuse("source", "must not be wallet, which is reserved for wallet payments");
  origin.reference = fields.text("reference", limits::kReferenceMax);
  return origin;
}

std::optional<Origin> read_origin(QueryParams& query) {
  const std::optional<std::string> source = query.text("source", limits::kReferenceMax);
  const std::optional<std::string> reference = query.text("reference", limits::kReferenceMax);
  if (source && !reference) query.refuse("reference", "is required if source is set");
  if (!reference) return std::nullopt;
  return Origin{source.value_or(std::string(kDefaultSource)), *reference};
}

}  // namespace finality::http
