"""A client of MCP on stdin and stdout, written by hand: JSON-RPC and nothing else. Prints what it saw as one JSON object."""

import json
import os
import subprocess
import sys
import time

server = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
seen = {}


def write(text):
    server.stdin.write(text.encode() + b"\n")
    server.stdin.flush()


def send(**message):
    write(json.dumps({"jsonrpc": "2.0", **message}))


def receive(wanted):
    """The first message that this is true of; progress on the way is kept."""
    while True:
        message = json.loads(server.stdout.readline())
        assert message["jsonrpc"] == "2.0", message
        if message.get("method") == "notifications/progress":
            seen.setdefault("progress", []).append(message["params"]["message"])
        if wanted(message):
            return message


def request(number, method, **params):
    send(id=number, method=method, params=params)
    return receive(lambda message: message.get("id") == number)


def bash(number, command, **meta):
    answer = request(number, "tools/call", name="bash", arguments={"command": command}, **meta)
    return answer["result"]


hello = request(
    1,
    "initialize",
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "by-hand", "version": "1"},
)["result"]
send(method="notifications/initialized")
seen["version"] = hello["protocolVersion"]
seen["server"] = hello["serverInfo"]["name"]

tools = request(2, "tools/list")["result"]["tools"]
seen["tools"] = [tool["name"] for tool in tools]

failed = bash(3, "echo out; exit 3")
seen["failed"] = [failed["isError"], failed["content"][0]["text"], failed["structuredContent"]["exitCode"]]

bash(4, "echo working; sleep 0.3", _meta={"progressToken": "mine"})

# What is no message at all must not end the conversation.
write("this is no JSON")
write('{"jsonrpc":"2.0"')
write("[]")
write("")
seen["after_rubbish"] = bash(5, "echo still here")["content"][0]["text"]
seen["unknown_method"] = request(6, "no/such/method")["error"]["code"]
seen["no_params"] = request(7, "tools/call")["error"]["code"]

# A call that is cancelled ends, and is not answered.
marker = os.path.join(os.getcwd(), "pid")
send(id=8, method="tools/call", params={"name": "bash", "arguments": {"command": "echo $$ >pid; exec sleep 1000"}})
while not (os.path.exists(marker) and open(marker).read().strip()):
    time.sleep(0.01)
send(method="notifications/cancelled", params={"requestId": 8, "reason": "changed my mind"})
pid = int(open(marker).read())
while os.path.exists(f"/proc/{pid}"):
    time.sleep(0.01)
seen["cancelled"] = True

# Two at once are answered as they end.
send(id=9, method="tools/call", params={"name": "bash", "arguments": {"command": "sleep 0.5; echo slow"}})
send(id=10, method="tools/call", params={"name": "bash", "arguments": {"command": "echo fast"}})
seen["order"] = [receive(lambda message: "id" in message)["id"], receive(lambda message: "id" in message)["id"]]

server.stdin.close()
seen["rest"] = server.stdout.read().decode()
seen["exit"] = server.wait()
print(json.dumps(seen))
