#!/usr/bin/env bash
# Tests the `livery` command, given by its path: what it prints, its exit statuses, its JSON, and that it keeps secrets.
set -u
fixtures=$(realpath "$(dirname "$0")/../Fixtures")
livery=$(realpath "${1:?usage: command.sh PATH_OF_LIVERY}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset LIVERY_STORE NO_COLOR
passed=0
failed=0

# What may fail where the command is emulated: lines of $LIVERY_SKIPPED, such as Tests/Arm64/skipped.txt, with a pattern.
left_out=()
if [ -n "${LIVERY_SKIPPED:-}" ]; then
  mapfile -t left_out < <(sed -n 's/^command | \(.*\) | - | .*/\1/p' "$LIVERY_SKIPPED")
fi
pass() { passed=$((passed + 1)); }
fail() {
  local pattern
  for pattern in "${left_out[@]}"; do
    # shellcheck disable=SC2053
    if [[ $1 == $pattern ]]; then
      printf 'skipped - %s\n' "$1"
      return
    fi
  done
  failed=$((failed + 1))
  printf 'not ok - %s\n' "$1"
  printf '  # %s\n' "${@:2}"
}

# run STATUS ARGUMENTS…: runs the command and checks its exit status; files `out` and `err` get what it printed.
run() {
  local wanted=$1
  shift
  "$livery" "$@" >out 2>err </dev/null
  local status=$?
  out=$(cat out)
  err=$(cat err)
  what="livery $*"
  if [ $status -eq "$wanted" ]; then pass; else fail "$what" "exit status $status, not $wanted" "$out" "$err"; fi
}
prints() { if [ "$out" = "$1" ]; then pass; else fail "$what" "printed: $out" "wanted: $1"; fi; }
has() { if grep -qF -- "$1" out; then pass; else fail "$what" "lacks: $1" "printed: $out"; fi; }
hides() { if ! grep -qF -- "$1" out err; then pass; else fail "$what" "shows: $1" "$out" "$err"; fi; }
warns() { if grep -qF -- "$1" err; then pass; else fail "$what" "standard error lacks: $1" "has: $err"; fi; }
quiet() { if [ -z "$err" ]; then pass; else fail "$what" "standard error: $err"; fi; }
one_line() { if [ "$(wc -l <err)" -eq 1 ] && [[ $err == livery:\ * ]]; then pass; else fail "$what" "errors: $err"; fi; }
# json EXPRESSION: that it holds of the one JSON value `v` on standard output.
json() {
  if python3 -c 'import json, sys
v = json.load(open("out", encoding="utf-8"))
sys.exit(not eval(sys.argv[1]))' "$1" 2>json.err; then pass; else fail "$what" "not so: $1" "$out" "$(tail -1 json.err)"; fi
}

cat >v1.json <<'JSON'
{"Version": 1, "Groups": [{"Title": "Home", "Settings": [
  {"Type": "Header", "Title": "All of it"},
  {"Type": "TextField", "Title": "Password", "Key": "adminPassword", "Value": "d3f4ult", "Class": ["Password"]},
  {"Type": "ToggleSwitch", "Title": "Progress", "Key": "progress", "Value": true},
  {"Type": "ComboBox", "Title": "Idle", "Key": "idle", "Value": "2", "Class": ["Single"],
   "Options": [{"Title": "One", "Value": "1"}, {"Title": "Two", "Value": "2"}]},
  {"Type": "TextField", "Title": "URL", "Key": "mediaUrl", "Value": ""},
  {"Type": "Number", "Title": "Volume", "Key": "volume", "Value": 5, "Format": "integer", "Minimum": -10, "Maximum": 10},
  {"Type": "Color", "Title": "Bar", "Key": "branding.color.Toolbar", "Value": "#102030"},
  {"Type": "TextField", "Title": "Console", "Key": "console", "ReadOnly": true},
  {"Type": "List", "Title": "Playlist", "Key": "playlist", "ItemTemplate": [
    {"Type": "TextField", "Title": "Content", "Key": "content", "Value": ""}]}
]}]}
JSON
sed 's/"Version": 1/"Version": 2/; s/"Key": "console"/"Key": "consoleText"/' v1.json >v2.json
sed 's/"Value": 5/"Value": 6/' v1.json >drift.json
sed 's/"Value": "2", "Class"/"Defualt": "2", "Value": "9", "Class"/' v1.json >invalid.json
printf '{"Version": 1,\n "Groups": [}' >broken.json

# Help and usage
run 0 help && has "usage: livery" && has "exit status" && quiet
commands=(init apply migrate check get set reset trial list form search explain watch history undo import export asset brand backup restore
  compact forget stats help)
for command in "${commands[@]}"; do
  run 0 help && has "  $command "
  run 0 help $command && has "usage: livery $command"
  run 0 $command --help && has "usage: livery $command"
done
run 0 --help && has "usage: livery"
run 0 --version && has "livery 0."
run 0 --version --json && json 'isinstance(v, str)'
run 0 help --json && json "[c['name'] for c in v if 'program' not in c] == '${commands[*]}'.split()"
run 2 && one_line
run 2 explian x && warns 'did you mean `explain`?'
run 2 help explian && one_line
run 2 get x --stoer s && warns '`--store`'
run 2 get x && warns "no store given"
run 2 --store s get && warns "usage: livery get"
run 2 --store s get x --layer user && warns "takes no --layer"
run 2 --store && warns "needs a value"
run 2 --store s set x && one_line
run 2 --store s set a 1 b && warns '`b` has no value'
run 2 --store s set a 1 --layer usr && warns '`user`'
run 2 --store s set a 1 --expires soon && warns "--expires"
run 2 --store s list --limit many && warns "--limit"
run 2 --store s list --timeout 0 && warns "--timeout"
run 2 --store s set a && warns "lacks the argument VALUE" && one_line
run 2 --store s undo && warns "lacks the argument REVISION"
run 2 --store s undo 1 2 && warns '`2`'
run 2 migrate && warns "lacks the argument SCHEMA"
run 2 --store s reset && one_line && warns "lacks the names"
run 2 --store s reset --all a && one_line
run 2 --json explian && json 'v["error"]["status"] == "LIVERY_ERROR_INVALID_ARGUMENT" and "explian" in v["error"]["message"]'

# Stores
run 3 --store s get x && warns "no such directory" && one_line
mkdir other && touch other/file
run 7 --store other get x && one_line
run 4 --store s init --schema invalid.json && warns "invalid.json:5:"
run 3 --store s list
run 3 --store s init --schema nothing.json && warns "nothing.json"
run 0 --store s init --schema v1.json && has "applied version 1" && has "+ volume" && quiet
run 0 init --store s && has "there is a store"
run 0 init --store t --json && json 'v["created"] is True and v["path"] == "t"'
run 0 init --store=u --schema v1.json --json && json 'v["report"]["applied"] and "volume" in v["report"]["added"]'
export LIVERY_STORE=$work/s

# Schemas
run 0 check v1.json && has "version 1, no problems"
run 0 check v2.json && has "would apply version 2 over 1" && has "+ consoleText" && has "- console"
run 0 check v2.json --json && json 'v["applied"] is False and v["added"] == ["consoleText"] and v["removed"] == ["console"]'
run 0 check drift.json && warns "drift"
run 4 check invalid.json && warns "invalid.json:5:" && warns "error: " && warns "hint: " && warns '`Value`'
run 4 check invalid.json --json && json 'v["error"]["status"] == "LIVERY_ERROR_SCHEMA_INVALID" and v["diagnostics"]'
run 4 check v1.json invalid.json --json && json 'len(v["reports"]) == 2 and v["error"]'
run 4 check broken.json && warns "broken.json:2:"
run 4 check broken.json --json && json 'v["error"]["line"] == 2'
LIVERY_STORE=$work/none run 0 check v1.json && has "no problems"
sed 's/"Version": 1/"Version": 2/; s/"Key": "console"/"Key": "console_"/' v1.json >rename.json
sed 's/"Version": 1/"Version": 2/; s/"Title": "/"Title": "New /' v1.json >titles.json
LIVERY_STORE= run 9 check v1.json rename.json && warns "v1.json:" && warns "removed-key" && warns 'did you mean to rename it to `console_`?'
LIVERY_STORE= run 9 check v1.json rename.json --json && json 'v["comparisons"][0]["findings"][0]["document"] == "old" and v["error"]["status"] == "LOSSY"'
LIVERY_STORE= run 9 check v1.json drift.json && warns "drift.json:" && warns "version-not-raised"
LIVERY_STORE= run 0 check v1.json titles.json && has "v1.json → titles.json: no problems" && quiet
LIVERY_STORE= run 0 check v1.json titles.json --json && json 'v["comparisons"][0]["errors"] == 0'
LIVERY_STORE= run 4 check v1.json invalid.json
run 3 check v1.json --store none
run 3 apply nothing.json && one_line
run 4 apply broken.json
run 4 apply invalid.json --json && json 'v["applied"] is False and v["error"]'
run 0 apply v1.json && has "applied already"
run 9 apply drift.json && warns "drift.json was ignored" && warns "raise \`Version\`" && one_line
run 9 apply drift.json --json && json 'v["drift"] and not v["applied"] and v["error"]["status"] == "LOSSY"'
run 9 init --schema drift.json && warns "was ignored"
run 9 migrate drift.json && warns "drift.json was ignored" && one_line
run 0 migrate --plan drift.json && warns "[drift]"
sed 's/"Version"/“Version”/' v1.json >typographic.json
run 4 apply typographic.json && warns "typographic.json:1:" && warns "“ is typographic"
mkdir folder && cp v1.json folder/SettingsSchema.json
run 0 apply folder && has "applied already"
run 0 apply folder/ && run 0 check folder && run 0 migrate --plan folder
(cd folder && run 0 apply && has "applied already")
run 3 apply other && warns "other/SettingsSchema.json" && one_line
run 0 --store byfolder init folder && has "applied version 1"
run 0 --store byfile init v1.json && has "applied version 1"
run 2 --store byboth init folder --schema v1.json && one_line

# Reading and changing
run 0 get idle && prints 2
run 0 get idle progress volume branding.color.Toolbar && prints $'2\ntrue\n5\n#102030FF'
run 0 get idle --json && json 'v == "2"'
run 0 get idle --type int --json && json 'v == 2'
run 0 get idle progress idle --json && json 'v == {"idle": "2", "progress": True}'
run 4 get mediaUrl --type int && one_line
run 2 get idle --type integer && one_line
run 3 get console && warns "console"
run 0 get playlist && prints "[]"
run 3 get idel && warns 'did you mean `idle`?' && one_line
run 3 get idel --json && json 'v["error"]["status"] == "LIVERY_ERROR_NOT_FOUND" and v["error"]["setting"] == "idel"'
run 0 set idle 1 progress no && has "revision"
run 0 get idle progress && prints $'1\nfalse'
run 0 set idle 2 --json && json 'isinstance(v["revision"], int)'
run 0 set volume -7
run 0 get volume && prints -7
run 0 set -- mediaUrl --json
run 0 get mediaUrl && prints --json
run 0 set playlist '[{"content": "a"}]'
run 0 get playlist --json && json 'v == [{"content": "a"}]'
run 4 set playlist a,b && warns "JSON"
run 0 set volume 3 --value-json
run 4 set volume '"x' --value-json
run 4 set volume 11 && warns "Maximum" && one_line
run 4 set volume 11 idle 9 --json && json 'len(v["violations"]) == 2 and v["error"]["setting"] == "volume"'
run 4 set volume 11 idle 1
run 0 get volume idle && prints $'3\n2'
run 3 set idel 1 && one_line
run 5 set console x && one_line
run 0 set console x --layer recommended --origin hq
run 0 get console && prints x
run 0 set idle 1 --layer enforced --origin headquarters
run 5 set idle 2 && one_line
run 5 set idle 2 --json && json 'v["error"]["status"] == "LIVERY_ERROR_LOCKED"'
run 5 set idle 2 --layer defaults
run 4 set idle 2 --layer override
run 0 set idle 2 --layer override --expires +3600
run 0 get idle && prints 2
run 4 set idle 2 --layer override --expires 2001-01-01T00:00:00Z
run 0 set progress true --layer session --expires 2999-01-01T00:00:00Z
run 0 get progress && prints true
run 2 set progress true --expires +60
run 0 reset --all --layer session
run 0 get progress && prints false
run 0 reset idle --layer override
run 0 get idle && prints 1

# Listing and explaining
run 0 list && has NAME && has volume && has locked && quiet
run 0 list 'branding.**' --json
json '[i["name"] for i in v] == ["branding.color.Toolbar"] and v[0]["value"] == "#102030FF"'
run 0 list --limit 2 --json && json 'len(v) == 2'
run 0 list --names --limit 2 && [ "$(wc -l <out)" -eq 2 ] && ! grep -q ' ' out && pass
run 0 list --names --limit 2 --json && json 'len(v) == 2 and all(isinstance(i, str) for i in v)'
run 0 list --after progress --json && json '[i["name"] for i in v] == ["volume"]'
run 0 list 'nothing*' && prints ""
run 2 list '' && one_line
run 0 form && has "Home" && has "  All of it" && has "One" && has "locked" && quiet
run 0 form --json && json 'v["layer"] == "user" and v["groups"][0]["elements"][3]["lockedBy"] == "enforced"'
run 0 form --layer enforced --json && json 'v["groups"][0]["elements"][3]["writable"]'
run 0 form --layer override --json && json 'v["groups"][0]["elements"][3]["writable"]'
run 2 form --locale '-' && warns "no tag of a language" && one_line
run 2 form --layer usr && one_line
run 2 form x && one_line
run 0 search volume && has "volume – Volume = " && has "  Home" && quiet
run 0 search VOL ume --json && json 'v["total"] == 1 and v["results"][0]["matches"][0] == {"field": "title", "text": "Volume", "offset": 0, "length": 3}'
run 0 search o --limit 1 && has "and " && has " more"
run 0 search no such thing && prints "nothing is found"
run 2 search && warns "lacks the argument WORD" && one_line
run 2 search volume --limit many && one_line
run 0 explain idle && has "enforced" && has headquarters && has "shadowed" && has '`enforced` wins'
run 0 explain idle --json && json 'v["layers"][0]["layer"] == "enforced" and v["locked"] and v["effective"]["value"] == "1"'
run 3 explain idel && one_line

# Secrets
run 0 set adminPassword s3cr3t --layer user
for command in "get adminPassword" "get adminPassword --json" list "list --json" "explain adminPassword" \
  "explain adminPassword --json" export "export --layers" "export --json"; do
  run 0 $command && hides s3cr3t && hides d3f4ult
  run 0 $command --reveal && has s3cr3t
done
# These never show one.
for command in form "form --json" "search password" "search password --json" "search s3cr --json"; do
  run 0 $command --reveal && hides s3cr3t
done
run 0 get adminPassword && prints ••••••
# Nor what a library has claimed as a secret; the command claims nothing, and an emulated one has no library here.
if [ -z "${LIVERY_SKIPPED:-}" ]; then
  run 0 --store claimed init
  if python3 - "$(dirname "$livery")/liblivery.so" 2>err <<'PY'
import ctypes
import sys

library, store = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p()
check = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)(lambda *_: 0)
statuses = [
  library.livery_open(b"claimed", None, ctypes.byref(store)),
  library.livery_claim(store, b"kept.", check, None, None),
  library.livery_claim_secret(store, b"kept.token"),
  library.livery_set_string(store, 3, b"kept.token", b"hunter2", ctypes.c_size_t(7)),
  library.livery_close(store),
]
sys.exit(any(statuses))
PY
  then pass; else fail "claiming a secret" "$(cat err)"; fi
  run 0 --store claimed search hunter2 && prints "nothing is found"
  run 0 --store claimed search token && has kept.token && hides hunter2
  run 0 --store claimed search token --json && hides hunter2 && json 'v["results"][0]["secret"] and "value" not in v["results"][0]'
