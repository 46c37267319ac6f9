#!/usr/bin/env bash
# What `dev` decides, on machines that are made up: a folder of programs is the whole PATH, and those that would
# install or build only write down how they were called.
# shellcheck disable=SC2016 # what stands in single quotes here is text of those programs
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
real_path=$PATH
passed=0 failed=0

# A machine and a checkout, everything there; each case takes away or replaces what it is about.
machine() {
  case_name=$1
  box="$scratch/$((passed + failed))"
  house="$box/a house" settings='' from=''
  mkdir -p "$box/bin" "$box/home" "$house/ui/dist" "$house/tests/aimock"
  cp "$here/dev" "$here/rust-toolchain.toml" "$house/"
  printf '{}\n' | tee "$house/ui/package-lock.json" >"$house/tests/aimock/package-lock.json"
  for name in bash sh env cat chmod cp cmp dirname find grep gzip head ls mkdir mktemp mv readlink rm sed sha256sum sort tar touch; do
    ln -s "$(PATH=$real_path command -v "$name")" "$box/bin/$name"
  done
  stub uname 'case $1 in -s) echo Linux ;; -m) echo x86_64 ;; esac'
  stub id 'echo 0'
  stub cc ''
  stub pkg-config ''
  stub WebKitWebDriver ''
  stub Xvfb ''
  stub chromium ''
  stub curl 'exit 6'
  stub apt-get ''
  rust rustc 1.95.0
  stub cargo 'case "$*" in
    *metadata*) echo "{\"target_directory\":\"$TARGET\",\"x\":1}" ;;
    build*) mkdir -p "$TARGET/debug" "$TARGET/release"
      for program in sayso sayso-desktop; do for folder in debug release; do
        printf "#!/bin/sh\necho \"%s/%s in \$PWD:\"\nfor a; do echo \"[\$a]\"; done\n" $folder $program >"$TARGET/$folder/$program"
        chmod +x "$TARGET/$folder/$program"
      done; done ;;
  esac'
  stub node 'echo v20.19.0'
  stub npm 'case $3 in ci) mkdir -p "$2/node_modules" ;; esac; case "$*" in *"run build") mkdir -p ui/dist; echo page >ui/dist/index.html ;; esac'
}

# A program that writes down its call, then does $2.
stub() {
  rm -f "$box/bin/$1"
  printf '#!/bin/sh\necho "%s $*" >>"$LOG"\n%s\n' "$1" "$2" >"$box/bin/$1"
  chmod +x "$box/bin/$1"
}
rust() { stub "$1" "echo 'rustc $2 (0000000 2026-01-01)'"; }
without() { for name in "$@"; do rm "$box/bin/$name"; done; }

# Runs `dev` there. SETTINGS are further variables.
dev() {
  : >"$box/log"
  status=0
  (cd "${from:-$house}" && env -i HOME="$box/home" PATH="$box/bin" SSL_CERT_FILE="$box/certificates" LOG="$box/log" TARGET="$box/target" BIN="$box/bin" \
    ${settings:+"$settings"} "$house/dev" "$@" </dev/null) >"$box/out" 2>&1 || status=$?
}

ok() { passed=$((passed + 1)); }
not_ok() {
  failed=$((failed + 1))
  printf 'FAILED: %s: %s\n--- exit %s, printed:\n%s\n--- called:\n%s\n' "$case_name" "$1" "$status" "$(cat "$box/out")" "$(cat "$box/log")"
}
exits() { if [ "$status" = "$1" ]; then ok; else not_ok "should exit with $1"; fi; }
prints() { if grep -qF -- "$1" "$box/out"; then ok; else not_ok "should print: $1"; fi; }
calls() { if grep -qE -- "^$1" "$box/log"; then ok; else not_ok "should call: $1"; fi; }
calls_not() { if grep -qE -- "^$1" "$box/log"; then not_ok "should not call: $1"; else ok; fi; }
last_line() { if [ "$(tail -n 1 "$box/out")" = "$1" ]; then ok; else not_ok "should end with: $1"; fi; }

machine "everything is there"
dev setup test
exits 0
calls_not '(apt-get|sudo|curl|rustup) '
calls 'npm --prefix ui ci'
calls 'npm --prefix tests/aimock ci'
dev setup test
exits 0
calls_not 'npm '
printf '{"changed":1}\n' >"$house/ui/package-lock.json"
dev setup
calls 'npm --prefix ui ci'

machine "what things cost"
dev bench
exits 0
calls 'cargo bench .*-p sayso-core'
calls 'cargo bench .*-p sayso-cli'
calls 'npm --prefix ui run build'
calls 'cargo bench .*-p sayso-desktop'

