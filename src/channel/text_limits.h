// The limits of all texts that the adapters send to channels, as one table: what each channel counts, and which
// characters it accepts. Every adapter passes its requests through fit_texts(), so a text without a row cannot be sent.
// Numbers in the path of a URL have the limits of the same number in a body. Pure and thread safe.
//
// Where neither a document of the channel nor a public report states the unit of a limit, the table has the stricter
// reading: bytes of UTF-8. The sandbox checks the same requests by a separate table (sandbox/texts/text_limits.h), so
// that one wrong row cannot hide in both; src/app/sandbox_texts_test.cpp compares the two.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace finality {

/// What a channel counts. `letters`: an ASCII character is 1, every other character is 2, a character of 4 bytes in
/// UTF-8 is 4 (Alipay: "100 letters or 50 Chinese characters").
enum class TextUnit : std::uint8_t { bytes, characters, letters };

/// What an adapter does with a text that exceeds its limit. `cut`: sends the longest beginning of whole characters that
/// fits. `leave_out`: does not send the field, which is optional. `refuse`: identifiers, which no adapter may change.
/// The input of a payment is checked by rule_of(); all other identifiers are generated or read by Finality and fit.
enum class Excess : std::uint8_t { cut, leave_out, refuse };

/// The characters that a channel accepts: all except `marks`, or only ASCII letters, digits and `marks`.
struct Alphabet {
  enum class Rule : std::uint8_t { all_except, letters_digits_and };
  Rule rule = Rule::all_except;
  std::string_view marks;
};

struct TextLimit {
  std::string_view kind;   // name of the ChannelKind
  std::string_view field;  // JSON pointer into the body, or `?` and the name of a parameter
  std::size_t max = 0;
  TextUnit unit = TextUnit::bytes;
  Alphabet alphabet;
  Excess excess = Excess::refuse;
  std::string_view proof;  // document or report that states limit and unit
};

/// All rows. A kind and a field occur in at most one row.
std::span<const TextLimit> text_limits();
/// Returns the row of a field; null if the field has no row.
const TextLimit* find_text_limit(std::string_view kind, std::string_view field);

/// Returns the size of well-formed UTF-8 in the unit.
std::size_t size_in(TextUnit unit, std::string_view text);
/// Returns whether the text has only allowed characters and at most `limit.max` units.
bool fits(const TextLimit& limit, std::string_view text);
/// Returns the rule of a row for error messages: "must have at most 128 bytes, letters, digits and _- only".
std::string rule_of(const TextLimit& limit);

/// Makes every text of a request fit its row. In texts that may be cut, `-` replaces forbidden characters. `body` is a
/// JSON body, `parameters` are the parameters of a query or form.
/// REQUIRES: every text has a row, and is well-formed UTF-8.
void fit_texts(std::string_view kind, boost::json::object& body);
void fit_texts(std::string_view kind, std::map<std::string, std::string, std::less<>>& parameters);

}  // namespace finality
