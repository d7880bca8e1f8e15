// Scenarios: how the upstream world behaves towards one trade, as data.
//
// A scenario has one group of fields for each point where the upstream world reacts. A field's default is what a
// well-behaved channel and a payer in no hurry do, so a row says only what is special about it. A new scenario is a new
// row of the table in scenario.cpp; a new kind of behaviour is a new field here and the one place that heeds it.
#pragma once

#include <span>
#include <string_view>

#include "base/time.h"
#include "sandbox/trade.h"

namespace finality::sandbox {

/// The request to create the trade. It always takes effect at once.
struct CreateReaction {
  Duration answer_after{0};
};

/// The payer, counted from the creation of the trade. Never scaled: he is a person.
struct PayerReaction {
  PayerAct act = PayerAct::none;
  Duration after{0};
};

struct Scenario {
  std::string_view name;
  std::string_view story;  // for people, one sentence
  CreateReaction create;
  PayerReaction payer;
};

/// What a trade without a scenario follows.
inline constexpr std::string_view kDefaultScenario = "manual";

std::span<const Scenario> scenarios();
/// Null when there is none of that name.
const Scenario* find_scenario(std::string_view name);

}  // namespace finality::sandbox
