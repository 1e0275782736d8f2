#!/usr/bin/env bash
# A private RabbitMQ node on loopback: its ports, data and logs belong to DIR alone, and nothing of the system's is touched.
#
#   rabbitmq.sh start DIR [management] [web_stomp] [web_mqtt] [prometheus] [tls]
#                             prints NAME=value lines: TEST_AMQP_ADDR, and one address for each extra
#   rabbitmq.sh stop DIR      ends the node; the data stays, and `start DIR` brings it back on the same ports
#   rabbitmq.sh kill DIR      ends it without a goodbye
#   rabbitmq.sh ctl DIR …     rabbitmqctl on that node
#   rabbitmq.sh plugins DIR … rabbitmq-plugins on that node
#
# Installs Debian's rabbitmq-server when it is missing (root only).
set -euo pipefail

# Debian's wrappers in /usr/sbin insist on the system's user and folders; these do not.
readonly BIN=/usr/lib/rabbitmq/bin
readonly HERE=$(cd "$(dirname "$0")" && pwd)
readonly START_TIMEOUT_S=120
readonly STOP_TIMEOUT_S=60

main() {
  local command=${1:-} folder=${2:-}
  if [ -z "$folder" ]; then
    sed -n '2,/^[^#]/ s/^# \?//p' "$0" >&2
    exit 2
  fi
  shift 2
  mkdir -p "$folder"
  DIR=$(cd "$folder" && pwd)
  case $command in
    start) start "$@" ;;
    stop) end TERM ;;
    kill) end KILL ;;
    ctl) in_node "$BIN/rabbitmqctl" "$@" ;;
    plugins) in_node "$BIN/rabbitmq-plugins" "$@" ;;
    *)
      echo "rabbitmq.sh: unknown command $command" >&2
      exit 2
      ;;
  esac
}

start() {
  [ -x "$BIN/rabbitmq-server" ] || "$HERE/install-debian.sh" rabbitmq-server
  [ -s "$DIR/node.env" ] || configure "$@"
  if ! is_running; then
    # A node that was killed leaves its epmd entry; a fresh epmd has none.
    in_node epmd -kill > /dev/null 2>&1 || true
    in_node setsid "$BIN/rabbitmq-server" > "$DIR/log/stdout" 2>&1 < /dev/null &
  fi
  wait_until_it_answers
  cat "$DIR/addresses"
}

# Chooses ports once and writes everything the node needs into DIR.
configure() {
  mkdir -p "$DIR/home" "$DIR/log" "$DIR/data"
  local ports amqp distribution epmd
  mapfile -t ports < <(free_ports 8)
  amqp=${ports[0]} distribution=${ports[1]} epmd=${ports[2]}

  cat > "$DIR/rabbitmq.conf" <<CONF
listeners.tcp.1 = 127.0.0.1:$amqp
CONF
  echo "TEST_AMQP_ADDR=amqp://guest:guest@127.0.0.1:$amqp" > "$DIR/addresses"

  local plugins=() extra port=3
  for extra in "$@"; do
    add_extra "$extra" "${ports[$port]}"
    [ "$extra" = tls ] || plugins+=("rabbitmq_$extra")
    port=$((port + 1))
  done
  (IFS=, && echo "[${plugins[*]}].") > "$DIR/enabled_plugins"

  cat > "$DIR/node.env" <<ENV
HOME=$DIR/home
ERL_EPMD_ADDRESS=127.0.0.1
ERL_EPMD_PORT=$epmd
RABBITMQ_NODENAME=fanfare$amqp@localhost
RABBITMQ_NODE_PORT=$amqp
RABBITMQ_NODE_IP_ADDRESS=127.0.0.1
RABBITMQ_DIST_PORT=$distribution
RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1}"
RABBITMQ_MNESIA_BASE=$DIR/data
RABBITMQ_LOG_BASE=$DIR/log
RABBITMQ_CONFIG_FILE=$DIR/rabbitmq.conf
RABBITMQ_ENABLED_PLUGINS_FILE=$DIR/enabled_plugins
RABBITMQ_PID_FILE=$DIR/node.pid
RABBITMQ_CONF_ENV_FILE=/dev/null
ENV
}

