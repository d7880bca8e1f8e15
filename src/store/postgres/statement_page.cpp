// Formats the inventory of statements as Markdown and as JSON.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "store/postgres/statement.h"

namespace finality::postgres {
namespace {

struct Meaning {
  Shards shards;
  std::string_view name;  // the value in the JSON output
  std::string_view title;
  std::string_view text;
};

constexpr Meaning kMeanings[] = {
    {Shards::merchants, "merchants", "Shards of the named merchants",
     "A statement that names one merchant uses one shard, which holds the merchant's rows of all tables. A batch names "
     "all its merchants. A look-up by id names the merchant of its request; without one it uses all shards."},
    {Shards::node, "node", "Shard of the node number",
     "One shard. Every commit updates the row of its node, which fences the commit and records it."},
    {Shards::reference, "reference", "Reference tables",
     "Every machine has a full copy. A read uses any copy; a write updates all of them. These tables rarely change."},
    {Shards::every, "every", "All shards",
     "The exceptions: statements that look for rows of an unknown merchant, or of all merchants. Each one uses an "
     "index on every shard."},
    {Shards::none, "none", "No table", "These statements run only on the machine that the client is connected to."},
};

std::string_view name_of_shards(Shards shards) {
  for (const Meaning& meaning : kMeanings)
    if (meaning.shards == shards) return meaning.name;
  return "";
}

std::string locks(const SqlStatement& statement) {
  return statement.has(Form::locking) ? " Locks the rows it finds, except on shards." : "";
}

std::string section(const Meaning& meaning) {
  std::string rows;
  for (const SqlStatement* statement : all_statements())
    if (statement->shards() == meaning.shards)
      rows += fmt::format("| `{}` | {} | {}.{} |\n", statement->name(), statement->tables(), statement->purpose(),
                          locks(*statement));
  return fmt::format("\n## {}\n\n{}\n\n| statement | tables | purpose |\n|---|---|---|\n{}", meaning.title,
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
  return page + "\n## Texts\n\nThe text of each statement, in the form that a distributed store uses.\n" + texts();
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
