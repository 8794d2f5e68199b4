#!/bin/bash
# The command `livery images`, which is a program of its own.
#
#   command.sh LIVERY IMAGES
set -u
livery=$1 images=$2 failed=0 passed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LIVERY_STORE=$work/store

# Runs the command: run STATUS ARGUMENT…
run() {
  local wanted=$1 status=0
  shift
  "$livery" "$@" >out 2>err || status=$?
  if [ "$status" -eq "$wanted" ]; then passed=$((passed + 1)); return 0; fi
  echo "livery $*: exit status $status, not $wanted"; cat out err
  failed=$((failed + 1)); return 1
}
has() {
  if grep -qF -- "$1" out err; then passed=$((passed + 1)); return 0; fi
  echo "lacks: $1"; cat out err
  failed=$((failed + 1)); return 1
}

cat >white.svg <<'SVG'
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><rect width="4" height="3" fill="#fff"/></svg>
SVG
mkdir bundle && cp white.svg bundle/
cat >brand.plist <<'PLIST'
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
  <key>PrimaryText</key>
  <dict><key>red</key><real>1</real><key>green</key><real>1</real><key>blue</key><real>1</real><key>alpha</key><real>1</real></dict>
  <key>PrimaryHighlight</key>
  <dict><key>red</key><real>0</real><key>green</key><real>0</real><key>blue</key><real>0</real><key>alpha</key><real>1</real></dict>
  <key>PrimaryiPad</key><string>white.svg</string>
</dict></plist>
PLIST

run 0 init
run 0 help images && has "livery images put FILE"
run 0 images --help && has "livery images judge"
run 2 images && has "no command given"
run 2 images paint && has "there is no command paint"
run 2 images put && has "what is missing is a FILE, for put"
run 3 images put missing.png && has "cannot read missing.png: No such file"
run 0 images put white.svg "$images/rgb.png" && has "white.svg"
id=$(head -n 1 out | cut -c 1-64)
run 0 images show "$id" && has "#FFFFFF is illegible on 100.0 %" && has "#000000 is illegible on 0.0 %"
run 0 --json images show --text=#777777 --area 0,0,0.5,0.5,2 "$id" && has '"share":1.000000'
run 2 images show --area 0,0 "$id" && has "--area takes an area: 0,0"
run 4 images put "$images/still.gif" && has "only PNG, JPEG, WebP and SVG"
run 0 images put --any "$images/still.gif"
run 0 asset put "$images/progressive.jpg"
run 0 images judge && has "1 judged, 3 known before, 0 refused"
run 0 images judge --all --json && has '"judged":3' && has '"refused":[{'

# A brand whose background is white: nobody sees it before the image is judged.
rm -rf "$LIVERY_STORE" && run 0 init && run 0 brand apply brand.plist --bundle bundle
run 0 brand check && has "run \`livery images judge\`"
run 0 images judge && has "1 judged"
run 4 brand check && has "[illegible-image]" && has "PrimaryText #FFFFFF has a contrast of less than 4.5 on 100 %"
rm -rf "$LIVERY_STORE" && run 0 init && run 0 images apply brand.plist --bundle=bundle && has "1 judged"
run 4 brand check && has "login text, which is always white, has a contrast of less than 4.5 on 100 %"

# A program that is not there is a command that is not there.
run 2 paint https://example.com/ && has "there is no command \`paint\`"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
