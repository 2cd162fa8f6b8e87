# Bash completion of gpulane. Commands and options are those that --help names, events those of the program's table
# (@EVENTS@ is filled in when it is built), devices and graphs those that are installed.

_gpulane_options()
{
	gpulane "$@" --help 2>/dev/null | grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u
}

# The names of the data files of a sort: devices, graphs.
_gpulane_files()
{
	local bin file
	bin=$(dirname "$(type -P gpulane)")
	for file in "$bin/../share/gpulane/$1"/*."$2"; do
		[ ! -e "$file" ] || basename "$file" ".$2"
	done
}

# The long name of an option's letter.
_gpulane_long()
{
	case $1:$2 in
	doctor:-e | *:--*) printf '%s' "$2" ;;
	record:-b) printf -- --backend ;;
	record:-e) printf -- --events ;;
	top:-s) printf -- --sort ;;
	dump:-e) printf -- --event ;;
	report:-f | explain:-f | diff:-f | atomics:-f | model:-f | calibrate:-f) printf -- --format ;;
	export:-t) printf -- --to ;;
	atomics:-d | model:-d) printf -- --device ;;
	model:-c) printf -- --chain ;;
	esac
}

# What an option can be: `word WORD...`, `list WORD...` for several with commas; nothing where it can be anything.
_gpulane_values()
{
	case $1:$2 in
	doctor:--format | explain:--format) echo word text json ;;
	diff:--format) echo word text json html ;;
	*:--format) echo word text json csv ;;
	record:--backend) echo word bpf lttng both none ;;
	record:--events) echo list i915 context fence drm driver sched process irq reset opencl memory power frames workqueue ranges ;;
	record:--counters) echo word 10 10,clients 10,wake 10,clients,wake off ;;
	record:--hooks) echo word auto tracepoint function format ;;
	record:--api | record:--opencl) echo list auto layer preload probes off ;;
	top:--sort) echo word gpu wait requests preempted worst pid ;;
	report:--tables) echo list engines idle clients contexts stages spent behind preemptions frames open causes counters awake ranges memory starved waits worst cpu opencl calls ;;
	watch:--of) echo list request command wait frame ;;
	watch:--by | report:--by | export:--by | explain:--by | diff:--by | top:--by) echo word process cgroup ;;
	watch:--stage) echo word prepare dependency host_queue device_queue running preempted signal wake wake_runqueue wake_cpu retire ;;
	dump:--event) echo word i915 context fence drm driver sched process irq opencl @EVENTS@ ;;
	dump:--prefer) echo word bpf lttng ;;
	export:--to) echo word ctf html perfetto sqlite ;;
	calibrate:--only) echo list ops local global contention device ;;
	calibrate:--simulate | report:--device | atomics:--device | model:--device) echo word "$(_gpulane_files devices json)" ;;
	model:--sweep) echo word groups warps ;;
	esac
}

# _gpulane_complete VALUES CUR - fills COMPREPLY from what _gpulane_values printed; files where that is nothing
_gpulane_complete()
{
	local sort=${1%% *} words=${1#* } done=
	case $sort in
	list)
		[[ $2 != *,* ]] || done=${2%,*},
		mapfile -t COMPREPLY < <(compgen -P "$done" -W "$words" -- "${2##*,}")
		;;
	word) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$2") ;;
	*) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
	esac
}

_gpulane()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} values i

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
	if [ "$command" = model ] && [ "$COMP_CWORD" -eq 2 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(gpulane model --help 2>/dev/null |
			awk '/^  [a-z]/ { print $1 }') --help" -- "$cur")
		return
	fi
	# bash takes `--option=value` for three words
	[ "$cur" != = ] || cur=
	[ "$prev" != = ] || prev=${COMP_WORDS[COMP_CWORD - 2]}
	values=$(_gpulane_values "$command" "$(_gpulane_long "$command" "$prev")")
	case $values:$cur:$command:${COMP_WORDS[2]} in
	?*:*:*:*) _gpulane_complete "$values" "$cur" ;;
	:-*:model:[a-z]*) mapfile -t COMPREPLY < <(compgen -W "$(_gpulane_options model "${COMP_WORDS[2]}")" -- "$cur") ;;
	:-*) mapfile -t COMPREPLY < <(compgen -W "$(_gpulane_options "$command")" -- "$cur") ;;
	:*:help:*) mapfile -t COMPREPLY < <(compgen -W "$(gpulane help --list 2>/dev/null | sed -n 's/^\([^ :]*\): .*/\1/p')" -- "$cur") ;;
	:*:model:pipeline) mapfile -t COMPREPLY < <(compgen -f -W "$(_gpulane_files graphs graph)" -- "$cur") ;;
	*) _gpulane_complete '' "$cur" ;;
	esac
}

complete -o filenames -F _gpulane gpulane
