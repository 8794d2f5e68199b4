// What it costs to switch a brand of 6 colors and 10 images of 200 KB, beside the writes that this consists of.
//
//     bench-brand DIRECTORY [ROUNDS]
//
// Ratios of medians of durable commits, measured in turn:
//   switched   a brand whose images the store has: beside a change set of 16 settings that are numbers
//   installed  a brand with new images, by one change set: beside the same writes one by one, which are 10 images put each
//              by itself and a change set of 16 settings; and beside one LMDB transaction that writes as many bytes and
//              records, without digests, checksums, log or validation
#include "timing.h"

#include <lmdb.h>
#include <string.h>
#include <sys/stat.h>

enum { colors = 6, images = 10, settings = colors + images, image_size = 200 * 1024, most_rounds = 1001 };

static unsigned char bytes[images][image_size];

static void draw(int brand) {
  for (int index = 0; index < images; index++) {
    memset(bytes[index], brand * 7 + index, image_size);
    memcpy(bytes[index], "GIF89a\x40\x01\xf0\0\0\0", 12);
    memcpy(bytes[index] + 40, &brand, sizeof brand);
    memcpy(bytes[index] + 44, &index, sizeof index);
  }
}

static void set_brand(livery_store *store, int brand) {
  char name[64], id[LIVERY_ASSET_ID_SIZE];
  livery_change *change = NULL;
  OK(livery_change_begin(store, LIVERY_LAYER_BUNDLE, &change));
  for (int index = 0; index < colors; index++) {
    snprintf(name, sizeof name, "branding.color.n%d", index);
    OK(livery_change_set_color(change, name, (livery_color){(float)(brand % 200) / 200, (float)index / 10, 0, 1}));
  }
  for (int index = 0; index < images; index++) {
    livery_value *image = NULL;
    OK(livery_change_put_asset(change, bytes[index], image_size, 0, id));
    OK(livery_value_make_image(id, LIVERY_ZERO_TERMINATED, &image));
    snprintf(name, sizeof name, "branding.image.n%d", index);
    OK(livery_change_set_value(change, name, image));
    OK(livery_value_release(image));
  }
  OK(livery_change_commit(change, NULL));
}

// A brand whose images are there: what is set are references.
static void refer(livery_store *store, int brand, char ids[2][images][LIVERY_ASSET_ID_SIZE]) {
  char name[64];
  livery_change *change = NULL;
  OK(livery_change_begin(store, LIVERY_LAYER_BUNDLE, &change));
  for (int index = 0; index < colors; index++) {
    snprintf(name, sizeof name, "branding.color.n%d", index);
    OK(livery_change_set_color(change, name, (livery_color){(float)(brand % 200) / 200, (float)index / 10, 0, 1}));
  }
  for (int index = 0; index < images; index++) {
    livery_value *image = NULL;
    OK(livery_value_make_image(ids[brand % 2][index], LIVERY_ZERO_TERMINATED, &image));
    snprintf(name, sizeof name, "branding.image.n%d", index);
    OK(livery_change_set_value(change, name, image));
    OK(livery_value_release(image));
  }
  OK(livery_change_commit(change, NULL));
}

static void set_numbers(livery_store *store, int round) {
  char name[64];
  livery_change *change = NULL;
  OK(livery_change_begin(store, LIVERY_LAYER_BUNDLE, &change));
  for (int index = 0; index < settings; index++) {
    snprintf(name, sizeof name, "number.value.nn%d", index);
    OK(livery_change_set_int(change, name, round * 100 + index));
  }
  OK(livery_change_commit(change, NULL));
}

static void set_raw(MDB_env *environment, MDB_dbi databases[3], int brand) {
  char key[64], record[100];
  MDB_txn *transaction = NULL;
  OK(mdb_txn_begin(environment, NULL, 0, &transaction));
  for (int index = 0; index < images; index++) {
    int number[2] = {brand, index};
    MDB_val name = {sizeof number, number}, value = {image_size, bytes[index]};
    OK(mdb_put(transaction, databases[0], &name, &value, 0));
    if (brand > 1) {
      // As a collection does, so that both files stay as large.
      number[0] = brand - 2;
      mdb_del(transaction, databases[0], &name, NULL);
    }
  }
  memset(record, brand, sizeof record);
  for (int index = 0; index < settings; index++) {
    snprintf(key, sizeof key, "branding.image.n%d", index);
    MDB_val name = {strlen(key), key}, value = {sizeof record, record};
    OK(mdb_put(transaction, databases[1], &name, &value, 0));
    OK(mdb_put(transaction, databases[2], &name, &value, 0));
  }
  OK(mdb_txn_commit(transaction));
}

