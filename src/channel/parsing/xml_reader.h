// Reads an XML file as a stream, with expat. The input is untrusted: a document type declaration is an error, so a file
// can neither define entities nor name other files, and depth and sizes are limited. Opens no files or connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/parse_budget.h"
#include "base/result.h"

struct XML_ParserStruct;

namespace finality {

/// The attributes of an element. Valid while the element begins.
class XmlAttributes {
 public:
  /// `pairs`: names and values in turn, ended by null.
  explicit XmlAttributes(const char** pairs) : pairs_(pairs) {}
  /// The value of the attribute; empty if the element does not have it.
  std::string_view value(std::string_view name) const;

 private:
  const char** pairs_;
};

/// Receives the elements of a file in order. Names have no namespace prefix. An error stops the reader, which returns
/// it.
class XmlSink {
 public:
  virtual Result<void> begin(std::string_view name, const XmlAttributes& attributes) = 0;
  /// `text`: the text after the last element inside, or all text if the element contains no elements.
  virtual Result<void> end(std::string_view name, std::string_view text) = 0;

 protected:
  ~XmlSink() = default;
};

/// Texts, tags and comments are limited to limits::kStatementLineBytesMax bytes each; the reader needs memory for one
/// of them only. Not thread safe.
class XmlReader {
 public:
  static constexpr int kDepthMax = 32;  // nested elements

  /// `budget` and `sink` must outlive the reader.
  XmlReader(ParseBudget& budget, XmlSink& sink);

  /// Reads the next bytes, in UTF-8, UTF-16, ISO 8859-1 or ASCII. Returns the error of the sink or of the budget, or
  /// an error that names the line if the file is malformed or exceeds a limit.
  Result<void> take(std::string_view bytes);
  /// Returns an error if the file is incomplete.
  Result<void> finish();

 private:
  struct Free {
    void operator()(XML_ParserStruct* parser) const;
  };

  static void on_begin(void* reader, const char* name, const char** attributes);
  static void on_end(void* reader, const char* name);
  static void on_text(void* reader, const char* text, int size);
  static void on_document_type(void* reader, const char*, const char*, const char*, int);
  Result<void> parse(std::string_view piece, bool is_end);
  void stop_unless(const Result<void>& done);
  std::unexpected<Error> fail_here(std::string_view reason) const;

  ParseBudget& budget_;
  XmlSink& sink_;
  std::unique_ptr<XML_ParserStruct, Free> parser_;
  Result<void> outcome_;    // the first error of a handler
  std::int64_t taken_ = 0;  // bytes
  int depth_ = 0;
  std::string text_;
};

}  // namespace finality
