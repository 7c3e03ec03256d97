"""Asks Python's tools of the field about a running log:

    verify.py URL

securesystemslib must verify every envelope's signature by the key that its signer has in the log, and must refuse it
once a bit of the payload has changed; in-toto-attestation must read every statement, find it valid, and lose nothing
of it. Prints how many entries it looked at, and which predicate types they hold.
"""

import base64
import copy
import json
import sys
import urllib.request

from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read()


def bundle(url: str, size: int) -> list[bytes]:
    """The entries of a log that fits into one bundle."""
    data = get(f"{url}/log/tile/entries/000{'' if size == 256 else f'.p/{size}'}")
    entries = []
    while data:
        end = 2 + int.from_bytes(data[:2], "big")
        entries.append(data[2:end])
        data = data[end:]
    return entries


def key(keyid: str, raw: bytes) -> SSlibKey:
    return SSlibKey(keyid, "ed25519", "ed25519", {"public": raw.hex()})


def verify(envelope: dict, keys: list[SSlibKey]) -> str:
    """Verifies an envelope; returns the key id of whoever signed."""
    (signer,) = Envelope.from_dict(copy.deepcopy(envelope)).verify(keys, 1)
    changed = Envelope.from_dict(copy.deepcopy(envelope))
    changed.payload = changed.payload[:-1] + bytes([changed.payload[-1] ^ 1])
    try:
        changed.verify(keys, 1)
    except VerificationError:
        return signer
    raise AssertionError("a changed payload verifies")


def statement(payload: bytes) -> Statement:
    """Reads a statement; nothing of it may be unknown or lost."""
    read = Statement.copy_from_pb(json_format.Parse(payload, statement_pb2.Statement()))
    read.validate()
    again = json_format.MessageToDict(read.pb, preserving_proto_field_name=False)
    if again != json.loads(payload):
        raise AssertionError(f"another statement comes back: {again}")
    return read


def main(url: str) -> None:
    size = int(get(f"{url}/log/tree-head").split(b"\n")[1])
    portal = base64.b64decode(json.loads(get(f"{url}/api/v1/keys"))["portalKey"])
    entries = [json.loads(entry) for entry in bundle(url, size)]
    assert len(entries) == size, f"{len(entries)} entries, the tree head says {size}"
    # The portal's key is known by the id in its own envelope, the first: it enrols the first agent.
    keys = {entries[0]["signatures"][0]["keyid"]: portal}
    kinds: dict[str, int] = {}
    for index, entry in enumerate(entries):
        try:
            signer = verify(entry, [key(*known) for known in keys.items()])
            read = statement(base64.b64decode(entry["payload"]))
        except Exception as error:
            raise AssertionError(f"entry {index}: {error!r}") from error
        kind = read.pb.predicate_type
        kinds[kind] = kinds.get(kind, 0) + 1
        if kind == "urn:acta:agent-key:v1":
            assert keys[signer] == portal, f"entry {index}: an agent enrols a key"
            raw = base64.b64decode(read.pb.predicate["publicKey"])
            keys[read.pb.subject[0].digest["sha256"]] = raw
    print(json.dumps({"entries": size, "kinds": kinds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
