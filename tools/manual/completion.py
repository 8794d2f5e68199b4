"""Completion for bash, zsh and fish. Names of settings are those of the store that the line names, or $LIVERY_STORE."""
from __future__ import annotations

from typing import Dict, List

from .model import LAYERS, Command, Livery, Option

MADE = "# Made by tools/manual."
#: Commands whose words are names of settings, by the words of their usage.
NAMED = ("NAME", "PATTERN", "SETTING")


def kind(option: Option) -> str:
  """What an option's value is: `files`, `folders`, `layers`, `any`, or nothing."""
  if option.value is None:
    return ""
  if option.name == "layer":
    return "layers"
  if option.value in ("PATH", "DIR", "FOLDER"):
    return "folders"
  return "files" if option.value == "FILE" else "any"


def argument(command: Command) -> str:
  """What the words of a command are: `settings`, `files`, `commands`, or nothing."""
  words = " ".join(usage.words for usage in command.usages)
  if command.name == "help":
    return "commands"
  if any(word in words for word in NAMED) and command.name not in ("asset", "brand"):
    return "settings"
  return "files" if "FILE" in words or "SCHEMA" in words or "BACKUP" in words else ""


def every_option(livery: Livery, command: Command) -> List[Option]:
  return command.options + ([] if command.program else livery.options)


def bash(livery: Livery) -> str:
  cases, values = [], {"files": set(), "folders": set(), "layers": set(), "any": set()}
  for command in livery.commands:
    names = " ".join(f"--{option.name}" for option in every_option(livery, command))
    cases.append(f'    {command.name}) options="{names}" words="{" ".join(command.words)}" kind={argument(command) or "none"} ;;')
    for option in every_option(livery, command):
      if kind(option):
        values[kind(option)].add(option.name)
  lists = {name: "|".join(f"--{option}" for option in sorted(found)) for name, found in values.items()}
  commands = " ".join(command.name for command in livery.commands)
  return f"""{MADE}
_livery_settings() {{
  local store=$LIVERY_STORE index
  for ((index = 1; index < COMP_CWORD; index++)); do
    [[ ${{COMP_WORDS[index]}} == --store ]] && store=${{COMP_WORDS[index + 1]}}
  done
  [[ -n $store ]] && livery list --store "$store" 2>/dev/null | awk 'NR > 1 {{ print $1 }}'
}}

_livery() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} command= index options= words= kind=
  COMPREPLY=()
  case $prev in
    {lists["layers"]}) mapfile -t COMPREPLY < <(compgen -W "{" ".join(LAYERS)}" -- "$cur"); return ;;
    {lists["folders"]}) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
    {lists["files"]}) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    {lists["any"]}) return ;;
  esac
  for ((index = 1; index < COMP_CWORD; index++)); do
    case ${{COMP_WORDS[index]}} in
      {lists["folders"]}|{lists["files"]}|{lists["layers"]}|{lists["any"]}) ((index++)) ;;
      -*) ;;
      *) command=${{COMP_WORDS[index]}}; break ;;
    esac
  done
  case $command in
    "") options="{" ".join(f"--{option.name}" for option in livery.options)}" words="{commands}" kind=none ;;
{chr(10).join(cases)}
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
    commands) mapfile -t COMPREPLY < <(compgen -W "{commands}" -- "$cur") ;;
  esac
}}
complete -F _livery livery
"""


def quoted(line: str) -> str:
  """For a shell, in single quotes."""
  return "'" + line.replace("'", "'\\''") + "'"


def zsh_text(line: str) -> str:
  return line.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


ZSH_ACTIONS = {"files": "_files", "folders": "_files -/", "layers": f"({' '.join(LAYERS)})", "any": " "}


def zsh_option(option: Option) -> List[str]:
  value = f":{zsh_text(option.value.lower())}:{ZSH_ACTIONS[kind(option)]}" if option.value else ""
  names = [f"--{option.name}"] + ([f"-{option.short}"] if option.short else [])
  return [quoted(f"{name}[{zsh_text(option.help)}]{value}") for name in names]


def zsh(livery: Livery) -> str:
  described = "\n".join(f"    {quoted(zsh_text(command.name) + ':' + command.summary)}" for command in livery.commands)
  actions = {"settings": "_livery_settings", "files": "_files", "commands": "_livery_commands", "": ""}
  cases = []
  for command in livery.commands:
    specs = [spec for option in every_option(livery, command) for spec in zsh_option(option)]
    if command.words:
      specs.append(quoted(f"1:word:({' '.join(command.words)})"))
    if actions[argument(command)]:
      specs.append(quoted(f"*:{argument(command)}:{actions[argument(command)]}"))
    cases.append(f"    {command.name}) _arguments -S " + " ".join(specs) + " ;;")
  return f"""#compdef livery
{MADE}
_livery_settings() {{
  local store=${{opt_args[--store]:-${{chosen:-$LIVERY_STORE}}}}
  [[ -n $store ]] || return 1
  compadd -- ${{(f)"$(livery list --store $store 2>/dev/null | awk 'NR > 1 {{ print $1 }}')"}}
}}

_livery_commands() {{
  local -a commands=(
{described}
  )
  _describe command commands
}}

_livery() {{
  local curcontext=$curcontext state chosen
  typeset -A opt_args
  # Those behind the command are not for this.
  _arguments -C -S -A '-*' {" ".join(spec for option in livery.options for spec in zsh_option(option))} '1:command:_livery_commands' '*::argument:->rest'
  [[ $state == rest ]] || return
  # The command's own options are read anew.
  chosen=${{opt_args[--store]}}
  case $words[1] in
{chr(10).join(cases)}
  esac
}}

_livery "$@"
"""


def fish(livery: Livery) -> str:
  lines = [MADE, "function __livery_settings",
           "  set -l words (commandline -opc)",
           "  set -l store $LIVERY_STORE",
           "  if set -l place (contains -i -- --store $words)",
           "    set store $words[(math $place + 1)]",
           "  end",
           "  test -n \"$store\"; and livery list --store $store 2>/dev/null | awk 'NR > 1 { print $1 }'",
           "end", "", "complete -c livery -f"]
  names = " ".join(command.name for command in livery.commands)
  takes = {"files": " -r -F", "folders": " -r -a '(__fish_complete_directories)'", "layers": f" -x -a '{' '.join(LAYERS)}'",
           "any": " -x", "": ""}

  def option(condition: str, item: Option) -> str:
    short = f" -s {item.short}" if item.short else ""
    return f"complete -c livery{condition} -l {item.name}{short}{takes[kind(item)]} -d {quoted(item.help)}"

  lines += [option("", item) for item in livery.options]
  for command in livery.commands:
    lines.append(f"complete -c livery -n 'not __fish_seen_subcommand_from {names}' -a {command.name} -d {quoted(command.summary)}")
    seen = f" -n '__fish_seen_subcommand_from {command.name}'"
    known = {item.name for item in livery.options}
    lines += [option(seen, item) for item in command.options if item.name not in known]
    if command.words:
      lines.append(f"complete -c livery{seen} -a '{' '.join(command.words)}'")
    arguments = {"settings": " -a '(__livery_settings)'", "files": " -F", "commands": f" -a '{names}'"}.get(argument(command))
    if arguments:
      lines.append(f"complete -c livery{seen}{arguments}")
  return "\n".join(lines) + "\n"


def files(livery: Livery) -> Dict[str, str]:
  return {"completion/livery.bash": bash(livery), "completion/_livery": zsh(livery), "completion/livery.fish": fish(livery)}
