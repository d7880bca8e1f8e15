// Looks up and records the differences of one channel account, for the comparison of a statement.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decide/statement/record_difference.h"
#include "model/natural_key.h"
#include "model/working_set.h"
#include "store/store.h"
#include "worker/command_sender.h"

namespace finality {

/// Whether a further difference about the same subject can be recorded, because this one has ended and no booking ended
/// it: a statement did, which a newer version can replace, or operators resolved it.
bool can_recur(const Difference& difference);

/// A subject has a further difference only after the ones before have ended (can_recur()). Then the newest one is
/// meant. Not thread safe.
class DifferenceRecorder {
 public:
  /// What a difference is about (RecordDifference::subject), and the merchant to which the difference belongs.
  struct Subject {
    MerchantId merchant_id;
    std::string text;
  };

  /// `reader` and `commands` must outlive the recorder.
  DifferenceRecorder(Reader& reader, CommandSender& commands, ChannelAccountId account)
      : reader_(reader), commands_(commands), account_(account) {}

  /// Reads the differences about these subjects with one load, so that find() and known() need no further read for
  /// them. Forgets the subjects of earlier calls.
  Result<void> prefetch(std::span<const Subject> subjects);
  /// Returns the newest difference about a subject, with all that was recorded before; empty without a difference.
  Result<std::optional<Difference>> find(MerchantId merchant, const std::string& subject);
  /// Returns all differences about a subject, oldest first.
  Result<std::vector<Difference>> history(MerchantId merchant, const std::string& subject);
  /// As find(), but returns only the id; 0 without a difference.
  Result<DifferenceId> known(MerchantId merchant, const std::string& subject);
  /// Submits a difference, or an event of a known one, without waiting for the commit (CommandSender::send()). Sets the
  /// channel account. If `row.id` is set, it must be that of a difference about the subject; otherwise the newest one
  /// is looked up.
  Result<void> record(Difference row, std::string subject, DifferenceEvent event,
                      std::optional<ObjectRef> repaired_by = std::nullopt);
  /// As record(), but submits a further difference about the subject. REQUIRES: there is none, or can_recur(newest).
  Result<void> record_again(Difference row, const std::string& subject, DifferenceEvent event);
  /// Ends the difference about a subject, because `repaired_by` agrees with the books now. `ended_at` is that of the
  /// difference. Does nothing if there is no such difference, or if it has ended.
  Result<void> end(MerchantId merchant, const std::string& subject, std::optional<Time> ended_at,
                   ObjectRef repaired_by);

 private:
  Hash16 key_of(MerchantId merchant, const std::string& subject) const {
    return key_of_difference(merchant, account_, subject);
  }
  /// Returns the difference with exactly that subject in its command.
  Result<std::optional<Difference>> named(MerchantId merchant, const std::string& text);
  Result<void> send(RecordDifference command);
  Result<void> settle();

  Reader& reader_;
  CommandSender& commands_;
  ChannelAccountId account_;
  WorkingSet rows_;                                           // read by prefetch()
  boost::unordered_flat_set<Hash16, Hash16Hasher> recorded_;  // keys that were recorded since, perhaps not committed
};

}  // namespace finality