fi
run 0 export && warns "--reveal" && json '"adminPassword" not in v["Values"]'

# Import and export
run 0 export --json && json 'v["Version"] == 1 and v["Values"]["volume"] == 3'
run 0 export --layers --reveal -o all.json && prints ""
if [ "$(stat -c %a all.json)" = 600 ]; then pass; else fail "an export with secrets is for its owner alone"; fi
chmod 644 all.json && run 0 export --layers --reveal -o all.json
if [ "$(stat -c %a all.json)" = 600 ]; then pass; else fail "an export with secrets is for its owner alone, also over another one"; fi
# A file is exchanged as a whole; what stands for another one stays what it is.
chmod 640 all.json && ln all.json second.json && ln -s all.json link.json && was=$(stat -c %i all.json)
run 0 export -o link.json && run 0 export -o all.json
if [ -L link.json ] && [ "$(stat -c %i,%a all.json second.json)" = "$(printf '%s,640\n%s,640' "$was" "$was")" ]; then pass; else fail "an export over a link"; fi
rm second.json && run 0 export -o all.json
if [ "$(stat -c %i all.json)" != "$was" ] && [ "$(stat -c %a all.json)" = 640 ] && [ -z "$(ls all.json.* 2>/dev/null)" ]; then pass; else fail "an export takes the place of another"; fi
(umask 027 && "$livery" export -o fresh.json) && if [ "$(stat -c %a fresh.json)" = 640 ]; then pass; else fail "a new file goes by the umask"; fi
# One that cannot be written is as it was, with nothing beside it.
cp all.json before.json && run 0 --store wide init
python3 -c 'import json; print(json.dumps({"Values": {"wide%d" % i: "x" * 200 for i in range(200)}}))' >wide.json
run 0 --store wide import wide.json
(trap '' XFSZ && ulimit -f 4 && exec "$livery" --store wide export -o all.json) >out 2>err
if [ $? -ne 0 ] && cmp -s all.json before.json && [ -z "$(ls all.json.* 2>/dev/null)" ]; then pass; else fail "an export that does not fit" "$(cat err)"; fi
mkfifo pipe && { cat pipe >piped & reader=$!; } && run 0 export -o pipe && wait $reader
if [ -p pipe ] && [ -s piped ]; then pass; else fail "an export into a pipe"; fi
run 0 export --layers --reveal -o all.json
run 0 --store members init && run 0 --store members set o --value-json '{"setAside": true, "x": 1}'
run 0 --store members export --json && json 'v["Values"]["o"] == {"setAside": True, "x": 1}' && quiet
run 0 export --output values.json --json && json 'v == {"written": "values.json"}'
run 3 export --reveal -o nowhere/file && one_line
run 0 --store v init --schema v1.json
# An export also brings back what support has set.
run 0 --store o init
run 0 --store o set x 1 --layer override --expires +3600
"$livery" --store o export --layers >override.json 2>err
run 0 --store p init
run 0 --store p import override.json && has "imported 1 value"
run 0 --store p get x && prints 1
run 0 --store v import all.json --json && json 'v["imported"] > 5'
run 0 --store v get adminPassword --reveal && prints s3cr3t
run 0 --store v export --layers --reveal -o again.json
if diff <(python3 -c 'import json; v = json.load(open("all.json")); del v["Layers"]["defaults"]; print(v)') \
  <(python3 -c 'import json; v = json.load(open("again.json")); del v["Layers"]["defaults"]; print(v)') >diff.out; then
  pass
