#include "decide/statement/post_funds.h"

#include <algorithm>
#include <map>

#include "base/time/date.h"
#include "decide/add_row.h"
#include "decide/post.h"

namespace finality {
namespace {

/// How lines of one kind are posted, by the direction in which they change the balance.
struct PostedKind {
  LineKind kind;
  EntryType debited;   // the balance decreased
  EntryType credited;  // the balance increased
};

constexpr PostedKind kPostedKinds[] = {
    {LineKind::fee, EntryType::channel_fee, EntryType::channel_fee_returned},
    {LineKind::fee_returned, EntryType::channel_fee, EntryType::channel_fee_returned},
    {LineKind::withdrawal, EntryType::channel_withdrawal, EntryType::channel_top_up},
    {LineKind::top_up, EntryType::channel_withdrawal, EntryType::channel_top_up},
    {LineKind::adjustment, EntryType::channel_deduction, EntryType::channel_compensation},
};

// The bank account of the lines; empty: without bank account.
std::string bank_account_of(const FundsPosting& lines, const FundsResult& result) {
  return lines.currency == result.bank_currency ? result.bank_account : std::string();
}

ledger::Posting posting_of(const FundsPosting& lines, const FundsResult& result, const Statement& statement,
                           const Policy& policy) {
  return {.type = *posted_type(lines.kind, lines.amount),
          .merchant_id = kPlatform,
          .channel = result.channel,
          .currency = lines.currency,
          .amount = lines.amount < 0 ? -lines.amount : lines.amount,
          .document = statement.id,
          .root_id = statement.id.value,
          .channel_account = statement.channel_account_id,
          .funds = policy.funds_of(result.channel),
          .bank_account = bank_account_of(lines, result),
          .bank_account_id = policy.account_of(bank_account_of(lines, result))};
}

StatementMovement movement_of(const BookedLines& booked, const Statement& statement, Context& context) {
  return {.id = context.next_id<StatementMovementId>(),
          .statement_id = statement.id,
          .currency = booked.currency,
          .kind = booked.kind,
          .booked_on = booked.booked_on,
          .lines = booked.lines,
          .amount = booked.amount,
          .journal_id = std::nullopt};
}

}  // namespace

std::optional<EntryType> posted_type(LineKind kind, MinorUnits amount) {
  const auto posted = std::ranges::find(kPostedKinds, kind, &PostedKind::kind);
  if (posted == std::end(kPostedKinds) || amount == 0) return std::nullopt;
  return amount < 0 ? posted->debited : posted->credited;
}

void add_reads(const FundsResult& result, ReadSet& reads) {
  for (const FundsPosting& lines : result.postings)
    ledger::add_reads(*posted_type(lines.kind, lines.amount), kPlatform, result.channel, lines.currency, reads, {},
                      AccountKind::merchant_payable, bank_account_of(lines, result));
}

void post_funds(StatementWriter& writer, const FundsResult& result) {
  Context& context = writer.context();
  const Statement& statement = writer.statement();
  for (const BookedLines& booked : result.booked)
    add_row(writer.aggregate().movements, movement_of(booked, statement, context));
  const std::string posted_on = date_of(context.now, result.utc_offset);
  std::map<EntryType, std::int64_t> ordinals;
  for (const FundsPosting& lines : result.postings) {
    ledger::Posting posting = posting_of(lines, result, statement, context.policy);
    posting.ordinal = ordinals[posting.type]++;
    const std::optional<EntryId> journal = post(context, posting);
    if (!journal) return;
    const BookedLines booked{lines.kind, lines.currency, posted_on, lines.lines, lines.amount};
    StatementMovement movement = movement_of(booked, statement, context);
    movement.journal_id = journal;
    add_row(writer.aggregate().movements, movement);
    writer.noted("posted", journal);
  }
}

}  // namespace finality
