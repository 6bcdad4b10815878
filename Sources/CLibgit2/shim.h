#include <git2.h>
#include <git2/sys/repository.h>
#include <zlib.h>

/* git_libgit2_opts is variadic, which Swift cannot call. */
static inline int almanac_git_option_int(int option, int value) {
  return git_libgit2_opts(option, value);
}

/* deflateInit is a macro, which Swift cannot see. */
static inline int almanac_deflate_start(z_stream *stream, int level) {
  return deflateInit(stream, level);
}
