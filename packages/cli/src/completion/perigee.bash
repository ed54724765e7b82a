# Completion of perigee for bash. Load it with: source <(perigee completion bash)
_perigee() {
  local current=${COMP_WORDS[COMP_CWORD]} answer directive line
  answer=$("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  directive=${answer##*:}
  COMPREPLY=()
  while IFS='' read -r line; do
    [[ $line == :* ]] || COMPREPLY+=("${line%%$'\t'*}")
  done <<<"$answer"
  if ((directive & 2)); then compopt -o nospace; fi
  if ! ((directive & 4)); then
    compopt -o filenames
    while IFS='' read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
  fi
}
complete -F _perigee perigee
