// COMPILES
#include "machine.h"

// A valid table.
constexpr auto machine = a_light();
FINALITY_CHECK_MACHINE(machine);
