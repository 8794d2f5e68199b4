#!/bin/sh
# Run by scripts/packages in a fresh Debian, with the packages and the README's first program beside it.
set -eux
cd "$(dirname "$0")"
export HOME=/tmp/home LC_ALL=C.UTF-8
everything() { find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path "$PWD" -o -path /var/lib/dpkg -o -path /var/log -o -path /var/cache \) -prune -o -print | sort; }
everything >before
mkdir "$HOME"

# Each that there is to be.
for name in liblivery0 liblivery-dev livery livery-tools livery-images livery-page livery-fetch livery-secrets livery-workflow livery-sync livery-console livery-agent; do
  test -f "$(echo "$name"_*.deb)"
done
dpkg --install ./*.deb
ldconfig -p | grep 'liblivery\.so\.0 '
livery --version
mkdir /var/lib/kiosk
livery init schema.json --store /var/lib/kiosk/settings
# shellcheck disable=SC2046
cc -Wall -Wextra -Werror -o /tmp/first first.c $(pkg-config --cflags --libs livery)
/tmp/first
[ "$(livery get progressIndicator --store /var/lib/kiosk/settings)" = false ]
for program in /usr/bin/livery-*; do
  noun=${program#/usr/bin/livery-}
  livery help "$noun" >/dev/null
done
for page in /usr/share/man/man1/livery*.1.gz; do
  man --warnings --local-file "$page" >/tmp/page 2>/tmp/warnings
  grep -q '^NAME' /tmp/page
  [ ! -s /tmp/warnings ]
done
for program in /usr/bin/livery*; do
  test -f "/usr/share/man/man1/${program##*/}.1.gz"
done
for part in /usr/lib/*/pkgconfig/livery-*.pc; do
  name=$(basename "$part" .pc)
  # shellcheck disable=SC2046
  echo 'int main(void) { return 0; }' | cc -x c -Wl,--no-as-needed -o /tmp/linked - $(pkg-config --cflags --libs "$name")
  /tmp/linked
done
sh completion.sh /var/lib/kiosk/settings

# What is generated compiles with what is installed, and reads the store.
livery generate c schema.json --name kiosk --output /tmp/kiosk.h
cat >/tmp/kiosk.c <<'END'
#include "kiosk.h"
int main(void) {
  livery_store *store;
  kiosk_settings settings;
  bool on = true;
  if (livery_open("/var/lib/kiosk/settings", NULL, &store) != LIVERY_OK) return 1;
  if (kiosk_open(store, 0, &settings) != LIVERY_OK) return 2;
  if (kiosk_get_progress_indicator(&settings, &on) != LIVERY_OK || on) return 3;
  kiosk_close(&settings);
  return livery_close(store) != LIVERY_OK;
}
END
# shellcheck disable=SC2046
cc -Wall -Wextra -Werror -o /tmp/kiosk /tmp/kiosk.c $(pkg-config --cflags --libs livery)
/tmp/kiosk
for language in swift python markdown html; do
  livery generate "$language" schema.json --name kiosk --output "/tmp/kiosk.$language"
done
livery convert gsettings example.gschema.xml --output /tmp/example.json 2>/tmp/losses
grep -q 'example.gschema.xml:[0-9]*: ' /tmp/losses
livery check /tmp/example.json
livery convert livery:android schema.json --output /tmp/android
test -f /tmp/android/xml/app_restrictions.xml
livery session login ada --store /var/lib/kiosk/settings
livery fetch --store /var/lib/kiosk/settings --offline --document https://example.com/none && exit 1
rm -rf /tmp/first /tmp/linked /tmp/page /tmp/warnings /tmp/kiosk* /tmp/example.json /tmp/losses /tmp/android /tmp/home /var/lib/kiosk

dpkg --purge $(for package in ./*.deb; do dpkg-deb --field "$package" Package; done)
everything >after
diff before after
