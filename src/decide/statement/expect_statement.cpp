#include "decide/statement/expect_statement.h"

#include "decide/statement/statement_writer.h"
#include "model/natural_key.h"

namespace finality {
namespace {

bool is_of(const Statement& statement, const StatementDay& day) {
  return statement.channel_account_id == day.channel_account_id && statement.kind == day.kind &&
         statement.funds_account == day.funds_account && statement.date == day.date;
}

// Makes the newest version due, so that a server downloads the file again.
void fetch_again(StatementWriter& writer, Time due_at) {
  Statement& statement = writer.statement();
  const StatementEffect effect = statement_machine.due_effect(statement.state);
  if (effect != StatementEffect::download) statement.is_fetched_again = true;
  if (effect != StatementEffect::match) statement.due_at = due_at;
  writer.noted("fetch_requested");
}

}  // namespace

Hash16 key_of_version(const StatementDay& day, StatementSource source, std::int64_t file_version) {
  const std::string_view chain = source == StatementSource::fetched ? "" : " uploaded";
  return key_of_statement(day.channel_account_id, day.kind, day.funds_account + std::string(chain), file_version,
                          day.date);
}

const Statement* find_newest(const Context& context, StatementId newest, const StatementDay& day,
                             StatementSource source) {
  const StatementAggregate* found = newest ? context.rows.statements.find(newest) : nullptr;
  const bool is_same = found != nullptr && is_of(found->statement, day) && found->statement.source == source;
  return is_same ? &found->statement : nullptr;
}

StatementWriter add_version(Context& context, const StatementDay& day, std::int64_t file_version,
                            StatementSource source) {
  Statement statement;
  statement.id = context.next_id<StatementId>();
  statement.channel_account_id = day.channel_account_id;
  statement.channel = day.channel;
  statement.kind = day.kind;
  statement.funds_account = day.funds_account;
  statement.date = day.date;
  statement.file_version = file_version;
  statement.source = source;
  statement.created_at = context.now;
  const Hash16 key = key_of_version(day, source, file_version);
  context.rows.keys.insert(key, {key, kPlatform, statement.id.value});
  return {context, StatementAggregate{std::move(statement), {}, {}}};
}

void add_reads(const ExpectStatement& command, ReadSet& reads) {
  if (command.newest) reads.statements.push_back(command.newest);
  reads.keys.push_back({key_of_version(command.day, StatementSource::fetched, 1), ObjectType::statement});
}

Decision decide(const ExpectStatement& command, Context& context) {
  const Statement* newest = find_newest(context, command.newest, command.day, StatementSource::fetched);
  if (command.newest && newest == nullptr) return refuse(RefusalCode::not_found, "The statement does not exist.");
  const Key* known = context.rows.keys.find(key_of_version(command.day, StatementSource::fetched, 1));
  if (newest == nullptr && known != nullptr) {
    if (command.is_again) return refuse(RefusalCode::busy, "The statement has just been created. Repeat the request.");
    return CommandResult{.object = StatementId{known->id}};
  }
  if (newest != nullptr) {
    const StatementId id = newest->id;
    if (command.is_again) {
      StatementWriter writer(context, id);
      fetch_again(writer, command.due_at);
    }
    return CommandResult{.object = id};
  }
  StatementWriter writer = add_version(context, command.day, 1, StatementSource::fetched);
  writer.statement().due_at = command.due_at;
  return CommandResult{.object = writer.statement().id, .created = true};
}

}  // namespace finality