machine "packages are missing, as root"
without cc pkg-config
stub apt-get 'case $* in *install*)
  for name in cc pkg-config; do printf "#!/bin/sh\n" >"$BIN/$name"; chmod +x "$BIN/$name"; done ;; esac'
dev setup
exits 0
calls 'apt-get update'
calls 'apt-get .*install .*--no-install-recommends gcc libc6-dev libwebkit2gtk-4.1-dev$'
calls_not 'sudo '

machine "packages are missing, with sudo"
without Xvfb WebKitWebDriver
stub id 'echo 1000'
stub sudo '"$@"'
stub apt-get 'case $* in *install*)
  for name in Xvfb WebKitWebDriver; do printf "#!/bin/sh\n" >"$BIN/$name"; chmod +x "$BIN/$name"; done ;; esac'
dev setup run
exits 0
calls_not 'sudo '
dev setup test
exits 0
calls 'sudo apt-get update'
calls 'sudo env .*apt-get .*install .*webkit2gtk-driver xvfb$'

machine "packages are missing, neither root nor sudo"
without Xvfb
stub id 'echo 1000'
dev setup test
exits 1
prints 'As root: apt-get install --no-install-recommends xvfb'
calls_not 'apt-get '

machine "packages cannot be installed"
without Xvfb
stub apt-get 'case $* in *install*) echo "E: no such package"; exit 100 ;; esac'
dev setup test
exits 1
prints 'E: no such package'
prints 'could not be installed: xvfb'

machine "no apt-get, but dnf"
without apt-get cc Xvfb WebKitWebDriver
stub dnf ''
dev setup test
exits 1
prints 'missing on this system: gcc, WebKitWebDriver, xorg-x11-server-Xvfb.'
calls_not 'dnf '

machine "no package manager that we know"
without apt-get
stub pkg-config 'exit 1'
dev setup
exits 1
prints 'missing on this system: WebKitGTK 4.1 with its development files and pkg-config.'

machine "no Rust"
without cargo rustc
stub curl 'while [ "$1" != -o ]; do shift; done
cat >"$2" <<"END"
echo "installer $*" >>"$LOG"
mkdir -p "$HOME/.cargo/bin"
printf "#!/bin/sh\necho rustc 1.95.0 x\n" >"$HOME/.cargo/bin/rustc"
cp "$HOME/.cargo/bin/rustc" "$HOME/.cargo/bin/cargo"
chmod +x "$HOME/.cargo/bin/cargo" "$HOME/.cargo/bin/rustc"
END'
dev setup test
exits 0
calls 'curl .*https://sh.rustup.rs '
calls 'installer -y --no-modify-path --profile minimal --default-toolchain 1.95.0 --component clippy --component rustfmt$'

machine "no Rust, no network"
without cargo rustc
dev setup
exits 1
prints 'Rust could not be installed from https://sh.rustup.rs. Check the network'

machine "no Rust and no curl"
without cargo rustc curl
stub apt-get 'case $* in *install*) printf "#!/bin/sh\nexit 6\n" >"$BIN/curl"; chmod +x "$BIN/curl" ;; esac'
dev setup
calls 'apt-get .*install .* curl$'

machine "Rust from a distribution, too old"
rust rustc 1.63.0
dev setup
calls 'curl .*https://sh.rustup.rs '

machine "Rust without rustup, newer"
rust rustc 1.101.0
dev setup
exits 0
calls_not 'curl '

machine "rustup has the version under another name"
stub rustup 'case "$*" in
  "toolchain list") echo "nightly-x86_64 (default)"; echo "stable-x86_64" ;;
  "run stable-x86_64 "*) echo "rustc 1.95.0 (0000000 2026-01-01)" ;;
  "run nightly"*) echo "rustc 1.97.0-nightly (0000000 2026-01-01)" ;;
  *) exit 1 ;; esac'
stub cargo 'echo "toolchain $RUSTUP_TOOLCHAIN" >>"$LOG"'
dev setup test
exits 0
calls_not 'rustup toolchain install'
calls 'toolchain stable-x86_64$'

machine "rustup has another version only"
stub rustup 'case "$*" in
  "toolchain list") echo "stable-x86_64 (default)" ;;
  "toolchain install"*) touch "$BIN/installed" ;;
  "run 1.95.0 "*) [ -e "$BIN/installed" ] && echo "rustc 1.95.0 (0000000 2026-01-01)" ;;
  *) echo "rustc 1.90.0 (0000000 2026-01-01)" ;; esac'
dev setup
exits 0
calls 'rustup toolchain install 1.95.0 --profile minimal --component clippy --component rustfmt$'