else
  fail "an export with layers comes back as it was" "$(cat diff.out)"
fi
if "$livery" --store u import --partial - <values.json >out 2>err; then pass; else fail "import of standard input" "$(cat err)"; fi
run 0 --store u get volume && prints 3
cat >settings.plist <<'PLIST'
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict><key>volume</key><integer>8</integer><key>progress</key><true/></dict></plist>
PLIST
run 0 --store u import settings.plist --layer bundle && has "imported 2 values"
run 0 --store u explain volume && has bundle

# The console's value becomes active, and the operator may change it again.
run 0 --store replacing init --schema v1.json
run 0 --store replacing set volume 1
run 0 --store replacing set volume 2 --replace --origin console
run 0 --store replacing get volume && prints 2
run 0 --store replacing explain volume && has "The console replaced the operator's 1 by 2 at revision"
run 0 --store replacing history && has "1 → 2, the console replaced the operator's"
run 0 --store replacing history --json && json 'v[0]["layer"] == "recommended" and v[0]["changes"][0]["replaced"] == ["user"]'
run 0 --store replacing set volume 4
echo '{"volume": 5}' >replacing.json
run 0 --store replacing import replacing.json --replace && has "imported 1 value"
run 0 --store replacing get volume && prints 5
run 0 --store replacing history && has "4 → 5, the console replaced the operator's"
run 0 --store replacing set volume 3
run 0 --store replacing get volume && prints 3
run 0 --store replacing explain volume && if grep -qF replaced out; then fail "$what" "printed: $out"; else pass; fi

cat >unfit.plist <<'PLIST'
<plist version="1.0"><dict><key>volume</key><integer>9</integer><key>idle</key><real>nan</real></dict></plist>
PLIST
run 4 --store u import unfit.plist && warns "unfit.plist:1:" && warns "not a finite number"
run 0 --store u import unfit.plist --partial --layer bundle && has "imported 1 value," && warns "skipped: \`idle\`: not a finite number"
printf '{"Values": {"volume": 3}, "remark": 1}' >beside.json
run 0 --store u import beside.json && has "imported 1 value," && warns "warning: \`remark\` stands beside the settings"
printf '{"a":1}x' >behind.json
run 4 --store u import behind.json && warns "behind.json:1:8: end of file expected" && one_line
printf '{"volume": 4, "nothing": 1}' >partly.json
run 3 --store u import partly.json && warns "nothing"
run 0 --store u get volume && prints 3
run 0 --store u import partly.json --partial && has "imported 1 value," && warns "nothing"
run 3 --store u import partly.json --json
json 'v["imported"] == 0 and v["diagnostics"][0]["name"] == "nothing" and v["error"]'
run 4 --store u import broken.json
run 3 --store u import nothing.json

# Watching, in a store of its own
export LIVERY_STORE=$work/w
run 0 init --schema v1.json
# watching ARGUMENTS…: starts `livery watch` and waits until it has told the present values; `watched STATUS` ends that.
watching() {
  what="livery watch $*"
  : >out
  timeout 20 "$livery" watch --initial "$@" >out 2>err </dev/null &
  watcher=$!
  for _ in $(seq 200); do
    [ -s out ] && return
    sleep 0.02
  done
  fail "$what" "says nothing" "$(cat err)"
}
watched() {
  wait $watcher
  local status=$?
  out=$(cat out)
  err=$(cat err)
  if [ $status -eq "$1" ]; then pass; else fail "$what" "exit status $status, not $1" "$out" "$err"; fi
}
change() { "$livery" "$@" >/dev/null || fail "livery $*"; }

