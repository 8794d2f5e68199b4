#!/bin/sh
# Run by scripts/packages in a fresh Debian, with the packages and the README's first program beside it.
set -eux
cd "$(dirname "$0")"
everything() { find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path "$PWD" -o -path /var/lib/dpkg -o -path /var/log -o -path /var/cache \) -prune -o -print | sort; }
everything >before

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
  test -f "/usr/share/man/man1/livery-$noun.1.gz"
done
for part in /usr/lib/*/pkgconfig/livery-*.pc; do
  name=$(basename "$part" .pc)
  # shellcheck disable=SC2046
  echo 'int main(void) { return 0; }' | cc -x c -Wl,--no-as-needed -o /tmp/linked - $(pkg-config --cflags --libs "$name")
  /tmp/linked
done
bash -c '. /usr/share/bash-completion/completions/livery && complete -p livery'
livery session login ada --store /var/lib/kiosk/settings
livery fetch --store /var/lib/kiosk/settings --offline --document https://example.com/none && exit 1
rm -rf /tmp/first /tmp/linked /var/lib/kiosk

dpkg --purge $(for package in ./*.deb; do dpkg-deb --field "$package" Package; done)
everything >after
diff before after
