#include "sim/auditors/settings_auditor.h"

#include "store/sql/columns.h"

namespace finality::sim {
namespace {

// Records a committed row. Ignores a row that the commit has read but not changed: another commit may have changed it.
template <class Committed, class Row>
void record(Committed& committed, const Row* base, const Row& now) {
  if (base == nullptr || base->version != now.version) committed.insert_or_assign(now.id, now);
}

template <class Rows, class Committed>
void record_all(const Rows& rows, Committed& committed) {
  rows.each([&](const auto&, const auto& base, const auto& now) {
    if (now) record(committed, base ? &*base : nullptr, *now);
  });
}

template <class Lists, class Committed>
void record_lists(const Lists& lists, Committed& committed) {
  lists.each([&](const auto&, const auto& base, const auto& now) {
    if (!now) return;
    for (const auto& row : *now) record(committed, base ? find_row(*base, row.id) : nullptr, row);
  });
}

}  // namespace

void SettingsAuditor::look_at(const WorkingSet& rows) {
  record_all(rows.merchants, merchants_);
  record_all(rows.prices, prices_);
  record_all(rows.adjustments, adjustments_);
  record_lists(rows.fees, fees_);
  record_lists(rows.endpoints, endpoints_);
}

template <class Row>
void SettingsAuditor::check_stored(const Row& committed, const Row* stored) {
  findings_.require(stored != nullptr && store::same_row(committed, *stored), "1 stored state",
                    "{} differs from the last commit", to_text(committed.id));
}

template <class Row>
void SettingsAuditor::check_single(const Row& committed, const Result<std::optional<Row>>& stored) {
  check_stored(committed, stored && *stored ? &**stored : nullptr);
}

template <class Row>
void SettingsAuditor::check_listed(const Row& committed, const Result<std::vector<Row>>& stored) {
  check_stored(committed, stored ? find_row(*stored, committed.id) : nullptr);
}

void SettingsAuditor::ended(Reader& reader) {
  for (const auto& [id, merchant] : merchants_) check_single(merchant, reader.merchant(id));
  for (const auto& [id, price] : prices_) check_single(price, reader.price(id));
  for (const auto& [id, adjustment] : adjustments_) check_single(adjustment, reader.adjustment(id));
  for (const auto& [id, fee] : fees_) check_listed(fee, reader.fees(fee.merchant_id));
  for (const auto& [id, endpoint] : endpoints_)
    if (endpoint.state != EndpointState::deleted)  // readers omit deleted endpoints
      check_listed(endpoint, reader.webhook_endpoints(endpoint.merchant_id));
}

}  // namespace finality::sim
