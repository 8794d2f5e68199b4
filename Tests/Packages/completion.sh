#!/bin/sh
# Types into bash, zsh and fish what people type, and looks at what each makes of it: completion.sh STORE
#
# The store has the setting `progressIndicator`. Ends with "N passed, N failed".
set -eu
store=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 passed=0

# Each prints the words that a line may end with, or the line with what a tab makes of it.
in_bash() {
  cat >"$work/bash" <<'END'
. /usr/share/bash-completion/completions/livery
read -r -a COMP_WORDS <<<"$1"
COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$1 COMP_POINT=${#1}
"$(complete -p livery | sed 's/.*-F \([^ ]*\).*/\1/')" livery "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
END
  bash --norc "$work/bash" "$1"
}
in_zsh() {
  cat >"$work/zsh" <<'END'
zmodload zsh/zpty
zpty shell 'env TERM=dumb zsh -f -i'
zpty -w shell "autoload -Uz compinit && compinit -u -D; PS1='rea''dy> '"
zpty -r -m shell out '*ready> *'
zpty -w -n shell "$1"$'\t'"<end>"$'\n'
zpty -r -m shell out '*<end>*'
zpty -d shell
print -r -- ${${out//[^[:print:]]/}##*livery}
END
  timeout 60 zsh -f "$work/zsh" "$1"
}
in_fish() { fish -c 'complete -C $argv[1]' "$1"; }

# LINE WORD: what is typed, and what has to be offered.
check() {
  for shell in bash zsh fish; do
    if "in_$shell" "$1" 2>&1 | grep -q -w -e "$2"; then
      passed=$((passed + 1))
    else
      failed=$((failed + 1))
      echo "failed: $shell makes no \`$2\` of: $1" >&2
    fi
  done
}

check "livery gener" generate
check "livery brand us" use
check "livery set --lay" --layer
check "livery set --layer enfor" enforced
check "livery set --store $store --layer enfor" enforced
check "livery get --store $store progressInd" progressIndicator
check "livery --store $store get progressInd" progressIndicator
check "livery get --store=$store progressInd" progressIndicator
check "livery page --layer enfor" enforced
LIVERY_STORE=$store
export LIVERY_STORE
check "livery explain progressInd" progressIndicator
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
