#!/bin/sh
# Installs what a build folder holds with each generator, as a package builder and as a user would, moves the result
# elsewhere, and builds and runs the clients against it.
#
#   Tests/CMake/run.sh BUILD_FOLDER
set -eu

here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
prebuilt=$(cd "${1:?usage: run.sh BUILD_FOLDER}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# Runs a command quietly; shows what it printed if it fails.
quiet() {
  "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; echo "failed: $*" >&2; exit 1; }
}

run_clients() { # folder, label
  for client in c-shared c-static cxx-shared cxx-static; do
    quiet "$1/$client" "$work/stores/$2-$client"
    # A static client needs no liblivery.so, a shared one does.
    needed=$(readelf -d "$1/$client" | grep -c 'NEEDED.*liblivery' || true)
    case $client in
      *shared) [ "$needed" -eq 1 ] || { echo "$2 $client is not linked with liblivery.so" >&2; exit 1; } ;;
      *static) [ "$needed" -eq 0 ] || { echo "$2 $client needs liblivery.so" >&2; exit 1; } ;;
    esac
    echo "ok $2 $client"
  done
}

# Extensions that the folder holds, with a client of each and a command that says something.
nouns="images page fetch workflow"
extensions=
for noun in $nouns; do
  if [ -f "$prebuilt/liblivery-$noun.so" ]; then extensions="$extensions${extensions:+;}$noun"; fi
done
# The commands of an extension.
words_of() { case $1 in workflow) echo prompt ;; *) echo "$1" ;; esac; }
header_of() { case $1 in workflow) echo prompt ;; *) echo "$1" ;; esac; }
is_built() { case ";$extensions;" in *";$1;"*) true ;; *) false ;; esac; }

mkdir "$work/stores"
generators="Unix\ Makefiles"
command -v ninja >/dev/null 2>&1 && generators="$generators Ninja"
eval "set -- $generators"
for generator; do
  label=$(echo "$generator" | tr -d ' ')
  tree=$work/$label
  quiet cmake -S "$source" -B "$tree/build" -G "$generator" -DLIVERY_PREBUILT="$prebuilt" -DBUILD_TESTING=OFF \
    -DLIVERY_EXTENSIONS="$extensions" \
    -DCMAKE_INSTALL_PREFIX=/usr/local
  quiet cmake --build "$tree/build"
  DESTDIR=$tree/staged quiet cmake --install "$tree/build"
  mv "$tree/staged/usr/local" "$tree/moved"
  if grep -rIl -e "$work" -e /usr/local "$tree/moved/lib" | grep -q .; then
    echo "the installed files name the place they were installed to" >&2
    exit 1
  fi

  quiet cmake -S "$here/find_package" -B "$tree/find_package" -G "$generator" -DCMAKE_PREFIX_PATH="$tree/moved"
  quiet cmake --build "$tree/find_package"
  run_clients "$tree/find_package" "$label-find_package"
  quiet "$tree/find_package/generated" "$here/generated.json"
  # A schema with another setting makes another header, and nothing else does.
  header=$tree/find_package/livery/generated/kiosk_settings.h
  quiet "$tree/moved/bin/livery" convert livery:gsettings "$here/generated.json" --output "$tree/generated.xml"
  quiet cmake --build "$tree/find_package"
  "$tree/moved/bin/livery" generate c "$here/generated.json" --name kiosk | cmp -s - "$header" || { echo "$header is another" >&2; exit 1; }
  echo "ok $label-find_package generated"
  for noun in $nouns; do
    if is_built "$noun"; then
      quiet "$tree/find_package/$noun" "$work/stores/$label-$noun"
      echo "ok $label-find_package $noun"
    elif [ -e "$tree/moved/include/livery/$(header_of "$noun").h" ]; then
      echo "the header of the extension $noun is installed without it" >&2
      exit 1
    fi
  done

  cp -r "$here/pkgconfig" "$here/client.c" "$here/client.cpp" "$tree"
  pkgconfig=$(find "$tree/moved" -name livery.pc -exec dirname {} \;)
  PKG_CONFIG_PATH=$pkgconfig quiet make -C "$tree/pkgconfig"
  run_clients "$tree/pkgconfig" "$label-pkgconfig"
  libraries=$(dirname "$pkgconfig")
  for noun in $nouns; do
    is_built "$noun" || continue
    # shellcheck disable=SC2046
    quiet cc -o "$tree/$noun" "$here/$noun.c" $(PKG_CONFIG_PATH=$pkgconfig pkg-config --cflags --libs "livery-$noun") \
      -Wl,-rpath,"$libraries"
    quiet "$tree/$noun" "$work/stores/$label-$noun-pkgconfig"
    for word in $(words_of "$noun"); do
      quiet "$tree/moved/bin/livery" help "$word"
      "$tree/moved/bin/livery" help | grep -q "^  $word " || { echo "livery help does not tell of $word" >&2; exit 1; }
    done
    echo "ok $label-pkgconfig $noun"
  done
  if is_built images; then LIVERY_STORE=$work/stores/$label-images quiet "$tree/moved/bin/livery" images judge; fi
  if is_built fetch; then
    # What a client has fetched is there for the command, without a network.
    quiet "$tree/moved/bin/livery" fetch --store "$work/stores/$label-fetch" --offline --document https://example.com/x.json
  fi

  [ -f "$tree/moved/share/doc/Livery/LICENSE" ] || { echo "the license is not installed" >&2; exit 1; }
  quiet "$tree/moved/bin/livery" --version
  echo "ok $label command"
done

# Beneath another prefix than it was configured for, in folders of its own: units of systemd, and what CMake is told of programs.
if [ -f "$prebuilt/livery-agent" ] && [ -f "$prebuilt/livery-console" ]; then
  tree=$work/elsewhere
  quiet cmake -S "$source" -B "$tree/build" -DLIVERY_PREBUILT="$prebuilt" -DBUILD_TESTING=OFF \
    -DCMAKE_INSTALL_BINDIR=tools/bin -DCMAKE_INSTALL_LIBDIR=lib/x/y
  (cd "$tree" && quiet cmake --install build --prefix there)
  for noun in agent console; do
    grep -q "^ExecStart=\"$tree/there/tools/bin/livery-$noun\" " "$tree/there/lib/systemd/system/livery-$noun.service" ||
      { echo "the unit of livery-$noun names another program" >&2; exit 1; }
  done
  quiet cmake -S "$here/find_package" -B "$tree/client" -DLivery_DIR="$tree/there/lib/x/y/cmake/Livery"
  quiet cmake --build "$tree/client"
  echo "ok elsewhere"
fi
