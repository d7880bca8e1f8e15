// COMPILES
#include "machine.h"

// Nothing is wrong with it.
constexpr auto machine = a_light();
FINALITY_CHECK_MACHINE(machine);
