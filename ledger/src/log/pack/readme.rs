//! The README of a pack: what it holds and how to check it with openssl and a shell. A test runs its commands.

use super::Manifest;
use crate::judge::pack::Topic;

pub(super) fn readme(manifest: &Manifest, has_record: bool) -> String {
    let about = match &manifest.about {
        Topic::Run(id) => format!("run {id}"),
        Topic::Bundle(digest) => format!("bundle sha256:{digest}"),
        Topic::Route(name) => format!("route {}", name.escape_debug()),
    };
    let (origin, size, entries) = (&manifest.origin, manifest.tree_size, manifest.entries.len());
    let record = if has_record { ROUTE } else { "" };
    format!(
        "# Evidence about {about}\n\n\
         {entries} entries of the log {origin}, from its tree of {size} entries. `pack.json` says why each of them \
         is here.\n\n{BODY}{record}{LIMITS}"
    )
}

const BODY: &str = r#"## Without any program of ours

You need a POSIX shell, `openssl` (3.0 or later), `sha256sum`, `sed` and `base64`. Unpack with `tar -xf`, go into the
folder, and make sure first that the files are those that were packed:

```sh
sha256sum --check --quiet --strict SHA256SUMS
```

**Whose keys are these?** Everything below shows that the evidence was signed by the keys in `keys/`. That they are the
log's (`log.pem`) and the portal's (`portal.pem`) you must know from another source: compare the digests that this prints
with those that the server's operator, or an agent that is enrolled there (`acta status`), gives you.

```sh
for key in keys/*.pem; do
  printf '%s  ' "$key"
  openssl pkey -pubin -in "$key" -outform DER | tail -c 32 | sha256sum
done
```

**The tree head** is a signed note (C2SP signed-note and tlog-checkpoint): name of the log, size, root; an empty line;
signatures. The bytes of a signature line are a 4-byte key id and an Ed25519 signature of the text above the empty line.
The log's key must have made one of them:

```sh
sed '/^$/,$d' tree-head > head.text
log_signed=no
for line in $(sed '1,/^$/d' tree-head | sed 's/.* //'); do
  printf '%s' "$line" | base64 -d | tail -c +5 > head.sig
  for key in keys/log*.pem; do
    if openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in head.text -sigfile head.sig > /dev/null 2>&1; then
      log_signed=yes
    fi
  done
done
test "$log_signed" = yes
```

**The entries** are DSSE envelopes over in-toto statements; any DSSE library verifies them. By hand: what is signed is
`DSSEv1`, the length and text of the type, the length and bytes of the payload, a space between each. The key of an agent
is named by its id, the SHA-256 of its 32 bytes:

```sh
type=application/vnd.in-toto+json
for entry in entries/*.json; do
  sed 's/.*"payload":"\([^"]*\)".*/\1/' "$entry" | base64 -d > payload
  sed 's/.*"sig":"\([^"]*\)".*/\1/' "$entry" | base64 -d > sig
  { printf 'DSSEv1 %d %s %d ' ${#type} "$type" "$(wc -c < payload)"; cat payload; } > message
  signed=no
  for key in keys/portal.pem keys/agent-*.pem; do
    test -e "$key" || continue
    if openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in message -sigfile sig > /dev/null 2>&1; then
      signed=$key
    fi
  done
  echo "$entry: signed by $signed"
  test "$signed" != no
done
```

Agents' keys are introduced by entries too (`"predicateType":"urn:acta:agent-key:v1"`), which the portal's key signed; a
key signs only entries after the one that introduces it, and none after one that ends it.

**The places in the tree** (RFC 6962): a leaf is SHA-256 of a zero byte and the entry, a node is SHA-256 of a one byte and
its two children. A proof file (C2SP tlog-proof) lists the siblings from the leaf upward; they must lead to the root:

```sh
root=$(sed -n 3p tree-head)
hash() { openssl dgst -sha256 -binary; }
for entry in entries/*.json; do
  name=${entry#entries/}; proof=proofs/${name%.json}.tlog-proof
  at=$(sed -n 's/^index //p' "$proof"); last=$(($(sed -n 2p tree-head) - 1))
  { printf '\000'; cat "$entry"; } | hash > node
  sed -n '/^index /,/^$/p' "$proof" | sed '1d;$d' > siblings
  while read -r line; do
    printf '%s' "$line" | base64 -d > sibling
    if [ $((at % 2)) = 1 ] || [ "$at" = "$last" ]; then
      { printf '\001'; cat sibling node; } | hash > next
      while [ $((at % 2)) = 0 ] && [ "$at" != 0 ]; do at=$((at / 2)); last=$((last / 2)); done
    else
      { printf '\001'; cat node sibling; } | hash > next
    fi
    mv next node; at=$((at / 2)); last=$((last / 2))
  done < siblings
  test "$(base64 < node)" = "$root"
  test "$last" = 0
done
```

**The blobs** are named by their digests, and statements name them. `SHA256SUMS` has checked them already.

## With ours

```
acta verify x.acta --log-key KEY --portal-key KEY
```

checks all of this at once, that every key might sign what it signed, and that nothing is missing or too much. It needs
no server and no network.

"#;

const ROUTE: &str = r#"`route-record.json` is the route's record as the server gave it for the moment `judgedAt` in `pack.json`. `acta verify`
judges it anew from the entries, and the two must be equal byte for byte.

"#;

const LIMITS: &str = r"## What a pack cannot show

That nothing was left out: the server chose what belongs. Whoever has the whole log up to the tree head (`acta audit
--deep` reads it) can choose again by the same rules. And a key may have been revoked after this tree head.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_names_cannot_add_lines() {
        let manifest = Manifest {
            format: super::super::FORMAT.to_owned(),
            about: Topic::Route("a\n```sh\nrm -rf .\n```".to_owned()),
            origin: "o".to_owned(),
            tree_size: 1,
            log_key: String::new(),
            portal_key: super::super::super::key::PublicKey::of(
                &super::super::super::key::test_keys::rfc8032_1(),
            ),
            judged_at: None,
            entries: Vec::new(),
            hand_overs: Vec::new(),
            left_out: Vec::new(),
        };
        let text = readme(&manifest, true);
        assert_eq!(text.lines().next(), Some(r"# Evidence about route a\n```sh\nrm -rf .\n```"));
        assert!(text.contains("route-record.json"));
        assert!(!readme(&manifest, false).contains("route-record.json"));
        // Only fixed blocks are commands.
        assert_eq!(text.lines().filter(|line| *line == "```sh").count(), 5);
    }
}
