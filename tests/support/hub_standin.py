"""A small Hugging Face Hub for tests: keeps commits on disk, and fails on demand.

It answers the real client (``HF_ENDPOINT=http://127.0.0.1:PORT``)::

    with HubStandin(folder) as hub:
        subprocess.run(["lmms-eval", …], env={**os.environ, **hub.environment(cache)})

``hub.fail("cut", at=7)`` makes the 7th request from now on, and all after it, fail until ``hub.heal()``.
"""

import base64
import hashlib
import io
import json
import math
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from xet_standin import XET_ROUTES, XetRoutes, XetStorage

TOKEN = "hf_test"
_LFS = re.compile(r"\.(parquet|png|bin)$")


class HubStandin:
    """The server; ``requests`` lists "METHOD /path" in order."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        (self.folder / "blobs").mkdir(parents=True, exist_ok=True)
        self.xet = XetStorage(self.folder / "xet")
        self.requests: list[str] = []
        self._mode, self._at, self._until = "", 0, math.inf
        self._lock = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": self}))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "HubStandin":
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def environment(self, cache: Path, *, xet: bool = False) -> dict[str, str]:
        """Return what a process needs in its environment to talk to this server and keep its cache in a folder.

        With ``xet``, files go the way that the client takes by default; it retries within milliseconds.
        """
        return {
            "HF_ENDPOINT": self.url,
            "HF_TOKEN": TOKEN,
            "HF_HOME": str(cache),
            "HF_HUB_CACHE": str(cache / "hub"),
            "HF_HUB_OFFLINE": "0",
            "HF_HUB_DISABLE_XET": str(int(not xet)),
            "HF_XET_CACHE": str(cache / "xet"),
            "HF_XET_CLIENT_RETRY_BASE_DELAY": "5ms",
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }

    @contextmanager
    def in_process(self, cache: Path, *, xet: bool = False) -> Iterator["HubStandin"]:
        """Point the client that this process has imported already at this server, for a while."""
        from huggingface_hub import constants

        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment(cache, xet=xet).items():
                patch.setenv(name, value)
            patch.setattr(constants, "ENDPOINT", self.url)
            template = self.url + "/{repo_id}/resolve/{revision}/{filename}"
            patch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
            patch.setattr(constants, "HF_HUB_OFFLINE", False)
            patch.setattr(constants, "HF_HUB_DISABLE_XET", not xet)
            patch.setattr("huggingface_hub.utils._xet._GLOBAL_XET_HOLDER._session", None)
            patch.setattr(constants, "HF_HUB_CACHE", str(cache / "hub"))
            patch.setattr("huggingface_hub.utils._http.time.sleep", lambda _: None)
            # A new client loads the TLS certificates, 40 ms each; the real client makes one after every failure.
            patch.setattr("ssl.create_default_context", lambda *_, **__: ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
            yield self

    def fail(self, mode: str, *, at: int, times: float = math.inf) -> None:
        """Fail from a request on: "500" answers so, "cut" hangs up at once, "lost" does the work and hangs up.

        ``times`` is the number of requests that fail.
        """
        with self._lock:
            self.requests.clear()
            self._mode, self._at, self._until = mode, at, at + times

    def heal(self) -> None:
        """Stop failing."""
        with self._lock:
            self._mode = ""
            self.requests.clear()

    def failure(self, line: str) -> str:
        """Count a request and return how it shall fail, or ""."""
        with self._lock:
            self.requests.append(line)
            return self._mode if self._mode and self._at <= len(self.requests) < self._until else ""

    # What is kept on disk: blobs by SHA-256, and one JSON file per repository.

    def load(self, repo: str) -> dict[str, Any] | None:
        """Return a repository: {"private", "branches", "tags", "commits": {sha: {"parent", "title", "files"}}}."""
        path = self.folder / (repo.replace("/", "--") + ".json")
        return json.loads(path.read_text()) if path.exists() else None

    def save(self, repo: str, data: dict[str, Any]) -> None:
        path = self.folder / (repo.replace("/", "--") + ".json")
        temporary = path.with_suffix(".tmp")
        temporary.write_text(json.dumps(data))
        temporary.replace(path)

    def reset(self, repo: str) -> None:
        """Forget a repository, and what was uploaded for it."""
        (self.folder / (repo.replace("/", "--") + ".json")).unlink(missing_ok=True)
        for blob in (self.folder / "blobs").iterdir():
            blob.unlink()

    def create(self, repo: str, *, private: bool) -> bool:
        with self._lock:
            if self.load(repo) is not None:
                return False
            data: dict[str, Any] = {"private": private, "branches": {}, "tags": {}, "commits": {}}
            attributes = self.store(b"*.parquet filter=lfs diff=lfs merge=lfs -text\n")
            self._append(data, "initial commit", {".gitattributes": attributes})
            self.save(repo, data)
            return True

    def store(self, content: bytes, *, lfs: bool = False) -> dict[str, Any]:
        digest = hashlib.sha256(content).hexdigest()
        (self.folder / "blobs" / digest).write_bytes(content)
        return self.entry(digest, lfs=lfs)

    def entry(self, digest: str, *, lfs: bool) -> dict[str, Any]:
        content = (self.folder / "blobs" / digest).read_bytes()
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n".encode()
        text = pointer if lfs else content
        blob = hashlib.sha1(f"blob {len(text)}\0".encode() + text).hexdigest()
        return {"sha256": digest, "blob": blob, "size": len(content), "lfs": lfs, "pointer": len(pointer)}

    def commit(self, repo: str, lines: list[dict[str, Any]], branch: str = "main") -> tuple[int, dict[str, Any]]:
        """Apply a commit as a whole, or not at all."""
        with self._lock:
            data = self.load(repo)
            assert data is not None
            head = data["branches"][branch]
            files = dict(data["commits"][head]["files"])
            header = next(line["value"] for line in lines if line["key"] == "header")
            if header.get("parentCommit") not in (None, head):
                return 412, {"error": "The provided parent commit is not the head of the branch"}
            for line in lines:
                value = line["value"]
                if line["key"] == "file":
                    files[value["path"]] = self.store(base64.b64decode(value["content"]))
                elif line["key"] == "lfsFile":
                    if not (self.folder / "blobs" / value["oid"]).exists():
                        return 400, {"error": f"lfs object {value['oid']} was never uploaded"}
                    files[value["path"]] = self.entry(value["oid"], lfs=True)
                elif line["key"] == "deletedFile" and files.pop(value["path"], None) is None:
                    return 404, {"error": "A file with this name doesn't exist"}
            sha = self._append(data, header["summary"], files, branch)
            self.save(repo, data)
            return 200, {"success": True, "commitOid": sha, "commitUrl": f"{self.url}/datasets/{repo}/commit/{sha}"}

    def branch(self, repo: str, revision: str, name: str) -> int:
        with self._lock:
            data = self.load(repo)
            assert data is not None
            if name in data["branches"]:
                return 409
            data["branches"][name] = self.resolve(repo, revision)
            self.save(repo, data)
            return 200

    def _append(self, data: dict[str, Any], title: str, files: dict[str, Any], branch: str = "main") -> str:
        parent = data["branches"].get(branch, "")
        sha = hashlib.sha1(json.dumps([parent, title, files], sort_keys=True).encode()).hexdigest()
        data["commits"][sha] = {"parent": parent, "title": title, "files": files}
        data["branches"][branch] = sha
        return sha

    def tag(self, repo: str, revision: str, name: str) -> int:
        with self._lock:
            data = self.load(repo)
            assert data is not None
            if name in data["tags"]:
                return 409
            data["tags"][name] = self.resolve(repo, revision)
            self.save(repo, data)
            return 200

    def refuse(self, repo: str, refusal: str) -> None:
        """From now on refuse readers: "gated", "429" (asked too often), "gone" (no commit), "private" (hidden).

        "protected" refuses a push to main.
        """
        with self._lock:
            data = self.load(repo)
            assert data is not None
            self.save(repo, {**data, "refusal": refusal, "private": data["private"] or refusal == "private"})

    def resolve(self, repo: str, revision: str) -> str | None:
        """Return the commit that a branch, tag or SHA stands for."""
        data = self.load(repo) or {"branches": {}, "tags": {}, "commits": {}}
        sha = data["branches"].get(revision) or data["tags"].get(revision) or revision
        return sha if sha in data["commits"] else None

    def files(self, repo: str, revision: str = "main") -> dict[str, bytes]:
        """Return the content of every file at a revision."""
        data, sha = self.load(repo), self.resolve(repo, revision)
        assert data is not None
        entries = data["commits"][sha]["files"]
        return {name: (self.folder / "blobs" / entry["sha256"]).read_bytes() for name, entry in entries.items()}


class _Handler(XetRoutes, BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # answers are two small writes
    hub: HubStandin

    def log_message(self, *_: object) -> None:
        pass

    def _serve(self) -> None:
        path = unquote(urlsplit(self.path).path)
        mode = self.hub.failure(f"{self.command} {path}")
        if mode == "cut":
            self._hang_up()
            return
        body = self._body()
        if mode.isdecimal():
            self._json({"error": "try again"}, int(mode), {"Retry-After": "1"} if mode == "429" else {})
            return
        if mode == "lost":
            self.wfile = io.BytesIO()
        for method, pattern, name in _ROUTES:
            if (match := re.fullmatch(pattern, path)) and self.command in method.split("|"):
                if self._allowed(match, name):
                    getattr(self, name)(body, **match.groupdict())
                break
        else:
            self._json({"error": f"no route for {self.command} {path}"}, 404)
        if mode == "lost":
            self._hang_up()

    do_GET = do_HEAD = do_POST = do_PUT = _serve

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.close()

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "") == "chunked":
            chunks = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                chunks.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(chunks)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _allowed(self, match: re.Match[str], name: str) -> bool:
        known = self.headers.get("Authorization") == f"Bearer {TOKEN}"
        if name in ("whoami", "create", "preupload", "commit", "tag", "branch", "batch", "xet_token") and not known:
            self._json({"error": "Invalid username or password."}, 401)
            return False
        repo = match.groupdict().get("repo")
        if repo is None:
            return True
        data = self.hub.load(repo)
        if data is None or (data["private"] and not known):
            self._error("RepoNotFound", "Repository not found")
            return False
        if refusal := data.get("refusal"):
            if refusal == "gated":
                self._error("GatedRepo", "Access to this dataset is restricted", 403)
            elif refusal == "429":
                self._json({"error": "Too Many Requests"}, 429, {"Retry-After": "7"})
            elif refusal == "gone":
                self._error("RevisionNotFound", "Invalid rev id")
            if refusal == "protected" and name not in ("preupload", "commit"):
                refusal = "private"
            if refusal == "protected":
                self._json({"error": "pushes to this branch are not allowed"}, 403)
            if refusal != "private":
                return False
        revision = match.groupdict().get("revision")
        if revision and self.hub.resolve(repo, revision) is None:
            self._error("RevisionNotFound", f"Invalid rev id: {revision}")
            return False
        return True

    def _json(self, data: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self._send(json.dumps(data).encode(), status, {"Content-Type": "application/json", **(headers or {})})

    def _error(self, code: str, message: str, status: int = 404) -> None:
        self._json({"error": message}, status, {"X-Error-Code": code, "X-Error-Message": message})

    def _send(self, content: bytes, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    # The routes.

    def whoami(self, _: bytes) -> None:
        self._json({"type": "user", "name": "tester", "orgs": [], "auth": {"accessToken": {"role": "write"}}})

    def create(self, body: bytes) -> None:
        wanted = json.loads(body)
        repo = f"{wanted.get('organization') or 'tester'}/{wanted['name']}"
        made = self.hub.create(repo, private=bool(wanted.get("private") or wanted.get("visibility") == "private"))
        url = {"url": f"{self.hub.url}/datasets/{repo}", "name": repo, "id": "1"}
        self._json(url if made else {**url, "error": "You already created this repo"}, 200 if made else 409)

    def validate(self, body: bytes) -> None:
        import yaml

        text = json.loads(body)["content"]
        try:
            front = yaml.safe_load(text.split("---")[1])
            errors = [] if isinstance(front, dict) else [{"message": "front matter is not a mapping"}]
        except (IndexError, yaml.YAMLError) as error:
            errors = [{"message": str(error)}]
        self._json({"errors": errors, "warnings": []}, 400 if errors else 200)

    def info(self, _: bytes, repo: str, revision: str = "main") -> None:
        sha, data = self.hub.resolve(repo, revision), self.hub.load(repo)
        assert data is not None
        siblings = [{"rfilename": name} for name in sorted(data["commits"][sha]["files"])]
        facts = {"id": repo, "_id": "1", "author": repo.split("/")[0], "sha": sha, "siblings": siblings}
        facts |= {"private": data["private"], "gated": False, "disabled": False, "tags": [], "downloads": 0, "likes": 0}
        self._json(facts)

    def refs(self, _: bytes, repo: str) -> None:
        data = self.hub.load(repo)
        assert data is not None
        answer: dict[str, Any] = {"converts": []}
        for kind, folder in (("branches", "heads"), ("tags", "tags")):
            items = data[kind].items()
            answer[kind] = [{"name": n, "ref": f"refs/{folder}/{n}", "targetCommit": sha} for n, sha in items]
        self._json(answer)

    def tree(self, _: bytes, repo: str, revision: str, path: str | None) -> None:
        sha, data = self.hub.resolve(repo, revision), self.hub.load(repo)
        assert data is not None
        inner = f"{path.strip('/')}/" if path else ""
        files = {name: e for name, e in sorted(data["commits"][sha]["files"].items()) if name.startswith(inner)}
        folders = sorted({"/".join(name.split("/")[:n]) for name in files for n in range(1, name.count("/") + 1)})
        items: list[dict[str, Any]] = [
            {"type": "directory", "path": folder, "oid": "0" * 40, "size": 0}
            for folder in folders
            if folder.startswith(inner)
        ]
        for name, entry in files.items():
            item = {"type": "file", "path": name, "oid": entry["blob"], "size": entry["size"]}
            if entry["lfs"]:
                item["lfs"] = {"oid": entry["sha256"], "size": entry["size"], "pointerSize": entry["pointer"]}
            items.append(item)
        if "recursive=true" not in urlsplit(self.path).query.lower():
            items = [item for item in items if "/" not in item["path"].removeprefix(inner)]
        self._json(items)

    def preupload(self, body: bytes, repo: str, revision: str) -> None:
        sha, data = self.hub.resolve(repo, revision), self.hub.load(repo)
        assert data is not None
        there = data["commits"][sha]["files"]
        answer = []
        for file in json.loads(body)["files"]:
            entry = there.get(file["path"])
            oid = None if entry is None else entry["sha256"] if entry["lfs"] else entry["blob"]
            mode = "lfs" if _LFS.search(file["path"]) else "regular"
            answer.append({"path": file["path"], "uploadMode": mode, "shouldIgnore": False, "oid": oid})
        self._json({"files": answer})

    def batch(self, body: bytes, repo: str) -> None:
        objects = []
        for item in json.loads(body)["objects"]:
            answer: dict[str, Any] = {"oid": item["oid"], "size": item["size"]}
            if not (self.hub.folder / "blobs" / item["oid"]).exists():
                place = f"{self.hub.url}/lfs/{item['oid']}"
                answer["actions"] = {"upload": {"href": place}, "verify": {"href": f"{place}/verify"}}
            objects.append(answer)
        self._json({"transfer": "basic", "objects": objects})

    def put(self, body: bytes, oid: str) -> None:
        if hashlib.sha256(body).hexdigest() != oid:
            self._json({"error": "content does not match oid"}, 400)
            return
        self.hub.store(body)
        self._send(b"", 200, {"ETag": f'"{oid}"'})

    def verify(self, _: bytes, oid: str) -> None:
        self._json({}, 200 if (self.hub.folder / "blobs" / oid).exists() else 404)

    def commit(self, body: bytes, repo: str, revision: str) -> None:
        lines = [json.loads(line) for line in body.splitlines() if line.strip()]
        status, answer = self.hub.commit(repo, lines, revision)
        self._json(answer, status)

    def branch(self, body: bytes, repo: str, name: str) -> None:
        wanted = json.loads(body or b"{}").get("startingPoint", "main")
        status = self.hub.branch(repo, wanted, name)
        self._json({} if status == 200 else {"error": "Branch already exists"}, status)

    def tag(self, body: bytes, repo: str, revision: str) -> None:
        status = self.hub.tag(repo, revision, json.loads(body)["tag"])
        self._json({} if status == 200 else {"error": "Tag already exists"}, status)

    def resolve(self, _: bytes, repo: str, revision: str, path: str) -> None:
        sha, data = self.hub.resolve(repo, revision), self.hub.load(repo)
        assert data is not None
        entry = data["commits"][sha]["files"].get(path)
        if entry is None:
            self._json(
                {"error": "Entry not found"},
                404,
                {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found", "X-Repo-Commit": str(sha)},
            )
            return
        content = (self.hub.folder / "blobs" / entry["sha256"]).read_bytes()
        etag = entry["sha256"] if entry["lfs"] else entry["blob"]
        headers = {"X-Repo-Commit": str(sha), "ETag": f'"{etag}"', "Accept-Ranges": "bytes"}
        if entry["lfs"]:
            headers |= {"X-Linked-Etag": f'"{etag}"', "X-Linked-Size": str(entry["size"])}
            if xet := self.hub.xet.xet_hash(entry["sha256"]):
                token = f"{self.hub.url}/api/datasets/{repo}/xet-read-token/{sha}"
                headers |= {"X-Xet-Hash": xet, "Link": f'<{token}>; rel="xet-auth"'}
        if match := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            start, end = int(match[1]), int(match[2] or len(content) - 1)
            headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
            self._send(content[start : end + 1], 206, headers)
            return
        self._send(content, 200, headers)


_KINDS = "(?:datasets|spaces)"
_REPO = r"(?P<repo>[^/]+/[^/]+)"
_REVISION = r"(?P<revision>[^/]+)"
_ROUTES = (
    ("GET", "/api/whoami-v2", "whoami"),
    ("POST", "/api/repos/create", "create"),
    ("POST", "/api/validate-yaml", "validate"),
    ("GET", f"/api/{_KINDS}/{_REPO}", "info"),
    ("GET", f"/api/{_KINDS}/{_REPO}/revision/{_REVISION}", "info"),
    ("GET", f"/api/{_KINDS}/{_REPO}/refs", "refs"),
    ("GET", f"/api/{_KINDS}/{_REPO}/tree/{_REVISION}(?P<path>/.*)?", "tree"),
    ("POST", f"/api/{_KINDS}/{_REPO}/preupload/{_REVISION}", "preupload"),
    ("POST", f"/api/{_KINDS}/{_REPO}/commit/{_REVISION}", "commit"),
    ("POST", f"/api/{_KINDS}/{_REPO}/tag/{_REVISION}", "tag"),
    ("POST", f"/api/{_KINDS}/{_REPO}/branch/(?P<name>[^/]+)", "branch"),
    ("POST", rf"/{_KINDS}/{_REPO}\.git/info/lfs/objects/batch", "batch"),
    ("PUT", "/lfs/(?P<oid>[0-9a-f]{64})", "put"),
    ("POST", "/lfs/(?P<oid>[0-9a-f]{64})/verify", "verify"),
    ("GET|HEAD", f"/{_KINDS}/{_REPO}/resolve/{_REVISION}/(?P<path>.+)", "resolve"),
    *XET_ROUTES,
)
