# shellcheck shell=bash
# Sourced first by a script that people run: asked for help, it prints the comment it begins with.
case ${1-} in
--help | -h)
	sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" | grep -v '^SPDX-'
	exit 0
	;;
esac
