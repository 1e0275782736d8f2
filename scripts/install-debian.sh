#!/usr/bin/env bash
# Installs Debian packages without letting their services start: install-debian.sh PACKAGE…
# dpkg asks /usr/sbin/policy-rc.d before it starts a service; where there is none, one that refuses stands there meanwhile.
set -euo pipefail

readonly POLICY=/usr/sbin/policy-rc.d

if [ "$(id -u)" -ne 0 ]; then
  echo "install-debian.sh must be root to install: $*" >&2
  exit 1
fi

if [ ! -e "$POLICY" ]; then
  printf '#!/bin/sh\nexit 101\n' > "$POLICY"
  chmod 755 "$POLICY"
  trap 'rm -f "$POLICY"' EXIT
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update --quiet=2
apt-get install --yes --quiet=2 --no-install-recommends "$@" > /dev/null