# One extra: its listener on loopback, and the line that tells where it is.
add_extra() {
  local extra=$1 port=$2
  case $extra in
    management)
      printf 'management.tcp.ip = 127.0.0.1\nmanagement.tcp.port = %s\n' "$port" >> "$DIR/rabbitmq.conf"
      echo "TEST_RABBITMQ_API_URL=http://guest:guest@127.0.0.1:$port/api" >> "$DIR/addresses"
      ;;
    prometheus)
      printf 'prometheus.tcp.ip = 127.0.0.1\nprometheus.tcp.port = %s\n' "$port" >> "$DIR/rabbitmq.conf"
      echo "TEST_RABBITMQ_METRICS_URL=http://127.0.0.1:$port/metrics" >> "$DIR/addresses"
      ;;
    web_stomp)
      # The plain STOMP listener that comes with it is not wanted.
      printf 'web_stomp.tcp.ip = 127.0.0.1\nweb_stomp.tcp.port = %s\nstomp.listeners.tcp = none\n' "$port" >> "$DIR/rabbitmq.conf"
      echo "TEST_WEB_STOMP_ADDR=ws://127.0.0.1:$port/ws" >> "$DIR/addresses"
      ;;
    web_mqtt)
      printf 'web_mqtt.tcp.ip = 127.0.0.1\nweb_mqtt.tcp.port = %s\nmqtt.listeners.tcp = none\n' "$port" >> "$DIR/rabbitmq.conf"
      echo "TEST_WEB_MQTT_ADDR=ws://127.0.0.1:$port/ws" >> "$DIR/addresses"
      ;;
    tls)
      openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
        -keyout "$DIR/key.pem" -out "$DIR/cert.pem" 2> /dev/null
      cat >> "$DIR/rabbitmq.conf" <<CONF
listeners.ssl.1 = 127.0.0.1:$port
ssl_options.cacertfile = $DIR/cert.pem
ssl_options.certfile = $DIR/cert.pem
ssl_options.keyfile = $DIR/key.pem
CONF
      printf 'TEST_AMQPS_ADDR=amqps://guest:guest@127.0.0.1:%s\nTEST_AMQPS_CA=%s\n' "$port" "$DIR/cert.pem" >> "$DIR/addresses"
      ;;
    *)
      echo "rabbitmq.sh: unknown extra $extra" >&2
      rm -f "$DIR/node.env"
      exit 2
      ;;
  esac
}

# Below the range from which Linux draws outgoing ports: nobody takes one away while the node is stopped.
free_ports() {
  node --input-type=module - "$1" <<'NODE'
import { createServer } from 'node:net'
const canBind = (port) =>
  new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
const ports = new Set()
while (ports.size < Number(process.argv[2])) {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  if (await canBind(port)) ports.add(port)
}
console.log([...ports].join('\n'))
NODE
}

# The node counts as started when its AMQP listener answers the protocol header (its own status command is earlier than that)
# and the extras accept connections.
wait_until_it_answers() {
  local deadline=$((SECONDS + START_TIMEOUT_S))
  until answers_amqp "$(setting RABBITMQ_NODE_PORT)" && extras_listen; do
    if [ $SECONDS -ge $deadline ]; then
      echo "rabbitmq.sh: the node does not answer within $START_TIMEOUT_S s" >&2
      tail -n 30 "$DIR/log/stdout" >&2
      exit 1
    fi
    sleep 0.2
  done
}

answers_amqp() {
  local first
  first=$( (exec 3<> "/dev/tcp/127.0.0.1/$1" && printf 'AMQP\0\0\11\1' >&3 && timeout 2 head --bytes=1 <&3 | od -An -tu1) 2> /dev/null)
  [ "${first// /}" = 1 ]
}

extras_listen() {
  local port
  for port in $(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' "$DIR/addresses"); do
    (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null || return 1
  done
}

end() {
  [ -s "$DIR/node.env" ] || return 0
  local pid deadline=$((SECONDS + STOP_TIMEOUT_S))
  if is_running; then
    pid=$(cat "$DIR/node.pid")
    kill "-$1" "$pid"
    while kill -0 "$pid" 2> /dev/null && [ $SECONDS -lt $deadline ]; do sleep 0.1; done
    kill -KILL "$pid" 2> /dev/null || true
  fi
  rm -f "$DIR/node.pid"
  # The port mapper outlives its node by design; this one has no other.
  in_node epmd -kill > /dev/null 2>&1 || true
}

is_running() {
  [ -s "$DIR/node.pid" ] && kill -0 "$(cat "$DIR/node.pid")" 2> /dev/null
}

# Runs a command with the node's environment and nothing of the caller's RABBITMQ_ settings.
in_node() {
  (
    for name in ${!RABBITMQ_@}; do unset "$name"; done
    set -a
    # shellcheck source=/dev/null
    . "$DIR/node.env"
    exec "$@"
  )
}

setting() { sed -n "s/^$1=//p" "$DIR/node.env"; }

main "$@"
