// JSON of accounts, account locks, transfers, holds, entries, prices, fees and adjustments.
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/check.h"
#include "wire/optional_field.h"
#include "wire/wire.h"

namespace finality::wire {
namespace {

namespace json = boost::json;

bool is_locked(const Account& account, Time now) { return account.lock_expires_at && *account.lock_expires_at > now; }

// Adds source and reference of the entry: those of its transfer or hold. If it has neither, source is the type and
// reference the id of the object that caused the posting.
void add_origin(json::object& out, const Entry& entry, const Transfer* transfer, const Hold* hold) {
  if (transfer != nullptr) {
    out["transfer"] = to_text(transfer->id);
    out["source"] = transfer->source;
    out["reference"] = transfer->reference;
    add_optional(out, "user", transfer->by_user);
    add_optional(out, "info", transfer->info);
    add_optional(out, "source_ip", transfer->source_ip);
  } else if (hold != nullptr) {
    out["hold"] = to_text(hold->id);
    out["source"] = hold->source;
    out["reference"] = hold->reference;
    add_optional(out, "source_ip", hold->source_ip);
  } else {
    out["source"] = name_of(entry.document_type);
    out["reference"] = to_text(ObjectRef(entry.document_type, entry.document_id));
  }
}

}  // namespace

std::string account_json(const Account& account, Time now) {
  json::object out{
      {"id", to_text(account.id)},
      {"object", "account"},
      {"name", account.name},
      {"kind", account.kind == AccountKind::user ? std::string_view(account.label) : name_of(account.kind)},
      {"currency", account.currency.text()},
      {"balance", account.balance},
      {"held", account.held},
      {"available", account.available()},
      {"overdraft", account.overdraft},
      {"state", name_of(account.state)}};
  if (is_locked(account, now))
    out["lock"] =
        json::object{{"owner", account.lock_owner.value_or("")}, {"expires_at", to_rfc3339(*account.lock_expires_at)}};
  out["version"] = account.version;
  return json::serialize(out);
}

std::string account_lock_json(const Account& account) {
  FINALITY_CHECK(account.lock_owner && account.lock_token && account.lock_expires_at, "the account is not locked");
  return json::serialize(json::object{{"object", "account_lock"},
                                      {"account", to_text(account.id)},
                                      {"owner", *account.lock_owner},
                                      {"token", *account.lock_token},
                                      {"expires_at", to_rfc3339(*account.lock_expires_at)}});
}

std::string transfer_json(const Transfer& transfer) {
  json::object out{{"id", to_text(transfer.id)}, {"object", "transfer"}};
  add_optional(out, "debit_account", transfer.debit_account_id);
  add_optional(out, "credit_account", transfer.credit_account_id);
  // The amount is 0 if the transfer was refused because its price was not found, and in a tombstone. A tombstone also
  // has no accounts and no currency.
  if (transfer.amount != 0) out["amount"] = transfer.amount;
  if (transfer.debit_account_id) out["currency"] = transfer.currency.text();
  out["source"] = transfer.source;
  out["reference"] = transfer.reference;
  out["state"] = name_of(transfer.state);
  add_optional(out, "refusal", transfer.refusal);
  add_optional(out, "price", transfer.price);
  add_optional(out, "quantity", transfer.quantity);
  add_optional(out, "user", transfer.by_user);
  add_optional(out, "info", transfer.info);
  out["created_at"] = to_rfc3339(transfer.created_at);
  out["version"] = transfer.version;
  return json::serialize(out);
}

std::string hold_json(const Hold& hold) {
  return json::serialize(json::object{{"id", to_text(hold.id)},
                                      {"object", "hold"},
                                      {"account", to_text(hold.account_id)},
                                      {"credit_account", to_text(hold.credit_account_id)},
                                      {"amount", hold.amount},
                                      {"posted_amount", hold.posted_amount},
                                      {"currency", hold.currency.text()},
                                      {"source", hold.source},
                                      {"reference", hold.reference},
                                      {"state", name_of(hold.state)},
                                      {"expires_at", to_rfc3339(hold.expires_at)},
                                      {"created_at", to_rfc3339(hold.created_at)},
                                      {"version", hold.version}});
}

std::string entry_json(const Entry& entry, const Transfer* transfer, const Hold* hold) {
  json::object out{{"id", to_text(entry.id)},
                   {"object", "entry"},
                   {"account", to_text(entry.account_id)},
                   {"amount", entry.amount},
                   {"balance_before", entry.balance_before},
                   {"balance_after", entry.balance_after},
                   {"type", name_of(entry.type)}};
  add_origin(out, entry, transfer, hold);
  out["created_at"] = to_rfc3339(entry.created_at);
  return json::serialize(out);
}

std::string price_json(const Price& price) {
  json::object out{{"id", to_text(price.id)},
                   {"object", "price"},
                   {"name", price.name},
                   {"amount", price.amount},
                   {"currency", price.currency.text()}};
  add_optional(out, "note", price.note);
  out["created_at"] = to_rfc3339(price.created_at);
  out["changed_at"] = to_rfc3339(price.changed_at);
  out["version"] = price.version;
  return json::serialize(out);
}

std::string adjustment_json(const Adjustment& adjustment) {
  json::object out{{"id", to_text(adjustment.id)},
                   {"object", "adjustment"},
                   {"merchant", to_text(adjustment.merchant_id)},
                   {"type", name_of(adjustment.type)},
                   {"account", name_of(adjustment.account)}};
  if (!adjustment.channel.empty()) out["channel"] = adjustment.channel;
  out["currency"] = adjustment.currency.text();
  out["amount"] = adjustment.amount;
  out["note"] = adjustment.note;
  out["state"] = name_of(adjustment.state);
  out["proposed_by"] = adjustment.proposed_by;
  add_optional(out, "decided_by", adjustment.decided_by);
  out["created_at"] = to_rfc3339(adjustment.created_at);
  out["version"] = adjustment.version;
  return json::serialize(out);
}

std::string balance_json(const ledger::Balance& balance) {
  return json::serialize(json::object{{"object", "balance"},
                                      {"currency", balance.currency.text()},
                                      {"available", balance.available},
                                      {"refunds_in_transit", balance.refunds_in_transit},
                                      {"payouts_in_transit", balance.payouts_in_transit},
                                      {"disputed", balance.disputed}});
}

std::string fee_json(const Fee& fee) {
  json::object out{{"id", to_text(fee.id)},
                   {"object", "fee"},
                   {"channel", fee.channel},
                   {"basis_points", fee.basis_points},
                   {"fixed", fee.fixed}};
  add_optional(out, "minimum", fee.minimum);
  add_optional(out, "maximum", fee.maximum);
  out["refundable"] = fee.refundable;
  out["created_at"] = to_rfc3339(fee.created_at);
  out["changed_at"] = to_rfc3339(fee.changed_at);
  out["version"] = fee.version;
  return json::serialize(out);
}

}  // namespace finality::wire
