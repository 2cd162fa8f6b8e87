# Bash completion of gpulane; the commands and their options are those that --help names.

_gpulane_options()
{
	gpulane "$@" --help 2>/dev/null | grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,'
}

_gpulane()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} i

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(gpulane --help 2>/dev/null |
			awk '/^  [a-z]/ { print $1 }') --help --version" -- "$cur")
		return
	fi
	# What stands behind `--` is a command of its own.
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i]}" = -- ]; then
			mapfile -t COMPREPLY < <(compgen -c -f -- "$cur")
			return
		fi
	done
	case $prev in
	--format) mapfile -t COMPREPLY < <(compgen -W "text json csv" -- "$cur") && return ;;
	--to) mapfile -t COMPREPLY < <(compgen -W "ctf html perfetto" -- "$cur") && return ;;
	--sort) mapfile -t COMPREPLY < <(compgen -W "gpu wait requests preempted worst pid" -- "$cur") && return ;;
	--backend) mapfile -t COMPREPLY < <(compgen -W "bpf lttng both" -- "$cur") && return ;;
	--hooks) mapfile -t COMPREPLY < <(compgen -W "auto tracepoint function" -- "$cur") && return ;;
	esac
	case $cur in
	-*) mapfile -t COMPREPLY < <(compgen -W "$(_gpulane_options "$command")" -- "$cur") ;;
	*) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	esac
}

complete -o filenames -F _gpulane gpulane
