"""A small server that speaks OpenAI's chat completions, for tests: it answers as it is told, and fails on demand.

    with OpenAIStandin(lambda number: "Yes") as server:
        evaluate("openai", tasks, model_args=server.model_args)

A reply is the model's words; None is a message without any; a number is the HTTP status with which the request fails
(4xx, as the real client asks again after 5xx, and waits).
"""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[int], str | int | tuple[str, int] | None]


class OpenAIStandin:
    """The server; ``asked`` holds the body of each request in order."""

    def __init__(self, reply: Reply) -> None:
        self.asked: list[dict[str, Any]] = []
        self._reply = reply
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"standin": self}))
        self._server.daemon_threads = True

    @property
    def model_args(self) -> str:
        """What lmms-eval's classes for such servers need: one try, no waiting."""
        url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        return f"base_url={url},api_key=none,model=standin,max_retries=1,retry_backoff_s=0,num_concurrent=4"

    def __enter__(self) -> "OpenAIStandin":
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: dict[str, Any]) -> Any:
        """Return the reply to the next request."""
        with self._lock:
            self.asked.append(body)
            return self._reply(len(self.asked))


class _Handler(BaseHTTPRequestHandler):
    standin: OpenAIStandin

    def do_POST(self) -> None:
        reply = self.standin.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if isinstance(reply, int):
            return self._send(reply, {"error": {"message": "There is no vision tower", "type": "server_error"}})
        reply, tokens = reply if isinstance(reply, tuple) else (reply, None)
        message = {"role": "assistant", "content": reply}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {} if tokens is None else {"usage": {"prompt_tokens": 300, "completion_tokens": tokens}}
        told = {"id": "x", "object": "chat.completion", "created": 0, "model": "standin", "choices": [choice]}
        self._send(200, told | usage)

    def _send(self, status: int, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
