// Records a difference between a statement and the books, or what has become of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct RecordDifference {
  /// The difference to create, if there is none with that subject. The command assigns id, state, created_at and
  /// version. `ended_at` is only used with the event `repair`, `missed` only with `carry`.
  Difference difference;
  /// Names the line or the document of the difference: subject_of_line(), subject_of_document(), or a text for a
  /// difference about a whole statement. At most one difference of a merchant and channel account has this subject. Not
  /// used if `known` is set.
  std::string subject;
  DifferenceId known;  // the difference to which the event applies; 0: the one with that subject, or a new one
  /// `find`: operators must resolve it. `carry`: a later statement can still contain it; `difference.missed` complete
  /// statements did not, so a repeated command counts none of them twice. `repair`: the books agree now, because of
  /// `repaired_by`.
  DifferenceEvent event = DifferenceEvent::find;
  std::optional<ObjectRef> repaired_by;
};

/// Subjects of differences about a line and about a document.
std::string subject_of_line(const Hash16& line);
std::string subject_of_document(ObjectRef document);

/// Subjects of further differences about a line, besides the one about its money: its fee or discount differs; the
/// statement of that day lists what has a line already. `date` distinguishes equal lines of several days.
std::string subject_of_costs(const Hash16& line);
std::string subject_of_repetition(std::string_view date, const Hash16& line);

/// Subjects of differences of funds and bank statements, about a document and about a line. They differ from those of
/// statements of trades, because a document can be missing in one and not in the other.
std::string funds_subject_of(ObjectRef document);
std::string funds_subject_of(const Hash16& line);
std::string funds_subject_of_repetition(std::string_view date, const Hash16& line);

void add_reads(const RecordDifference& command, ReadSet& reads);

/// Creates the difference or applies the event to the known one. If `difference.changes_balance`, the known one changes
/// the balance from now on: a funds statement has confirmed what a statement of trades reported. `find` opens an
/// exception case `difference`. The commit conflicts if the difference was created concurrently. Refuses with
/// `not_found` if `known` is no difference of the merchant and channel account.
Decision decide(const RecordDifference& command, Context& context);

}  // namespace finality