# A Node to download, as nodejs.org lays it out.
node_archive() {
  local name=node-v20.20.2-linux-x64
  mkdir -p "$box/dist/$name/bin"
  printf '#!/bin/sh\necho v20.20.2\n' >"$box/dist/$name/bin/node"
  cp "$box/bin/npm" "$box/dist/$name/bin/npm"
  chmod +x "$box/dist/$name/bin/node"
  tar -czf "$box/dist/$name.tar.gz" -C "$box/dist" "$name"
  (cd "$box/dist" && sha256sum "$name.tar.gz" >SHASUMS256.txt && echo "0000  other.tar.gz" >>SHASUMS256.txt)
  stub curl 'while [ $# -gt 0 ]; do case $1 in -o) to=$2; shift ;; https://nodejs.org/dist/v20.20.2/*) cp "'"$box"'/dist/${1##*/}" "$to" ;; esac; shift; done'
}

for version in none v18.20.4 v20.18.9 v21.7.0 v22.11.0 v23.9.0; do
  machine "Node is too old or missing: $version"
  node_archive
  if [ "$version" = none ]; then without node npm; else stub node "echo $version"; fi
  dev setup
  exits 0
  calls 'curl .*https://nodejs.org/dist/v20.20.2/node-v20.20.2-linux-x64.tar.gz'
  dev setup
  exits 0
  calls_not 'curl '
done

for version in v20.19.0 v22.12.0 v24.0.0 v26.1.0; do
  machine "Node will do: $version"
  stub node "echo $version"
  dev setup
  exits 0
  calls_not 'curl '
done

machine "Node without npm"
node_archive
without npm
dev setup
exits 0
calls 'curl .*https://nodejs.org/'

machine "Node does not match its checksum"
node_archive
without node
printf '%064d  node-v20.20.2-linux-x64.tar.gz\n' 0 >"$box/dist/SHASUMS256.txt"
dev setup
exits 1
prints 'does not match its checksum'
calls_not 'npm '

machine "no Node, no network"
without node
dev setup
exits 1
prints 'Node could not be downloaded from https://nodejs.org/dist/v20.20.2. Check the network, or install Node 20.19'

machine "run with a display"
settings=DISPLAY=:7
from=$box
dev run --flag "two words"
exits 0
calls 'npm --prefix ui run build'
calls 'cargo build --locked --quiet --bin sayso-desktop$'
prints "debug/sayso-desktop in $box:"
prints '[two words]'
dev run
calls_not 'npm '
mkdir -p "$house/ui/src"
touch -d '+1 hour' "$house/ui/src/new.ts"
dev run --release
calls 'npm --prefix ui run build'
calls 'cargo build --locked --quiet --release --bin sayso-desktop$'
prints "release/sayso-desktop in $box:"
dev run --terminal "do it"
prints "debug/sayso in $box:"
prints '[do it]'

machine "run without a display, from a pipe"
without node npm pkg-config
dev run
exits 0
prints 'There is no display here'
prints '[add a guard to divide]'
calls 'cargo build --locked --quiet -p sayso-cli$'
calls_not '(npm|curl|apt-get) '
dev run -C /elsewhere "do it"
prints '[-C]'
prints '[do it]'

machine "the page was never built, only stood in for"
settings=WAYLAND_DISPLAY=wayland-0
dev run
rm -r "$house/ui/dist"
dev run
calls 'npm --prefix ui run build'
echo 'not built' >"$house/ui/dist/index.html"
touch -d '+1 hour' "$house/ui/dist/index.html"
dev run
calls 'npm --prefix ui run build'

machine "tests"
dev test page browser rust window
exits 0
calls 'npm --prefix ui run lint'
calls 'npm --prefix ui run test$'
calls 'npm --prefix ui run test:browser'
calls 'cargo clippy --locked --workspace --all-targets -- -D warnings'
calls 'cargo test --locked --workspace'
calls 'cargo test --locked -p sayso-desktop'
last_line 'All parts passed.'
stub cargo 'case $1 in clippy) [ "$2" = --version ] || exit 101 ;; esac'
dev test rust page
exits 101
last_line 'Failed: rust. See above.'
calls_not 'npm --prefix ui run lint'
dev test pages
exits 2
prints 'there is no part "pages"'
calls_not 'npm'

machine "no browser for tests"
without chromium apt-get
mkdir -p "$box/snap/bin"
printf '#!/bin/sh\nexec /snap/bin/chromium "$@"\n' >"$box/bin/chromium-browser"
chmod +x "$box/bin/chromium-browser"
dev test browser
exits 1
last_line 'Failed: browser. See above.'
calls_not 'npm --prefix ui run test:browser'

machine "not understood"
dev frobnicate
exits 2
prints 'Usage: ./dev COMMAND'
dev setup everything
exits 2
dev --help
exits 0
prints 'Usage: ./dev COMMAND'

printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
