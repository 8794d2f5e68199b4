# Made by tools/manual.

# Of the line before the point: the last word, into `word`, and those before it, into `typed`, as the shell takes them. Nothing of
# them is expanded but a tilde.
_livery_words() {
  local line=${COMP_LINE:0:COMP_POINT} quote= begun= char index
  typed=() word=
  for ((index = 0; index < ${#line}; index++)); do
    char=${line:index:1}
    if [[ $char == "$quote" ]]; then
      quote=
    elif [[ $quote == \' ]]; then
      word+=$char
    elif [[ $char == \\ ]]; then
      ((++index))
      word+=${line:index:1} begun=1
    elif [[ -n $quote ]]; then
      word+=$char
    elif [[ $char == [\'\"] ]]; then
      quote=$char begun=1
    elif [[ $char == [[:space:]] ]]; then
      [[ -n $begun ]] && typed+=("$word")
      word= begun=
    else
      [[ $char == "~" && -z $begun && ${line:index + 1:1} == / ]] && char=$HOME
      word+=$char begun=1
    fi
  done
}

_livery_settings() {
  local store=${LIVERY_STORE-} index
  for ((index = 1; index < ${#typed[@]}; index++)); do
    case ${typed[index]} in
      --store) store=${typed[index + 1]} ;;
      --store=*) store=${typed[index]#*=} ;;
    esac
  done
  [[ -n $store ]] && livery list --names --store "$store" 2>/dev/null
}

# Offers those of the lines that it reads that begin with the last word, written so that the shell takes them as they are: a name
# may contain whatever the shell would run.
_livery_offer() {
  local line raw=${COMP_WORDS[COMP_CWORD]} before= last
  # What bash replaces may be the end of the word alone: it ends words at some characters.
  last=${raw//\\/}
  [[ $raw == [=:] ]] && last=
  [[ $raw != [\'\"]* && $word == *"$last" ]] && before=${word%"$last"}
  while IFS= read -r line; do
    [[ $line == "$word"* ]] || continue
    case $raw in
      \'*) [[ $line == *\'* ]] || COMPREPLY+=("$line") ;;
      \"*)
        # History has its own way with this one, even here.
        [[ $line == *!* ]] && continue
        line=${line//\\/\\\\} line=${line//\"/\\\"} line=${line//\$/\\\$} line=${line//\`/\\\`}
        # What ends with one is not closed by another.
        [[ $line == *\" ]] && line+=\"
        COMPREPLY+=("$line") ;;
      *)
        printf -v line %q "${line#"$before"}"
        COMPREPLY+=("$glued$line") ;;
    esac
  done
}

# Files, or with -d folders: bash writes them itself.
_livery_files() {
  local index raw=${COMP_WORDS[COMP_CWORD]#"$glued"}
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen "$1" -- "${raw#=}")
  [[ -n $glued ]] || return
  for index in "${!COMPREPLY[@]}"; do
    [[ -d ${COMPREPLY[index]} ]] && COMPREPLY[index]+=/ && compopt -o nospace
    COMPREPLY[index]=$glued${COMPREPLY[index]}
  done
}

_livery() {
  local word typed previous glued= command= index options= words= argument= files= folders= any= layers=
  COMPREPLY=()
  _livery_words
  for ((index = 1; index < ${#typed[@]}; index++)); do
    case ${typed[index]} in
      --store|--timeout) ((index++)) ;;
      -*) ;;
      *) command=${typed[index]}; break ;;
    esac
  done
  case $command in
    "") options="--store --json --reveal --timeout --help --version" words="init apply migrate check get set reset trial list form search explain watch history undo import export asset brand backup restore compact forget stats help agent console convert fetch generate images page picker prompt secrets session sync" folders="--store" any="--timeout" ;;
    init) options="--schema --orphan-versions --declassify --group --store --json --reveal --timeout --help --version" argument="files" files="--schema" folders="--store" any="--orphan-versions --declassify --timeout" ;;
    apply) options="--origin --orphan-versions --declassify --store --json --reveal --timeout --help --version" argument="files" folders="--store" any="--origin --orphan-versions --declassify --timeout" ;;
    migrate) options="--origin --plan --orphan-versions --declassify --store --json --reveal --timeout --help --version" argument="files" folders="--store" any="--origin --orphan-versions --declassify --timeout" ;;
    check) options="--orphan-versions --declassify --store --json --reveal --timeout --help --version" argument="files" folders="--store" any="--orphan-versions --declassify --timeout" ;;
    get) options="--type --store --json --reveal --timeout --help --version" argument="settings" folders="--store" any="--type --timeout" ;;
    set) options="--layer --origin --expires --replace --trial --value-json --store --json --reveal --timeout --help --version" argument="settings" folders="--store" any="--origin --expires --trial --timeout" layers="bundle recommended user session enforced override" ;;
    reset) options="--layer --origin --trial --all --store --json --reveal --timeout --help --version" argument="settings" folders="--store" any="--origin --trial --timeout" layers="bundle recommended user session enforced override" ;;
    trial) options="--origin --store --json --reveal --timeout --help --version" words="status confirm revert" folders="--store" any="--origin --timeout" ;;
    list) options="--names --after --limit --store --json --reveal --timeout --help --version" argument="settings" folders="--store" any="--after --limit --timeout" ;;
    form) options="--layer --locale --hidden --store --json --reveal --timeout --help --version" folders="--store" any="--locale --timeout" layers="bundle recommended user session enforced override" ;;
    search) options="--limit --locale --hidden --store --json --reveal --timeout --help --version" folders="--store" any="--limit --locale --timeout" ;;
    explain) options="--orphan-versions --store --json --reveal --timeout --help --version" argument="settings" folders="--store" any="--orphan-versions --timeout" ;;
    watch) options="--exec --initial --count --store --json --reveal --timeout --help --version" argument="settings" folders="--store" any="--exec --count --timeout" ;;
    history) options="--layer --origin --limit --since --store --json --reveal --timeout --help --version" argument="settings" folders="--store" any="--origin --limit --since --timeout" layers="bundle recommended user session enforced override" ;;
    undo) options="--force --store --json --reveal --timeout --help --version" folders="--store" any="--timeout" ;;
    import) options="--layer --replace --trial --partial --store --json --reveal --timeout --help --version" argument="files" folders="--store" any="--trial --timeout" layers="bundle recommended user session enforced override" ;;
    export) options="--layers --output --store --json --reveal --timeout --help --version" files="--output" folders="--store" any="--timeout" ;;
    asset) options="--force --any --dry-run --ignore-log --min-age --output --store --json --reveal --timeout --help --version" words="put get info list rm gc" argument="files" files="--output" folders="--store" any="--min-age --timeout" ;;
    brand) options="--layer --origin --replace --trial --html --brand --bundle --keep --console --whole --color --idiom --scale --width --height --appearance --orientation --contrast --locale --store --json --reveal --timeout --help --version" words="show apply check explain use list set enable disable rm wipe download" files="--html" folders="--bundle --store" any="--origin --trial --brand --idiom --scale --width --height --appearance --orientation --contrast --locale --timeout" layers="bundle recommended user session enforced override" ;;
    backup) options="--list --store --json --reveal --timeout --help --version" argument="files" folders="--store" any="--timeout" ;;
    restore) options="--origin --yes --store --json --reveal --timeout --help --version" argument="files" folders="--store" any="--origin --timeout" ;;
    compact) options="--store --json --reveal --timeout --help --version" folders="--store" any="--timeout" ;;
    forget) options="--backups --store --json --reveal --timeout --help --version" argument="settings" folders="--store" any="--timeout" ;;
    stats) options="--store --json --reveal --timeout --help --version" folders="--store" any="--timeout" ;;
    help) options="--store --json --reveal --timeout --help --version" words="init apply migrate check get set reset trial list form search explain watch history undo import export asset brand backup restore compact forget stats help agent console convert fetch generate images page picker prompt secrets session sync" folders="--store" any="--timeout" ;;
    agent) options="--settings --config --group --timeout --json --help --version" words="run status check schema" folders="--settings --config" any="--timeout" ;;
    console) options="--state --database --publish --endpoint --region --credentials --endpoint-ca-file --broker --broker-user --broker-password-file --broker-ca-file --broker-client-id --url --listen --host --publish-again --behind-proxy --root-key --root --threshold --request --role --password-file --none --label --days --hours --group --device-state --query --comment --steps --pause --bound --name --from --until --trial --check --app --schema --revision --channel --limit --offset --json --help --version" words="init serve admin token schema group device asset draft diff publish rollout undo history explain enroll keys status config simulate" argument="files" files="--credentials --endpoint-ca-file --broker-password-file --broker-ca-file --root-key --request --password-file" folders="--state" any="--database --publish --endpoint --region --broker --broker-user --broker-client-id --url --listen --host --root --threshold --role --label --days --hours --group --device-state --query --comment --steps --pause --bound --name --from --until --trial --check --app --schema --revision --channel --limit --offset" ;;
    convert) options="--values --output --strict --json --help --version" argument="files" files="--values --output" ;;
    fetch) options="--store --document --output --revalidate --offline --all --idiom --scale --watch --placeholder --max-size --quota --wait --attempts --ca-file --proxy --timeout --json --help --version" files="--output --ca-file" folders="--store" any="--idiom --scale --placeholder --max-size --quota --wait --attempts --proxy --timeout" ;;
    generate) options="--name --output --help --version" words="c swift python markdown html" argument="files" files="--output" any="--name" ;;
    images) options="--store --any --bundle --all --text --background --area --timeout --json --help --version" words="put apply judge show" argument="files" folders="--store --bundle" any="--text --background --area --timeout" ;;
    page) options="--store --layer --listen --socket --host --pin-setting --idle --locale --title --hidden --read-only --prompts --once --html --key-file --keyring --credential --timeout --json --help --version" words="brand pin" argument="settings" files="--socket --html --key-file" folders="--store" any="--listen --host --pin-setting --idle --locale --title --keyring --credential --timeout" layers="bundle recommended user session enforced" ;;
    picker) options="--store --set --layer --max-size --wait --device --size --timeout --json --help --version" words="media list folder camera upload permission" argument="files" files="--device" folders="--store" any="--set --max-size --wait --size --timeout" layers="recommended user session enforced" ;;
    prompt) options="--store --answer --once --wait --schema --reveal --timeout --json --help --version" words="missing request provide" files="--schema" folders="--store" any="--answer --wait --timeout" ;;
    secrets) options="--store --key-file --keyring --credential --layer --layers --timeout --json --help --version" words="key seal status rotate get set export" argument="settings" files="--key-file" folders="--store" any="--keyring --credential --timeout" layers="bundle recommended user session enforced" ;;
    session) options="--store --token-file --expires-in --replace --watch --key-file --keyring --credential --timeout --json --help --version" words="login update logout expire" files="--token-file --key-file" folders="--store" any="--expires-in --keyring --credential --timeout" ;;
    sync) options="--store --name --app --broker --broker-user --broker-password --ca-file --proxy --key-file --keyring --credential --wait --timeout --json --help --version" words="enroll run pull push status health keys leave" files="--broker-password --ca-file --key-file" folders="--store" any="--name --app --broker --broker-user --proxy --keyring --credential --wait --timeout" ;;
    *) return ;;
  esac
  previous=${typed[${#typed[@]} - 1]:--}
  if [[ $word == --*=* ]]; then
    previous=${word%%=*} word=${word#*=}
    # Of one word for bash, too, if it does not end words at `=`.
    [[ $COMP_WORDBREAKS == *=* ]] || glued=$previous=
  fi
  if [[ " $any " == *" $previous "* ]]; then return; fi
  if [[ -n $layers && $previous == --layer ]]; then _livery_offer <<<"${layers// /$'\n'}"
  elif [[ " $folders " == *" $previous "* ]]; then _livery_files -d
  elif [[ " $files " == *" $previous "* ]]; then _livery_files -f
  elif [[ $word == -* ]]; then _livery_offer <<<"${options// /$'\n'}"
  elif [[ -n $words && ( -z $command || $previous == "$command" ) ]]; then _livery_offer <<<"${words// /$'\n'}"
  elif [[ $argument == settings ]]; then _livery_offer < <(_livery_settings)
  elif [[ $argument == files ]]; then _livery_files -f
  fi
}
complete -F _livery livery
