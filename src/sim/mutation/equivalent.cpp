#include "sim/mutation/equivalent.h"

namespace finality::sim {
namespace {

struct Argument {
  std::string_view cell;     // "payment pending not_found"; * matches any word
  std::string_view becomes;  // kind of the mutated cell, or "less" if one action is removed
  std::string_view why;
};

constexpr std::string_view kNoteOnly = "the behavior is the same; only a note in the history differs";
constexpr std::string_view kReleasedWhenDue =
    "a `releasing` authorization is queried, and the result requests the release";

constexpr Argument kArguments[] = {
    {"delivery pending give_up", "keep", kNoteOnly},
    {"delivery given_up give_up", "refuse", kNoteOnly},
    {"delivery given_up unwanted", "refuse", kNoteOnly},
    {"authorization created authorized_unexpectedly", "less", kReleasedWhenDue},
    {"authorization processing authorized_unexpectedly", "less", kReleasedWhenDue},
    {"authorization pending authorized_unexpectedly", "less", kReleasedWhenDue},
};

bool fits(std::string_view pattern, std::string_view text) {
  while (!pattern.empty() && !text.empty()) {
    const std::string_view expected = pattern.substr(0, pattern.find(' '));
    const std::string_view word = text.substr(0, text.find(' '));
    if (expected != "*" && expected != word) return false;
    pattern.remove_prefix(std::min(pattern.size(), expected.size() + 1));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return pattern.empty() && text.empty();
}

}  // namespace

std::string_view why_harmless(const Mutant& mutant) {
  const bool less =
      cell_of(mutant.cell).kind == mutant.becomes.kind && cell_of(mutant.cell).actions != mutant.becomes.actions;
  const std::string_view becomes = less ? std::string_view("less") : name_of(mutant.becomes.kind);
  for (const Argument& argument : kArguments)
    if (argument.becomes == becomes && fits(argument.cell, to_text(mutant.cell))) return argument.why;
  return {};
}

}  // namespace finality::sim
