#compdef perigee
# Completion of perigee for zsh. Load it with: source <(perigee completion zsh)
_perigee() {
  local answer line value directive
  local -a lines candidates
  answer=$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null) || return
  lines=("${(@f)answer}")
  directive=${lines[-1]#:}
  for line in "${(@)lines[1,-2]}"; do
    value=${${line%%$'\t'*}//:/\\:}
    if [[ $line == *$'\t'* ]]; then value+=":${line#*$'\t'}"; fi
    candidates+=("$value")
  done
  if ((directive & 2)); then
    _describe perigee candidates -S ''
  elif ((${#candidates})); then
    _describe perigee candidates
  fi
  if ! ((directive & 4)); then _files; fi
}
compdef _perigee perigee
