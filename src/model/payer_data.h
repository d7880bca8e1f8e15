// Erasure of the payer's data (openid, auth_code, client_ip), which a payment or authorization stores only for its
// request to the channel.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "fsm/reach.h"
#include "model/aggregate.h"

namespace finality {

/// A row that stores the payer's data: a payment or an authorization.
template <class Row>
concept PayerRow = requires(Row row) { row.payer.clear(); };

/// For each state of the row's machine: whether its request can still be sent to the channel, now or after further
/// events.
template <PayerRow Row>
inline constexpr auto kCanBeSent = [] {
  constexpr const auto& machine = machine_of(decltype(Row::state){});
  using Machine = std::remove_cvref_t<decltype(machine)>;
  std::array<bool, Machine::kStates> can{};
  for (std::size_t from = 0; from < Machine::kStates; ++from) {
    const auto reached = fsm::reach(machine, from);
    for (std::size_t to = 0; to < Machine::kStates; ++to)
      can[from] = can[from] || (reached[to] && machine.effects[to] == Machine::Effect::send);
  }
  return can;
}();

/// Erases the payer's data if the row is in a state after which its request is never sent.
template <PayerRow Row>
void erase_unneeded_payer(Row& row) {
  if (!kCanBeSent<Row>[static_cast<std::size_t>(row.state)]) row.payer.clear();
}

/// Erases the payer's data that no row of the order needs. An archive of an older version can contain it.
inline void erase_unneeded_payers(OrderAggregate& aggregate) {
  for (Payment& payment : aggregate.payments) erase_unneeded_payer(payment);
  for (Authorization& authorization : aggregate.authorizations) erase_unneeded_payer(authorization);
}

}  // namespace finality
