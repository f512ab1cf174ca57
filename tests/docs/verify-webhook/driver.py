import sys

sys.path.insert(0, sys.argv[1])
from verify import verify

secret, id, timestamp, signature, now = sys.argv[2:]
print("true" if verify(secret, id, timestamp, signature, sys.stdin.buffer.read(), int(now)) else "false")
