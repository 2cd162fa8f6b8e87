# shellcheck shell=bash
# Drives a headless Chromium through chromedriver's WebDriver interface, with curl and jq alone. Sourced.
#
#   browser_start [WIDTH HEIGHT] [ARGUMENT...]   a browser of its own in $BROWSER_DIR
#   browser_open FILE [#WHERE]   loads a page and waits until its data are read
#   browser_js CODE [JSON...]    runs CODE (a function's body) and prints the JSON of what it returns
#   browser_keys KEY...          presses keys: characters, or names of WebDriver's table below
#   browser_act JSON             an actions request
#   browser_shot FILE            a picture of the page
#   browser_stop

declare -A WEBDRIVER_KEYS=([Escape]='\ue00c' [Enter]='\ue007' [Tab]='\ue004' [Shift]='\ue008' [Control]='\ue009'
	[Home]='\ue011' [End]='\ue010' [Left]='\ue012' [Up]='\ue013' [Right]='\ue014' [Down]='\ue015')

wd() {
	local method=$1 path=$2
	shift 2
	curl -sS -m 600 -X "$method" -H 'Content-Type: application/json' "$@" "http://127.0.0.1:$WEBDRIVER_PORT$path"
}

# A session's request; prints its value, fails with the error's message.
wds() {
	local answer
	answer=$(wd "$1" "/session/$WEBDRIVER_SESSION$2" ${3+--data-binary @-} <<<"${3-}") || return 1
	if jq -e '.value | type == "object" and has("error")' >/dev/null <<<"$answer"; then
		jq -r '"browser: " + .value.error + ": " + (.value.message | split("\n")[0])' <<<"$answer" >&2
		return 1
	fi
	jq -c .value <<<"$answer"
}

browser_start() {
	local width=${1:-1280} height=${2:-900} arguments answer
	shift 2 2>/dev/null || shift $#
	: >"$BROWSER_DIR/driver.out"
	chromedriver --port=0 --log-path="$BROWSER_DIR/driver.log" >"$BROWSER_DIR/driver.out" 2>&1 &
	WEBDRIVER_PID=$!
	for _ in {1..1200}; do
		WEBDRIVER_PORT=$(sed -n 's/.*successfully on port \([0-9]*\)\..*/\1/p' "$BROWSER_DIR/driver.out")
		[ -z "$WEBDRIVER_PORT" ] || break
		sleep 0.1
	done
	[ -n "$WEBDRIVER_PORT" ] || { cat "$BROWSER_DIR/driver.out" >&2; return 1; }
	arguments=$(printf '%s\n' --headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage \
		--disable-default-apps --hide-scrollbars --lang=en --force-color-profile=srgb --no-proxy-server \
		--user-data-dir="$(mktemp -d "$BROWSER_DIR/profile.XXXXXX")" --window-size="$width,$height" "$@" | jq -R . | jq -cs .)
	answer=$(wd POST /session --data-binary @- <<-END
		{"capabilities": {"alwaysMatch": {"browserName": "chrome", "timeouts": {"script": 600000, "pageLoad": 600000}, "goog:chromeOptions": {"args": $arguments},
		 "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}}
	END
	)
	WEBDRIVER_SESSION=$(jq -r '.value.sessionId // empty' <<<"$answer")
	[ -n "$WEBDRIVER_SESSION" ] || { jq -r .value.message <<<"$answer" | head -n 3 >&2; return 1; }
}

browser_stop() {
	[ -z "${WEBDRIVER_SESSION-}" ] || wds DELETE '' >/dev/null 2>&1
	[ -z "${WEBDRIVER_PID-}" ] || { kill "$WEBDRIVER_PID"; wait "$WEBDRIVER_PID" || :; } 2>/dev/null
	WEBDRIVER_SESSION='' WEBDRIVER_PID=''
}

browser_js() {
	local code=$1 arguments='[]'
	shift
	[ $# -eq 0 ] || arguments=$(printf '%s\n' "$@" | jq -cs .)
	wds POST /execute/sync "$(jq -cn --arg code "$code" --argjson arguments "$arguments" '{script: $code, args: $arguments}')"
}

# browser_until CODE - waits until CODE returns something true
browser_until() {
	for _ in {1..1200}; do
		[ "$(browser_js "return !!($1)")" = true ] && return
		sleep 0.1
	done
	echo "browser: in vain: $1" >&2
	return 1
}

browser_open() {
	wds POST /url "$(jq -cn --arg url "file://$(realpath "$1")${2-}" '{url: $url}')" >/dev/null || return 1
	browser_until 'document.documentElement.dataset.ready'
}

browser_act() {
	wds POST /actions "$1" >/dev/null
}

browser_keys() {
	local key steps=''
	for key in "$@"; do
		key=${WEBDRIVER_KEYS[$key]-$key}
		steps+="{\"type\": \"keyDown\", \"value\": \"$key\"}, {\"type\": \"keyUp\", \"value\": \"$key\"}, "
	done
	browser_act "{\"actions\": [{\"type\": \"key\", \"id\": \"keys\", \"actions\": [${steps%, }]}]}" &&
		browser_settle
}

# Two frames later what was asked for is painted.
browser_settle() {
	wds POST /execute/async '{"script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)))", "args": []}' >/dev/null
}

browser_shot() {
	wds GET /screenshot | jq -r . | base64 -d >"$1"
}

# browser_log KIND - what the browser logged since it was last asked (browser, performance), one JSON a line
browser_log() {
	wds POST /se/log "{\"type\": \"$1\"}" | jq -c '.[]'
}

# browser_cdp COMMAND JSON - a command of the DevTools protocol
browser_cdp() {
	wds POST /goog/cdp/execute "$(jq -cn --arg cmd "$1" --argjson params "${2:-{\}}" '{cmd: $cmd, params: $params}')"
}