// The same writes as of `set_brand`, apart.
static void set_apart(livery_store *store, int round) {
  for (int index = 0; index < images; index++) OK(livery_asset_put(store, bytes[index], image_size, 0, NULL));
  set_numbers(store, round);
}

static double since(double start) { return now_ms() - start; }

int main(int argc, char **argv) {
  static double own[most_rounds], raw[most_rounds], apart[most_rounds], switched[most_rounds], plain[most_rounds];
  char path[400], raw_path[400];
  int rounds = argc > 2 ? atoi(argv[2]) : 101;
  if (argc < 2 || rounds < 1 || rounds > most_rounds) {
    fprintf(stderr, "usage: %s DIRECTORY [ROUNDS]\n", argv[0]);
    return 2;
  }
  snprintf(path, sizeof path, "%s/livery", argv[1]);
  snprintf(raw_path, sizeof raw_path, "%s/lmdb", argv[1]);
  mkdir(raw_path, 0700);

  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  options.log_entries = 1;
  OK(livery_open(path, &options, &store));
  MDB_env *environment = NULL;
  MDB_txn *transaction = NULL;
  MDB_dbi databases[3];
  OK(mdb_env_create(&environment));
  OK(mdb_env_set_mapsize(environment, 1 << 30));
  OK(mdb_env_set_maxdbs(environment, 3));
  OK(mdb_env_open(environment, raw_path, MDB_NOTLS, 0600));
  OK(mdb_txn_begin(environment, NULL, 0, &transaction));
  OK(mdb_dbi_open(transaction, "assets", MDB_CREATE, &databases[0]));
  OK(mdb_dbi_open(transaction, "layers", MDB_CREATE, &databases[1]));
  OK(mdb_dbi_open(transaction, "effective", MDB_CREATE, &databases[2]));
  OK(mdb_txn_commit(transaction));

  // The first rounds make both files as large as they stay.
  livery_collect_options collect = LIVERY_COLLECT_OPTIONS_INIT;
  collect.flags = LIVERY_COLLECT_IGNORE_LOG;
  for (int round = -5; round < rounds; round++) {
    draw(round + 5);
    double start = now_ms();
    set_brand(store, round + 5);
    if (round >= 0) own[round] = since(start);
    OK(livery_asset_collect(store, &collect, NULL));
    draw(1000000 + round);
    start = now_ms();
    set_apart(store, round + 5);
    if (round >= 0) apart[round] = since(start);
    OK(livery_asset_collect(store, &collect, NULL));
    start = now_ms();
    set_raw(environment, databases, round + 5);
    if (round >= 0) raw[round] = since(start);
  }
  char ids[2][images][LIVERY_ASSET_ID_SIZE];
  for (int brand = 0; brand < 2; brand++) {
    draw(100000 + brand);
    for (int index = 0; index < images; index++) OK(livery_asset_put(store, bytes[index], image_size, 0, ids[brand][index]));
  }
  for (int round = -5; round < rounds; round++) {
    double start = now_ms();
    refer(store, round + 5, ids);
    if (round >= 0) switched[round] = since(start);
    start = now_ms();
    set_numbers(store, round + 5);
    if (round >= 0) plain[round] = since(start);
  }
  double installed = median(own, rounds), written = median(raw, rounds), singly = median(apart, rounds);
  double stored = median(switched, rounds), numbers = median(plain, rounds);
  printf("switched   %.3f ms; 16 settings that are numbers %.3f ms: %.2f\n", stored, numbers, stored / numbers);
  printf("installed  %.3f ms; the same writes one by one %.3f ms: %.2f; as many bytes by LMDB alone %.3f ms: %.2f\n",
         installed, singly, installed / singly, written, installed / written);
  OK(livery_close(store));
  mdb_env_close(environment);
  return 0;
}
