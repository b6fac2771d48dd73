"""Xet storage for the Hub stand-in: the way that huggingface_hub takes by default where hf-xet is installed.

A file is cut into chunks, chunks are packed into *xorbs*, and a *shard* lists, per file, which chunks of which xorbs
make it (https://huggingface.co/docs/xet). The server unpacks what it receives, and compares it with the SHA-256 that
the shard gives for each file, as the real one does. It has no upload grants and no second version of the other routes
(404), from which the client falls back to the first.
"""

import hashlib
import json
import struct
import time
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa

_ENTRY = struct.Struct("<32sIIII")
_END = b"\xff" * 32
_VERIFIED, _HAS_SHA256 = 1 << 31, 1 << 30


def name_of(digest: bytes) -> str:
    """Return the name of a hash in addresses: four little-endian numbers of 64 bits."""
    return "".join(f"{number:016x}" for number in struct.unpack("<4Q", digest))


def chunks_of(xorb: bytes) -> tuple[list[bytes], list[int]]:
    """Return the chunks of a xorb, and where each begins in it; the last place is the end of the chunks."""
    chunks, places = [], [0]
    while places[-1] < len(xorb) and not xorb.startswith(b"XETBLOB", places[-1]):
        head = xorb[places[-1] :][:8]
        packed, scheme, size = int.from_bytes(head[1:4], "little"), head[4], int.from_bytes(head[5:8], "little")
        data = xorb[places[-1] + 8 :][:packed]
        chunks.append(_unpacked(data, scheme, size))
        places.append(places[-1] + 8 + packed)
    return chunks, places


def _unpacked(data: bytes, scheme: int, size: int) -> bytes:
    if scheme == 0:
        return data
    plain = pa.Codec("lz4").decompress(data, size).to_pybytes()
    if scheme == 1:
        return plain
    sizes = [(size + 3 - i) // 4 for i in range(4)]  # bytes 0, 4, 8, …, then 1, 5, 9, …
    ends = list(accumulate(sizes))
    result = bytearray(size)
    for i in range(4):
        result[i::4] = plain[ends[i] - sizes[i] : ends[i]]
    return bytes(result)


class XetStorage:
    """Xorbs and files on disk: ``xorbs/NAME``, ``files/NAME.json`` with the parts of a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for kind in ("xorbs", "files"):
            (folder / kind).mkdir(parents=True, exist_ok=True)

    def register(self, shard: bytes) -> list[bytes]:
        """Keep the files of a shard; return the content of each.

        Raises:
            ValueError: if a file has another SHA-256 than the shard says.
            OSError: if a xorb is missing.
        """
        place, contents = 48, []
        while (head := _ENTRY.unpack_from(shard, place))[0] != _END:
            count = head[2]
            parts = [_ENTRY.unpack_from(shard, place + 48 * (1 + i)) for i in range(count)]
            place += 48 * (1 + count * (2 if head[1] & _VERIFIED else 1))
            content, terms = b"", []
            for xorb, _, size, start, stop in parts:
                chunks, _ = chunks_of((self.folder / "xorbs" / name_of(xorb)).read_bytes())
                content += b"".join(chunks[start:stop])
                terms.append({"hash": name_of(xorb), "unpacked_length": size, "range": {"start": start, "end": stop}})
            if head[1] & _HAS_SHA256:
                if name_of(shard[place : place + 32]) != hashlib.sha256(content).hexdigest():
                    raise ValueError(f"file {name_of(head[0])} has another SHA-256")
                place += 48
            (self.folder / "files" / f"{name_of(head[0])}.json").write_text(json.dumps(terms))
            (self.folder / "files" / hashlib.sha256(content).hexdigest()).write_text(name_of(head[0]))
            contents.append(content)
        return contents

    def xet_hash(self, sha256: str) -> str:
        """Return the name of the file with this SHA-256, or "" if it was uploaded in another way."""
        path = self.folder / "files" / sha256
        return path.read_text() if path.exists() else ""

    def reconstruction(self, name: str, url: str) -> dict[str, Any] | None:
        """Return of which parts of which xorbs a file consists, and where these are."""
        path = self.folder / "files" / f"{name}.json"
        if not path.exists():
            return None
        terms, fetched = json.loads(path.read_text()), {}
        for term in terms:
            _, places = chunks_of((self.folder / "xorbs" / term["hash"]).read_bytes())
            bytes_of = {"start": places[term["range"]["start"]], "end": places[term["range"]["end"]] - 1}
            one = {"range": term["range"], "url": f"{url}/xorbs/{term['hash']}", "url_range": bytes_of}
            fetched.setdefault(term["hash"], []).append(one)
        return {"offset_into_first_range": 0, "terms": terms, "fetch_info": fetched}


class XetRoutes:
    """Routes of the storage, for the handler of :class:`hub_standin.HubStandin`."""

    hub: Any
    _json: Any
    _send: Any

    def xet_token(self, _: bytes, repo: str, revision: str) -> None:
        told = {"X-Xet-Cas-Url": self.hub.url, "X-Xet-Access-Token": "xet", "X-Xet-Token-Expiration": _in_an_hour()}
        body = {"casUrl": self.hub.url, "accessToken": "xet", "exp": int(_in_an_hour())}
        self._json(body, 200, told)

    def xet_xorb(self, body: bytes, name: str) -> None:
        path = self.hub.xet.folder / "xorbs" / name
        known = path.exists()
        if not known:
            path.write_bytes(body)
        self._json({"was_inserted": not known})

    def xet_shard(self, body: bytes) -> None:
        try:
            contents = self.hub.xet.register(body)
        except (ValueError, OSError) as error:
            self._json({"error": str(error)}, 400)
            return
        for content in contents:
            self.hub.store(content)
        self._json({"result": 1})

    def xet_unknown(self, _: bytes, **__: str) -> None:
        self._json({"error": "not found"}, 404)

    def xet_file(self, _: bytes, name: str) -> None:
        found = self.hub.xet.reconstruction(name, self.hub.url)
        self._json(found or {"error": "not found"}, 200 if found else 404)

    def xet_part(self, _: bytes, name: str) -> None:
        content = (self.hub.xet.folder / "xorbs" / name).read_bytes()
        first, _, last = self.headers["Range"].removeprefix("bytes=").partition("-")  # type: ignore[attr-defined]
        part = content[int(first) : int(last) + 1]
        self._send(part, 206, {"Content-Range": f"bytes {first}-{last}/{len(content)}"})


def _in_an_hour() -> str:
    return str(int(time.time()) + 3600)


_NAME = "(?P<name>[0-9a-f]{64})"
XET_ROUTES = (
    ("GET", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/xet-(?:read|write)-token/(?P<revision>[^/]+)", "xet_token"),
    ("POST", f"/v1/xorbs/default/{_NAME}", "xet_xorb"),
    ("POST", "/v1/shards", "xet_shard"),
    ("GET", f"/v1/reconstructions/{_NAME}", "xet_file"),
    ("GET", f"/xorbs/{_NAME}", "xet_part"),
    ("GET|POST", "/v[12]/.*", "xet_unknown"),
)
