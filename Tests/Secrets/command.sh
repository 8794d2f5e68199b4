#!/bin/bash
# The command `livery secrets`, which is a program of its own.
#
#   command.sh LIVERY
set -u
livery=$1 failed=0 passed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LIVERY_STORE=$work/store
unset LIVERY_KEY_FILE

# Runs the command: run STATUS ARGUMENT…
run() {
  local wanted=$1 status=0
  shift
  "$livery" "$@" >out 2>err </dev/null || status=$?
  if [ "$status" -eq "$wanted" ]; then passed=$((passed + 1)); return 0; fi
  echo "livery $*: exit status $status, not $wanted"; cat out err
  failed=$((failed + 1)); return 1
}
has() {
  if grep -qF -- "$1" out err; then passed=$((passed + 1)); return 0; fi
  echo "lacks: $1"; cat out err
  failed=$((failed + 1)); return 1
}
lacks() {
  if ! grep -qrF -- "$1" "${@:2}"; then passed=$((passed + 1)); return 0; fi
  echo "has: $1"; grep -rlF -- "$1" "${@:2}"
  failed=$((failed + 1)); return 1
}

cat >schema.json <<'JSON'
{"Version": 1, "Groups": [{"Title": "All", "Settings": [
  {"Type": "TextField", "Title": "Password", "Key": "password", "Class": ["Password"]},
  {"Type": "TextField", "Title": "Note", "Key": "note"}]}]}
JSON
run 0 init && run 0 apply schema.json && run 0 set password swordfish-1
run 0 secrets status && has '"active": false' && has '"plain": 1'
run 2 secrets && run 2 secrets nonsense && run 2 secrets seal && run 2 secrets get --key-file k && run 2 secrets status more
run 2 secrets seal --key-file a --keyring b
run 0 secrets key --key-file "$work/key" && [ "$(stat -c %a key)" = 400 ] && passed=$((passed + 1))
run 5 secrets key --key-file "$work/key" && has 'already'
export LIVERY_KEY_FILE=$work/key
run 0 secrets seal && has '"sealed": 1'
lacks swordfish store
run 0 secrets get password && has swordfish-1
run 3 secrets set password && has 'no line'
printf 'swordfish-2\n' | "$livery" secrets set password || failed=$((failed + 1))
run 0 history --limit 1 && has 'cli'
run 0 secrets get password && has swordfish-2
printf 'sword\0fish\n' | "$livery" secrets set password && run 0 secrets get password
[ "$(od -An -tx1 out | tr -d ' \n')" = 73776f726400666973680a ] || failed=$((failed + 1))
printf 'swordfish-2\n' | "$livery" secrets set password
lacks swordfish store
# Who has no key.
run 8 get password && run 8 set password plain
run 0 set note plain && run 0 get note && has plain
run 0 form && has 'sealed'
run 0 list && run 0 explain password && run 0 history password && has ' sealed' && run 0 history && lacks swordfish out
run 0 export --reveal && has '"sealed"' && lacks swordfish out
run 0 export && lacks '"sealed"' out
run 0 secrets export && has swordfish-2
run 0 secrets rotate --json && has '"unavailable":[]'
run 0 secrets get password && has swordfish-2
[ "$(wc -l <key)" = 1 ] && passed=$((passed + 1))
chmod 444 key && run 8 secrets get password && has 'chmod 400'
chmod 400 key
run 0 secrets status --json && has '"source":"file"'
LIVERY_KEY_FILE=$work/none run 8 secrets get password && has 'livery secrets key'
run 0 reset password && run 0 secrets --help && run 0 help secrets
# A list whose items hold a secret is given as JSON.
cat >schema2.json <<'JSON'
{"Version": 2, "Groups": [{"Title": "All", "Settings": [
  {"Type": "TextField", "Title": "Password", "Key": "password", "Class": ["Password"]},
  {"Type": "List", "Title": "Users", "Key": "users", "ItemTemplate": [
    {"Type": "TextField", "Title": "Word", "Key": "word", "Class": ["Password"]}]}]}]}
JSON
run 0 apply schema2.json
printf '[{"word": "barracuda"}]\n' | "$livery" secrets set users || failed=$((failed + 1))
run 0 secrets get users && has barracuda
lacks barracuda store
printf '[{"word"\n' | "$livery" secrets set users 2>err
[ $? = 4 ] && passed=$((passed + 1)) || { echo "a list that is no JSON: $(cat err)"; failed=$((failed + 1)); }
# A watch without the key tells that something was set, and not what.
timeout 60 "$livery" watch password --json --initial --count 1 >watched &
watch=$!
for _ in $(seq 100); do [ -s watched ] && break; sleep 0.1; done
printf 'pike-1\n' | "$livery" secrets set password
wait $watch
tail -n 1 watched | grep -qF '"unavailable":true' && passed=$((passed + 1)) || { echo "watch says $(cat watched)"; failed=$((failed + 1)); }
lacks pike-1 watched store

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