watching volume --count 2
change set volume 6 --origin test
change set idle 1
change set volume 7 --layer enforced
watched 0 && has "volume  5  defaults" && has "volume  5 → 6  user  test" && has "6 → 7  enforced  cli" && quiet
hides idle
change reset volume --layer enforced
watching 'v*' --count 3 --json
change set volume 7 --layer enforced --origin hq
change set volume 8 --layer override --expires +1
watched 0 && python3 - <<'PYTHON' && pass || fail "$what" "$out"
import json
events = [json.loads(line) for line in open("out", encoding="utf-8")]
assert [e["kind"] for e in events] == ["initial", "changed", "changed", "expired"], events
assert (events[1]["old"], events[1]["new"], events[1]["layer"], events[1]["origin"]) == (6, 7, "enforced", "hq")
assert events[1]["name"] == "volume" and events[1]["writable"] is False and "secret" not in events[1]
assert events[3]["new"] == 7 and events[3]["revision"] > events[2]["revision"] > events[1]["revision"]
PYTHON
change reset volume --layer enforced

# Secrets
watching adminPassword --count 1 --exec 'echo "[$LIVERY_NAME:${LIVERY_OLD-unset}:${LIVERY_NEW-unset}]"'
change set adminPassword s3cr3t
watched 0 && has ••••••  && has "[adminPassword:unset:unset]" && hides s3cr3t && hides d3f4ult
watching adminPassword --count 1 --json
change set adminPassword s3cr4t
watched 0 && has '"secret":true' && hides s3cr
watching adminPassword --count 1 --reveal --exec 'echo "[$LIVERY_OLD:$LIVERY_NEW]"'
change set adminPassword s3cr5t
watched 0 && has "[s3cr4t:s3cr5t]"
change set adminPassword s3cr6t
watching adminPassword --count 2
change set adminPassword s3cr7t
sed 's/"Version": 1/"Version": 2/; /"adminPassword"/d' v1.json >forgets.json
change apply forgets.json
watched 0 && has "a schema was applied" && hides s3cr

# Commands
watching volume --count 2 --exec 'echo "[$LIVERY_NAME|$LIVERY_OLD|$LIVERY_NEW|$LIVERY_LAYER|$LIVERY_ORIGIN|$LIVERY_KIND]"
  test "$LIVERY_REVISION" -gt 1 && [ "$LIVERY_KIND" != expired ]'
change set volume 9 --layer session --origin 'a"b;c'
change reset volume --layer session
watched 0 && has '[volume|6|9|session|a"b;c|changed]' && has '[volume|9|6|session|cli|changed]' && quiet
watching volume --count 1 --exec 'exit 3'
change set volume 1
watched 0 && warns "status 3"
run 2 watch playlist volume && one_line
watching volume --exec 'test "$LIVERY_KIND" = initial || { trap "echo told; exit 0" TERM; echo slow; sleep 10 & wait; }'
change set volume 2
for _ in $(seq 200); do grep -q slow out && break; sleep 0.02; done
pkill -TERM -P $watcher livery
watched 0 && has told

# The end
watching volume
pkill -TERM -P $watcher livery
watched 0 && quiet
what="livery watch beside a reader that has gone to sleep ends with a signal"
LIVERY_STORE=$work/w python3 - "$livery" 2>err <<'PYTHON' && pass || fail "$what" "$(cat err)"
import fcntl, os, signal, subprocess, sys, time
reads, writes = os.pipe()
fcntl.fcntl(writes, 1031, 4096)  # F_SETPIPE_SZ
watch = subprocess.Popen([sys.argv[1], "watch", "--initial", "--json", "volume"], stdout=writes)
for number in range(60):
  subprocess.run([sys.argv[1], "set", "volume", str(number % 9)], check=True, stdout=subprocess.DEVNULL)
time.sleep(0.2)
assert watch.poll() is None
watch.send_signal(signal.SIGTERM)
assert watch.wait(5) == 0
subprocess.run([sys.argv[1], "set", "volume", "2"], check=True, stdout=subprocess.DEVNULL)
PYTHON
run 2 watch --count 0 && one_line
run 2 watch '' && one_line
run 3 watch --store nothing && one_line
what="livery watch ends when its store is removed"
"$livery" init --store "$work/leaves" >out 2>err
timeout 20 "$livery" watch --initial --store "$work/leaves" >out 2>err &
watcher=$!
sleep 0.3
rm -r "$work/leaves"
wait $watcher
code=$?
[ $code -eq 3 ] && warns "leaves" && one_line
LIVERY_STORE=$work/w timeout 10 "$livery" watch --initial >/dev/full 2>err
if [ $? -eq 8 ]; then pass; else fail "lines that cannot be written end the watch" "$(cat err)"; fi

