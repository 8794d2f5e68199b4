# A fleet on the loopback, in words: read by `scripts/demo --fleet`, with `livery` and what scripts/common has.

work=$(mktemp -d)
processes=
trap 'for process in $processes; do kill "$process" 2>/dev/null || true; done; wait; rm -rf "$work"' EXIT INT TERM

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
# Until a command succeeds, for half a minute: eventually COMMAND….
eventually() {
  turn=0
  until "$@" >/dev/null 2>&1; do
    turn=$((turn + 1))
    [ "$turn" -lt 300 ] || { say "it never came to: $*"; exit 1; }
    sleep 0.1
  done
}
reads() { [ "$("$livery" get --store "$work/$1" "$2" 2>/dev/null)" = "$3" ]; }
all_read() { for device in north south west; do reads "$device" "$1" "$2" || return 1; done; }
rollout_is() { "$livery" console rollout show "$number" | grep -q "$1"; }
milliseconds() { date +%s%3N; }
began=$(milliseconds)

title "A broker, a web server, and a console"
broker=mqtt://127.0.0.1:$(free_port) console=$(free_port) web=$(free_port)
export LIVERY_CONSOLE=$work/console no_proxy='*'
PATH=$PATH:/usr/sbin mosquitto -p "${broker##*:}" >"$work/mosquitto.log" 2>&1 &
processes="$processes $!"
mkdir -p "$work/published"
chmod 755 "$work"
cat >"$work/nginx.conf" <<END
daemon off; pid $work/nginx.pid; error_log $work/nginx.log; worker_processes 1;
$([ "$(id -u)" -ne 0 ] || echo "user root;")
events { worker_connections 100; }
http {
  access_log off; etag on; default_type application/octet-stream;
  client_body_temp_path $work/body; proxy_temp_path $work/proxy; fastcgi_temp_path $work/f; uwsgi_temp_path $work/u; scgi_temp_path $work/s;
  server {
    listen 127.0.0.1:$web; root $work/published;
    location = /v1/enroll { proxy_pass http://127.0.0.1:$console; }
    location = /v1/reports { proxy_pass http://127.0.0.1:$console; }
  }
}
END
PATH=$PATH:/usr/sbin nginx -c "$work/nginx.conf" -p "$work" 2>>"$work/nginx.log" &
processes="$processes $!"
schema() {
  printf '{"Version": %s, "Groups": [{"Title": "Kiosk", "Settings": [%s, %s]}]}\n' "$1" \
    '{"Type": "TextField", "Title": "Welcome text", "Key": "welcomeText", "Value": "Welcome", "MaxLength": 40}' \
    '{"Type": "Number", "Title": "Volume", "Key": "volume", "Format": "integer", "Minimum": 0, "Maximum": '"$2"', "Value": 50}'
}
schema 1 100 >"$work/schema.json"
run livery console init kiosks --publish "$work/published" --url "http://127.0.0.1:$web" --broker "$broker"
run livery console schema add "$work/schema.json"
printf 'correct horse\n' | "$livery" console admin add eva >/dev/null
"$livery" console serve --listen "127.0.0.1:$console" >"$work/served" 2>&1 &
processes="$processes $!"
eventually test -s "$work/served"
note "eva may sign in at $(head -1 "$work/served"); nginx delivers what is published, mosquitto says that there is something new."

title "Three devices join, each with a code of its own"
for device in north south west; do
  LIVERY_STORE=$work/$device "$livery" init >/dev/null
  LIVERY_STORE=$work/$device "$livery" apply "$work/schema.json" >/dev/null
  code=$("$livery" console enroll --json | sed -n 's/.*"code":"\([^"]*\)".*/\1/p')
  "$livery" sync enroll "$code" --store "$work/$device" --name "$device" >/dev/null
  "$livery" sync run --store "$work/$device" --broker "$broker" >"$work/$device.log" 2>&1 &
  processes="$processes $!"
done
note "the last code was $code"
eventually sh -c "[ \"\$('$livery' console device list | grep -c right)\" -ge 3 ]"
run livery console device list

title "eva changes the welcome text"
run livery console draft set fleet recommend welcomeText "Good morning"
run livery console diff fleet
start=$(milliseconds)
run livery console publish fleet --comment "for the morning"
eventually all_read welcomeText "Good morning"
note "right on all three devices $(($(milliseconds) - start)) ms later."

title "At south somebody chooses a text of their own, and what eva recommends next leaves it alone"
run livery set --store "$work/south" welcomeText "Ask for Kim"
"$livery" console draft set fleet recommend welcomeText "Good evening" >/dev/null
"$livery" console publish fleet >/dev/null
eventually reads north welcomeText "Good evening"
eventually reads west welcomeText "Good evening"
run livery explain --store "$work/south" welcomeText

title "The volume is not for the operator: eva enforces it"
"$livery" console draft set fleet enforce volume 30 >/dev/null
"$livery" console publish fleet --comment "neighbours" >/dev/null
eventually all_read volume 30
run_failing livery set --store "$work/north" volume 80

title "A bad change: eva's schema allows more than the devices' does"
schema 2 200 >"$work/newer.json"
"$livery" console schema add "$work/newer.json" >/dev/null
"$livery" console draft set fleet enforce volume 150 >/dev/null
number=4
run livery console publish fleet --steps 50,100 --pause 3600 --comment "louder"
turn=0
until rollout_is stopped; do
  # Devices report at most once a minute by themselves.
  for device in north south west; do "$livery" sync push --store "$work/$device" >/dev/null; done
  turn=$((turn + 1))
  if [ "$turn" -ge 4 ]; then
    note "the lot has fallen on none of the three: another draw."
    "$livery" console rollout stop "$number" >/dev/null
    "$livery" console draft set fleet enforce volume 150 >/dev/null
    run livery console publish fleet --steps 50,100 --pause 3600 --comment "louder"
    number=$((number + 1)) turn=0
  fi
  sleep 1
done
note "the devices that were asked refused it, and the rollout stopped by itself:"
run livery console rollout show "$number"
all_read volume 30 && note "volume is still 30 on all three."

title "Who has done what"
run livery console history --limit 8
note "all of it took $((($(milliseconds) - began) / 1000)) s."
