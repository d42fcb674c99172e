# Run by pgserver.go with /bin/sh, as the user that the server runs as. Starts a PostgreSQL, says "ready PORT" on
# standard output, and stops it when standard input ends: that is when the process that wanted it is gone. With PRIMARY set
# to the port of another one, it starts a standby of that.
dir=$1 bin=$2 user=$3 ports=$4
shift 4

# Nothing but the end of the input ends the watcher.
trap '' INT TERM HUP QUIT
echo $$ >"$dir/watcher"

initialize() {
	# --no-sync: nothing of value is in a new cluster; fsync is as asked from the first start. md5: scram costs each of many
	# thousand connections four milliseconds of hashing, for a server that lives for minutes on loopback.
	"$bin/initdb" -D "$dir/data" -U "$user" -E UTF8 --no-sync --auth=md5 --pwfile="$dir/password" "$@" \
		>"$dir/log" 2>&1 || return
	cat >>"$dir/data/postgresql.conf" <<-EOF || return
		listen_addresses = '127.0.0.1'
		unix_socket_directories = '$dir'
		max_connections = 300
		shared_buffers = 128MB
		max_wal_size = 2GB
		fsync = $FSYNC
		full_page_writes = on
		synchronous_commit = on
		timezone = 'UTC'
		lc_messages = 'C'
	EOF
}

copy() {
	PGPASSWORD=$(cat "$dir/password") "$bin/pg_basebackup" -D "$dir/data" -h 127.0.0.1 -p "$PRIMARY" -U "$user" --no-sync -R -X stream -c fast \
		>"$dir/log" 2>&1
}

start() {
	if [ -n "$PRIMARY" ]; then copy || return; else initialize "$@" || return; fi
	for port in $ports; do
		if "$bin/pg_ctl" start -w -s -D "$dir/data" -l "$dir/log" -o "-p $port -k $dir" >>"$dir/log" 2>&1; then
			[ -z "$PRIMARY" ] || return 0
			PGPASSWORD=$(cat "$dir/password") "$bin/psql" -X -q -h "$dir" -p "$port" -U "$user" -d postgres \
				-c "CREATE DATABASE $user" >>"$dir/log" 2>&1
			return
		fi
	done
	return 1
}

if start "$@"; then
	echo "ready $port"
else
	tail -n 30 "$dir/log"
fi
exec >/dev/null # the reader waits for the end of the output

read -r end
"$bin/pg_ctl" stop -s -m immediate -D "$dir/data" >/dev/null 2>&1
cd / && rm -rf "$dir"
