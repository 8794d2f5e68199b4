"""Completion for bash, zsh and fish. Names of settings are those of the store that the line names, or $LIVERY_STORE."""
from __future__ import annotations

import re
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
  if option.value in ("DIR", "FOLDER") or (option.value == "PATH" and "directory" in option.help):
    return "folders"
  return "files" if option.value in ("FILE", "PATH") else "any"


def layers(options: List[Option]) -> List[str]:
  """Those that the help of `--layer` names; all of them where it names no more than what counts without it."""
  found = [layer for option in options if option.name == "layer" for layer in LAYERS if layer in re.findall(r"[a-z]+", option.help)]
  return found if len(found) > 1 else LAYERS


def argument(command: Command) -> str:
  """What the words of a command are: `settings`, `files`, `commands`, or nothing."""
  words = " ".join(usage.words for usage in command.usages)
  if command.name == "help":
    return "commands"
  if any(word in words for word in NAMED) and command.name not in ("asset", "brand", "console"):
    return "settings"
  return "files" if "FILE" in words or "SCHEMA" in words or "BACKUP" in words else ""


def every_option(livery: Livery, command: Command) -> List[Option]:
  return command.options + ([] if command.program else livery.options)


BASH = r"""
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
"""


def bash(livery: Livery) -> str:
  def case(name: str, options: List[Option], words: List[str], argument: str) -> str:
    facts = {"options": " ".join(f"--{option.name}" for option in options), "words": " ".join(words), "argument": argument}
    for value in ("files", "folders", "any"):
      facts[value] = " ".join(f"--{option.name}" for option in options if kind(option) == value)
    if any(kind(option) == "layers" for option in options):
      facts["layers"] = " ".join(layers(options))
    return f"    {name}) " + " ".join(f'{key}="{value}"' for key, value in facts.items() if value) + " ;;"

  commands = [command.name for command in livery.commands]
  cases = [case('""', livery.options, commands, "")]
  for command in livery.commands:
    words, argued = command.words, argument(command)
    if argued == "commands":
      words, argued = commands, ""
    cases.append(case(command.name, every_option(livery, command), words, argued))
  valued = "|".join(f"--{option.name}" for option in livery.options if kind(option))
  return f"""{MADE}
{BASH}
_livery() {{
  local word typed previous glued= command= index options= words= argument= files= folders= any= layers=
  COMPREPLY=()
  _livery_words
  for ((index = 1; index < ${{#typed[@]}}; index++)); do
    case ${{typed[index]}} in
      {valued}) ((index++)) ;;
      -*) ;;
      *) command=${{typed[index]}}; break ;;
    esac
  done
  case $command in
{chr(10).join(cases)}
    *) return ;;
  esac
  previous=${{typed[${{#typed[@]}} - 1]:--}}
  if [[ $word == --*=* ]]; then
    previous=${{word%%=*}} word=${{word#*=}}
    # Of one word for bash, too, if it does not end words at `=`.
    [[ $COMP_WORDBREAKS == *=* ]] || glued=$previous=
  fi
  if [[ " $any " == *" $previous "* ]]; then return; fi
  if [[ -n $layers && $previous == --layer ]]; then _livery_offer <<<"${{layers// /$'\\n'}}"
  elif [[ " $folders " == *" $previous "* ]]; then _livery_files -d
  elif [[ " $files " == *" $previous "* ]]; then _livery_files -f
  elif [[ $word == -* ]]; then _livery_offer <<<"${{options// /$'\\n'}}"
  elif [[ -n $words && ( -z $command || $previous == "$command" ) ]]; then _livery_offer <<<"${{words// /$'\\n'}}"
  elif [[ $argument == settings ]]; then _livery_offer < <(_livery_settings)
  elif [[ $argument == files ]]; then _livery_files -f
  fi
}}
complete -F _livery livery
"""


def quoted(line: str) -> str:
  """For a shell, in single quotes."""
  return "'" + line.replace("'", "'\\''") + "'"


def zsh_text(line: str) -> str:
  return line.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


ZSH_ACTIONS = {"files": "_files", "folders": "_files -/", "any": " "}


def zsh_option(option: Option) -> List[str]:
  value = ""
  if option.value:
    action = f"({' '.join(layers([option]))})" if kind(option) == "layers" else ZSH_ACTIONS[kind(option)]
    value = f":{zsh_text(option.value.lower())}:{action}"
  # What a long one takes may stand behind `=`.
  names = [f"--{option.name}{'=' if value else ''}"] + ([f"-{option.short}"] if option.short else [])
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
  compadd -- ${{(f)"$(livery list --names --store $store 2>/dev/null)"}}
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
           "  else if set -l given (string replace -f -r -- '^--store=' '' $words)",
           "    set store $given[-1]",
           "  end",
           "  test -n \"$store\"; and livery list --names --store $store 2>/dev/null",
           "end", "", "complete -c livery -f"]
  names = " ".join(command.name for command in livery.commands)
  takes = {"files": " -r -F", "folders": " -r -a '(__fish_complete_directories)'", "any": " -x", "": ""}

  def option(condition: str, item: Option) -> str:
    short = f" -s {item.short}" if item.short else ""
    value = f" -x -a '{' '.join(layers([item]))}'" if kind(item) == "layers" else takes[kind(item)]
    return f"complete -c livery{condition} -l {item.name}{short}{value} -d {quoted(item.help)}"

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