# History and undo
run 0 history && has REVISION && has "a schema was applied" && has "6 → 9" && has "expired" && hides s3cr5t
run 0 history --json && json 'v[0]["revision"] > v[1]["revision"] and v[0]["changes"][0]["name"] == "volume"'
run 0 history volume --layer enforced --origin hq --json && json 'len(v) == 1 and v[0]["changes"][0]["new"] == 7'
run 0 history idle && has "1" && hides volume
run 0 history --limit 2 --json && json 'len(v) == 2'
run 0 history --since 2999-01-01T00:00:00Z && prints ""
run 0 history --since 2001-01-01T00:00:00Z --json && json 'len(v) > 5'
run 2 history --since yesterday && one_line
run 2 history --layer usr && warns '`user`'
run 0 set volume 3 idle 2
revision=${out#revision }
run 0 undo "$revision" && has "revision $((revision + 1))"
run 0 get volume idle && prints $'2\n1'
run 0 history --limit 1 && has "undo $revision"
run 5 undo "$revision" && warns volume && one_line
run 5 undo "$revision" --json && json 'v["error"]["status"] == "LIVERY_ERROR_CONFLICT"'
run 0 set volume 4
run 0 undo "$revision" --force --json && json 'v["revision"] > 1'
run 0 get volume && prints 2
run 3 undo 999999 && one_line
run 2 undo first && warns "livery history"
run 2 undo 0
run 5 undo 1 && one_line
export LIVERY_STORE=$work/s

# Trials
run 0 trial status && prints "nothing is or was on trial"
run 0 trial status --json && json 'v == {"state": "none"}'
run 0 get volume && before=$out
run 0 set volume 7 --trial 10m && trial=${out#revision }
run 0 get volume && prints 7
run 0 trial status && has "revision $trial is on trial until" && has "user  volume"
run 0 trial status --json && json "v['state'] == 'pending' and v['revision'] == $trial and v['length'] == 600000000 and v['remaining'] > 0"
run 0 explain volume && has "goes back to"
run 0 --store over init && run 0 --store over set a 1 && run 0 --store over set a 2 --trial 10m && run 0 --store over set a 3
run 0 --store over backup over.bak && run 0 --store over restore over.bak && run 0 --store over trial status && has "went back"
run 0 --store over get a && prints 3 && run 0 --store over set b 1 --trial 1m
run 5 set volume 8 --trial 10m && warns "revision $trial is on trial" && one_line
run 5 trial confirm $((trial + 1)) && one_line
run 0 trial revert && has "went back"
run 0 get volume && prints "$before"
run 0 trial status && has "revision $trial went back" && has "cli"
run 3 trial confirm "$trial" && warns "went back" && one_line
run 0 set volume 7 --trial 90 && trial=${out#revision }
run 0 trial confirm "$trial" --origin console --json && json "v['revision'] == $trial + 1"
run 0 trial confirm "$trial" && has "revision $((trial + 1))"
run 0 trial status && has "was confirmed" && has console
run 3 trial revert && one_line
run 0 history --limit 2 && has "revision $trial was confirmed" && has "on trial for 90 seconds"
run 0 history --limit 1 --json && json "v[0]['kind'] == 'confirmed' and v[0]['trial'] == $trial"
run 5 undo $((trial + 1)) && one_line
run 0 undo "$trial" && run 0 get volume && prints "$before"
run 2 set volume 8 --trial soon && warns "--trial takes a time" && one_line
run 2 set volume 8 --trial 0s && one_line
run 2 set volume 8 --trial 400d && one_line
run 2 trial && warns "lacks an argument"
run 2 trial confirm && one_line
run 2 trial confirm x && one_line
run 2 trial statsu && warns '`status`'
run 0 reset volume --trial 1h && run 0 trial revert
echo '{"volume": 9, "volumeX": 3}' >trial.json
run 0 import trial.json --partial --trial 10m
run 0 get volume && prints 9
run 0 trial status && has "user  volume"
run 0 trial revert && run 0 get volume && prints "$before"
run 0 export --layers -o layers.json
run 2 import layers.json --trial 10m && warns "for good" && one_line
run 2 import trial.json --trial soon && warns "--trial takes a time" && one_line

# Assets
images=$fixtures/images
run 0 asset put "$images/rgb.png" "$images/turned-6.jpg" && has "image/png  57×23  194 bytes" && has "turned-6.jpg"
rgb=$(sha256sum "$images/rgb.png" | cut -d' ' -f1)
run 0 asset put "$images/rgb.png" --json && json "v[0]['id'] == '$rgb' and v[0]['width'] == 57"
run 0 asset get "$rgb" -o copy.png && quiet
if cmp -s copy.png "$images/rgb.png"; then pass; else fail "an asset is written as it was"; fi
"$livery" asset get "$rgb" >copy.png
if cmp -s copy.png "$images/rgb.png"; then pass; else fail "an asset is printed as it was"; fi
run 0 asset get "$rgb" --json && json 'len(__import__("base64").b64decode(v["data"])) == 194'
run 0 asset info "$rgb" --json && json 'v[0]["type"] == "image/png"'
run 4 asset put "$images/gray.png" v1.json && one_line && warns "v1.json"
run 0 asset list --json && json 'len(v) == 2'
run 0 asset put v1.json --any && has application/octet-stream
run 0 asset list && has "$rgb" && has 57×23
run 0 set mediaUrl "$rgb"
run 5 asset rm "$rgb" && one_line && warns mediaUrl
run 0 asset gc --dry-run && has "would remove 2 of 3 assets"
run 0 asset gc --min-age 3600 && has "removed 0 of 3"
run 0 asset gc --json && json 'len(v["removed"]) == 2 and v["kept"] == 1'
run 0 asset rm "$rgb" --force && has "removed $rgb"
run 3 asset rm "$rgb" && one_line
# What was removed before one that is not there is told.
run 0 asset put v1.json --any && document=$(grep -oE '[0-9a-f]{64}' out | head -1)
run 3 asset rm "$document" "$document" --json && json 'v["removed"] == ["'"$document"'"] and v["error"]'
run 2 asset rm logo.png && one_line
run 2 asset drop && warns "there is no"
run 2 asset put && warns "usage: livery asset put"
run 2 asset list --force && warns "takes no --force"
run 0 reset mediaUrl
# Upgrades
for versions in "2 3" 3; do
  rm -rf m
  run 0 --store m init --schema "$fixtures/asm/SettingsSchema.v1.json"
  run 0 --store m import "$fixtures/asm/values.v1.json"
  run 0 --store m set adminPassword s3cr3t --layer enforced
  "$livery" --store m export --layers --reveal >before
  run 0 --store m migrate --plan "$fixtures/asm/SettingsSchema.v3.json" && has "would apply version 3 over 1" && quiet
  has '3.2 convert  user   idleResetSeconds' && has '"1" → 60'
  has 'screensaverPlaylist[].seconds, item 2' && has '"soon" → 10'
  has 'defaulted: "soon" does not convert to int without loss'
  run 0 --store m migrate --plan --json "$fixtures/asm/SettingsSchema.v3.json"
  json 'any(s["outcome"] == "defaulted" and s["items"] == [2] for s in v["steps"]) and not v["applied"]'
  "$livery" --store m export --layers --reveal >after
  if cmp -s before after; then pass; else fail "a plan touches nothing"; fi
  for version in $versions; do
    run 0 --store m migrate "$fixtures/asm/SettingsSchema.v$version.json" && has "applied version $version over" && has backup
  done
  run 0 --store m migrate "$fixtures/asm/SettingsSchema.v3.json" && has "version 3 is applied already"
  run 0 --store m export --reveal
  json 'v["Values"] == {"adminPassword": "s3cr3t", "progressIndicator": False, "idleResetSeconds": 60, "cacheKey": True,
    "mediaUrl": "https://media.example/loop.mp4", "screensaverPlaylist": [
      {"content": "https://media.example/a.png", "cacheKey": True, "seconds": 10},
      {"content": "https://media.example/b.png", "cacheKey": False, "seconds": 10}]}'
done
cat >v4.json <<'JSON'
{"Version": 4, "Groups": [], "Migrations": [{"To": 4, "Steps": [
  {"Op": "rename", "From": "adminPassword", "Into": "pass"}, {"Op": "convert", "Key": "pass", "Type": "integer"}]}]}
JSON
run 4 --store m migrate --plan v4.json && hides s3cr3t && has "failed: ••••••" && warns "version 4, step 2 (convert)"
run 4 --store m migrate --json v4.json && hides s3cr3t && json 'v["error"]["status"] == "LIVERY_ERROR_MIGRATION"'
run 4 --store m migrate --plan --reveal v4.json && has '"s3cr3t"'
run 0 --store m stats --json && json 'v["schemaVersion"] == 3'

# What a schema no longer declares
for version in 4 5 6; do echo "{\"Version\": $version, \"Groups\": []}" >"gone$version.json"; done
run 0 --store m migrate gone4.json && has "- mediaUrl" && hides " x "
has '  ! mediaUrl in user: "https://media.example/loop.mp4" is orphaned since version 4, kept for ever'
has "  ! adminPassword in enforced: •••••• is orphaned"
run 0 --store m explain mediaUrl && has orphaned && has "orphaned since version 4" && has "are kept until then"
run 0 --store m export --layers && has loop.mp4 && hides s3cr3t && warns "left out 2 values that are or may be secret"
run 0 --store m explain adminPassword --orphan-versions 2 && has ••••••  && hides s3cr3t && has "kept up to version 5"
run 0 --store m explain --reveal adminPassword && has s3cr3t
run 0 --store m migrate --plan --orphan-versions 2 gone5.json && hides " x "
run 0 --store m migrate --plan --orphan-versions 1 gone5.json && hides s3cr3t
has "  x mediaUrl in user: \"https://media.example/loop.mp4\" is dropped: orphaned since version 4, kept up to version 4"
has "  x adminPassword in enforced: •••••• is dropped"
run 0 --store m migrate --plan --orphan-versions 1 --json gone5.json && hides s3cr3t
json 'any(d["name"] == "adminPassword" and d["value"] == "••••••" and d["since"] == 4 for d in v["dropped"])'
run 0 --store m check --orphan-versions 1 gone5.json && has "x mediaUrl in user"
run 0 --store m apply gone5.json && run 0 --store m explain mediaUrl
run 0 --store m migrate --orphan-versions 2 gone6.json && has "x mediaUrl in user"
run 3 --store m explain mediaUrl && one_line
run 2 --store m migrate --orphan-versions some gone6.json && one_line

# Lists of plain values
cat >ports.json <<'JSON'
{"Version": 1, "Groups": [{"Title": "G", "Settings": [{"Type": "List", "Title": "Ports", "Key": "ports", "ItemTemplate": [
  {"Type": "Number", "Title": "Port", "Format": "integer", "Minimum": 1}]}]}]}
JSON
run 0 --store ports init && run 0 --store ports apply ports.json
run 0 --store ports set ports '[80, "443"]'
run 0 --store ports get ports && prints "[80,443]"
run 4 --store ports set ports '[80, 0]' && warns "\`ports\`, item 2: 0 is less than Minimum 1" && one_line
run 0 --store ports export && has '443'
sed 's/"Type": "Number"/"Type": "TextField", "Pattern": "^\\\\d+$"/; s/, "Format": "integer", "Minimum": 1//' ports.json >digits.json
run 4 check digits.json && warns "\`\\d\` at character 2" && warns "write \`[0-9]\`"

# Brands
branding=$fixtures/branding
run 0 --store b init
run 0 --store b brand apply "$branding/skin.plist" && has "applied skin as default" && has "0 ignored"
run 0 --store b brand show && has "PrimaryHighlight" && has "#0064A0" && has "UsePrimaryImage" && hides $'\e['
run 0 --store b brand show --color && has $'\e[48;2;0;100;160m'
run 0 --store b brand show --json && json 'v["active"] == "default" and v["colors"]["Toolbar"] == "#0D2640FF" and v["console"]'
run 0 --store b brand apply "$fixtures/variants/Wire-Info.plist" --keep && has "kept for later"
run 0 --store b brand list && has "*  default" && has "com.sample.wireviewer"
run 0 --store b brand use com.sample.wireviewer && has revision
run 0 --store b get branding.name && prints "The Wire Character Viewer"
run 3 --store b brand use com.sample.wireviewers && warns 'did you mean `com.sample.wireviewer`' && one_line
run 0 --store b brand use default --trial 10m
run 0 --store b brand list && has default
run 0 --store b trial revert
run 0 --store b brand show && has com.sample.wireviewer
run 2 --store b brand apply x --trial 10m && warns "--trial is for" && one_line
run 2 --store b brand list --idiom phone && warns '--idiom is for `livery brand check`' && one_line
run 2 --store b brand set Accent red --origin me && warns '--origin is for `livery brand apply`' && one_line
run 2 --store b brand show --keep && warns "--keep is for" && one_line
run 0 --store b brand use default
run 0 --store b brand check && has "ok       PrimaryText on PrimaryHighlight: 6.30" && has "[missing-asset]"
echo '{"colors": {"PrimaryHighlight": "whitesmoke"}, "images": {"logo": {"tv": "https://a.example/t.png"}}}' >payload.json
run 0 --store b brand apply payload.json --console && has "saved the console's brand"
run 4 --store b brand check && has "[whitish-background]" && has "[low-contrast]" && one_line
run 4 --store b brand check --json && json 'v["errors"] == 2 and v["error"]["status"] == "LIVERY_ERROR_INVALID_VALUE"'
run 0 --store b brand explain PrimaryHighlight && has "recommended" && has "shadowed"
run 0 --store b brand explain background --idiom phone --scale 2 && has "fits best" && has "contradicts the device: idiom"
run 0 --store b brand explain logo --idiom phone && has "No variant"
run 3 --store b brand explain nothing && one_line
run 2 --store b brand explain logo --idiom fridge && one_line
run 0 --store b brand disable console
run 0 --store b brand show && has "console off" && has "#0064A0"
run 0 --store b brand enable console
run 0 --store b brand wipe
run 0 --store b brand set Accent "hsl(120 100% 25%)" --layer bundle
run 0 --store b get branding.color.Accent && prints "#008000FF"
run 4 --store b brand set Accent reddish && one_line
run 0 --store b brand set branding.color.Longhand red --layer bundle && run 0 --store b get branding.color.Longhand && prints "#FF0000FF"
run 0 --store b brand set Accent "color(display-p3 0 1 0)" --layer bundle && warns "is read as #00FF00; it lies outside of sRGB"
run 0 --store b brand set Accent "oklch(0.6 50% 120)" --layer bundle && warns "cut"
run 0 --store b brand set Accent "lab(50% 0 0)" --layer bundle && quiet
run 0 --store b get branding.color.Accent && prints "#777777FF"
cat >found.plist <<'PLIST'
<plist version="1.0"><dict><key>CFBundleIdentifier</key><string>$(PRODUCT_BUNDLE_IDENTIFIER)</string>
<key>Branding</key><dict><key>BackgroundImage_4_3</key><string>rgb</string><key>AppLogo_1x</key><string>facts.txt</string>
<key>Colors</key><dict><key>EnableBranding</key><false/></dict></dict></dict></plist>
PLIST
run 0 --store b2 init
run 0 --store b2 brand apply found.plist --bundle "$fixtures/images" && has "as default; it is switched off" &&
  has "1 images stored" && has "\`rgb\` is \`rgb.png\`" && has "was not expanded" && warns "[bad-image]"
echo '<plist version="1.0"><dict><key>PrimaryiPad</key><string>../x</string></dict></plist>' >bad.plist
run 4 --store b brand apply bad.plist && warns "bad.plist: /PrimaryiPad:" && warns "[outside-bundle]"
run 4 --store b brand apply payload.json && one_line
run 0 --store b brand rm com.sample.wireviewer
run 2 --store b brand drop && warns "there is no" && one_line
run 2 --store b brand use && warns "usage: livery brand use BRAND"

# What is told of brands
run 0 --store b3 init
run 0 --store b3 brand show && has "built-in colors" && has "Toolbar  #1B2A3A"
run 0 --store b3 brand show --json && json 'v["builtIn"]["PrimaryText"] == "#FFFFFFFF" and v["colors"] == {}'
run 0 --store b3 brand set PrimaryColor navy --layer bundle && warns "did you mean \`PrimaryHighlight\`" && has revision
run 0 --store b3 get branding.color.PrimaryColor && prints "#000080FF"
run 0 --store b3 brand check && has "[misspelled-role]"
run 0 --store b3 reset --layer bundle branding.color.PrimaryColor
run 4 --store b3 set branding.option.UsePrimaryImage maybe && warns "true and false" && one_line
run 0 --store b3 set branding.option.UsePrimaryImage NO
run 0 --store b3 get branding.option.UsePrimaryImage && prints false
run 0 --store b3 reset branding.option.UsePrimaryImage
echo '{"colors": {"Toolbar": "#222222", "PrimaryColor": "#123"}, "CompanyLogo": "https://a.example/l.png", "Kolors": 1}' >sent.json
run 0 --store b3 brand apply sent.json --console && warns "[misspelled-role]" && has "- /Kolors: no part of a brand" && has "did you mean"
run 0 --store b3 brand explain logo && has "https://a.example/l.png"
run 0 --store b3 brand disable console
run 3 --store b3 get branding.color.Toolbar && warns "the console's branding is switched off" && one_line
run 0 --store b3 explain branding.color.Toolbar && has "The console's #222222FF waits"
run 0 --store b3 brand explain Toolbar && has "The console's #222222FF waits"
run 0 --store b3 brand wipe

# A brand from a directory
mkdir -p shop/Contents/Resources none
run 3 --store b3 brand apply none && warns "no skin.plist, no AWSDKDefaultSettings.plist and no Info.plist" && one_line
cp "$fixtures/variants/Wire-Info.plist" "$images/rgb.png" shop/ && mv shop/rgb.png shop/logoWire.png
run 0 --store b3 brand apply shop && has "applied CharacterVariantsConfiguration of Wire-Info.plist as com.sample.wireviewer" &&
  has "1 images stored"
run 0 --store b3 brand check && has "0 errors, 0 warnings"
run 0 --store b3 brand show && has "gradients" && has "listBackground  #0A0A0A to #3C3C3C"
cp "$branding/skin.plist" shop/Contents/Resources/
run 0 --store b3 brand apply shop --keep && has "of Contents/Resources/skin.plist as default" && has "kept for later"
run 0 --store b3 brand apply "$fixtures/variants/Wire-Info.plist" --brand twin --keep && warns "[same-identifier]" && warns "[same-url]"
run 0 --store b3 brand list && has "has the same identifier as"
run 0 --store b3 brand check && has "[same-name]"
run 0 --store b3 brand apply "$fixtures/variants/Simpsons-Info.plist" --brand twin --keep &&
  has "in the place of \`The Wire Character Viewer\` of this identifier"
grep -v logoImage\< "$fixtures/variants/Wire-Info.plist" | sed '/assets.example\/wire\/logo/d' >short.plist
run 0 --store b3 brand apply short.plist && run 0 --store b3 brand check && has "the variant has no logoImage in URL [missing-part]"
sed 's/SecondaryiPad2X/Renamed/' "$branding/skin.plist" >short.plist
run 0 --store b3 brand apply short.plist && run 0 --store b3 brand check && has "skin.plist has no SecondaryiPad2X [missing-part]"

# One source at a time, and in the place of the operator's
run 0 --store b3 brand set Toolbar white
run 2 --store b3 brand apply short.plist --whole && one_line
run 0 --store b3 brand apply sent.json --console --whole --replace
run 0 --store b3 get branding.color.Toolbar && prints "#222222FF"
run 0 --store b3 history --limit 1 && has "Toolbar"
run 3 --store b3 get branding.color.PrimaryText && warns "the console's brand counts as a whole"
run 0 --store b3 brand show && has "bundle waits, console on"
run 0 --store b3 brand disable console && run 0 --store b3 get branding.color.PrimaryText && prints "#FFFFFFFF"

# The page of a brand
export LIVERY_STORE=$work/page
run 0 init
run 0 set --layer bundle branding.name '<script>alert("1")</script>&' branding.color.Toolbar '#102030' \
  branding.color.ToolbarText '#FFFFFF' branding.color.PrimaryHighlight '#FFFDF6' \
  branding.color.listBackgroundDark '#000000' branding.color.listBackgroundLight '#808080' "branding.url.'><b>" 'https://a.example/?x&y'
run 0 asset put "$images/rgba.png" "$images/units.svg" --json
png=$(python3 -c 'import json; print(json.load(open("out"))[0]["id"])')
svg=$(python3 -c 'import json; print(json.load(open("out"))[1]["id"])')
run 0 set --layer bundle --value-json branding.image.logo "{\"image\": \"$png\"}" branding.image.background \
  "[{\"image\": \"$svg\", \"idiom\": \"tv\"}, {\"image\": \"https://a.example/b.png\"}, {\"image\": \"$(printf '%064d' 0)\"}]"
run 0 brand show --html page.html && quiet
page() { if grep -qF -- "$1" page.html; then pass; else fail "the page of a brand" "lacks: $1"; fi; }
lacks() { if grep -qiE -- "$1" page.html; then fail "the page of a brand" "has: $1"; else pass; fi; }
page "default-src 'none'"
page '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;'
page "data:image/png;base64,$(base64 -w0 "$images/rgba.png")"
page "data:image/svg+xml;base64,$(base64 -w0 "$images/units.svg")"
page '#102030'
page 'rgb(255, 253, 246)'
page '<span class="none">missing</span>'
page '<span class="none">elsewhere</span>'
page 'class="ratio">16.'
page '<linearGradient'
lacks '<script|<link|<iframe|<img|@import|src=|url\("?http|onload'
if python3 - page.html <<'PY'
import html.parser, sys

class Page(html.parser.HTMLParser):
  void, open = {"meta", "img", "br", "wbr"}, []
  def handle_starttag(self, tag, attributes):
    if tag not in self.void: self.open.append(tag)
  def handle_endtag(self, tag):
    assert self.open.pop() == tag, tag

page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
assert not page.open, page.open
PY
then pass; else fail "the elements of the page are closed in order"; fi
run 0 brand show --html - && has '<!DOCTYPE html>'
run 3 brand show --html /nowhere/page.html && one_line
run 3 brand show nobody --html page.html && one_line
run 0 brand show --html other.html --json && json 'v == {"written": "other.html"}' && cmp -s page.html other.html && pass
run 2 page brand a b && warns "unknown argument b"
run 2 page --html x && warns "is for"
# Programs of extensions beside it are commands, as help tells.
mkdir -p beside/bin beside/libexec/livery && cp "$livery" beside/bin/livery
printf '#!/bin/sh\necho "turned: $*"\n' | tee beside/bin/livery-turn >beside/libexec/livery/livery-far
chmod +x beside/bin/livery-turn beside/libexec/livery/livery-far
touch beside/bin/livery-notes && mkdir beside/bin/livery-folder
cp beside/bin/livery-turn beside/bin/livery-get && cp beside/bin/livery-turn beside/libexec/livery/livery-turn
beside/bin/livery help >out
if [ "$(sed -n '/^extensions/,/^$/s/^  \([a-z]*\) .*/\1/p' out | tr '\n' ' ')" = "far turn " ]; then pass
else fail "help tells which extensions there are" "$(cat out)"; fi
beside/bin/livery help --json >out && json '[c["name"] for c in v if "program" in c] == ["far", "turn"]'
if [ "$(beside/bin/livery turn left)" = "turned: left" ] && [ "$(beside/bin/livery help far)" = "turned: --help" ]; then pass
else fail "extensions are run"; fi
beside/bin/livery trun >out 2>err
if grep -qF 'did you mean `turn`' err; then pass; else fail "extensions are among what is meant" "$(cat err)"; fi
# A command that finds no extension says what to install.
mkdir -p alone && cp "$livery" alone/livery
if env PATH=/usr/bin:/bin alone/livery brand show --html - >out 2>err; then fail "a brand is not drawn without the extension"
elif [ $? -eq 8 ] && grep -q 'extension `page`' err && [ ! -s out ]; then pass
else fail "without the extension a brand is not drawn" "$(cat err)"; fi
for noun in page generate sync; do
  env PATH=/usr/bin:/bin alone/livery $noun --help >out 2>err
  if [ $? -eq 8 ] && grep -q "needs the program livery-$noun" err && [ ! -s out ]; then pass
  else fail "a command of an extension that is not installed is told so" "$(cat err)"; fi
done
export LIVERY_STORE=$work/s

# The rest
run 0 stats && has revision && has maxLogBytes

# Upkeep
run 0 check && has "sound, " && quiet
run 0 check --json && json 'v["sound"] is True and v["damage"] == []'
run 0 backup && has /backups/
run 0 backup copy.mdb && prints copy.mdb
run 0 set volume 3
run 2 restore && one_line && warns "would bring back" && warns "--yes"
run 0 get volume && prints 3
run 0 restore --yes --json && json 'v["revision"] > 0'
run 0 backup --list && has manual && has restore
run 0 backup --list --json && json 'v[0]["reason"] == "restore" and v[1]["reason"] == "manual"'
run 0 set volume 3
run 0 restore ./copy.mdb && has "revision "
run 0 restore latest --origin service
run 3 restore nothing.mdb && one_line && warns "livery: nothing.mdb: No such file"
echo "only words" >words
run 7 restore ./words && warns "neither a store nor a copy of one" && one_line
run 2 backup --list x && one_line
head -c 9000 copy.mdb >cut.mdb
run 7 restore ./cut.mdb && warns "is damaged" && one_line
run 0 compact && has "bytes, now"
run 0 check && has "sound, "
run 7 --store cut.mdb check && has "page " && warns "is damaged"
run 0 stats && has lastBackup
run 0 stats --json && json 'v["schemaVersion"] == 1 and v["revision"] > 0'
run 0 apply v2.json && has "applied version 2 over 1" && has "- console"
run 4 apply v1.json && one_line
run 0 --store t set any 'thing "x"'
run 0 init --store worn
run 0 --store worn set note damageme
rm -rf worn/backups
python3 -c 'path = "worn/data.mdb"; data = open(path, "rb").read(); open(path, "wb").write(data.replace(b"damageme", b"damagemf"))'
run 7 --store worn get note && warns "set it anew"
run 0 --store worn set note mended
run 0 --store worn get note && prints mended
run 0 --store t get any && prints 'thing "x"'
run 0 --store t set parts '{"a": [1, 2.5]}' --value-json
run 0 --store t get parts && prints '{"a":[1,2.5]}'
"$livery" list >/dev/full 2>err
if [ $? -eq 8 ]; then pass; else fail "a result that cannot be written is a failure" "$(cat err)"; fi
run 2 get $'x\xff' && one_line
run 2 get $'x\xff' --json && one_line && json '"not UTF-8" in v["error"]["message"]'

# What was committed has not failed, wherever standard output leads.
"$livery" set volume 4 >/dev/full 2>err
if [ $? -eq 0 ] && grep -q "it is done" err; then pass; else fail "a change counts though nobody hears of it" "$(cat err)"; fi
run 0 get volume && prints 4
"$livery" set volume 5 >&- 2>err
if [ $? -eq 0 ] && grep -q "it is done" err; then pass; else fail "a change counts without standard output" "$(cat err)"; fi
"$livery" set volume 6 >&- 2>&- <&-
if [ $? -eq 0 ]; then pass; else fail "a change needs no standard streams"; fi
run 0 get volume && prints 6
run 0 check && has "sound, "
"$livery" get volume >&- 2>err
if [ $? -eq 8 ]; then pass; else fail "a result needs standard output" "$(cat err)"; fi
{ "$livery" set volume 7; echo $? >status; } 2>err | true
if [ "$(cat status)" -eq 0 ]; then pass; else fail "a change counts though the pipe has closed" "$(cat err)"; fi

# Groups
run 0 --store shared init --group
if [ "$(stat -c %a shared shared/data.mdb | tr '\n' ' ')" = "770 660 " ]; then pass; else fail "init --group" "$(ls -la shared)"; fi

# A NUL in a value, for a command that is run
run 0 --store t set nul '"a\u0000b"' --value-json
(sleep 0.5; "$livery" --store t set nul '"c\u0000d"' --value-json >/dev/null; sleep 0.2; "$livery" --store t set nul plain >/dev/null) &
run 0 --store t watch nul --count 2 --exec 'echo "$LIVERY_OLD|$LIVERY_OLD_ENCODING|$LIVERY_NEW|$LIVERY_NEW_ENCODING" >>nul.txt'
wait
if [ "$(head -1 nul.txt)" = '"a\u0000b"|json|"c\u0000d"|json' ] && [ "$(sed -n 2p nul.txt)" = '"c\u0000d"|json|plain|' ]; then pass
else fail "values with a NUL come as JSON" "$(cat nul.txt)"; fi

# Secrets: forgotten, and kept secret
run 0 --store p init --schema v1.json
export LIVERY_STORE=$work/p
run 0 set adminPassword 'hunter2-first'
run 0 backup
run 0 set adminPassword 'hunter2-second'
run 0 forget adminPassword --backups && has "forgotten in" && has "rewritten"
if grep -rqa hunter2-first p; then fail "a secret is forgotten" "$(grep -rla hunter2-first p)"; else pass; fi
run 0 get adminPassword --reveal && prints hunter2-second
run 0 history && has forgotten && hides hunter2
run 0 forget adminPassword --json && json 'v["name"] == "adminPassword" and "backups" not in v'
run 0 set adminPassword t0psecret --trial 1h && run 0 explain adminPassword && hides t0psecret && hides d3f4ult
run 0 history --limit 1 && hides t0psecret
run 0 trial revert && run 0 explain adminPassword && hides d3f4ult
run 2 forget && warns "lacks the argument NAME"
sed 's/"Version": 1/"Version": 2/; s/, "Class": \["Password"\]//' v1.json >plain.json
sed 's/"Version": 1/"Version": 2/; s/"Key": "adminPassword", "Value": "d3f4ult", "Class": \["Password"\]/"Key": "token"/
  s/^]}]}$/]}], "Migrations": [{"To": 2, "Steps": [{"Op": "rename", "From": "adminPassword", "Into": "token"}]}]}/' v1.json >token.json
