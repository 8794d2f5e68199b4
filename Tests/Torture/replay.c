// Power cuts while all kinds of changes are committed: power_cut.h tells how they are replayed.
#include "power_cut.h"
#include "workload.h"

static bool step(livery_store *store) {
  static unsigned version;
  return workload_accepts(workload_step(store, &version));
}

int main(int argc, char **argv) { return replay(&(workload){.name = "replay", .step = step, .digest = digest_of}, argc, argv); }
