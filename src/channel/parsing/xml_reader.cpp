#include "channel/parsing/xml_reader.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/limits.h"

namespace finality {
namespace {

// Expat reads an incomplete token again with each piece.
constexpr std::size_t kPieceBytes = 16 << 10;
constexpr std::size_t kTokenBytesMax = limits::kStatementLineBytesMax;

std::string_view without_prefix(std::string_view name) { return name.substr(name.find(':') + 1); }

}  // namespace

std::string_view XmlAttributes::value(std::string_view name) const {
  for (const char** pair = pairs_; *pair != nullptr; pair += 2)
    if (*pair == name) return pair[1];
  return {};
}

void XmlReader::Free::operator()(XML_ParserStruct* parser) const { XML_ParserFree(parser); }

XmlReader::XmlReader(ParseBudget& budget, XmlSink& sink)
    : budget_(budget), sink_(sink), parser_(XML_ParserCreate(nullptr)) {
  FINALITY_CHECK(parser_ != nullptr, "XML_ParserCreate failed");
  XML_SetUserData(parser_.get(), this);
  XML_SetElementHandler(parser_.get(), on_begin, on_end);
  XML_SetCharacterDataHandler(parser_.get(), on_text);
  XML_SetStartDoctypeDeclHandler(parser_.get(), on_document_type);
}

Result<void> XmlReader::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPieceBytes);
    bytes.remove_prefix(piece.size());
    if (auto done = parse(piece, false); !done) return done;
  }
  return {};
}

Result<void> XmlReader::finish() { return parse({}, true); }

Result<void> XmlReader::parse(std::string_view piece, bool is_end) {
  if (auto spent = budget_.spend(piece.size()); !spent) return spent;
  const auto status = XML_Parse(parser_.get(), piece.data(), static_cast<int>(piece.size()), is_end);
  if (!outcome_) return outcome_;
  if (status != XML_STATUS_OK) return fail_here(XML_ErrorString(XML_GetErrorCode(parser_.get())));
  taken_ += static_cast<std::int64_t>(piece.size());
  const auto token_begin = std::max<std::int64_t>(XML_GetCurrentByteIndex(parser_.get()), 0);
  if (taken_ - token_begin > static_cast<std::int64_t>(kTokenBytesMax + kPieceBytes))
    return fail_here(fmt::format("a tag or comment longer than {} bytes", kTokenBytesMax));
  return {};
}

std::unexpected<Error> XmlReader::fail_here(std::string_view reason) const {
  return fail(fmt::format("line {}: {}", XML_GetCurrentLineNumber(parser_.get()), reason));
}

// Expat calls some handlers even after it was stopped; each handler first checks `outcome_`.
void XmlReader::stop_unless(const Result<void>& done) {
  if (done) return;
  outcome_ = done;
  XML_StopParser(parser_.get(), XML_FALSE);
}

void XmlReader::on_begin(void* reader, const char* name, const char** attributes) {
  XmlReader& self = *static_cast<XmlReader*>(reader);
  if (!self.outcome_) return;
  self.text_.clear();
  if (auto spent = self.budget_.spend(limits::kParseStepWork); !spent) return self.stop_unless(spent);
  if (++self.depth_ > kDepthMax)
    return self.stop_unless(self.fail_here(fmt::format("elements are nested deeper than {}", kDepthMax)));
  self.stop_unless(self.sink_.begin(without_prefix(name), XmlAttributes(attributes)));
}

void XmlReader::on_end(void* reader, const char* name) {
  XmlReader& self = *static_cast<XmlReader*>(reader);
  if (!self.outcome_) return;
  --self.depth_;
  self.stop_unless(self.sink_.end(without_prefix(name), self.text_));
  self.text_.clear();
}

void XmlReader::on_text(void* reader, const char* text, int size) {
  XmlReader& self = *static_cast<XmlReader*>(reader);
  if (!self.outcome_) return;
  if (self.text_.size() + static_cast<std::size_t>(size) > kTokenBytesMax)
    return self.stop_unless(self.fail_here(fmt::format("a text longer than {} bytes", kTokenBytesMax)));
  self.text_.append(text, static_cast<std::size_t>(size));
}

void XmlReader::on_document_type(void* reader, const char*, const char*, const char*, int) {
  XmlReader& self = *static_cast<XmlReader*>(reader);
  if (self.outcome_) self.stop_unless(self.fail_here("a document type declaration is not allowed"));
}

}  // namespace finality