for schema in plain.json token.json; do
  name=$([ $schema = plain.json ] && echo adminPassword || echo token)
  LIVERY_STORE= run 9 check v1.json $schema && warns "[declassified]" && warns "--declassify $name"
  LIVERY_STORE= run 0 check v1.json $schema --declassify $name && warns "[declassified]"
  run 9 migrate --plan $schema && warns "--declassify $name" && hides hunter2
  run 9 migrate --plan $schema --json && json 'v["declassified"][0]["allowed"] is False' && hides hunter2
  run 9 apply $schema && hides hunter2
  run 9 check $schema && hides hunter2
  run 9 apply $schema --declassify other && hides hunter2
  run 0 migrate --plan $schema --declassify $name && has "(allowed)" && hides hunter2
done
run 0 migrate token.json --declassify other --declassify token && has "(allowed)" && hides hunter2
run 0 get token && prints hunter2-second
export LIVERY_STORE=$work/s
if command -v script >/dev/null; then
  script -qec "'$livery' explain volume" /dev/null </dev/null >out
  if grep -q $'\e\[1m' out; then pass; else fail "a terminal gets bold text" "$(cat out)"; fi
  NO_COLOR=1 script -qec "'$livery' explain volume" /dev/null </dev/null >out
  if grep -q $'\e\[' out; then fail "NO_COLOR is respected"; else pass; fi
  TERM=dumb script -qec "'$livery' explain volume" /dev/null </dev/null >out
  if grep -q $'\e\[' out; then fail "a dumb terminal gets no escapes"; else pass; fi
  run 0 set volume 8
  run 0 backup
  run 0 set volume 9
  printf 'n\n' | script -qec "'$livery' restore" /dev/null >out
  if grep -q "Bring back all settings" out; then pass; else fail "restore asks on a terminal" "$(cat out)"; fi
  run 0 get volume && prints 9
  printf 'y\n' | script -qec "'$livery' restore" /dev/null >out
  run 0 get volume && prints 8
fi

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
