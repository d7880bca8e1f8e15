// The inventory of statements, for people and for programs.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "store/postgres/statement.h"

namespace finality::postgres {
namespace {

struct Meaning {
  Shards shards;
  std::string_view name;  // as it stands in JSON
  std::string_view title;
  std::string_view text;
};

constexpr Meaning kMeanings[] = {
    {Shards::merchants, "merchants", "The shards of the merchants named",
     "One shard where one merchant is named: his rows of all tables lie together. A batch names all its merchants."},
    {Shards::node, "node", "The shard of the node's number",
     "One shard. These rows are what a commit is fenced by and found again by."},
    {Shards::reference, "reference", "Tables that are whole on every machine",
     "Read anywhere; a change goes to every machine. They change seldom."},
    {Shards::every, "every", "All shards",
     "The exceptions: they do not know whose rows they look for, or look for everybody's. Each is answered from an "
     "index on every shard."},
    {Shards::none, "none", "No table", "They stay where the connection ends."},
};

std::string_view name_of_shards(Shards shards) {
  for (const Meaning& meaning : kMeanings)
    if (meaning.shards == shards) return meaning.name;
  return "";
}

std::string locks(const SqlStatement& statement) {
  return statement.has(Form::locking) ? " Locks what it finds, but not on shards." : "";
}

std::string section(const Meaning& meaning) {
  std::string rows;
  for (const SqlStatement* statement : all_statements())
    if (statement->shards() == meaning.shards)
      rows += fmt::format("| `{}` | {} | {}.{} |\n", statement->name(), statement->tables(), statement->purpose(),
                          locks(*statement));
  return fmt::format("\n## {}\n\n{}\n\n| statement | tables | what for |\n|---|---|---|\n{}", meaning.title,
                     meaning.text, rows);
}

std::string texts() {
  std::string blocks;
  for (const SqlStatement* statement : all_statements()) {
    const bool sharded = statement->has(Form::sharded);
    blocks += fmt::format("\n`{}`\n\n```sql\n{}\n```\n", statement->name(),
                          statement->text(sharded ? Form::sharded : Form::plain));
  }
  return blocks;
}

}  // namespace

std::string statements_page() {
  std::string page;
  for (const Meaning& meaning : kMeanings) page += section(meaning);
  return page + "\n## Texts\n\nAs they are sent where tables lie on shards.\n" + texts();
}

std::string statements_json() {
  boost::json::array list;
  for (const SqlStatement* statement : all_statements()) {
    boost::json::object one{{"name", statement->name()},
                            {"shards", name_of_shards(statement->shards())},
                            {"tables", statement->tables()},
                            {"purpose", statement->purpose()},
                            {"text", statement->text(Form::plain)}};
    if (statement->has(Form::locking)) one["text_locking"] = statement->text(Form::locking);
    if (statement->has(Form::sharded)) one["text_sharded"] = statement->text(Form::sharded);
    list.push_back(std::move(one));
  }
  return boost::json::serialize(list);
}

}  // namespace finality::postgres
