#include <git2.h>
#include <git2/sys/repository.h>

/* git_libgit2_opts is variadic, which Swift cannot call. */
static inline int almanac_git_option_int(int option, int value) {
  return git_libgit2_opts(option, value);
}
