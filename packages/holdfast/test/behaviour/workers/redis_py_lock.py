"""A worker in another language: redis-py's own Lock, told what to do line by line, answering line by line in JSON."""

import json
import sys

import redis

client = redis.Redis(host="127.0.0.1", port=int(sys.argv[1]))
locks = {}


def acquire(name, timeout, patience):
    lock = client.lock(name, timeout=float(timeout) or None, blocking_timeout=float(patience), sleep=0.01)
    if not lock.acquire():
        return "busy"
    locks[name] = lock
    return "acquired"


def release(name):
    try:
        locks.pop(name).release()
        return "released"
    except redis.exceptions.LockError as error:
        return type(error).__name__


print(json.dumps(redis.__version__), flush=True)
for line in sys.stdin:
    command, *arguments = json.loads(line)
    print(json.dumps({"acquire": acquire, "release": release}[command](*arguments)), flush=True)
