/*
 * Preloaded into one process, moves that process's wall clock by an offset that can change while it runs: a 64-bit
 * number of microseconds at the start of the file named by CLOCK_SHIFT_FILE, which is mapped into memory.
 * The monotonic clock stays true. Uses neither malloc nor locks, since a program's allocator may ask for the time.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MICROS 1000000LL

static int64_t no_shift;
static volatile int64_t *shift = &no_shift;

__attribute__((constructor)) static void map_shift(void) {
  const char *path = getenv("CLOCK_SHIFT_FILE");
  int file = path ? open(path, O_RDONLY) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (mapped != MAP_FAILED) shift = mapped;
}

/* The system call itself: calling the C library's function would end up here again. */
static int64_t shifted_micros(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return now.tv_sec * MICROS + now.tv_nsec / 1000 + *shift;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  (void)zone;
  int64_t micros = shifted_micros();
  out->tv_sec = micros / MICROS;
  out->tv_usec = micros % MICROS;
  return 0;
}

time_t time(time_t *out) {
  time_t seconds = shifted_micros() / MICROS;
  if (out) *out = seconds;
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *out) {
  int result = syscall(SYS_clock_gettime, clock, out);
  if (result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  int64_t nanos = out->tv_sec * 1000000000LL + out->tv_nsec + *shift * 1000;
  out->tv_sec = nanos / 1000000000LL;
  out->tv_nsec = nanos % 1000000000LL;
  return 0;
}
