#include "sim/auditors/settings_auditor.h"

#include "store/sql/columns.h"

namespace finality::sim {
namespace {

// Rows that were only read may be older than the known ones.
template <class Known, class Row>
void remember(Known& known, const Row* base, const Row& now) {
  if (base == nullptr || base->version != now.version) known.insert_or_assign(now.id, now);
}

template <class Rows, class Known>
void remember_all(const Rows& rows, Known& known) {
  rows.each([&](const auto&, const auto& base, const auto& now) {
    if (now) remember(known, base ? &*base : nullptr, *now);
  });
}

template <class Lists, class Known>
void remember_lists(const Lists& lists, Known& known) {
  lists.each([&](const auto&, const auto& base, const auto& now) {
    if (!now) return;
    for (const auto& row : *now) remember(known, base ? find_row(*base, row.id) : nullptr, row);
  });
}

}  // namespace

void SettingsAuditor::look_at(const WorkingSet& rows) {
  remember_all(rows.merchants, merchants_);
  remember_all(rows.prices, prices_);
  remember_lists(rows.fees, fees_);
  remember_lists(rows.endpoints, endpoints_);
}

template <class Row>
void SettingsAuditor::check_stored(const Row& known, const Row* stored) {
  findings_.require(stored != nullptr && store::same_row(known, *stored), "1 stored state",
                    "{} differs from the last commit", to_text(known.id));
}

template <class Row>
void SettingsAuditor::check_one(const Row& known, const Result<std::optional<Row>>& stored) {
  check_stored(known, stored && *stored ? &**stored : nullptr);
}

template <class Row>
void SettingsAuditor::check_listed(const Row& known, const Result<std::vector<Row>>& stored) {
  check_stored(known, stored ? find_row(*stored, known.id) : nullptr);
}

void SettingsAuditor::ended(Reader& reader) {
  for (const auto& [id, merchant] : merchants_) check_one(merchant, reader.merchant(id));
  for (const auto& [id, price] : prices_) check_one(price, reader.price(id));
  for (const auto& [id, fee] : fees_) check_listed(fee, reader.fees(fee.merchant_id));
  for (const auto& [id, endpoint] : endpoints_)
    if (endpoint.state != EndpointState::deleted)  // readers omit deleted endpoints
      check_listed(endpoint, reader.webhook_endpoints(endpoint.merchant_id));
}

}  // namespace finality::sim
