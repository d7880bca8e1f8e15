#include "channel/registry.h"

#include <algorithm>

#include "channel/bank/bank_statements.h"
#include "model/objects/channel_account.h"

namespace finality {

// All kinds of channels. Each line is the ChannelKind object that kind.h of the adapter's folder declares.
#define FINALITY_CHANNEL_KINDS(KIND) \
  KIND(kSandboxKind)                 \
  KIND(kAlipayKind)                  \
  KIND(kWechatpayKind)

#define FINALITY_DECLARE_KIND(kind) extern const ChannelKind kind;
FINALITY_CHANNEL_KINDS(FINALITY_DECLARE_KIND)

namespace {

#define FINALITY_LIST_KIND(kind) &kind,
constexpr const ChannelKind* kKinds[] = {FINALITY_CHANNEL_KINDS(FINALITY_LIST_KIND)};

}  // namespace

std::span<const ChannelKind* const> channel_kinds() { return kKinds; }

const ChannelKind* find_kind(std::string_view name) {
  const auto at = std::ranges::find(kKinds, name, &ChannelKind::name);
  return at == std::end(kKinds) ? nullptr : *at;
}

const StatementPlan* find_statement_plan(std::string_view kind) {
  if (kind == kBankKind) return &bank::statement_plan();
  const ChannelKind* found = find_kind(kind);
  return found == nullptr || found->statement_plan == nullptr ? nullptr : &found->statement_plan();
}

}  // namespace finality
