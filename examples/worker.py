"""A worker in Python: STINT_API_URL=http://127.0.0.1:4600 STINT_API_KEY=stint_… python3 examples/worker.py"""
import json, os, threading, time, urllib.error, urllib.request, uuid

URL, KEY = os.environ.get("STINT_API_URL", "http://127.0.0.1:4600"), os.environ.get("STINT_API_KEY")
LEASE_MS, WORKER = int(os.environ.get("STINT_LEASE_MS", "30000")), str(uuid.uuid4())

def call(path, body):
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {KEY}"} if KEY else {})}
    request = urllib.request.Request(f"{URL}/v1/work/{path}", json.dumps(body).encode(), headers)
    while True:  # The same call twice is done once, so it is repeated until there is an answer.
        try:
            with urllib.request.urlopen(request, timeout=60) as answer: return json.loads(answer.read() or "null")
        except OSError as error:
            if isinstance(error, urllib.error.HTTPError) and error.code < 500 and error.code != 429: raise
        time.sleep(1)

def double(params, attempt): return params["n"] * 2
def rest(params, attempt): time.sleep(params["seconds"])
def stumble(params, attempt):
    if attempt == 1: raise ValueError("The first time it does not work.")
HANDLERS = {"double": double, "rest": rest, "stumble": stumble}

def stay_alive():  # In a thread of its own: a handler that takes long does not stop it.
    while call("renew", {"workerId": WORKER, "leaseMs": LEASE_MS})["alive"]: time.sleep(LEASE_MS / 3000)
    os._exit(1)  # Others have the jobs by now.

def claim(wait_ms):
    about = {"workerId": WORKER, "name": "python", "types": list(HANDLERS), "leaseMs": LEASE_MS, "waitMs": wait_ms}
    return call("claim", {**about, "token": str(uuid.uuid4())})["jobs"]

jobs = claim(0)
threading.Thread(target=stay_alive, daemon=True).start()
while True:
    for each in jobs:
        job, attempt = each["job"], {"jobId": each["job"]["id"], "token": each["token"]}
        try: call("complete", {**attempt, "result": HANDLERS[job["type"]](job["params"], each["attempt"])})
        except Exception as error:  # Of the handler, or because its result cannot be kept.
            try: call("fail", {**attempt, "error": str(error)})
            except urllib.error.HTTPError as error: print("The attempt is not ours any more:", error.read())
    jobs = claim(20_000)
