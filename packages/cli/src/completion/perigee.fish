# Completion of perigee for fish. Load it with: perigee completion fish | source
function __perigee_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l answer ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    set -l directive (string replace ':' '' -- $answer[-1])
    if test (count $answer) -gt 1
        printf '%s\n' $answer[1..-2]
    end
    if contains -- "$directive" 0 2
        __fish_complete_path "$current"
    end
end
complete -c perigee -f -a '(__perigee_complete)'
