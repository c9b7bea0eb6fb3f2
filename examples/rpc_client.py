"""The tool from Python, with nothing but the standard library: JSON lines to and from `nacre rpc`."""

import json
import subprocess
import sys
import threading


class Nacre:
    def __init__(self, command=("nacre", "rpc"), on_event=None):
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._on_event = on_event or (lambda event: None)
        self._lock = threading.Lock()
        self._next_id = 0
        self._waiting = {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        # Bytes, split at newlines only: other separators are legal inside a JSON text.
        for line in self._process.stdout:
            message = json.loads(line)
            if message["type"] != "response":
                self._on_event(message)
            elif message.get("id") in self._waiting:
                slot = self._waiting.pop(message["id"])
                slot["response"] = message
                slot["done"].set()

    def request(self, type, **fields):
        slot = {"done": threading.Event()}
        with self._lock:
            self._next_id += 1
            self._waiting[self._next_id] = slot
            line = json.dumps({"id": self._next_id, "type": type, **fields})
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        slot["done"].wait()
        response = slot["response"]
        # A call that was refused has a result all the same.
        if "data" not in response:
            raise RuntimeError(f"{response['errorId']}: {response['error']}")
        return response["data"]

    def bash(self, command, **fields):
        return self.request("bash", command=command, **fields)

    def close(self):
        self._process.stdin.close()
        return self._process.wait()


if __name__ == "__main__":
    pieces = []

    def on_event(event):
        if event["type"] == "bash_execution_update":
            pieces.append(event["delta"])

    nacre = Nacre(tuple(sys.argv[1:]) or ("nacre", "rpc"), on_event)
    result = nacre.bash("echo one; echo two; exit 3", stream=True)
    print(repr("".join(pieces)), result["exitCode"], result["run"]["status"])

    refused = nacre.bash("")
    print(refused["error"]["id"])

    job = nacre.bash("sleep 1000", **{"async": True})["run"]["job"]
    print(nacre.request("job", input={"action": "kill", "id": job["id"], "escalate": True})["details"]["jobs"][0]["state"])
    print(nacre.close())
