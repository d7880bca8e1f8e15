// Shifts the wall clock of a process: a library to preload. It adds the milliseconds that are stored in the file
// $SHIFTED_CLOCK, a 64-bit integer, to CLOCK_REALTIME. All other clocks are unchanged.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t* shift_ms;

__attribute__((constructor)) static void map_file(void) {
  const char* path = getenv("SHIFTED_CLOCK");
  const int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) shift_ms = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec* at) {
  const long result = syscall(SYS_clock_gettime, clock, at);
  if (result != 0 || clock != CLOCK_REALTIME || shift_ms == NULL) return (int)result;
  const int64_t nanoseconds = (int64_t)at->tv_sec * 1000000000 + at->tv_nsec + *shift_ms * 1000000;
  at->tv_sec = nanoseconds / 1000000000;
  at->tv_nsec = nanoseconds % 1000000000;
  return 0;
}
