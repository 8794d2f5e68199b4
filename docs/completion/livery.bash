# Made by tools/manual.
_livery_settings() {
  local store=$LIVERY_STORE index
  for ((index = 1; index < COMP_CWORD; index++)); do
    [[ ${COMP_WORDS[index]} == --store ]] && store=${COMP_WORDS[index + 1]}
  done
  [[ -n $store ]] && livery list --store "$store" 2>/dev/null | awk 'NR > 1 { print $1 }'
}

_livery() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= index options= words= kind=
  COMPREPLY=()
  case $prev in
    --layer) mapfile -t COMPREPLY < <(compgen -W "bundle recommended user session enforced override" -- "$cur"); return ;;
    --bundle|--config|--device|--settings|--socket|--state|--store) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
    --broker-ca-file|--broker-password|--broker-password-file|--ca-file|--credentials|--endpoint-ca-file|--html|--key-file|--output|--password-file|--request|--root-key|--schema|--token-file|--values) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    --after|--answer|--app|--appearance|--area|--attempts|--background|--bound|--brand|--broker|--broker-client-id|--broker-user|--channel|--check|--comment|--contrast|--count|--credential|--database|--days|--declassify|--device-state|--endpoint|--exec|--expires|--expires-in|--from|--group|--height|--host|--hours|--idiom|--idle|--keyring|--label|--limit|--listen|--locale|--max-size|--min-age|--name|--offset|--orientation|--origin|--orphan-versions|--pause|--pin-setting|--placeholder|--proxy|--publish|--query|--quota|--region|--revision|--role|--root|--scale|--schema|--set|--since|--size|--steps|--text|--threshold|--timeout|--title|--trial|--type|--until|--url|--wait|--width) return ;;
  esac
  for ((index = 1; index < COMP_CWORD; index++)); do
    case ${COMP_WORDS[index]} in
      --bundle|--config|--device|--settings|--socket|--state|--store|--broker-ca-file|--broker-password|--broker-password-file|--ca-file|--credentials|--endpoint-ca-file|--html|--key-file|--output|--password-file|--request|--root-key|--schema|--token-file|--values|--layer|--after|--answer|--app|--appearance|--area|--attempts|--background|--bound|--brand|--broker|--broker-client-id|--broker-user|--channel|--check|--comment|--contrast|--count|--credential|--database|--days|--declassify|--device-state|--endpoint|--exec|--expires|--expires-in|--from|--group|--height|--host|--hours|--idiom|--idle|--keyring|--label|--limit|--listen|--locale|--max-size|--min-age|--name|--offset|--orientation|--origin|--orphan-versions|--pause|--pin-setting|--placeholder|--proxy|--publish|--query|--quota|--region|--revision|--role|--root|--scale|--schema|--set|--since|--size|--steps|--text|--threshold|--timeout|--title|--trial|--type|--until|--url|--wait|--width) ((index++)) ;;
      -*) ;;
      *) command=${COMP_WORDS[index]}; break ;;
    esac
  done
  case $command in
    "") options="--store --json --reveal --timeout --help --version" words="init apply migrate check get set reset trial list form search explain watch history undo import export asset brand backup restore compact forget stats help agent console convert fetch generate images page picker prompt secrets session sync" kind=none ;;
    init) options="--schema --orphan-versions --declassify --group --store --json --reveal --timeout --help --version" words="" kind=files ;;
    apply) options="--origin --orphan-versions --declassify --store --json --reveal --timeout --help --version" words="" kind=files ;;
    migrate) options="--origin --plan --orphan-versions --declassify --store --json --reveal --timeout --help --version" words="" kind=files ;;
    check) options="--orphan-versions --declassify --store --json --reveal --timeout --help --version" words="" kind=files ;;
    get) options="--type --store --json --reveal --timeout --help --version" words="" kind=settings ;;
    set) options="--layer --origin --expires --replace --trial --value-json --store --json --reveal --timeout --help --version" words="" kind=settings ;;
    reset) options="--layer --origin --trial --all --store --json --reveal --timeout --help --version" words="" kind=settings ;;
    trial) options="--origin --store --json --reveal --timeout --help --version" words="status confirm revert" kind=none ;;
    list) options="--after --limit --store --json --reveal --timeout --help --version" words="" kind=settings ;;
    form) options="--layer --locale --hidden --store --json --reveal --timeout --help --version" words="" kind=none ;;
    search) options="--limit --locale --hidden --store --json --reveal --timeout --help --version" words="" kind=none ;;
    explain) options="--orphan-versions --store --json --reveal --timeout --help --version" words="" kind=settings ;;
    watch) options="--exec --initial --count --store --json --reveal --timeout --help --version" words="" kind=settings ;;
    history) options="--layer --origin --limit --since --store --json --reveal --timeout --help --version" words="" kind=settings ;;
    undo) options="--force --store --json --reveal --timeout --help --version" words="" kind=none ;;
    import) options="--layer --replace --trial --partial --store --json --reveal --timeout --help --version" words="" kind=files ;;
    export) options="--layers --output --store --json --reveal --timeout --help --version" words="" kind=none ;;
    asset) options="--force --any --dry-run --ignore-log --min-age --output --store --json --reveal --timeout --help --version" words="put get info list rm gc" kind=files ;;
    brand) options="--layer --origin --replace --trial --html --brand --bundle --keep --console --whole --color --idiom --scale --width --height --appearance --orientation --contrast --locale --store --json --reveal --timeout --help --version" words="show apply check explain use list set enable disable rm wipe download" kind=none ;;
    backup) options="--list --store --json --reveal --timeout --help --version" words="" kind=files ;;
    restore) options="--origin --yes --store --json --reveal --timeout --help --version" words="" kind=files ;;
    compact) options="--store --json --reveal --timeout --help --version" words="" kind=none ;;
    forget) options="--backups --store --json --reveal --timeout --help --version" words="" kind=settings ;;
    stats) options="--store --json --reveal --timeout --help --version" words="" kind=none ;;
    help) options="--store --json --reveal --timeout --help --version" words="" kind=commands ;;
    agent) options="--settings --config --group --timeout --json --help" words="run status check schema" kind=none ;;
    console) options="--state --database --publish --endpoint --region --credentials --endpoint-ca-file --broker --broker-user --broker-password-file --broker-ca-file --broker-client-id --url --listen --host --publish-again --behind-proxy --root-key --root --threshold --request --role --password-file --none --label --days --hours --group --device-state --query --comment --steps --pause --bound --name --from --until --trial --check --app --schema --revision --channel --limit --offset --json --help" words="init serve admin token schema group device asset draft diff publish rollout undo history explain enroll keys status config simulate" kind=settings ;;
    convert) options="--values --output --strict --json --help" words="" kind=files ;;
    fetch) options="--store --document --output --revalidate --offline --all --idiom --scale --watch --placeholder --max-size --quota --wait --attempts --ca-file --proxy --timeout --json --help" words="livery" kind=none ;;
    generate) options="--name --output --help" words="c swift python markdown html" kind=files ;;
    images) options="--store --any --bundle --all --text --background --area --timeout --json --help" words="put apply judge show" kind=files ;;
    page) options="--store --layer --listen --socket --host --pin-setting --idle --locale --title --hidden --read-only --prompts --once --html --key-file --keyring --credential --timeout --json --help" words="brand pin" kind=settings ;;
    picker) options="--store --set --layer --max-size --wait --device --size --timeout --json --help" words="media list folder camera upload permission" kind=files ;;
    prompt) options="--store --answer --once --wait --schema --reveal --timeout --json --help" words="missing request provide" kind=none ;;
    secrets) options="--store --key-file --keyring --credential --layer --layers --timeout --json --help" words="key seal status rotate get set export" kind=settings ;;
    session) options="--store --token-file --expires-in --replace --watch --key-file --keyring --credential --timeout --json --help" words="login update logout expire" kind=none ;;
    sync) options="--store --name --app --broker --broker-user --broker-password --ca-file --proxy --key-file --keyring --credential --wait --timeout --json --help" words="enroll run pull push status health keys leave" kind=none ;;
    *) return ;;
  esac
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    return
  fi
  if [[ -n $words && ( -z $command || $prev == "$command" ) ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    return
  fi
  case $kind in
    settings) mapfile -t COMPREPLY < <(compgen -W "$(_livery_settings)" -- "$cur") ;;
    files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    commands) mapfile -t COMPREPLY < <(compgen -W "init apply migrate check get set reset trial list form search explain watch history undo import export asset brand backup restore compact forget stats help agent console convert fetch generate images page picker prompt secrets session sync" -- "$cur") ;;
  esac
}
complete -F _livery livery
