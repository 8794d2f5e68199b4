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

extensions=
[ -f "$prebuilt/liblivery-images.so" ] && extensions=images

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
  if [ -n "$extensions" ]; then
    quiet "$tree/find_package/images" "$work/stores/$label-images"
    echo "ok $label-find_package images"
  elif [ -e "$tree/moved/include/livery/images.h" ]; then
    echo "the header of an extension is installed without it" >&2
    exit 1
  fi

  cp -r "$here/pkgconfig" "$here/client.c" "$here/client.cpp" "$tree"
  pkgconfig=$(find "$tree/moved" -name livery.pc -exec dirname {} \;)
  PKG_CONFIG_PATH=$pkgconfig quiet make -C "$tree/pkgconfig"
  run_clients "$tree/pkgconfig" "$label-pkgconfig"
  if [ -n "$extensions" ]; then
    libraries=$(dirname "$pkgconfig")
    # shellcheck disable=SC2046
    quiet cc -o "$tree/images" "$here/images.c" $(PKG_CONFIG_PATH=$pkgconfig pkg-config --cflags --libs livery-images) \
      -Wl,-rpath,"$libraries"
    quiet "$tree/images" "$work/stores/$label-images-pkgconfig"
    LIVERY_STORE=$work/stores/$label-images quiet "$tree/moved/bin/livery" images judge
    echo "ok $label-pkgconfig images"
  fi

  [ -f "$tree/moved/share/doc/Livery/LICENSE" ] || { echo "the license is not installed" >&2; exit 1; }
  quiet "$tree/moved/bin/livery" --version
  echo "ok $label command"
done
