#include "decide/command.h"

#include <utility>

namespace finality {

template <class C>
  requires boost::mp11::mp_contains<AnyCommand, C>::value
Command::Command(C command) : AnyCommand(std::move(command)) {}

Command::Command() = default;
Command::Command(const Command& other) = default;
Command::Command(Command&& other) noexcept = default;
Command& Command::operator=(const Command& other) = default;
Command& Command::operator=(Command&& other) noexcept = default;
Command::~Command() = default;

#define FINALITY_MAKE_COMMAND(Type) template Command::Command(Type);
FINALITY_COMMANDS(FINALITY_MAKE_COMMAND)

}  // namespace finality
